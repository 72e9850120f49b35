use serde_json::json;

use super::*;

fn conversation(messages: Value) -> RouteResult<Conversation> {
    let messages: Vec<ChatMessage> = serde_json::from_value(messages).unwrap();
    read(&messages)
}

fn wrong_field(messages: Value) -> String {
    conversation(messages).unwrap_err().wrong_field().unwrap().to_owned()
}

#[test]
fn roles_become_a_history() {
    let read = conversation(json!([
        {"role": "system", "content": "A."},
        {"role": "developer", "content": [{"type": "text", "text": "B."}]},
        {"role": "user", "content": [
            {"type": "text", "text": "See "},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA", "detail": "low"}},
            {"type": "image_url", "image_url": {"url": "https://a.example/b.webp?c"}},
        ]},
        {"role": "assistant", "content": "Well.", "tool_calls": [
            {"id": "x", "type": "function", "function": {"name": "look", "arguments": ""}}]},
        {"role": "tool", "tool_call_id": "x", "content": [{"type": "text", "text": "seen"}]},
        {"role": "system", "content": "C."},
    ]))
    .unwrap();
    assert_eq!(read.system, "A.\n\nB.");
    let [user, assistant, tool, note] = &read.history[..] else { panic!("{read:?}") };
    let image = |media_type: &str, url: &str| Part::Image { media_type: media_type.into(), url: url.into() };
    let parts = vec![
        Part::text("See "),
        image("image/png", "data:image/png;base64,AAAA"),
        image("image/webp", "https://a.example/b.webp?c"),
    ];
    assert_eq!(**user, Message::User { parts });
    let call = assistant.calls().next().unwrap();
    assert_eq!((call.id.as_str(), call.provider_id.as_deref()), ("earlier_1", Some("x")));
    assert_eq!((call.name.as_str(), call.arguments.as_str()), ("look", "{}"));
    let Message::Tool(tool) = &**tool else { panic!("{tool:?}") };
    assert_eq!((&tool.call_id, tool.name.as_str(), tool.content.as_str()), (&call.id, "look", "seen"));
    assert_eq!(**note, Message::note("C."));
}

#[test]
fn what_cannot_be_read_is_named() {
    assert_eq!(wrong_field(json!([])), "messages");
    assert_eq!(wrong_field(json!([{"role": "function", "content": "x"}])), "messages[0].role");
    assert_eq!(wrong_field(json!([{"role": "user"}])), "messages[0].content");
    assert_eq!(wrong_field(json!([{"role": "user", "content": 7}])), "messages[0].content");
    assert_eq!(
        wrong_field(json!([{"role": "user", "content": [{"type": "input_audio"}]}])),
        "messages[0].content[0]"
    );
    let file = json!({"type": "image_url", "image_url": {"url": "file:///etc/passwd"}});
    assert_eq!(wrong_field(json!([{"role": "user", "content": [file]}])), "messages[0].content[0]");
    assert_eq!(wrong_field(json!([{"role": "tool", "content": "x"}])), "messages[0].tool_call_id");
    let call = json!({"id": "", "function": {"name": "x"}});
    assert_eq!(
        wrong_field(json!([{"role": "assistant", "tool_calls": [call]}])),
        "messages[0].tool_calls[0]"
    );
}
