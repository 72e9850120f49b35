use serde_json::json;

use super::*;

fn table(schema: Value) -> ArgTable {
    ArgTable::of(&ToolSpec::new("t", "").with_schema(schema))
}

#[test]
fn slots_follow_the_declaration_and_add_required_arguments_without_a_schema() {
    let table = table(json!({"type": "object",
        "properties": {"z": {"type": "string"}, "a": {"type": "integer", "default": 1}},
        "required": ["z", "extra"]}));
    let names: Vec<&str> = table.slots().iter().map(|slot| &*slot.name).collect();
    assert_eq!(names, ["z", "a", "extra"]);
    let extra = table.find("extra").unwrap();
    assert!(extra.is_required && extra.kind == ArgType::Any);
    assert_eq!(table.find("a").unwrap().default, Some(json!(1)));
    assert!(table.find("b").is_none());
}

#[test]
fn a_schema_says_whether_null_is_one_of_its_values() {
    let root = json!({"$defs": {
        "text": {"type": "string"},
        "maybe": {"anyOf": [{"$ref": "#/$defs/text"}, {"type": "null"}]},
        "round": {"$ref": "#/$defs/round"}
    }});
    let cases = [
        (json!(true), true),
        (json!(false), false),
        (json!({}), true),
        (json!({"type": "string"}), false),
        (json!({"type": ["string", "null"]}), true),
        (json!({"enum": ["a", null]}), true),
        (json!({"enum": ["a"]}), false),
        (json!({"const": 1}), false),
        (json!({"$ref": "#/$defs/text"}), false),
        (json!({"$ref": "#/$defs/maybe"}), true),
        (json!({"$ref": "#/$defs/round"}), true),
        (json!({"$ref": "elsewhere"}), true),
        (json!({"allOf": [{}, {"type": "integer"}]}), false),
        (json!({"oneOf": [{"type": "integer"}, {"type": "string"}]}), false),
    ];
    for (schema, expected) in cases {
        assert_eq!(takes_null(&root, &schema, 0), expected, "{schema}");
    }
}

#[test]
fn a_type_or_null_is_still_that_type() {
    assert_eq!(ArgType::of(&json!({"type": ["null", "integer"]})), ArgType::Int);
    assert_eq!(ArgType::of(&json!({"anyOf": [{"type": "number"}, {"type": "null"}]})), ArgType::Float);
    assert_eq!(ArgType::of(&json!({"type": ["string", "integer"]})), ArgType::Any);
    assert_eq!(ArgType::of(&json!({"anyOf": [{"type": "string"}, {"type": "integer"}]})), ArgType::Any);
    assert_eq!(ArgType::of(&json!({"type": "null"})), ArgType::Any);
}

#[test]
fn a_default_of_null_is_no_default_where_null_is_not_allowed() {
    let table = table(json!({"type": "object", "properties": {
        "a": {"type": "integer", "default": null}, "b": {"type": ["integer", "null"], "default": null}}}));
    assert_eq!(table.find("a").unwrap().default, None);
    assert_eq!(table.find("b").unwrap().default, Some(Value::Null));
}

#[test]
fn an_alias_that_is_also_a_property_is_the_property() {
    let schema = json!({"type": "object", "properties": {"a": {}, "b": {}}});
    let spec = ToolSpec::new("t", "").with_schema(schema).with_arg_alias("a", "b").with_arg_alias("c", "b");
    let table = ArgTable::of(&spec);
    assert!(table.find_alias("a").is_none());
    assert_eq!(&*table.find_alias("c").unwrap().name, "b");
}
