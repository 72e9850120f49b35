//! Schemas of tools: what providers refuse about them.

use std::cell::RefCell;

use serde_json::{Map, Value};

use super::{Checked, is_word, must};

/// Names of tools: legal, and no two alike.
pub(super) fn check_names<'a>(names: impl Iterator<Item = &'a str>) -> Checked {
    let mut met = std::collections::HashSet::new();
    for name in names {
        must(is_word(name, 64), || format!("the name '{name}' is not legal"))?;
        must(met.insert(name), || format!("two tools are called '{name}'"))?;
    }
    Ok(())
}

/// Parameters as full JSON Schema: an object at the root, no choice beside it, references that lead somewhere.
pub(super) fn check_full(schema: &Value) -> Checked {
    must(schema["type"] == "object", || format!("the root is no object: {schema}"))?;
    must(schema["properties"].is_object(), || format!("the root has no properties: {schema}"))?;
    for keyword in ["anyOf", "oneOf", "allOf", "enum", "not", "$ref", "$schema"] {
        must(schema.get(keyword).is_none(), || format!("'{keyword}' at the root: {schema}"))?;
    }
    // The tools of thousands of requests are the same.
    let is_known = SOUND.with_borrow(|sound| sound.contains(schema));
    if !is_known {
        jsonschema::validator_for(schema).map_err(|error| format!("{error} in {schema}"))?;
        SOUND.with_borrow_mut(|sound| sound.push(schema.clone()));
    }
    Ok(())
}

thread_local! {
    /// Schemas that were compiled before.
    static SOUND: RefCell<Vec<Value>> = const { RefCell::new(Vec::new()) };
}

/// Parameters that the provider is asked to keep to.
pub(super) fn check_strict(schema: &Value) -> Checked {
    let Value::Object(fields) = schema else { return Err(format!("a schema is no object: {schema}")) };
    if schema["type"] == "object" {
        let properties = schema["properties"].as_object().ok_or("an object without properties")?;
        let required = schema["required"].as_array().ok_or("an object without 'required'")?;
        must(required.len() == properties.len(), || format!("not all are required: {schema}"))?;
        must(schema["additionalProperties"] == false, || format!("further properties: {schema}"))?;
        properties.values().try_for_each(check_strict)?;
    }
    must(fields.contains_key("type") || fields.contains_key("anyOf") || fields.contains_key("$ref"), || {
        format!("no type: {schema}")
    })?;
    schema.get("items").map_or(Ok(()), check_strict)
}

/// Moonshot: references alone, no tuples.
pub(super) fn check_moonshot(schema: &Value) -> Checked {
    match schema {
        Value::Object(fields) => {
            must(!fields.contains_key("$ref") || fields.len() == 1, || {
                format!("siblings of a reference: {schema}")
            })?;
            must(!fields.contains_key("prefixItems"), || format!("a tuple: {schema}"))?;
            must(!fields.get("items").is_some_and(Value::is_array), || format!("a tuple: {schema}"))?;
            fields.values().try_for_each(check_moonshot)
        }
        Value::Array(values) => values.iter().try_for_each(check_moonshot),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}

const OPENAPI: [&str; 19] = [
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
    "maxItems",
    "minItems",
    "properties",
    "required",
    "minProperties",
    "maxProperties",
    "minLength",
    "maxLength",
    "pattern",
    "anyOf",
    "items",
    "minimum",
    "maximum",
];

/// Gemini's `parameters`: a subset of OpenAPI.
pub(super) fn check_gemini(schema: &Value) -> Checked {
    let Value::Object(fields) = schema else { return Err(format!("a schema is no object: {schema}")) };
    if let Some(name) = fields.keys().find(|name| !OPENAPI.contains(&name.as_str())) {
        return Err(format!("'{name}' is not in the subset: {schema}"));
    }
    if let Some(any) = fields.get("anyOf") {
        let any = any.as_array().filter(|any| any.len() > 1).ok_or("a choice of nothing")?;
        must(!fields.contains_key("type"), || format!("a type beside anyOf: {schema}"))?;
        return any.iter().try_for_each(check_gemini);
    }
    let kind = fields.get("type").and_then(Value::as_str).ok_or_else(|| format!("not one type: {schema}"))?;
    let kinds = ["object", "array", "string", "number", "integer", "boolean"];
    must(kinds.contains(&kind), || format!("type {kind}"))?;
    must(kind == "object" || !fields.contains_key("properties"), || {
        format!("properties of no object: {schema}")
    })?;
    must((kind == "array") == fields.contains_key("items"), || format!("items: {schema}"))?;
    if let Some(values) = fields.get("enum") {
        let is_text = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
        let values = values.as_array().filter(|values| !values.is_empty()).ok_or("an empty enum")?;
        must(kind == "string" && values.iter().all(is_text), || format!("enum: {schema}"))?;
    }
    let properties = match fields.get("properties") {
        Some(properties) => properties.as_object().filter(|own| !own.is_empty()).ok_or("empty properties")?,
        None => &Map::new(),
    };
    let required = fields.get("required").and_then(Value::as_array).map_or(&[] as &[Value], Vec::as_slice);
    for name in required {
        let is_there = name.as_str().is_some_and(|name| properties.contains_key(name));
        must(is_there, || format!("{name} is required and not there: {schema}"))?;
    }
    properties.values().try_for_each(check_gemini)?;
    fields.get("items").map_or(Ok(()), check_gemini)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_gemini_refuses_about_schemas_is_refused() {
        assert_eq!(
            check_gemini(
                &json!({"type": "object", "properties": {"a": {"type": "string", "nullable": true}}, "required": ["a"]})
            ),
            Ok(())
        );
        for wrong in [
            json!({"type": "object", "additionalProperties": false}),
            json!({"$ref": "#/$defs/x"}),
            json!({"type": ["string", "null"]}),
            json!({"type": "array"}),
            json!({"type": "string", "properties": {}}),
            json!({"type": "integer", "enum": [1]}),
            json!({"type": "string", "enum": []}),
            json!({"type": "object", "properties": {}}),
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["b"]}),
            json!({"type": "object", "properties": {"a": {}}}),
        ] {
            assert!(check_gemini(&wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_others_refuse_about_schemas_is_refused() {
        for wrong in [
            json!({"type": "string"}),
            json!({"type": "object"}),
            json!({"type": "object", "properties": {}, "anyOf": [{}]}),
            json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/none"}}}),
        ] {
            assert!(check_full(&wrong).is_err(), "{wrong}");
        }
        assert!(
            check_strict(&json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": []}))
                .is_err()
        );
        assert!(check_moonshot(&json!({"a": {"$ref": "#", "description": "x"}})).is_err());
        assert!(check_names(["a", "a"].into_iter()).is_err() && check_names(["a b"].into_iter()).is_err());
    }
}
