use std::collections::HashSet;

use super::*;

fn call(id: &str, provider_id: Option<&str>) -> ToolCall {
    ToolCall {
        id: CallId::new(id),
        provider_id: provider_id.map(str::to_owned),
        step: 1,
        index: 0,
        name: "look_up".into(),
        arguments: "{}".into(),
        state: None,
    }
}

fn id_of(rule: IdRule, call: &ToolCall) -> String {
    Ids::default().give(rule, call, (1, 1)).id.into_owned()
}

#[test]
fn r_36_ids_of_ten_thousand_calls_are_legal_and_unique_under_every_rule() {
    let long = "x".repeat(70);
    for rule in [IdRule::Short, IdRule::Word, IdRule::Nine, IdRule::Absent] {
        let mut ids = Ids::default();
        let mut met = HashSet::new();
        for number in 0..10_000_usize {
            let provider_id = match number % 6 {
                0 => None,
                1 => Some(format!("functions.look_up:{}", number % 97)),
                2 => Some(long.clone()),
                3 => Some("dup".to_owned()),
                4 => Some(format!("call_{}", number / 2)),
                _ => Some(format!("toolu_{number}")),
            };
            let call = call(&format!("call_{number}"), provider_id.as_deref());
            let id = ids.give(rule, &call, (number, 0)).id;
            assert!(is_legal(rule, &id), "{rule:?} {id}");
            assert!(met.insert(id.clone().into_owned()), "{rule:?} {id}");
            assert_eq!(ids.give(rule, &call, (number, 0)).id, id);
        }
    }
}

#[test]
fn mistral_8_ids_are_nine_letters_and_digits_made_of_the_whole_id() {
    let one = id_of(IdRule::Nine, &call("call_1", Some("call_abcdefghijklmnop_1")));
    let two = id_of(IdRule::Nine, &call("call_2", Some("call_abcdefghijklmnop_2")));
    assert_ne!(one, two);
    assert!(one.len() == 9 && one.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{one}");
    assert_eq!(one, id_of(IdRule::Nine, &call("call_1", Some("call_abcdefghijklmnop_1"))));
    assert_eq!(id_of(IdRule::Nine, &call("call_1", Some("aB3dE6gH9"))), "aB3dE6gH9");
}

#[test]
fn openai_1_ids_have_at_most_forty_characters() {
    assert_eq!(id_of(IdRule::Short, &call("call_7", Some(&"x".repeat(41)))), "call_7");
    assert_eq!(id_of(IdRule::Short, &call("call_7", Some("functions.look_up:0"))), "functions.look_up:0");
    assert!(id_of(IdRule::Short, &call(&"ü".repeat(50), None)).len() <= 40);
}

#[test]
fn anthropic_3_foreign_ids_are_scrubbed() {
    assert_eq!(id_of(IdRule::Word, &call("call_7", Some("functions.look_up:0"))), "call_7");
    assert_eq!(id_of(IdRule::Word, &call("call_7", Some("toolu_01AbC-x"))), "toolu_01AbC-x");
}

#[test]
fn an_id_that_another_call_already_has_is_derived() {
    let mut ids = Ids::default();
    let (one, two) = (call("call_1", Some("call_2")), call("call_2", None));
    assert_eq!(ids.give(IdRule::Short, &one, (1, 0)).id, "call_2");
    let derived = ids.give(IdRule::Short, &two, (2, 0));
    assert!(derived.id.starts_with("call_") && derived.id.len() <= 40 && !derived.is_changed);
    assert_eq!(ids.give(IdRule::Short, &two, (2, 0)).id, derived.id);
}
