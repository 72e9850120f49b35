use serde_json::json;

use super::*;

fn read_text(text: &str) -> Result<Value, ToolFailure> {
    read_args(&RawArgs::Text(text.into()), 1_000).map(|read| read.value)
}

fn read_value(value: Value) -> Value {
    read_args(&RawArgs::Value(value), 1_000).unwrap().value
}

#[test]
fn r_45_noise_behind_the_arguments_is_taken_off_and_reported() {
    let read = read_args(&RawArgs::Text("{\"a\":1}<|tool_call_end|>".into()), 1_000).unwrap();
    assert_eq!((read.value, read.repairs), (json!({"a": 1}), vec![RepairNote::SpecialTokens]));
    let strict = read_args(&RawArgs::Text("{\"a\":1}".into()), 1_000).unwrap();
    assert_eq!(strict.repairs, []);
}

#[test]
fn r_22_nothing_is_an_empty_object() {
    for text in ["", " \n", "null"] {
        assert_eq!(read_text(text).unwrap(), json!({}), "{text:?}");
        assert_eq!(read_value(json!(text)), json!({}), "{text:?}");
    }
    assert_eq!(read_value(json!(null)), json!({}));
}

#[test]
fn z_23_values_and_text_are_read_alike_also_when_encoded_twice() {
    let args = json!({"a": 1, "b": {"c": [true, null, 1.5]}});
    assert_eq!(read_value(args.clone()), args);
    assert_eq!(read_text(&args.to_string()).unwrap(), args);
    assert_eq!(read_text(&json!(args.to_string()).to_string()).unwrap(), args);
    assert_eq!(read_value(json!(args.to_string())), args);
}

#[test]
fn values_that_are_no_object_are_read_and_left_to_the_check() {
    assert_eq!(read_text("[1]").unwrap(), json!([1]));
    assert_eq!(read_text("7").unwrap(), json!(7));
}

#[test]
fn broken_text_is_a_failure_with_its_reason_and_its_text() {
    let failure = read_text("{\"a\": ").unwrap_err();
    assert_eq!(failure.kind, ErrorKind::ParseError);
    assert!(failure.message.starts_with("Invalid JSON arguments: "), "{}", failure.message);
    assert_eq!(failure.field.as_deref(), Some("arguments"));
    assert_eq!(failure.expected.as_deref(), Some("one JSON object"));
    assert_eq!(failure.received.as_deref(), Some("{\"a\": "));
    assert_eq!(failure.hint.as_deref(), Some("send the whole call again as strict JSON"));
    let long = read_text(&format!("{{\"{}", "é".repeat(400))).unwrap_err();
    assert!(long.received.unwrap().chars().count() <= 200);
}

#[test]
fn too_much_text_is_not_even_read() {
    let text = r#"{"a":1}"#;
    assert!(read_args(&RawArgs::Text(text.into()), 7).is_ok());
    let failure = read_args(&RawArgs::Text(text.into()), 6).unwrap_err();
    assert_eq!(failure.message, "The arguments have 7 bytes; at most 6 are accepted");
    assert_eq!(
        (failure.kind, failure.hint.as_deref()),
        (ErrorKind::InvalidArgs, Some("send less, in several calls"))
    );
}
