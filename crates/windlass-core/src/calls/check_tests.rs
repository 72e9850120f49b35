use std::sync::Arc;

use serde_json::{Value, json};

use super::*;
use crate::ports::ArgsValidator;
use crate::protocol::ids::CallId;
use crate::protocol::tool::ToolSpec;

/// Stands for a compiled schema: objects to `limit` above 100, as the full schema would.
struct LimitOf100;

impl ArgsValidator for LimitOf100 {
    fn check(&self, args: &Value) -> Vec<Violation> {
        match args.get("limit").and_then(Value::as_i64) {
            Some(limit) if limit > 100 => vec![Violation {
                path: "/limit".into(),
                message: format!("{limit} is greater than the maximum of 100"),
                expected: "at most 100".into(),
                received: limit.to_string(),
            }],
            _ => Vec::new(),
        }
    }
}

fn web_search() -> ToolSpec {
    ToolSpec::new("web_search", "Searches the web.").with_alias("search_web").with_schema(json!({
        "type": "object",
        "properties": {"query": {"type": "string"}, "max_results": {"type": "integer", "default": 5}},
        "required": ["query"],
        "additionalProperties": false
    }))
}

fn generate_image() -> ToolSpec {
    ToolSpec::new("generate_image", "Makes a picture.").with_schema(json!({
        "type": "object",
        "properties": {
            "prompt": {"type": "string"},
            "steps": {"type": "integer", "default": 20},
            "guidance_scale": {"type": "number", "default": 3.5},
            "tiled": {"type": "boolean", "default": false},
            "style": {"type": "object"},
            "tags": {"type": "array"},
            "seed": {"type": ["integer", "null"]},
            "limit": {"type": "integer"}
        },
        "required": ["prompt"]
    }))
}

fn toolset(specs: impl IntoIterator<Item = ToolSpec>) -> Toolset {
    let entries = specs.into_iter().map(|spec| ToolEntry::new(Arc::new(spec), Arc::new(LimitOf100)));
    Toolset::new(entries.collect()).unwrap()
}

fn call(name: &str, args: &Value) -> ToolCall {
    ToolCall {
        id: CallId::numbered(1),
        provider_id: None,
        step: 1,
        index: 0,
        name: name.into(),
        arguments: args.to_string(),
        state: None,
    }
}

fn check(name: &str, args: Value) -> Result<CheckedCall, Box<ToolFailure>> {
    let tools = toolset([web_search(), generate_image()]);
    check_call(&tools, call(name, &args), args).map_err(|(_, failure)| Box::new(failure))
}

/// The text of the checked arguments: order and number forms count.
fn args_of(name: &str, args: Value) -> String {
    Value::Object(check(name, args).unwrap().args).to_string()
}

fn failure_of(name: &str, args: Value) -> ToolFailure {
    *check(name, args).unwrap_err()
}

#[test]
fn e_17_defaults_are_injected_after_the_given_arguments() {
    assert_eq!(
        args_of("web_search", json!({"query": "python async"})),
        r#"{"query":"python async","max_results":5}"#
    );
}

