//! The form that a run wishes for its answer: a JSON Schema, on record with the run.
//!
//! Owns how a schema is said to models, also one whose values are no objects. Knows no validator and no wire.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The field that holds a value that is no object.
const VALUE_FIELD: &str = "value";
/// Most characters of a form's name on the wires that want one.
const NAME_CHARS_MAX: usize = 64;

/// What the answer of a run must be: one JSON value that fits a schema.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WishedForm {
    /// What the value is called.
    pub name: String,
    /// The JSON Schema of the value.
    pub schema: Value,
}

impl WishedForm {
    /// The form of a schema.
    pub fn new(name: impl Into<String>, schema: Value) -> Self {
        Self { name: name.into(), schema }
    }

    /// Whether the value stands in the field `value` of an object: providers take a schema of an object alone.
    pub fn is_wrapped(&self) -> bool {
        self.schema.get("type").and_then(Value::as_str) != Some("object")
    }

    /// The schema that the model is asked for: that of the value, or of the object that holds it.
    pub fn asked_schema(&self) -> Value {
        if !self.is_wrapped() {
            return self.schema.clone();
        }
        let mut inner = self.schema.clone();
        let mut outer = Map::new();
        if let Value::Object(fields) = &mut inner {
            // What is referred to stays where references look for it: at the root.
            for key in ["$schema", "$defs", "definitions"] {
                if let Some(moved) = fields.remove(key) {
                    outer.insert(key.to_owned(), moved);
                }
            }
        }
        move_references(&mut inner);
        outer.values_mut().for_each(move_references);
        outer.insert("type".to_owned(), json!("object"));
        outer.insert("properties".to_owned(), json!({ VALUE_FIELD: inner }));
        outer.insert("required".to_owned(), json!([VALUE_FIELD]));
        outer.insert("additionalProperties".to_owned(), json!(false));
        Value::Object(outer)
    }

    /// The value of an answer that fits the asked schema.
    pub fn unwrapped(&self, answer: Value) -> Value {
        match answer {
            Value::Object(mut fields) if self.is_wrapped() => {
                fields.remove(VALUE_FIELD).unwrap_or(Value::Object(fields))
            }
            other => other,
        }
    }

    /// The form as OpenAI's `response_format` says it; the wires translate that.
    pub fn response_format(&self) -> Value {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "_-".contains(c) { c } else { '_' };
        let name: String = self.name.chars().take(NAME_CHARS_MAX).map(plain).collect();
        let name = if name.is_empty() { "answer".to_owned() } else { name };
        json!({"type": "json_schema", "json_schema": {"name": name, "schema": self.asked_schema()}})
    }
}

/// References to the root, or to a place in it that moves, follow the schema into the field.
fn move_references(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            for (key, field) in fields {
                match field {
                    Value::String(target) if key == "$ref" => {
                        let is_kept = target.starts_with("#/$defs/") || target.starts_with("#/definitions/");
                        if let (false, Some(place)) = (is_kept, target.strip_prefix('#')) {
                            *target = format!("#/properties/{VALUE_FIELD}{place}");
                        }
                    }
                    other => move_references(other),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(move_references),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
#[path = "form_tests.rs"]
mod tests;
