//! What a well-formed schema is made of: which keywords hold schemas, and what the others must be.
//!
//! A keyword of the wrong form says nothing that anybody could check; it is left out, which can only make a
//! schema looser. Knows no dialect.

use serde_json::{Map, Value, json};
use windlass_core::protocol::tool::LIVE_KEYWORD;

use super::{Losses, SCHEMA_DEPTH_MAX, Schema, Unlowerable};

/// How a keyword holds schemas.
pub(super) enum Holds {
    One,
    List,
    Named,
}

/// How a keyword holds schemas, if it does.
pub(super) fn holds(keyword: &str) -> Option<Holds> {
    match keyword {
        "additionalProperties"
        | "unevaluatedProperties"
        | "unevaluatedItems"
        | "items"
        | "contains"
        | "not"
        | "if"
        | "then"
        | "else"
        | "propertyNames" => Some(Holds::One),
        "anyOf" | "oneOf" | "allOf" | "prefixItems" => Some(Holds::List),
        "properties" | "patternProperties" | "dependentSchemas" | "$defs" | "definitions" => {
            Some(Holds::Named)
        }
        _ => None,
    }
}

/// Whether `false` in this keyword closes a list or an object: everybody reads that.
fn closes(keyword: &str) -> bool {
    matches!(keyword, "additionalProperties" | "unevaluatedProperties" | "unevaluatedItems" | "items")
}

/// Visits every schema that stands directly in a schema.
pub(super) fn each_inner(schema: &mut Schema, visit: &mut dyn FnMut(&mut Schema)) {
    for (keyword, value) in schema.iter_mut() {
        match (holds(keyword), value) {
            (Some(Holds::One), Value::Object(inner)) => visit(inner),
            (Some(Holds::List), Value::Array(list)) => {
                list.iter_mut().filter_map(Value::as_object_mut).for_each(&mut *visit);
            }
            (Some(Holds::Named), Value::Object(named)) => {
                named.values_mut().filter_map(Value::as_object_mut).for_each(&mut *visit);
            }
            (_, _) => {}
        }
    }
}

/// Makes every schema in a value well-formed: an object, with keywords of the right form.
pub(super) fn tidy(schema: &mut Value, depth: usize, losses: &mut Losses) -> Result<(), Unlowerable> {
    let Value::Object(keywords) = schema else {
        *schema = match schema {
            Value::Bool(true) => json!({}),
            // Providers take no boolean schemas; this one takes nothing, either.
            Value::Bool(false) => json!({"not": {}}),
            Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
                losses.add("schema_broken", "a part of its schema is no schema and was left out");
                json!({})
            }
        };
        return Ok(());
    };
    if depth >= SCHEMA_DEPTH_MAX {
        return Err(Unlowerable("its schema is nested too deeply"));
    }
    write_tuples_anew(keywords);
    // It asks for what only a model in the process can be held to, and strict endpoints refuse it.
    keywords.shift_remove(LIVE_KEYWORD);
    keywords.retain(|keyword, value| {
        let is_right = has_right_form(keyword, value);
        if !is_right {
            losses.add(
                "schema_broken",
                format!("'{keyword}' in its schema has the wrong form and was left out"),
            );
        }
        is_right
    });
    for (keyword, value) in keywords.iter_mut() {
        match (holds(keyword), value) {
            (Some(Holds::One), Value::Bool(_)) if closes(keyword) => {}
            (Some(Holds::One), inner) => tidy(inner, depth + 1, losses)?,
            (Some(Holds::List), Value::Array(list)) => {
                list.iter_mut().try_for_each(|inner| tidy(inner, depth + 1, losses))?;
            }
            (Some(Holds::Named), Value::Object(named)) => {
                named.values_mut().try_for_each(|inner| tidy(inner, depth + 1, losses))?;
            }
            (_, _) => {}
        }
    }
    Ok(())
}

/// Tuples as drafts before 2020-12 wrote them.
fn write_tuples_anew(schema: &mut Schema) {
    let Some(Value::Array(_)) = schema.get("items") else { return };
    let rest = schema.remove("additionalItems");
    if let Some(tuple) = schema.remove("items") {
        schema.insert("prefixItems".to_owned(), tuple);
    }
    if let Some(rest) = rest {
        schema.insert("items".to_owned(), rest);
    }
}

fn has_right_form(keyword: &str, value: &Value) -> bool {
    match holds(keyword) {
        Some(Holds::One) => return value.is_object() || value.is_boolean(),
        Some(Holds::List) => return value.as_array().is_some_and(|list| !list.is_empty()),
        Some(Holds::Named) => return value.is_object(),
        None => {}
    }
    match keyword {
        "type" => match value {
            Value::String(word) => is_type(word),
            Value::Array(words) => {
                !words.is_empty() && words.iter().all(|word| word.as_str().is_some_and(is_type))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
        },
        "required" => is_texts(value),
        "enum" => value.as_array().is_some_and(|values| !values.is_empty()),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => value.is_number(),
        "multipleOf" => value.as_f64().is_some_and(|step| step > 0.0),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties"
        | "minContains" | "maxContains" => value.is_u64(),
        "pattern" | "format" | "description" | "title" | "$ref" | "$id" | "$schema" | "$anchor"
        | "$comment" => value.is_string(),
        "uniqueItems" => value.is_boolean(),
        "dependentRequired" => value.as_object().is_some_and(|named| named.values().all(is_texts)),
        _ => true,
    }
}

fn is_type(word: &str) -> bool {
    matches!(word, "object" | "array" | "string" | "number" | "integer" | "boolean" | "null")
}

fn is_texts(value: &Value) -> bool {
    value.as_array().is_some_and(|list| list.iter().all(Value::is_string))
}

/// The schema that a local reference means.
pub(super) fn resolve<'a>(root: &'a Schema, reference: &str) -> Option<&'a Schema> {
    let pointer = reference.strip_prefix('#')?;
    if pointer.is_empty() {
        return Some(root);
    }
    let mut tokens = pointer.strip_prefix('/')?.splitn(2, '/');
    let first = tokens.next()?.replace("~1", "/").replace("~0", "~");
    let value = root.get(&first)?;
    match tokens.next() {
        Some(rest) => value.pointer(&format!("/{rest}"))?.as_object(),
        None => value.as_object(),
    }
}

/// Leaves out references that lead nowhere: providers refuse the whole request for one.
pub(super) fn cut_loose_references(root: &mut Schema, losses: &mut Losses) {
    fn cut(schema: &mut Schema, root: &Schema, losses: &mut Losses) {
        let leads = schema.get("$ref").and_then(Value::as_str).is_none_or(|to| resolve(root, to).is_some());
        if !leads {
            schema.remove("$ref");
            losses.add("schema_ref", "a reference in its schema leads nowhere and was left out");
        }
        each_inner(schema, &mut |inner| cut(inner, root, losses));
    }
    let whole = root.clone();
    cut(root, &whole, losses);
}

/// The types that a schema names; empty if it names none.
pub(super) fn types_of(schema: &Schema) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(word)) => vec![word],
        Some(Value::Array(words)) => words.iter().filter_map(Value::as_str).collect(),
        Some(_) | None => Vec::new(),
    }
}

/// The texts of a list, such as `required`.
pub(super) fn texts_of<'a>(schema: &'a Schema, keyword: &str) -> Vec<&'a str> {
    let list = schema.get(keyword).and_then(Value::as_array);
    list.map(|list| list.iter().filter_map(Value::as_str).collect()).unwrap_or_default()
}

pub(super) fn properties_of(schema: &Schema) -> Option<&Map<String, Value>> {
    schema.get("properties").and_then(Value::as_object)
}
