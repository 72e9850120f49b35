use std::sync::Arc;

use serde_json::json;
use windlass_core::protocol::ids::CallId;
use windlass_core::protocol::message::{Message, Part, ToolMessage};
use windlass_core::protocol::tool::ToolCall;

use super::*;

fn call(id: &str, name: &str, arguments: &str) -> Message {
    Message::Assistant {
        parts: vec![Part::Call(ToolCall {
            id: CallId::new(id),
            provider_id: None,
            step: 1,
            index: 0,
            name: name.into(),
            arguments: arguments.into(),
            state: None,
        })],
    }
}

fn outcome(id: &str, name: &str, content: &str, is_ok: bool) -> Message {
    Message::Tool(ToolMessage {
        call_id: CallId::new(id),
        provider_id: None,
        name: name.into(),
        content: content.into(),
        is_ok,
        is_valid_call: true,
        label: None,
    })
}

#[test]
fn only_the_calls_of_the_present_request_are_answered() {
    let messages = [
        Message::user("what time is it"),
        call("a", "get_current_time", "{}"),
        outcome("a", "get_current_time", r#"{"ok":true,"output":"x"}"#, true),
        Message::assistant("It is x."),
        Message::user("read a.txt"),
        call("b", "read_file", r#"{"path":"a.txt"}"#),
        outcome("b", "read_file", r#"{"ok":true,"output":"hello"}"#, true),
    ];
    let messages: Vec<Arc<Message>> = messages.into_iter().map(Arc::new).collect();
    let answered = answered_calls(messages.iter().map(AsRef::as_ref));
    assert_eq!(answered.len(), 1);
    assert_eq!(answered[0].args["path"], "a.txt");
    assert_eq!(answered[0].result, Ok(json!("hello")));
}

#[test]
fn the_value_is_found_in_the_envelope_of_every_profile() {
    for content in [
        r#"{"ok":true,"output":[1]}"#,
        r#"{"ok":true,"error":null,"data":[1]}"#,
        r#"{"success":true,"result":[1]}"#,
        r#"{"success":true,"data":"[1]","error_message":null,"error_type":"none","metadata":{}}"#,
        "[1]",
    ] {
        let Message::Tool(tool) = outcome("a", "t", content, true) else { unreachable!() };
        assert_eq!(read(&tool, Map::new()).result, Ok(json!([1])), "{content}");
    }
}

#[test]
fn a_failure_keeps_its_message_and_its_hint() {
    let denied = r#"{"ok":false,"error":{"kind":"permission_denied","message":"no","hint":"ask"}}"#;
    let Message::Tool(tool) = outcome("a", "t", denied, false) else { unreachable!() };
    let complaint = read(&tool, Map::new()).result.unwrap_err();
    assert_eq!(
        (complaint.message.as_str(), complaint.hint.as_deref(), complaint.is_denied),
        ("no", Some("ask"), true)
    );
    let Message::Tool(tool) = outcome("a", "t", r#"{"success":false,"error":"gone"}"#, false) else {
        unreachable!()
    };
    let complaint = read(&tool, Map::new()).result.unwrap_err();
    assert_eq!((complaint.message.as_str(), complaint.is_denied), ("gone", false));
}

#[test]
fn the_fields_of_a_tool_are_read_as_what_it_says() {
    let said = |tool: &str, content: &str| {
        let Message::Tool(message) = outcome("a", tool, content, true) else { panic!("no outcome") };
        read(&message, Map::new()).result.unwrap()
    };
    assert_eq!(said("calculate", r#"{"expression":"3*4","result":12,"is_exact":true}"#), json!(12));
    assert_eq!(said("calculate", r#"{"success":true,"result":{"expression":"3*4","result":12}}"#), json!(12));
    assert_eq!(said("read_file", r##"{"ok":true,"path":"a","content":"# A\n"}"##), json!("# A\n"));
    assert_eq!(said("read_file", r#"{"success":true,"data":"[1]","error_type":"none"}"#), json!("[1]"));
    let found = r#"{"matches":[{"path":"a.md","line":3,"text":"tar","is_match":true}],"count":1}"#;
    assert_eq!(said("search_text", found), json!("a.md:3: tar"));
    let failed = r#"{"exit_code":1,"stdout":"","stderr":"no"}"#;
    assert_eq!(said("execute_command", failed)["stderr"], "no");
    assert_eq!(said("execute_command", r#"{"exit_code":0,"stdout":"hi\n","stderr":""}"#), json!("hi\n"));
}
