use serde_json::json;

use super::*;

#[test]
fn z_13_decisions_are_read_by_word_and_by_the_key_of_the_prompt() {
    let decisions = [Decision::Once, Decision::Session, Decision::Remember, Decision::Deny];
    assert_eq!(decisions.map(Decision::word), ["once", "session", "remember", "deny"]);
    for (decision, key) in decisions.into_iter().zip(["1", "2", "3", "4"]) {
        assert_eq!(Decision::from_word(decision.word()), Some(decision));
        assert_eq!(Decision::from_word(key), Some(decision));
        assert_eq!(Decision::from_word(&format!(" {} ", decision.word().to_uppercase())), Some(decision));
        assert_eq!(serde_json::to_value(decision).unwrap(), decision.word());
    }
    for word in ["", "5", "yes", "al"] {
        assert_eq!(Decision::from_word(word), None);
    }
}

#[test]
fn an_answer_needs_no_more_than_a_decision() {
    let answer = PermissionAnswer::new(Decision::Session);
    assert_eq!(serde_json::to_value(&answer).unwrap(), json!({ "decision": "session" }));
    let read: PermissionAnswer = serde_json::from_value(json!({ "decision": "session" })).unwrap();
    assert_eq!(read, answer);
}
