use serde_json::json;

use super::*;

#[derive(Debug, PartialEq, serde::Deserialize)]
struct Args {
    query: String,
    #[serde(default)]
    limit: u32,
    share: Option<f64>,
    exact: Option<bool>,
}

fn spec() -> ToolSpec {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Args",
        "type": "object",
        "properties": {
            "query": {"type": "string"},
            "limit": {"type": "integer", "format": "uint32", "minimum": 1, "maximum": 20, "default": 0},
            "share": {"type": ["number", "null"], "format": "double", "minimum": 0},
            "exact": {"type": ["boolean", "null"]},
        },
        "required": ["query"],
    });
    ToolSpec::declared("find", "Finds.", schema)
}

fn refused(args: Value) -> String {
    spec().read_args::<Args>(args.as_object().unwrap()).unwrap_err().message
}

#[test]
fn what_a_generator_says_beyond_the_arguments_is_left_out() {
    let expected = json!({
        "type": "object",
        "properties": {
            "query": {"type": "string"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 20, "default": 0},
            "share": {"type": "number", "minimum": 0},
            "exact": {"type": "boolean"},
        },
        "required": ["query"],
        "additionalProperties": false,
    });
    assert_eq!(spec().schema, expected);
}

#[test]
fn a_missing_text_is_named() {
    assert_eq!(refused(json!({})), "find requires a 'query' argument");
    assert_eq!(refused(json!({"query": null})), "find requires a 'query' argument");
}

#[test]
fn no_type_is_taken_for_another() {
    assert_eq!(refused(json!({"query": 5})), "query must be string");
    assert_eq!(refused(json!({"query": "q", "limit": 20.0})), "limit must be int");
    assert_eq!(refused(json!({"query": "q", "share": true})), "share must be float");
    assert_eq!(refused(json!({"query": "q", "exact": 1})), "exact must be bool");
}

#[test]
fn an_integer_widens_to_a_float_and_null_means_not_given() {
    let args = json!({"query": "q", "share": 3, "limit": null, "exact": null});
    let read: Args = spec().read_args(args.as_object().unwrap()).unwrap();
    assert_eq!(read, Args { query: "q".into(), limit: 0, share: Some(3.0), exact: None });
}

#[test]
fn a_number_outside_its_range_is_told_the_range() {
    let failure =
        spec().read_args::<Args>(json!({"query": "q", "limit": 99}).as_object().unwrap()).unwrap_err();
    assert_eq!(failure.message, "limit must be 1 to 20, not 99");
    assert_eq!((failure.field.as_deref(), failure.received.as_deref()), (Some("limit"), Some("99")));
    assert_eq!(refused(json!({"query": "q", "share": -1})), "share must be at least 0, not -1");
}
