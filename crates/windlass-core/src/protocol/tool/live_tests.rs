use serde_json::json;

use super::*;

#[test]
fn the_keyword_is_found_and_taken_out_wherever_a_schema_stands() {
    let schema = json!({
        "type": "object",
        "properties": {
            "task": {"type": "string", "x-windlass-live": "tasks", "minLength": 1},
            "more": {"type": "array", "items": {"anyOf": [{"type": "string", "x-windlass-live": "calls"}, {"type": "null"}]}}
        }
    });
    assert_eq!(live_kinds(&schema), BTreeSet::from(["calls", "tasks"]));
    let shown = json!({
        "type": "object",
        "properties": {
            "task": {"type": "string", "minLength": 1},
            "more": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}}
        }
    });
    assert_eq!(*without_live(&schema), shown);
}

#[test]
fn what_only_looks_like_the_keyword_stays() {
    let schema = json!({
        "properties": {"x-windlass-live": {"type": "string", "default": {"x-windlass-live": "a"}}},
        "default": {"x-windlass-live": "value"}
    });
    assert!(live_kinds(&schema).is_empty());
    assert!(matches!(without_live(&schema), Cow::Borrowed(same) if *same == schema));
    // Beside one that is meant, too.
    let mut mixed = schema.clone();
    mixed["properties"]["id"] = json!({"type": "string", "x-windlass-live": "tasks"});
    let mut shown = schema;
    shown["properties"]["id"] = json!({"type": "string"});
    assert_eq!(*without_live(&mixed), shown);
}
