use serde_json::json;
use windlass_core::protocol::ids::CallId;

use super::*;

fn call(arguments: &str) -> ToolCall {
    ToolCall {
        id: CallId::numbered(1),
        provider_id: None,
        step: 1,
        index: 0,
        name: "tool".into(),
        arguments: arguments.into(),
        state: None,
    }
}

#[test]
fn a_call_is_summed_up_by_the_argument_that_says_most() {
    let summed = |arguments: &str| call_summary(&call(arguments));
    assert_eq!(summed(r#"{"content":"x","path":"src/main.rs"}"#), "src/main.rs");
    assert_eq!(summed(r#"{"argv":["ls","-l"]}"#), "ls -l");
    assert_eq!(summed(r#"{"content":"Compile\n  all"}"#), "Compile all");
    assert_eq!(summed(r#"{"a":1,"b":[2,3]}"#), "a: 1, b: 2 3");
    assert_eq!(summed(r#"{"path":"src/main.rs",}"#), "src/main.rs");
    assert_eq!(summed("{}"), "");
    assert_eq!(summed("not {json\u{1b}"), "not {json\\u{1b}");
}

#[test]
fn an_output_is_summed_up_by_what_it_is() {
    let summed = |json: Value| {
        let output = ToolOutput::json(json);
        let size = output.readable().len() as u64;
        output_summary(&output, Category::Other, size)
    };
    assert_eq!(summed(json!({"diff": "--- a\n+++ b\n-x\n+y\n+z", "path": "a"})), "+2 -1");
    assert_eq!(summed(json!({"exit_code": 2, "stdout": "x"})), "exit code 2");
    assert_eq!(summed(json!({"matches": [1]})), "1 match");
    assert_eq!(summed(json!({"task_id": "task_1"})), "task_1");
    assert_eq!(summed(json!("a\nb")), "3 B");
    assert_eq!(summed(json!("x".repeat(5_000))), "5.0 kB");
    assert_eq!(summed(json!([])), "nothing");
    assert_eq!(output_summary(&ToolOutput::json(json!([])), Category::Search, 2), "0 sources");
}

#[test]
fn gates_are_told_to_people() {
    let told: Vec<String> =
        ["user", "rule:p3", "grant", "risk", "mode", "else"].into_iter().map(gate_words).collect();
    let wanted =
        ["you", "the rule p3", "a grant of this session", "its low risk", "the approval mode", "else"];
    assert_eq!(told, wanted);
}

#[test]
fn tokens_are_told_with_what_is_in_them() {
    let usage = Usage { input: 1_200, output: 60, cached: 900, reasoning: 12, cost_usd: Some(0.5) };
    assert_eq!(usage_words(&usage).as_deref(), Some("1.2k in (900 cached), 60 out (12 thinking)"));
    assert_eq!(cost_words(&usage).as_deref(), Some("$0.500"));
    assert_eq!(usage_words(&Usage::default()), None);
}

#[test]
fn reading_is_told_with_what_is_left() {
    let mut reading = ReadingProgress { tokens_read: 512, tokens_total: 1_800, remaining_ms: None };
    assert_eq!(reading_words(&reading), "Reading the prompt: 512 of 1.8k tokens");
    reading.remaining_ms = Some(24_100);
    assert_eq!(reading_words(&reading), "Reading the prompt: 512 of 1.8k tokens, about 25 s left");
}
