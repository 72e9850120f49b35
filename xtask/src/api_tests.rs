//! The gate behind the fuzzer: what it says it tried.

use serde_json::json;

use super::*;

fn report(operations: usize, status: u64) -> String {
    let line = |number: usize| {
        let exchange = json!({"response": {"status_code": status}});
        json!({"ScenarioFinished": {"recorder": {
            "label": format!("GET /{number}"), "interactions": {"a": exchange, "b": {"response": null}},
        }}})
        .to_string()
    };
    (0..operations).map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn operations_that_succeed_are_counted() {
    let tried = judge(&report(40, 204)).unwrap();
    assert_eq!((tried.all.len(), tried.succeeded.len()), (40, 40));
}

#[test]
fn a_server_that_refuses_everything_does_not_pass() {
    let error = judge(&report(40, 400)).unwrap_err().to_string();
    assert!(error.starts_with("only 0 of 40 operations ever succeeded"), "{error}");
}

#[test]
fn a_fuzzer_that_tried_nothing_does_not_pass() {
    assert!(judge("").is_err());
    assert!(judge(r#"{"EngineFinished": {}}"#).is_err());
}
