use super::*;
use crate::protocol::ids::CallId;
use crate::protocol::message::ToolMessage;

fn tool(content: &str) -> Message {
    Message::Tool(ToolMessage {
        call_id: CallId::numbered(1),
        provider_id: None,
        name: "look".into(),
        content: content.into(),
        is_ok: true,
        is_valid_call: true,
        label: None,
    })
}

#[test]
fn sentences_begin_with_a_capital() {
    assert_eq!(capitalised("the end"), "The end");
    assert_eq!(capitalised("éa"), "Éa");
    assert_eq!(capitalised(""), "");
}

fn lines(messages: &[Message]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut number = 0;
    for message in messages {
        write_line(&mut lines, &mut number, message);
    }
    lines
}

#[test]
fn e_34_outcomes_are_numbered_from_one_and_bad_calls_are_not_written() {
    let bad = Message::Tool(ToolMessage {
        call_id: CallId::numbered(2),
        provider_id: None,
        name: "nope".into(),
        content: "nope failed".into(),
        is_ok: false,
        is_valid_call: false,
        label: None,
    });
    let written = lines(&[
        Message::user("Hi"),
        Message::note("Context: x"),
        Message::assistant("  "),
        tool("seen"),
        bad,
        Message::assistant("Well."),
        tool("seen again"),
    ]);
    assert_eq!(
        written,
        ["User: Hi", "Context: x", "Tool 1 [look]: seen", "Assistant: Well.", "Tool 2 [look]: seen again"]
    );
}
