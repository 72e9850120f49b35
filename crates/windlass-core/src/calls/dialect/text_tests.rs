use serde_json::json;

use super::*;
use crate::protocol::tool::{RawArgs, RawCall};

fn call_of(output: &str) -> Option<RawCall> {
    match read(output) {
        TextReading::Call(ReadCall::Raw(raw)) => Some(raw),
        TextReading::Call(ReadCall::Bad { .. }) | TextReading::Answer => None,
    }
}

fn bad_of(output: &str) -> Option<(String, String, ToolFailure)> {
    match read(output) {
        TextReading::Call(ReadCall::Bad { name, raw, failure }) => Some((name, raw, failure)),
        TextReading::Call(ReadCall::Raw(_)) | TextReading::Answer => None,
    }
}

#[test]
fn e_32_an_object_of_tool_and_args_alone_or_in_one_fence_is_a_call() {
    let expected = RawCall {
        provider_id: None,
        name: "add".into(),
        args: RawArgs::Value(json!({"a": 1})),
        after_parts: 0,
        state: None,
    };
    for output in [
        r#"{"tool":"add","args":{"a":1}}"#,
        "\n  {\n \"args\": {\"a\": 1},\n \"tool\": \"add\"\n}\n",
        "```json\n{\"tool\":\"add\",\"args\":{\"a\":1}}\n```",
        "```\n{\"tool\":\"add\",\"args\":{\"a\":1}}\n```",
    ] {
        assert_eq!(call_of(output).as_ref(), Some(&expected), "{output}");
    }
}

#[test]
fn r_3_any_other_json_is_answer_text() {
    for output in [
        "",
        "Hello",
        "{}",
        "[1]",
        "7",
        r#"{"answer": 7}"#,
        r#"{"name":"add","arguments":{}}"#,
        r#"Use {"tool":"add","args":{}} for that."#,
        "First:\n```json\n{\"tool\":\"add\",\"args\":{}}\n```",
        "{not json at all}",
    ] {
        assert_eq!(read(output), TextReading::Answer, "{output}");
    }
}

#[test]
fn r_4_text_inside_of_strings_is_not_looked_at() {
    let code = "if (x) { return \"}\"; } ```js\n}```";
    let payload = json!({"tool": "run", "args": {"code": code}}).to_string();
    let raw = call_of(&payload).unwrap();
    assert_eq!(raw.args, RawArgs::Value(json!({"code": code})));
    let fenced = call_of(&format!("```json\n{payload}\n```")).unwrap();
    assert_eq!(fenced.args, RawArgs::Value(json!({"code": code})));
}

#[test]
fn broken_json_that_means_a_call_is_a_bad_call() {
    for output in [
        r#"{"tool": "add", "args": {"#,
        "```json\n{\"tool\": \"add\", \"args\": {\n```",
        "```{\"tool\": \"add\"",
        r#"{"tool":"add","args":{}} and that is it"#,
    ] {
        let (name, raw, failure) = bad_of(output).unwrap_or_else(|| panic!("{output}"));
        assert_eq!((name.as_str(), raw.as_str()), ("", output));
        assert_eq!(failure.kind, ErrorKind::ParseError);
        assert!(failure.message.starts_with("Invalid JSON: "), "{}", failure.message);
        assert_eq!(failure.field.as_deref(), Some("payload"));
        assert_eq!(failure.expected.as_deref(), Some("one JSON object with keys tool and args"));
    }
    // Without the word it is no call that was meant.
    assert_eq!(read(r#"{"answer": "#), TextReading::Answer);
    assert_eq!(read(r#"I meant "tool" {"#), TextReading::Answer);
}

#[test]
fn what_a_bad_call_shows_of_its_text_is_bounded() {
    let output = format!("{{\"tool\": \"{}", "é".repeat(5_000));
    let (_, raw, failure) = bad_of(&output).unwrap();
    assert_eq!(raw, output);
    assert!(failure.received.unwrap().chars().count() <= 200);
}

/// The refusal of a payload: tool and message.
fn refusal(payload: Value) -> (Option<String>, String) {
    let bad = check_payload(payload).unwrap_err();
    assert_eq!(bad.failure.kind, ErrorKind::ParseError);
    (bad.tool, bad.failure.message)
}

#[test]
fn e_7_a_payload_must_be_an_object() {
    for payload in [json!([]), json!("x"), json!(1), json!(null), json!(true)] {
        assert_eq!(refusal(payload), (None, "Payload must be an object".into()));
    }
}

#[test]
fn e_8_a_payload_has_exactly_two_keys() {
    let message = "Payload must contain exactly 'tool' and 'args' keys";
    let named = Some("web_search".to_owned());
    assert_eq!(refusal(json!({})), (None, message.into()));
    assert_eq!(refusal(json!({"tool": "web_search"})), (named.clone(), message.into()));
    assert_eq!(refusal(json!({"args": {}})), (None, message.into()));
    assert_eq!(refusal(json!({"tool": "web_search", "why": {}})), (named.clone(), message.into()));
    assert_eq!(refusal(json!({"why": "web_search", "args": {}})), (None, message.into()));
    assert_eq!(refusal(json!({"tool": "web_search", "args": {}, "why": "x"})), (named, message.into()));
}

#[test]
fn e_9_the_tool_must_be_a_string() {
    for tool in [json!(1), json!(null), json!(["web_search"])] {
        assert_eq!(refusal(json!({"tool": tool, "args": {}})), (None, "'tool' must be a string".into()));
    }
}

#[test]
fn e_11_the_args_must_be_an_object() {
    for args in [json!([]), json!("{}"), json!(null), json!(1)] {
        let payload = json!({"tool": "web_search", "args": args});
        assert_eq!(refusal(payload), (Some("web_search".into()), "'args' must be an object".into()));
    }
    let (name, args) = check_payload(json!({"tool": "web_search", "args": {"query": "q"}})).unwrap();
    assert_eq!((name.as_str(), Value::Object(args)), ("web_search", json!({"query": "q"})));
}

#[test]
fn e_1_the_instructions_are_written_from_the_specs_alone() {
    let sum = json!({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "number"}, "c": {"type": "boolean"}, "d": {"type": "string"}}});
    let mut specs = vec![ToolSpec::new("add", "Adds").with_schema(sum)];
    let head = "You can call structured tools before answering. Reply with either a final answer in plain text (include citations like \
                [source:web_search]) OR a JSON object exactly of the form {\"tool\":\"name\",\"args\":{...}} with no extra text. Tools: ";
    assert_eq!(instructions(specs.iter()), format!("{head}add(a:int,b:float,c:bool,d:str)."));
    // One more spec is all it takes.
    specs.push(ToolSpec::new("look", "Looks"));
    assert_eq!(instructions(specs.iter()), format!("{head}add(a:int,b:float,c:bool,d:str), look()."));
    assert_eq!(step_line(2, 5), "Step 2 of 5. Provide JSON to call a tool or final answer now.");
}
