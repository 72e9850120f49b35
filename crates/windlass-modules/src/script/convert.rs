//! JSON and the values of scripts, both ways.
//!
//! `null` is `()`, whole numbers are `i64`, others `f64`; a `char` becomes a text. What has no JSON is refused by name
//! and place, never guessed: functions, numbers that are none, times, bytes.

use std::collections::{BTreeMap, HashMap};

use rhai::{Array, Dynamic, INT, Map as ScriptMap};
use serde_json::{Map, Number, Value};
use windlass_core::protocol::tool::ToolFailure;

use super::limits::VALUE_DEPTH_MAX;

/// Why a value of a script is no JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConvertError {
    /// JSON has nothing like it.
    #[error("{} has no JSON form{}", .what, at(.path))]
    UnsupportedType {
        what: String,
        /// Where it is, such as `items[3].price`; empty for the value itself.
        path: String,
    },
    /// A map of a host program has keys that are no texts.
    #[error("a map with keys that are no texts has no JSON form{}", at(.path))]
    NonStringKey { path: String },
    /// It is nested too deeply.
    #[error("a value may be nested {VALUE_DEPTH_MAX} levels deep, and this one is deeper")]
    TooDeep,
}

fn at(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!(", at '{path}'") }
}

/// Refuses arguments that a script cannot hold as they are: its whole numbers end with `i64`.
pub(crate) fn check_args(args: &Map<String, Value>) -> Result<(), ToolFailure> {
    let Some(number) = args.values().find_map(beyond_script) else { return Ok(()) };
    let message = format!("The number {number} cannot be kept exactly by a script");
    Err(ToolFailure::invalid_args(message).hint("send it as text"))
}

fn beyond_script(value: &Value) -> Option<&Number> {
    match value {
        Value::Number(number) => (number.is_u64() && !number.is_i64()).then_some(number),
        Value::Array(items) => items.iter().find_map(beyond_script),
        Value::Object(fields) => fields.values().find_map(beyond_script),
        Value::Null | Value::Bool(_) | Value::String(_) => None,
    }
}

/// The value of a script that a JSON value is. A whole number above the largest `i64` becomes an `f64`; no argument
/// of a call has one.
pub fn to_dynamic(value: &Value) -> Dynamic {
    match value {
        Value::Null => Dynamic::UNIT,
        Value::Bool(truth) => (*truth).into(),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => whole.into(),
            None => number.as_f64().unwrap_or_default().into(),
        },
        Value::String(text) => text.as_str().into(),
        Value::Array(items) => Dynamic::from_array(items.iter().map(to_dynamic).collect()),
        Value::Object(fields) => Dynamic::from_map(to_script_map(fields)),
    }
}

/// A JSON object as a map of a script.
pub(crate) fn to_script_map(fields: &Map<String, Value>) -> ScriptMap {
    fields.iter().map(|(name, value)| (name.as_str().into(), to_dynamic(value))).collect()
}

/// The JSON of a script's value.
pub fn to_json(value: &Dynamic) -> Result<Value, ConvertError> {
    ValuePath { path: Vec::new() }.read(value)
}

pub(crate) fn to_json_object(map: ScriptMap) -> Result<Map<String, Value>, ConvertError> {
    match to_json(&Dynamic::from_map(map))? {
        Value::Object(fields) => Ok(fields),
        // A map is written as an object.
        _ => Ok(Map::new()),
    }
}

/// One step down into a value.
enum PathStep {
    Item(usize),
    Field(String),
}

/// The way down to the value that is being read.
struct ValuePath {
    path: Vec<PathStep>,
}

impl ValuePath {
    fn read(&mut self, value: &Dynamic) -> Result<Value, ConvertError> {
        if self.path.len() > VALUE_DEPTH_MAX {
            return Err(ConvertError::TooDeep);
        }
        if value.is_shared() {
            return self.read(&value.flatten_clone());
        }
        if let Some(simple) = self.read_simple(value)? {
            return Ok(simple);
        }
        if let Ok(items) = value.as_array_ref() {
            return self.read_items(&items);
        }
        if let Ok(fields) = value.as_map_ref() {
            return self.read_fields(&fields);
        }
        if value.is::<BTreeMap<INT, Dynamic>>() || value.is::<HashMap<INT, Dynamic>>() {
            return Err(ConvertError::NonStringKey { path: self.place() });
        }
        Err(self.unsupported(value.type_name()))
    }

    fn read_simple(&self, value: &Dynamic) -> Result<Option<Value>, ConvertError> {
        if value.is_unit() {
            return Ok(Some(Value::Null));
        }
        if let Ok(truth) = value.as_bool() {
            return Ok(Some(truth.into()));
        }
        if let Ok(whole) = value.as_int() {
            return Ok(Some(whole.into()));
        }
        if let Ok(number) = value.as_float() {
            let number = Number::from_f64(number).ok_or_else(|| self.unsupported(&number.to_string()))?;
            return Ok(Some(number.into()));
        }
        if let Ok(letter) = value.as_char() {
            return Ok(Some(letter.to_string().into()));
        }
        Ok(value.as_immutable_string_ref().ok().map(|text| text.as_str().into()))
    }

    fn read_items(&mut self, items: &Array) -> Result<Value, ConvertError> {
        let mut read = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            self.path.push(PathStep::Item(index));
            read.push(self.read(item)?);
            self.path.pop();
        }
        Ok(read.into())
    }

    fn read_fields(&mut self, fields: &ScriptMap) -> Result<Value, ConvertError> {
        let mut read = Map::with_capacity(fields.len());
        for (name, field) in fields {
            self.path.push(PathStep::Field(name.to_string()));
            read.insert(name.to_string(), self.read(field)?);
            self.path.pop();
        }
        Ok(read.into())
    }

    fn unsupported(&self, what: &str) -> ConvertError {
        let what = match what {
            "Fn" => "a function".to_owned(),
            other => format!("'{other}'"),
        };
        ConvertError::UnsupportedType { what, path: self.place() }
    }

    fn place(&self) -> String {
        let mut place = String::new();
        for step in &self.path {
            match step {
                PathStep::Item(index) => place.push_str(&format!("[{index}]")),
                PathStep::Field(name) if place.is_empty() => place.push_str(name),
                PathStep::Field(name) => place.push_str(&format!(".{name}")),
            }
        }
        place
    }
}

#[cfg(test)]
#[path = "convert_tests.rs"]
mod tests;
