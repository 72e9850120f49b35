use serde_json::json;
use windlass_core::protocol::ids::CallId;

use super::*;

fn outcome(content: &Value, is_ok: bool) -> ToolMessage {
    ToolMessage {
        call_id: CallId::new("a"),
        provider_id: None,
        name: "t".into(),
        content: content.to_string(),
        is_ok,
        is_valid_call: true,
        label: None,
    }
}

#[test]
fn an_outcome_is_one_line() {
    let ok = |output: Value| outcome_line(&outcome(&json!({"ok": true, "output": output}), true));
    assert_eq!(ok(json!("a\nb  c")), "ok 2 lines: a b c");
    assert_eq!(ok(json!({"task_id": "task_1"})), r#"ok 1 line: {"task_id":"task_1"}"#);
    assert!(ok(json!("x".repeat(1_000))).len() < 140);
    let failed = |kind: &str| {
        outcome_line(&outcome(&json!({"ok": false, "error": {"kind": kind, "message": "gone:\nx"}}), false))
    };
    assert_eq!(failed("not_found"), "failed: gone: x");
    assert_eq!(failed("permission_denied"), "denied");
}

#[test]
fn only_the_last_requests_are_shown() {
    let messages: Vec<Arc<Message>> = [
        Message::user("one"),
        Message::assistant("A long answer."),
        Message::user("two"),
        Message::note("a remark"),
        Message::assistant("Another."),
        Message::user("three"),
    ]
    .into_iter()
    .map(Arc::new)
    .collect();
    let texts: Vec<String> = shown(&Arc::new(messages)).map(Message::text).collect();
    assert_eq!(texts, ["two", "a remark", "Another.", "three"]);
}
