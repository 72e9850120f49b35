use serde_json::json;

use super::*;

/// `levels` definitions, each referring twice to the next.
fn fan(levels: usize, refer: impl Fn(usize) -> Value) -> Map<String, Value> {
    let mut definitions = Map::new();
    for level in 0..levels {
        let next = refer(level + 1);
        definitions.insert(format!("l{level}"), json!({"allOf": [next, next]}));
    }
    definitions.insert(format!("l{levels}"), json!({"required": ["a"]}));
    definitions
}

#[test]
fn a_schema_without_references_weighs_what_it_has() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}, "default": {"enum": [{}]}},
        "$defs": {"unused": {"not": {}}}, "default": {"x": {}}});
    assert_eq!(weigh(&schema), Ok(SchemaWeight { total: 3, is_cyclic: false }));
    assert!(weigh(&schema).unwrap().is_light());
}

#[test]
fn references_that_fan_out_are_too_heavy_by_pointer_and_by_anchor() {
    let by_pointer = |level: usize| json!({"$ref": format!("#/$defs/l{level}")});
    let schema = |levels| json!({"$ref": "#/$defs/l0", "$defs": fan(levels, by_pointer)});
    assert!(weigh(&schema(8)).unwrap().is_light());
    assert!(!weigh(&schema(14)).unwrap().is_light());
    assert_eq!(weigh(&schema(40)), Err(TooHeavy));
    let mut definitions = fan(40, |level| json!({"$ref": format!("#l{level}")}));
    for (name, definition) in &mut definitions {
        definition["$anchor"] = json!(name);
    }
    assert_eq!(weigh(&json!({"$ref": "#l0", "$defs": definitions})), Err(TooHeavy));
}

#[test]
fn references_that_cannot_be_followed_are_allowed_in_small_number() {
    let mut definitions = fan(40, |level| json!({"$ref": format!("./l{level}")}));
    for (name, definition) in &mut definitions {
        definition["$id"] = json!(name);
    }
    assert_eq!(weigh(&json!({"$ref": "l0", "$defs": definitions})), Err(TooHeavy));
    // Below an inner id, `#/…` means something else than it seems.
    let hidden = json!({"$id": "inner", "$ref": "#/$defs/l0", "$defs": fan(40, |level| {
        json!({"$ref": format!("#/$defs/l{level}")})
    })});
    let mut outer = fan(0, |_| json!({}));
    outer.extend((0..=40).map(|level| (format!("l{level}"), json!(true))));
    assert_eq!(weigh(&json!({"$defs": outer, "allOf": [hidden]})), Err(TooHeavy));
    // Nor does a schema hide where only values should be.
    let hidden = json!({"$ref": "#/default", "default": {"$id": "inner", "$ref": "#/x"}});
    assert_eq!(weigh(&hidden), Err(TooHeavy));
    assert!(weigh(&json!({"$ref": "https://json-schema.org/draft/2020-12/schema"})).unwrap().is_light());
}

#[test]
fn a_schema_that_refers_to_itself_is_bearable_but_not_light() {
    let tree = json!({"$ref": "#/$defs/node", "$defs": {"node": {
        "properties": {"left": {"$ref": "#/$defs/node"}, "right": {"$ref": "#/$defs/node"}}}}});
    let weight = weigh(&tree).unwrap();
    assert!(weight.is_cyclic && !weight.is_light());
    assert!(weigh(&json!({"items": {"$ref": "#"}})).unwrap().is_cyclic);
}

#[test]
fn a_chain_of_references_without_end_is_refused_before_the_stack_is() {
    let mut definitions = Map::new();
    for level in 0..5_000 {
        definitions.insert(format!("l{level}"), json!({"$ref": format!("#/$defs/l{}", level + 1)}));
    }
    definitions.insert("l5000".into(), json!({}));
    assert_eq!(weigh(&json!({"$ref": "#/$defs/l0", "$defs": definitions})), Err(TooHeavy));
}
