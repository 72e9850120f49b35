use std::time::{Duration, Instant};

use serde_json::json;

use super::*;

fn is_right(schema: &Value, args: &Value) -> bool {
    compile(schema).unwrap().check(args).is_empty()
}

#[test]
fn the_keywords_of_the_draft_are_all_checked() {
    let cases = [
        (json!({"type": "integer"}), json!(1), json!("1")),
        (json!({"enum": ["a", 1]}), json!(1), json!("b")),
        (json!({"const": {"a": 1}}), json!({"a": 1}), json!({"a": 2})),
        (json!({"minimum": 1, "exclusiveMaximum": 3}), json!(2), json!(3)),
        (json!({"multipleOf": 0.01}), json!(0.07), json!(0.075)),
        (json!({"minLength": 2, "maxLength": 3}), json!("é漢"), json!("é")),
        (json!({"pattern": "^a+$"}), json!("aa"), json!("ab")),
        (json!({"minItems": 1, "uniqueItems": true}), json!([1, 2]), json!([1, 1])),
        (json!({"prefixItems": [{"type": "string"}], "items": false}), json!(["a"]), json!(["a", 1])),
        (json!({"contains": {"const": 1}, "maxContains": 1}), json!([1, 2]), json!([1, 1])),
        (json!({"required": ["a"]}), json!({"a": 1}), json!({})),
        (json!({"minProperties": 1, "maxProperties": 1}), json!({"a": 1}), json!({"a": 1, "b": 2})),
        (json!({"patternProperties": {"^n": {"type": "number"}}}), json!({"n1": 1}), json!({"n1": "x"})),
        (json!({"additionalProperties": {"type": "number"}}), json!({"a": 1}), json!({"a": "x"})),
        (json!({"propertyNames": {"maxLength": 1}}), json!({"a": 1}), json!({"ab": 1})),
        (json!({"dependentRequired": {"a": ["b"]}}), json!({"a": 1, "b": 1}), json!({"a": 1})),
        (json!({"dependentSchemas": {"a": {"required": ["b"]}}}), json!({"b": 1}), json!({"a": 1})),
        (json!({"allOf": [{"minimum": 1}, {"maximum": 2}]}), json!(2), json!(3)),
        (json!({"anyOf": [{"type": "string"}, {"minimum": 2}]}), json!("a"), json!(1)),
        (json!({"oneOf": [{"minimum": 1}, {"minimum": 2}]}), json!(1), json!(2)),
        (json!({"not": {"type": "null"}}), json!(1), json!(null)),
        (
            json!({"if": {"minimum": 5}, "then": {"multipleOf": 5}, "else": {"maximum": 3}}),
            json!(10),
            json!(4),
        ),
        (
            json!({"properties": {"a": true}, "unevaluatedProperties": false}),
            json!({"a": 1}),
            json!({"b": 1}),
        ),
        (json!({"prefixItems": [true], "unevaluatedItems": false}), json!([1]), json!([1, 2])),
        (json!({"$ref": "#/$defs/n", "$defs": {"n": {"type": "number"}}}), json!(1), json!("1")),
        (
            json!({"$defs": {"n": {"$anchor": "here", "type": "number"}}, "$ref": "#here"}),
            json!(1),
            json!("1"),
        ),
        (json!({"items": {"$ref": "#"}, "type": "array"}), json!([[], [[]]]), json!([[1]])),
        (json!(true), json!(1), json!(null)),
    ];
    for (schema, right, wrong) in &cases {
        assert!(is_right(schema, right), "{schema} takes {right}");
        assert_eq!(is_right(schema, wrong), *schema == json!(true), "{schema} refuses {wrong}");
    }
}

#[test]
fn the_draft_is_the_one_the_schema_names() {
    let old = "http://json-schema.org/draft-07/schema#";
    let tuple = json!({"$schema": old, "items": [{"type": "string"}], "additionalItems": false});
    assert!(!is_right(&tuple, &json!(["a", 1])));
    let tuple = json!({"items": {"type": "string"}, "additionalItems": false});
    assert!(is_right(&tuple, &json!(["a", "b"])));
}

