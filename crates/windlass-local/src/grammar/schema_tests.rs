use super::*;

fn fitted(schema: Value) -> Value {
    fit(&schema, &BTreeMap::new()).unwrap().schema
}

#[test]
fn whole_numbers_stay_exact() {
    assert_eq!(fitted(json!({"type": "integer", "minimum": 3}))["maximum"], json!(INTEGER_MAX as f64));
    assert_eq!(fitted(json!({"type": ["integer", "null"]}))["minimum"], json!(-INTEGER_MAX as f64));
    assert_eq!(fitted(json!({"type": "number"})), json!({"type": "number"}));
    assert_eq!(fitted(json!({"type": "number", "multipleOf": 0.5}))["maximum"], json!(1e15));
}

#[test]
fn an_excluding_bound_becomes_one_that_rounding_keeps() {
    let number = fitted(json!({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}));
    assert_eq!((&number["minimum"], &number["maximum"]), (&json!(1e-9), &json!(1.0 - 1e-12)));
    assert!(number.get("exclusiveMaximum").is_none());
    let tighter = fitted(json!({"type": "number", "exclusiveMinimum": 0, "minimum": 2, "maximum": 3}));
    assert_eq!(tighter["minimum"], json!(2));
}

#[test]
fn an_object_with_properties_has_no_others_unless_it_says_so() {
    let closed =
        fitted(json!({"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {}}}}}));
    assert_eq!(closed["additionalProperties"], json!(false));
    assert_eq!(closed["properties"]["a"]["additionalProperties"], json!(false));
    let combined = json!({"type": "object", "properties": {"a": {}}, "allOf": [{"required": ["b"]}]});
    assert_eq!(fitted(combined).get("additionalProperties"), None, "another schema may speak of more");
    let open = json!({"type": "object", "properties": {"a": {}}, "additionalProperties": true});
    assert_eq!(fitted(open)["additionalProperties"], json!(true));
}

#[test]
fn a_string_that_asks_for_live_values_is_one_of_them() {
    let live = BTreeMap::from([("tasks".to_owned(), vec!["task_1".to_owned()])]);
    let schema = json!({"type": "string", "x-windlass-live": "tasks"});
    assert_eq!(fit(&schema, &live).unwrap().schema["enum"], json!(["task_1"]));
    assert_eq!(fitted(schema).get("enum"), None);
    // It asks for what must not forbid anything else that the schema allows.
    for other in [
        json!({"type": ["string", "null"], "x-windlass-live": "tasks"}),
        json!({"type": "string", "x-windlass-live": "tasks", "pattern": "^[a-z]+$"}),
        json!({"type": "string", "x-windlass-live": "tasks", "enum": ["own"]}),
    ] {
        let fitted = fit(&other, &live).unwrap().schema;
        assert_eq!((fitted.get("enum"), fitted.get("x-windlass-live")), (other.get("enum"), None));
    }
}

#[test]
fn constants_that_cannot_be_written_exactly_are_refused_or_left_out() {
    let fit = |schema: Value| fit(&schema, &BTreeMap::new());
    assert!(fit(json!({"const": 9_007_199_254_740_993_i64})).unwrap_err().contains("rounded"));
    assert!(fit(json!({"const": "a\u{1}"})).unwrap_err().contains("control"));
    assert_eq!(fit(json!({"enum": ["a", "\u{1}"]})).unwrap().schema["enum"], json!(["a"]));
}

#[test]
fn schemas_have_a_size() {
    let deep = (0..70).fold(json!({"type": "null"}), |inner, _| json!({"type": "array", "items": inner}));
    assert!(fit(&deep, &BTreeMap::new()).unwrap_err().contains("nested deeper"));
    let wide: Vec<Value> = (0..NODES_MAX).map(|_| json!({"type": "null"})).collect();
    assert!(fit(&json!({"anyOf": wide}), &BTreeMap::new()).unwrap_err().contains("parts"));
}

#[test]
fn a_name_that_may_be_written_twice_is_told() {
    let loosened = |schema: Value| fit(&schema, &BTreeMap::new()).unwrap().loosened.len();
    assert_eq!(loosened(json!({"type": "object", "minProperties": 2})), 1);
    assert_eq!(loosened(json!({"type": "object", "minProperties": 1})), 0);
}

#[test]
fn a_class_without_the_quote_stays_without_it() {
    let pattern = |pattern: &str| fitted(json!({"type": "string", "pattern": pattern}))["pattern"].clone();
    assert_eq!(pattern(r#"^[^"\\]+$"#), json!(r#"^[^\x01"\\]+$"#));
    assert_eq!(pattern(r"\[^a"), json!(r"\[^a"), "an escaped bracket opens nothing");
    assert_eq!(pattern("[^]a]"), json!(r"[^\x01\]a]"));
    let named = fitted(json!({"type": "object", "patternProperties": {"^[^x]": {"type": "null"}}}));
    assert!(named["patternProperties"].get(r"^[^\x01x]").is_some());
}
