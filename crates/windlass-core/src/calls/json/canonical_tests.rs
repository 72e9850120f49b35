use proptest::prelude::*;
use serde_json::json;

use super::super::parse::parse_value;
use super::super::samples::{any_json, any_object};
use super::*;

#[test]
fn keys_are_sorted_at_every_level_and_items_stay_in_order() {
    let value = json!({"b": [2, 1, {"z": 1, "a": 2}], "a": {"y": null, "x": true}});
    assert_eq!(canonical_text(&value), r#"{"a":{"x":true,"y":null},"b":[2,1,{"a":2,"z":1}]}"#);
}

#[test]
fn the_spelling_of_a_number_does_not_matter_but_its_kind_does() {
    let texts = |spellings: &[&str]| -> Vec<String> {
        spellings.iter().map(|text| canonical_text(&parse_value(text).unwrap())).collect()
    };
    assert_eq!(texts(&["1.0", "1.00", "10e-1"]), ["1.0", "1.0", "1.0"]);
    assert_eq!(texts(&["100.0", "1e2"]), ["100.0", "100.0"]);
    assert_eq!(texts(&["0.0", "-0.0", "-0"]), ["0.0", "-0.0", "-0.0"]);
    assert_eq!(texts(&["1", "0"]), ["1", "0"]);
}

#[test]
fn the_spelling_of_a_string_does_not_matter() {
    let plain = parse_value("\"é/\\n\"").unwrap();
    let escaped = parse_value("\"\\u00e9\\/\\u000a\"").unwrap();
    assert_eq!(canonical_text(&plain), canonical_text(&escaped));
}

fn reversed(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            fields.iter().rev().map(|(key, field)| (key.clone(), reversed(field))).collect()
        }
        Value::Array(items) => items.iter().map(reversed).collect(),
        scalar => scalar.clone(),
    }
}

proptest! {
    #[test]
    fn the_order_of_keys_makes_no_difference(value in any_json()) {
        prop_assert_eq!(canonical_text(&value), canonical_text(&reversed(&value)));
    }

    #[test]
    fn r_52_canonical_text_is_json_of_the_same_value(value in any_json()) {
        let text = canonical_text(&value);
        prop_assert!(!text.chars().any(|c| c < ' '));
        prop_assert_eq!(parse_value(&text), parse_value(&value.to_string()));
    }

    #[test]
    fn different_values_have_different_texts(one in any_object(), other in any_object()) {
        prop_assert_eq!(one == other, canonical_text(&one) == canonical_text(&other));
    }
}