#[test]
fn violations_say_where_what_and_instead_of_what_worst_first() {
    let schema = json!({"type": "object", "additionalProperties": false, "required": ["id"], "properties": {
        "id": {"type": "integer"},
        "size": {"type": "integer", "maximum": 10},
        "tags": {"type": "array", "items": {"type": "string"}}}});
    let found = compile(&schema).unwrap().check(&json!({"x": 1, "size": 11, "tags": ["a", 2]}));
    let shown: Vec<(&str, &str, &str)> =
        found.iter().map(|v| (v.path.as_str(), v.expected.as_str(), v.received.as_str())).collect();
    assert_eq!(
        shown,
        [
            ("/id", "id to be given", "nothing"),
            ("/tags/1", "string", "2"),
            ("/size", "at most 10", "11"),
            ("", "no other fields", r#"{"x":1,"size":11,"tags":["a",2]}"#),
        ]
    );
    assert_eq!(found[2].message, "11 is greater than the maximum of 10");
}

#[test]
fn a_huge_wrong_value_makes_small_violations() {
    let schema = json!({"items": {"type": "string"}});
    let args = json!((0..10_000).map(|_| json!(["é".repeat(100)])).collect::<Vec<_>>());
    let found = compile(&schema).unwrap().check(&args);
    assert_eq!(found.len(), VIOLATIONS_MAX);
    assert!(found.iter().all(|v| v.message.len() < 1_000 && v.received.len() < 1_000));
}

#[test]
fn a_schema_that_is_none_is_refused_with_its_place() {
    let error = compile(&json!({"properties": {"a": {"minimum": "low"}}})).unwrap_err();
    let SchemaError::Invalid { place, .. } = &error else { panic!("{error}") };
    assert_eq!(place, "/properties/a/minimum");
    assert!(compile(&json!({"pattern": "("})).is_err());
    assert!(compile(&json!({"$ref": "#/$defs/missing"})).is_err());
}

#[test]
fn a_schema_fetches_nothing_from_anywhere() {
    for address in ["https://example.org/schema.json", "file:///etc/passwd", "other.json"] {
        let error = compile(&json!({"$ref": address})).unwrap_err().to_string();
        assert!(!error.is_empty(), "{address}");
    }
}

#[test]
fn documents_that_are_given_can_be_referred_to() {
    let number = json!({"type": "number"});
    let schema = json!({"$ref": "https://example.org/number"});
    let validator = compile_among(&schema, [("https://example.org/number", &number)]).unwrap();
    assert!(validator.check(&json!(1)).is_empty());
    assert!(!validator.check(&json!("1")).is_empty());
}

#[test]
fn schemas_that_are_too_large_or_too_deep_are_refused() {
    let large = json!({"description": "x".repeat(SCHEMA_BYTES_MAX)});
    assert!(matches!(compile(&large), Err(SchemaError::TooLarge { .. })));
    let mut deep = json!({});
    for _ in 0..SCHEMA_DEPTH_MAX {
        deep = json!({"not": deep});
    }
    assert_eq!(compile(&deep).unwrap_err(), SchemaError::TooDeep);
}

#[test]
fn an_evil_pattern_fails_instead_of_hanging() {
    let started = Instant::now();
    let validator = compile(&json!({"pattern": "^(?=(a+)+$)(a|aa)+b\\1$"})).unwrap();
    assert!(!validator.check(&json!("a".repeat(5_000))).is_empty());
    assert!(compile(&json!({"pattern": "((a{1000}){1000}){1000}"})).is_err());
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}

/// Definitions that each refer twice to the next.
fn fan(levels: usize) -> Value {
    let mut definitions = serde_json::Map::new();
    for level in 0..levels {
        let next = json!({"$ref": format!("#/$defs/l{}", level + 1)});
        definitions.insert(format!("l{level}"), json!({"allOf": [next, next]}));
    }
    definitions.insert(format!("l{levels}"), json!({"required": ["a"]}));
    json!({"$ref": "#/$defs/l0", "$defs": definitions})
}

#[test]
fn references_that_fan_out_are_refused_or_checked_in_bounded_time() {
    assert_eq!(compile(&fan(40)).unwrap_err(), SchemaError::TooHeavy);
    let started = Instant::now();
    let validator = compile(&fan(16)).unwrap();
    assert!(validator.check(&json!({"a": 1})).is_empty());
    assert_eq!(validator.check(&json!({})).len(), 1);
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}

#[test]
fn a_schema_in_a_circle_is_checked_in_bounded_time_however_deep_the_arguments_are() {
    let node = json!({"type": "array", "allOf": [
        {"items": {"$ref": "#/$defs/node"}}, {"items": {"$ref": "#/$defs/node"}, "maxItems": 9}]});
    let validator = compile(&json!({"$ref": "#/$defs/node", "$defs": {"node": node}})).unwrap();
    let nested = |leaf: Value| (0..60).fold(leaf, |inner, _| json!([inner]));
    let started = Instant::now();
    assert!(validator.check(&nested(json!([]))).is_empty());
    assert_eq!(validator.check(&nested(json!(1))).len(), 1);
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}
