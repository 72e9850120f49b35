use super::*;

fn asked(mut body: Value) -> RouteResult<ChatWishes> {
    let fields = body.as_object_mut().unwrap();
    fields.entry("messages").or_insert_with(|| json!([{"role": "user", "content": "Go."}]));
    ChatWishes::read(serde_json::from_value(body).unwrap())
}

fn tool(name: &str) -> Value {
    json!({"type": "function", "function": {"name": name}})
}

#[test]
fn wishes_are_carried() {
    let asked = asked(json!({
        "model": "a/b", "temperature": 0.5, "top_p": 0.9, "max_tokens": 7, "max_completion_tokens": 9, "seed": -3,
        "reasoning_effort": "low", "response_format": {"type": "json_object"}, "stop": "END", "user": "somebody",
    }))
    .unwrap();
    assert_eq!((asked.model.as_deref(), asked.stop.as_slice()), (Some("a/b"), &["END".to_owned()][..]));
    let sampling = &asked.sampling;
    assert_eq!((sampling.temperature, sampling.top_p), (Some(0.5), Some(0.9)));
    assert_eq!((sampling.output_tokens_max, sampling.seed), (Some(9), Some(3)));
    assert_eq!(sampling.reasoning_effort.map(windlass_core::protocol::model::Effort::word), Some("low"));
    assert_eq!(sampling.response_format, Some(json!({"type": "json_object"})));
}

#[test]
fn our_own_name_and_no_name_are_the_default_model() {
    for model in [json!("windlass"), json!(""), Value::Null] {
        assert_eq!(asked(json!({ "model": model })).unwrap().model, None);
    }
}

#[test]
fn a_run_is_what_brings_no_tools_and_ends_with_the_user() {
    let (start, history) = asked(json!({})).unwrap().as_run().unwrap();
    assert_eq!((start.message, history.len()), (Message::user("Go."), 0));
    assert!(asked(json!({"tools": [tool("x")]})).unwrap().as_run().is_none());
    let messages = json!([{"role": "user", "content": "Go."}, {"role": "assistant", "content": "Well,"}]);
    assert!(asked(json!({ "messages": messages })).unwrap().as_run().is_none());
}

#[test]
fn what_would_change_the_answers_shape_is_refused() {
    for (body, field) in [
        (json!({"n": 0}), "n"),
        (json!({"functions": [{"name": "x"}]}), "functions"),
        (json!({"top_p": 1.5}), "top_p"),
        (json!({"max_tokens": 0}), "max_completion_tokens"),
        (json!({"response_format": {"type": "xml"}}), "response_format"),
        (json!({"stop": ["1", "2", "3", "4", "5"]}), "stop"),
        (json!({"stop": 7}), "stop"),
        (json!({"tool_choice": "required"}), "tool_choice"),
        (json!({"tools": [tool("x"), tool("x")]}), "tools[1]"),
        (json!({"tools": [tool("not a name")]}), "tools[0]"),
        (json!({"tools": [tool("x")], "tool_choice": tool("y")}), "tool_choice"),
        (json!({"tools": [tool("x")], "tool_choice": {"type": "custom"}}), "tool_choice"),
        (json!({"tools": [tool("x")], "tool_choice": "sometimes"}), "tool_choice"),
    ] {
        assert_eq!(asked(body.clone()).unwrap_err().wrong_field(), Some(field), "{body}");
    }
    assert!(asked(json!({"n": 1, "functions": [], "tool_choice": "none"})).is_ok());
}

#[test]
fn tools_are_sorted_and_a_schema_may_be_missing() {
    let asked = asked(
        json!({"tools": [tool("b"), {"type": "function", "function": {"name": "a", "parameters": {}}}]}),
    )
    .unwrap();
    let names: Vec<&str> = asked.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    assert!(asked.tools.iter().all(|tool| tool.schema["type"] == "object"));
}
