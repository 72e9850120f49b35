use serde_json::json;

use super::*;

fn args(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

#[test]
fn a_missing_text_is_named() {
    let failure = text(&args(json!({})), "query").unwrap_err();
    assert_eq!(failure.message, "Missing required arg 'query'");
    assert_eq!(failure.field.as_deref(), Some("query"));
}

#[test]
fn no_type_is_taken_for_another() {
    let given = args(json!({"i": 20.0, "b": 1, "f": true, "s": 5}));
    assert_eq!(integer(&given, "i", 1, 0..=99).unwrap_err().message, "i must be int");
    assert_eq!(flag(&given, "b", true).unwrap_err().message, "b must be bool");
    assert_eq!(number(&given, "f", 1.0, 0.0..=9.0).unwrap_err().message, "f must be float");
    assert_eq!(optional_text(&given, "s").unwrap_err().message, "s must be string");
}

#[test]
fn an_integer_widens_to_a_float_and_null_means_the_default() {
    let given = args(json!({"f": 3, "i": null}));
    assert_eq!(number(&given, "f", 1.0, 0.0..=9.0), Ok(3.0));
    assert_eq!(integer(&given, "i", 7, 0..=9), Ok(7));
    assert_eq!(count(&given, "c", 2, 0..=9), Ok(2));
}

#[test]
fn a_number_outside_its_range_is_told_the_range() {
    let failure = integer(&args(json!({"n": 99})), "n", 1, 1..=20).unwrap_err();
    assert_eq!(failure.message, "n must be 1 to 20, not 99");
}
