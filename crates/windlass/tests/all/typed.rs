//! Typed answers: no wrong value is taken, a right one always is, and a wrong one is asked for once more.

use std::collections::BTreeMap;

use futures::StreamExt;
use schemars::JsonSchema;
use serde::Deserialize;
use windlass::prelude::*;

/// Adds two integers.
#[tool(effects = "pure")]
async fn add(a: i64, b: i64) -> Result<i64, ToolError> {
    Ok(a + b)
}

#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
struct Invoice {
    number: String,
    total: u32,
    #[serde(default)]
    paid: Option<bool>,
}

fn agent(script: &str) -> Windlass {
    Windlass::builder().script(script).unwrap().tool(add).build().unwrap()
}

fn right() -> Invoice {
    Invoice { number: "A1".into(), total: 42, paid: None }
}

#[tokio::test]
async fn a_right_answer_is_taken_at_once() {
    let typed =
        agent("user Go.\nmodel text {\"number\":\"A1\",\"total\":42}\n").run_as::<Invoice>("Go.").await;
    let typed = typed.unwrap();
    assert_eq!((typed.value, typed.answer.outcome), (right(), RunOutcome::Completed));
}

#[tokio::test]
async fn a_wrong_answer_is_corrected_once() {
    let script = "user Go.\nmodel text {\"number\":\"A1\",\"total\":-1}\nmodel end\nmodel text {\"number\":\"A1\",\"total\":42}\n";
    assert_eq!(agent(script).run_as::<Invoice>("Go.").await.unwrap().value, right());
}

#[tokio::test]
async fn a_second_wrong_answer_is_an_error_with_text_problem_and_trace() {
    let script = "user Go.\nmodel text Forty-two.\nmodel end\nmodel text {\"number\":\"A1\"}\n";
    let error = agent(script).run_as::<Invoice>("Go.").await.unwrap_err();
    let WindlassError::Answer(wrong) = error else { panic!("{error}") };
    assert_eq!(wrong.text.trim(), r#"{"number":"A1"}"#);
    assert!(wrong.problem.contains("/total"), "{}", wrong.problem);
    assert!(!wrong.trace.run_id.is_empty());
}

#[tokio::test]
async fn tools_work_before_the_value_and_history_stays() {
    let script = "user Go.\nmodel call 1 add {\"a\":19,\"b\":23}\nmodel end\nmodel text {\"number\":\"A1\",\"total\":42}\n\
                  user Again.\nmodel text {\"value\":[\"A1\"]}\n";
    let agent = agent(script);
    let first = agent.run_as::<Invoice>("Go.").await.unwrap();
    assert_eq!((first.value, first.answer.trace.tools.len()), (right(), 1));
    assert_eq!(agent.run_as::<Vec<String>>("Again.").await.unwrap().value, ["A1"]);
}

#[test]
fn values_that_are_no_objects_work_and_block() {
    let ask = |text: &str| agent(&format!("user Go.\nmodel text {text}\n"));
    assert_eq!(ask(r#"{"value":"hi"}"#).run_as_sync::<String>("Go.").unwrap().value, "hi");
    assert_eq!(ask("7").run_as_sync::<u8>("Go.").unwrap().value, 7);
    assert_eq!(ask(r#"{"value":3.0}"#).run_as_sync::<i64>("Go.").unwrap().value, 3);
    let map = ask(r#"{"a":1}"#).run_as_sync::<BTreeMap<String, i64>>("Go.").unwrap().value;
    assert_eq!(map["a"], 1);
}

#[tokio::test]
async fn a_stream_grows_to_the_whole_value() {
    let agent = agent("user Go.\nmodel text {\"number\":\"A1\",\"total\":42}\n");
    let parts: Vec<_> = agent.stream_as::<Invoice>("Go.").collect().await;
    let Some(Ok(TypedPart::Whole(whole))) = parts.last() else { panic!("{parts:?}") };
    assert_eq!(whole.value, right());
}
