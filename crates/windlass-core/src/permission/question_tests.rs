use serde_json::json;

use super::*;

#[test]
fn decisions_are_read_by_word_and_by_the_key_of_the_prompt() {
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

fn asked(arguments: &str) -> Question {
    Question {
        call_id: "call_1".into(),
        tool: "write_file".into(),
        arguments: arguments.into(),
        risk: Risk::High,
        targets: vec![Target::Path("a".into())],
        preview: Some(Preview::Diff("+b".into())),
        folder: None,
        caution: None,
        sandbox: None,
        rule: "write_file(a)".into(),
        confirm_word: None,
        digest: String::new(),
        position: 1,
        total: 2,
        hidden_chars: 0,
    }
}

#[test]
fn a_digest_covers_everything_that_is_asked_and_nothing_else() {
    let run = RunId::new("r");
    let question = asked(r#"{"path":"a","text":"b"}"#);
    let digest = question.digest_in(&run);
    assert_eq!(digest.len(), 64);
    assert_eq!(digest, asked(r#"{ "text":"b", "path":"a" }"#).digest_in(&run), "spacing and order");
    assert_eq!(digest, Question { position: 2, total: 9, ..question.clone() }.digest_in(&run));
    let others = [
        asked(r#"{"path":"a","text":"c"}"#),
        Question { call_id: "call_2".into(), ..question.clone() },
        Question { tool: "edit_file".into(), ..question.clone() },
        Question { risk: Risk::Medium, ..question.clone() },
        Question { targets: vec![Target::Path("b".into())], ..question.clone() },
        Question { targets: vec![Target::Host("a".into())], ..question.clone() },
        Question { preview: Some(Preview::Text("+b".into())), ..question.clone() },
        Question { preview: None, ..question.clone() },
        Question { rule: "write_file".into(), ..question.clone() },
        Question { folder: Some("/a".into()), ..question.clone() },
        Question { folder: Some("/b".into()), ..question.clone() },
        Question { caution: Some("/a".into()), ..question.clone() },
    ];
    for other in others {
        assert_ne!(digest, other.digest_in(&run), "{other:?}");
    }
    assert_ne!(digest, question.digest_in(&RunId::new("s")));
    assert_eq!(question.clone().sealed(&run).digest, digest);
    let kept = Question { digest: "old".into(), ..question }.sealed(&run);
    assert_eq!(kept.digest, "old");
}

#[test]
fn known_secrets_are_counted_and_forms_are_not() {
    let known = Redactor::new(["hunter2-abc".into()]);
    let plain = asked(r#"{"text":"sk-aaaaaaaaaaaaaaaaaaaa Bearer aaaaaaaaaaaaaaaa"}"#);
    let guarded = plain.clone().guarded(&known.known_values());
    assert_eq!(guarded, plain);
    assert_eq!(guarded.shown(&known), plain);
    let secret = asked(r#"{"text":"hunter2-abc, hunter2-abc"}"#).guarded(&known.known_values());
    assert_eq!((secret.hidden_chars, secret.risk), (22, Risk::Critical));
    assert_eq!(secret.confirm_word.as_deref(), Some("write_file"));
    let shown = secret.shown(&known);
    assert_eq!(shown.arguments, r#"{"text":"***, ***"}"#);
    assert_eq!((shown.hidden_chars, &shown.targets), (22, &secret.targets));
}

#[test]
fn a_question_of_an_older_record_can_be_read() {
    let text = r#"{"call_id":"call_1","tool":"t","arguments":"{}","risk":"high","rule":"t"}"#;
    let question: Question = serde_json::from_str(text).unwrap();
    assert_eq!((question.digest.as_str(), question.position, question.hidden_chars), ("", 0, 0));
}
