use serde_json::json;

use super::*;
use crate::protocol::ids::CallId;
use crate::protocol::tool::{ToolFailure, ToolOutput};

fn call() -> ToolCall {
    ToolCall {
        id: CallId::numbered(1),
        provider_id: None,
        step: 1,
        index: 0,
        name: "read_file".into(),
        arguments: r#"{"path":"a.txt"}"#.into(),
        state: None,
    }
}

#[test]
fn the_block_of_a_call_says_status_result_time_size_and_arguments() {
    let ok = ToolOutcome::ok(ToolOutput::text("hello")).timed(0, 5);
    assert_eq!(
        call_block(&Profile::zodo(), &call(), &ok),
        "[Tool: read_file]\nStatus: ✅ SUCCESS\nResult: hello\nExecution Time: 5ms\nData Size: 5 bytes\nArguments: {\"path\":\"a.txt\"}"
    );
    let failed = ToolOutcome::failed(ToolFailure::internal("E")).timed(0, 7);
    assert_eq!(
        call_block(&Profile::zodo(), &call(), &failed),
        "[Tool: read_file]\nStatus: ❌ FAILED\nError Type: internal_error\nError: Runtime error: E\nExecution Time: 7ms\nData Size: 0 bytes\nArguments: {\"path\":\"a.txt\"}"
    );
}

fn result_line(profile: &Profile, text: String) -> String {
    let block = call_block(profile, &call(), &ToolOutcome::ok(ToolOutput::text(text)));
    block.lines().nth(2).unwrap().strip_prefix("Result: ").unwrap().to_owned()
}

#[test]
fn a_result_is_cut_at_500_bytes_and_says_how_much_is_missing() {
    let zodo = Profile::zodo();
    assert_eq!(result_line(&zodo, "x".repeat(500)), "x".repeat(500));
    assert_eq!(result_line(&zodo, "x".repeat(501)), format!("{}... (1 more bytes)", "x".repeat(500)));
    // Never inside of a character: 499 bytes fit, the rest is counted.
    let text = format!("x{}", "é".repeat(300));
    assert_eq!(result_line(&zodo, text), format!("x{}... (102 more bytes)", "é".repeat(249)));
    assert_eq!(
        result_line(&Profile::edison(), "x".repeat(201)),
        format!("{}... (1 more bytes)", "x".repeat(200))
    );
}

#[test]
fn the_line_of_an_outcome_is_its_first_line_that_says_something() {
    let line = |text: &str| outcome_line(&ToolOutcome::ok(ToolOutput::text(text)));
    assert_eq!(line("\n  \n  first \nsecond"), "first");
    assert_eq!(line(" \n"), "(nothing)");
    assert_eq!(outcome_line(&ToolOutcome::ok(ToolOutput::json(json!({"a": 1})))), r#"{"a":1}"#);
    assert_eq!(outcome_line(&ToolOutcome::failed(ToolFailure::io_error("disk"))), "disk");
    assert!(line(&"x".repeat(1_000)).chars().count() <= 200);
}