#[test]
fn e_16_unknown_arguments_are_dropped_and_listed() {
    let checked = check("web_search", json!({"x": 1, "query": "q", "y": {"z": 2}})).unwrap();
    assert_eq!(Value::Object(checked.args).to_string(), r#"{"query":"q","max_results":5}"#);
    assert_eq!(checked.dropped_args, ["x", "y"]);
}

#[test]
fn unknown_arguments_are_refused_by_a_strict_tool() {
    let mut spec = web_search();
    spec.strict_args = true;
    let args = json!({"query": "q", "x": 1});
    let (_, failure) = check_call(&toolset([spec]), call("web_search", &args), args).unwrap_err();
    assert_eq!(failure.message, "Unknown arg 'x'");
    assert_eq!(failure.kind, ErrorKind::InvalidArgs);
}

#[test]
fn unknown_arguments_reach_a_tool_whose_schema_is_open() {
    let open = [
        json!({"type": "object", "additionalProperties": true}),
        json!({"type": "object", "patternProperties": {"^x": {}}}),
        json!({"type": "object", "allOf": [{"properties": {"x": {"type": "integer"}}}]}),
        json!({"type": "object", "$ref": "#/$defs/args", "$defs": {"args": {}}}),
    ];
    for schema in open {
        let tools = toolset([ToolSpec::new("set_env", "").with_schema(schema.clone())]);
        let args = json!({"x": 1});
        let checked = check_call(&tools, call("set_env", &args), args).unwrap();
        assert_eq!(checked.args.get("x"), Some(&json!(1)), "{schema}");
        assert!(checked.dropped_args.is_empty());
    }
}

#[test]
fn branches_that_only_demand_known_arguments_do_not_open_a_schema() {
    let schema = json!({"type": "object", "properties": {"a": {}, "b": {}}, "anyOf": [
        {"required": ["a"]}, {"required": ["b"], "properties": {"b": {"type": "string"}}}]});
    let tools = toolset([ToolSpec::new("t", "").with_schema(schema)]);
    let args = json!({"a": 1, "x": 1});
    assert_eq!(check_call(&tools, call("t", &args), args).unwrap().dropped_args, ["x"]);
}

#[test]
fn e_10_an_unknown_tool_keeps_its_name_and_hears_what_there_is() {
    let tools = toolset([web_search(), generate_image()]);
    let (call, failure) = check_call(&tools, call("web_serch", &json!({})), json!({})).unwrap_err();
    assert_eq!(call.name, "web_serch");
    assert_eq!(failure.kind, ErrorKind::UnknownTool);
    assert_eq!(failure.message, "Unknown tool 'web_serch'");
    assert_eq!(
        failure.hint.as_deref(),
        Some("Did you mean 'web_search'? Available tools: generate_image, web_search")
    );
    assert_eq!(failure.expected.as_deref(), Some("generate_image, web_search"));
}

#[test]
fn an_unknown_tool_among_none_hears_that_there_are_none() {
    let (_, failure) = check_call(&Toolset::empty(), call("x", &json!({})), json!({})).unwrap_err();
    assert_eq!(failure.hint.as_deref(), Some("There are no tools; answer without them."));
}

#[test]
fn names_far_from_all_tools_get_no_suggestion() {
    let hint = failure_of("bake_bread", json!({})).hint.unwrap();
    assert!(hint.starts_with("Available tools:"), "{hint}");
}

#[test]
fn a_hostile_tool_name_and_a_thousand_tools_give_a_bounded_failure() {
    let tools = toolset((0..1_000).map(|n| ToolSpec::new(format!("tool_number_{n}"), "")));
    let name = "é".repeat(100_000);
    let (_, failure) = check_call(&tools, call(&name, &json!({})), json!({})).unwrap_err();
    assert!(failure.message.chars().count() < 100);
    assert!(failure.hint.unwrap().len() < 4_200);
}

#[test]
fn an_alias_is_resolved_to_the_canonical_name() {
    let checked = check("search_web", json!({"query": "q"})).unwrap();
    assert_eq!(checked.call.name, "web_search");
    assert_eq!(checked.spec.name, "web_search");
}

#[test]
fn a_failure_of_an_aliased_call_names_the_canonical_tool() {
    let tools = toolset([web_search()]);
    let (call, _) = check_call(&tools, call("search_web", &json!({})), json!({})).unwrap_err();
    assert_eq!(call.name, "web_search");
}

#[test]
fn e_11_args_must_be_an_object() {
    for args in [json!(null), json!([]), json!("{}"), json!(1), json!(true)] {
        let failure = failure_of("web_search", args);
        assert_eq!(failure.message, "'args' must be an object");
        assert_eq!(failure.kind, ErrorKind::InvalidArgs);
    }
}

#[test]
fn e_12_a_missing_required_argument_is_named_with_the_schema() {
    let failure = failure_of("web_search", json!({"max_results": 3}));
    assert_eq!(failure.message, "Missing required arg 'query'");
    assert_eq!(failure.field.as_deref(), Some("query"));
    assert_eq!(failure.expected.as_deref(), Some("string"));
    let hint = failure.hint.unwrap();
    assert!(hint.contains(r#""properties":{"query":{"type":"string"}"#), "{hint}");
}

#[test]
fn e_13_r_5_types_are_strict_for_required_and_optional_arguments() {
    let cases = [
        (json!({"prompt": 1}), "prompt must be string", "1"),
        (json!({"prompt": "p", "steps": "5"}), "steps must be int", "\"5\""),
        (json!({"prompt": "p", "steps": true}), "steps must be int", "true"),
        (json!({"prompt": "p", "steps": 20.5}), "steps must be int", "20.5"),
        (json!({"prompt": "p", "steps": 20.0}), "steps must be int", "20.0"),
        (json!({"prompt": "p", "seed": 20.0}), "seed must be int", "20.0"),
        (json!({"prompt": "p", "guidance_scale": true}), "guidance_scale must be float", "true"),
        (json!({"prompt": "p", "guidance_scale": "3"}), "guidance_scale must be float", "\"3\""),
        (json!({"prompt": "p", "tiled": 1}), "tiled must be bool", "1"),
        (json!({"prompt": "p", "tiled": "true"}), "tiled must be bool", "\"true\""),
        (json!({"prompt": "p", "style": []}), "style must be object", "[]"),
        (json!({"prompt": "p", "tags": {}}), "tags must be array", "{}"),
    ];
    for (args, message, received) in cases {
        let failure = failure_of("generate_image", args);
        assert_eq!(failure.message, message);
        assert_eq!(failure.received.as_deref(), Some(received));
    }
}

#[test]
fn e_14_a_bool_is_no_number_and_a_float_is_no_int() {
    assert_eq!(
        failure_of("web_search", json!({"query": "q", "max_results": false})).field.unwrap(),
        "max_results"
    );
    assert_eq!(
        failure_of("web_search", json!({"query": "q", "max_results": 2.0})).field.unwrap(),
        "max_results"
    );
}

#[test]
fn e_15_r_5_an_int_is_taken_for_a_float_and_kept_as_it_is() {
    let checked = check("generate_image", json!({"prompt": "p", "guidance_scale": 3})).unwrap();
    assert_eq!(checked.args.get("guidance_scale").unwrap().to_string(), "3");
}

#[test]
fn r_53_nested_values_survive_unchanged() {
    let given = json!({"prompt": "p", "style": {"a": [1, 2.5, {"b": null}], "c": true}, "tags": ["x", 1]});
    let checked = check("generate_image", given.clone()).unwrap();
    assert_eq!(checked.args.get("style"), given.get("style"));
    assert_eq!(checked.args.get("tags"), given.get("tags"));
}

#[test]
fn null_for_an_optional_argument_that_cannot_be_null_counts_as_not_given() {
    assert_eq!(
        args_of("web_search", json!({"query": "q", "max_results": null})),
        r#"{"query":"q","max_results":5}"#
    );
    assert!(!args_of("generate_image", json!({"prompt": "p", "tags": null})).contains("tags"));
}

#[test]
fn null_for_an_argument_that_can_be_null_is_kept() {
    assert!(args_of("generate_image", json!({"prompt": "p", "seed": null})).contains(r#""seed":null"#));
}

#[test]
fn null_for_a_required_argument_is_an_error_of_its_type() {
    assert_eq!(failure_of("web_search", json!({"query": null})).message, "query must be string");
}

#[test]
fn argument_aliases_are_resolved_in_place_and_the_proper_name_wins() {
    let spec = web_search().with_arg_alias("q", "query").with_arg_alias("text", "query");
    let tools = toolset([spec]);
    let read = |args: Value| {
        let checked = check_call(&tools, call("web_search", &args), args).unwrap();
        (Value::Object(checked.args).to_string(), checked.dropped_args)
    };
    let full = |query: &str| format!(r#"{{"query":"{query}","max_results":5}}"#);
    assert_eq!(read(json!({"q": "a"})), (full("a"), vec![]));
    assert_eq!(read(json!({"q": "a", "query": "b"})), (full("b"), vec!["q".to_owned()]));
    assert_eq!(read(json!({"q": "a", "text": "b"})), (full("a"), vec!["text".to_owned()]));
}

#[test]
fn fresh_is_recognised_and_taken_out() {
    let checked = check("web_search", json!({"query": "q", "fresh": true})).unwrap();
    assert!(checked.is_fresh);
    assert!(!checked.args.contains_key("fresh"));
    assert!(checked.dropped_args.is_empty());
    assert!(!check("web_search", json!({"query": "q", "fresh": false})).unwrap().is_fresh);
    assert_eq!(check("web_search", json!({"query": "q", "fresh": "yes"})).unwrap().dropped_args, ["fresh"]);
}

#[test]
fn fresh_belongs_to_a_tool_that_has_such_an_argument() {
    let schema = json!({"type": "object", "properties": {"fresh": {"type": "boolean"}}});
    let tools = toolset([ToolSpec::new("pick_fruit", "").with_schema(schema)]);
    let args = json!({"fresh": true});
    let checked = check_call(&tools, call("pick_fruit", &args), args).unwrap();
    assert!(!checked.is_fresh);
    assert!(checked.args.contains_key("fresh"));
}

#[test]
fn the_full_schema_has_the_last_word_with_field_expectation_and_value() {
    let failure = failure_of("generate_image", json!({"prompt": "p", "limit": 101}));
    assert_eq!(failure.kind, ErrorKind::InvalidArgs);
    assert_eq!(failure.message, "limit: 101 is greater than the maximum of 100");
    assert_eq!(failure.field.as_deref(), Some("limit"));
    assert_eq!(failure.expected.as_deref(), Some("at most 100"));
    assert_eq!(failure.received.as_deref(), Some("101"));
    assert!(failure.hint.unwrap().contains("generate_image"));
}

#[test]
fn r_43_what_was_received_is_cut_at_200_characters_not_bytes() {
    let received = failure_of("web_search", json!({"query": ["é".repeat(5_000)]})).received.unwrap();
    assert_eq!(received.chars().count(), 201);
    assert!(received.ends_with("é…"));
}

#[test]
fn a_schema_too_large_for_a_hint_is_replaced_by_the_signature() {
    let properties: Map<String, Value> =
        (0..200).map(|n| (format!("argument_{n}"), json!({"type": "string"}))).collect();
    let schema = json!({"type": "object", "properties": properties, "required": ["argument_0"]});
    let tools = toolset([ToolSpec::new("t", "").with_schema(schema)]);
    let (_, failure) = check_call(&tools, call("t", &json!({})), json!({})).unwrap_err();
    let hint = failure.hint.unwrap();
    assert!(hint.contains("t(argument_0:str,argument_1:str"), "{hint}");
    assert!(hint.len() < 4_200);
}

#[test]
fn a_thousand_unknown_arguments_are_dropped_and_a_bounded_part_is_listed() {
    let mut args: Map<String, Value> = (0..1_000).map(|n| (format!("x{n}"), json!(n))).collect();
    args.insert("query".into(), json!("q"));
    let checked = check("web_search", Value::Object(args)).unwrap();
    assert_eq!(checked.args.len(), 2);
    assert_eq!(checked.dropped_args.len(), DROPPED_ARGS_MAX);
}
