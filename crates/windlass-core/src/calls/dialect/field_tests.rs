use std::sync::Arc;

use serde_json::json;

use super::*;
use crate::protocol::ids::CallId;
use crate::protocol::message::ToolMessage;
use crate::protocol::tool::{RawArgs, RawCall};

fn gold(args: Value) -> FieldReading {
    let raw = RawCall {
        provider_id: None,
        name: "get_player_gold".into(),
        args: RawArgs::Value(args),
        after_parts: 0,
        state: None,
    };
    FieldReading::Call(ReadCall::Raw(raw))
}

#[test]
fn r_11_every_way_to_say_no_call_is_the_final_output() {
    for output in [
        r#"{"response":"x"}"#,
        r#"{"response":"x","tool_call":null}"#,
        r#"{"response":"x","tool_call":"null"}"#,
        r#"{"response":"x","tool_call":" NULL\n"}"#,
        r#"{"response":"x","tool_call":""}"#,
        r#"{"response":"x","tool_call":"  "}"#,
        r#"{"response":"x","tool_call":"none"}"#,
        r#"{"response":"x","tool_call":{}}"#,
        r#"{"response":"x","tool_call":"{}"}"#,
    ] {
        assert_eq!(read(output), FieldReading::Output, "{output}");
    }
}

#[test]
fn r_11_d_26_a_call_is_an_object_text_of_one_or_json_over_several_lines() {
    let call = json!({"name": "get_player_gold", "args": {"who": "me"}});
    for field in
        [call.clone(), json!(call.to_string()), json!(format!("{call:#}")), json!(format!("\n {call} \n"))]
    {
        let output = json!({"response": "", "tool_call": field});
        for text in [output.to_string(), format!("{output:#}")] {
            assert_eq!(read(&text), gold(json!({"who": "me"})), "{text}");
        }
    }
}

#[test]
fn r_12_missing_args_are_an_empty_object() {
    assert_eq!(read(r#"{"tool_call":{"name":"get_player_gold"}}"#), gold(json!({})));
    assert_eq!(read(r#"{"tool_call":{"name":"get_player_gold","args":null}}"#), gold(json!({})));
    // Others go on as they are; the check of the call refuses them.
    assert_eq!(read(r#"{"tool_call":{"name":"get_player_gold","args":[1]}}"#), gold(json!([1])));
}

#[test]
fn text_that_is_no_json_is_an_answer() {
    for answer in ["No JSON.", "You have 500 gold coins; {that} is all.", "1. One\n2. Two"] {
        assert_eq!(read(answer), FieldReading::Output, "{answer}");
    }
}

#[test]
fn anything_else_is_a_bad_call_with_its_reason() {
    for (output, reason) in [
        ("{}", "the output has no fields"),
        ("[]", "the output has no fields"),
        (r#"{"tool_call":7}"#, "tool_call must be an object"),
        (r#"{"tool_call":[]}"#, "tool_call must be an object"),
        (r#"{"tool_call":"[1]"}"#, "tool_call must be an object"),
        (r#"{"tool_call":{"args":{}}}"#, "tool_call needs a 'name' that is a string"),
        (r#"{"tool_call":{"name":7}}"#, "tool_call needs a 'name' that is a string"),
        (r#"{"tool_call":"fly"}"#, ""),
        ("{no JSON", ""),
        ("I call \"tool_call\": fly", ""),
        ("", ""),
    ] {
        let FieldReading::Call(ReadCall::Bad { name, failure, .. }) = read(output) else {
            panic!("{output}")
        };
        assert_eq!((name.as_str(), failure.kind), ("", ErrorKind::ParseError));
        assert!(
            failure.message.starts_with(&format!("tool_call could not be read: {reason}")),
            "{}",
            failure.message
        );
        assert_eq!(failure.field.as_deref(), Some("tool_call"));
    }
}

fn outcome(name: &str, content: &str) -> Arc<Message> {
    Arc::new(Message::Tool(ToolMessage {
        call_id: CallId::numbered(1),
        provider_id: None,
        name: name.into(),
        content: content.into(),
        is_ok: true,
        is_valid_call: true,
        label: None,
    }))
}

fn input(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

#[test]
fn the_tools_are_put_into_the_input_before_the_first_step() {
    let tools = json!([{"name": "get_player_gold"}]);
    let first = next_input(&input(json!({"query": "q", "context": ""})), &tools, "context", &[]);
    assert_eq!(
        Value::Object(first),
        json!({"query": "q", "context": "", "available_tools": [{"name": "get_player_gold"}]})
    );
}

#[test]
fn d_16_d_19_results_are_appended_to_what_the_context_held() {
    let tools = json!([]);
    let history = [
        Arc::new(Message::user("q")),
        outcome("get_player_gold", r#"{"gold":500}"#),
        Arc::new(Message::note("n")),
        outcome("b", "[1]"),
    ];
    let after = |context: Value| {
        let given = input(json!({"query": "q", "context": context}));
        next_input(&given, &tools, "context", &history)["context"].clone()
    };
    let lines = "Tool 'get_player_gold' returned: {\"gold\":500}\nTool 'b' returned: [1]";
    assert_eq!(after(json!("It is night.")), format!("It is night.\n{lines}"));
    assert_eq!(after(json!("")), lines);
    // A context that is no text counts as empty.
    assert_eq!(after(json!({"a": 1})), lines);
    let elsewhere = next_input(&input(json!({"query": "q"})), &tools, "notes", &history);
    assert_eq!((elsewhere["notes"].as_str(), elsewhere.contains_key("context")), (Some(lines), false));
}

#[test]
fn an_item_of_the_tool_list_has_name_description_and_schema_or_null() {
    assert_eq!(
        tool_item("get_player_gold", "Get player's current gold amount", None).to_string(),
        r#"{"name":"get_player_gold","description":"Get player's current gold amount","args_schema":null}"#
    );
    let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}}});
    let mut open = schema.clone();
    open["additionalProperties"] = json!(true);
    let patterned = json!({"type": "object", "patternProperties": {"^x-": {"type": "string"}}});
    let specs = [
        ToolSpec::new("a", "A"),
        ToolSpec::new("b", "B").with_schema(schema.clone()),
        // What a schema allows unless it says otherwise goes without saying.
        ToolSpec::new("c", "C").with_schema(open),
        ToolSpec::new("d", "D").with_schema(json!({"type": "object", "additionalProperties": true})),
        ToolSpec::new("e", "E").with_schema(patterned.clone()),
    ];
    let items = tool_items(specs.iter());
    let schemas: Vec<_> = items.as_array().unwrap().iter().map(|item| item["args_schema"].clone()).collect();
    assert_eq!(schemas, [json!(null), schema.clone(), schema, json!(null), patterned]);
}
