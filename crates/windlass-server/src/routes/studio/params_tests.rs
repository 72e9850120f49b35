use serde_json::json;

use super::*;

fn known() -> Vec<Arc<ToolSpec>> {
    vec![
        Arc::new(ToolSpec::new("web_search", "Searches").with_alias("search_web")),
        Arc::new(ToolSpec::new("calculate", "Counts")),
    ]
}

fn read(params: Value) -> RouteResult<StudioWish> {
    let Value::Object(params) = params else { panic!("{params}") };
    Params(&params).read(&known())
}

#[test]
fn a_query_and_a_body_mean_the_same() {
    let query = read(json!({
        "prompt": "Go.", "temperature": "0.3", "max_tokens": "10", "tools": "[\"calculate\"]", "tool_choice": "calculate",
        "max_tool_calls": "7", "seed": "1", "response_format": "{\"type\":\"json_object\"}", "tool_loop_v2": "ON",
    }));
    let body = read(json!({
        "prompt": "Go.", "temperature": 0.3, "max_tokens": 10, "tools": ["calculate"], "tool_choice": "calculate",
        "max_tool_calls": 7, "seed": 1, "response_format": {"type": "json_object"}, "tool_loop_v2": true,
    }));
    assert_eq!(query.unwrap(), body.unwrap());
}

#[test]
fn tools_are_named_by_any_of_their_names() {
    let wanted = read(
        json!({"prompt": "Go.", "tool_schemas": "[{\"type\":\"function\",\"function\":{\"name\":\"search_web\"}}]"}),
    );
    assert_eq!(wanted.unwrap().start.wishes.tools, Some(vec!["web_search".to_owned()]));
    let none = read(json!({"prompt": "Go.", "tools": []})).unwrap().start.wishes;
    assert_eq!((none.tools_allowed, none.tool_choice), (false, Some(ToolChoice::Forbidden)));
    let all = read(json!({"prompt": "Go."})).unwrap().start.wishes;
    assert_eq!((all.tools_allowed, all.tools), (true, None));
    let unknown = read(json!({"prompt": "Go.", "tools": ["nope"]})).unwrap_err();
    assert_eq!(unknown.detail(), "Unknown tool: nope. Available tools: web_search, calculate");
}

#[test]
fn a_provider_stands_before_its_model() {
    let model = |params: Value| read(params).unwrap().start.model;
    assert_eq!(
        model(json!({"prompt": "Go.", "provider": "openrouter", "model": "x-ai/grok-4"})).unwrap(),
        "openrouter/x-ai/grok-4"
    );
    assert_eq!(
        model(json!({"prompt": "Go.", "provider": "openai", "model": "openai/gpt"})).unwrap(),
        "openai/gpt"
    );
    assert_eq!(model(json!({"prompt": "Go.", "model": ""})), None);
}

#[test]
fn what_is_wrong_is_named() {
    for (name, value) in [
        ("prompt", json!(" ")),
        ("prompt", json!(7)),
        ("temperature", json!("3")),
        ("top_p", json!(-1)),
        ("max_tokens", json!(0)),
        ("max_tool_calls", json!("21")),
        ("reasoning_effort", json!("extreme")),
        ("tools", json!("{")),
        ("tool_choice", json!("nope")),
        ("approve", json!("all")),
        ("tool_loop_v2", json!("perhaps")),
    ] {
        let mut params = Map::new();
        params.insert("prompt".into(), json!("Go."));
        params.insert(name.into(), value.clone());
        let problem = Params(&params).read(&known()).unwrap_err();
        assert_eq!(problem.wrong_field(), Some(name), "{value}");
    }
}
