//! Strings of a schema whose values are those of this moment: `{"type": "string", "x-windlass-live": "tasks"}`.
//!
//! Owns the keywords of our own in schemas: who asks with them, and how a schema looks to those whom they do not concern.
//! Knows no values; tools say them (`ToolPort::live_values`).

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::spec::{Category, ToolSpec};
use crate::calls::check::FRESH;

/// The keyword with which a schema asks for values of this moment; it names their kind.
pub const LIVE_KEYWORD: &str = "x-windlass-live";

/// The keyword with which a schema says that an argument is where a call leads: a host, a recipient, an address.
pub const SINK_KEYWORD: &str = "x-windlass-sink";

/// Keywords whose value is no schema, whatever it looks like.
const PLAIN: [&str; 5] = ["default", "const", "enum", "examples", "example"];

/// The kinds of values that a schema asks for.
pub fn live_kinds(schema: &Value) -> BTreeSet<&str> {
    let mut kinds = BTreeSet::new();
    collect(schema, &mut kinds);
    kinds
}

/// A schema without those keywords, as wires and prompts show it: providers refuse keywords that they do not know.
pub fn without_live(schema: &Value) -> Cow<'_, Value> {
    if live_kinds(schema).is_empty() && !has_sink(schema) {
        return Cow::Borrowed(schema);
    }
    let mut schema = schema.clone();
    strip(&mut schema);
    Cow::Owned(schema)
}

/// The schema of a tool as models are told it: without that keyword, and with `fresh` where a repeated call would be
/// answered from the run itself although the world may have changed (S-22).
pub fn told_schema(spec: &ToolSpec) -> Cow<'_, Value> {
    let mut schema = without_live(&spec.schema);
    let is_cached = spec.category == Category::Search && spec.effects.is_read_only() && !spec.repeatable;
    let has_room = |schema: &Value| {
        let properties = schema.get("properties").and_then(Value::as_object);
        properties.is_some_and(|properties| !properties.contains_key(FRESH))
    };
    if is_cached && has_room(&schema) {
        let about = "true: do it again, although the same call was answered before";
        if let Some(Value::Object(properties)) = schema.to_mut().get_mut("properties") {
            properties.insert(FRESH.into(), json!({"type": "boolean", "description": about}));
        }
    }
    schema
}

fn collect<'a>(schema: &'a Value, kinds: &mut BTreeSet<&'a str>) {
    match schema {
        Value::Object(fields) => fields.iter().for_each(|(word, value)| match value {
            Value::String(kind) if word == LIVE_KEYWORD => {
                kinds.insert(kind);
            }
            _ if PLAIN.contains(&word.as_str()) => {}
            inner => collect(inner, kinds),
        }),
        Value::Array(items) => items.iter().for_each(|inner| collect(inner, kinds)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Whether a schema marks an argument as a destination.
fn has_sink(schema: &Value) -> bool {
    match schema {
        Value::Object(fields) => fields.iter().any(|(word, value)| match value {
            Value::Bool(_) => word == SINK_KEYWORD,
            inner => !PLAIN.contains(&word.as_str()) && has_sink(inner),
        }),
        Value::Array(items) => items.iter().any(has_sink),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn strip(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            // An argument of that name has a schema, not a word.
            fields.retain(|word, value| {
                (word != LIVE_KEYWORD || !value.is_string()) && (word != SINK_KEYWORD || !value.is_boolean())
            });
            let schemas = fields.iter_mut().filter(|(word, _)| !PLAIN.contains(&word.as_str()));
            schemas.for_each(|(_, inner)| strip(inner));
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
#[path = "live_tests.rs"]
mod tests;
