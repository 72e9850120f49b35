//! A tool that declares itself once: its arguments are a struct, of which the schema is generated and into which a call
//! is read. Built-in tools and those of `#[tool]` both go this way.
//!
//! Owns how a generated schema is written for models and how arguments are read; which generator made the schema is not
//! known here.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::failure::ToolFailure;
use super::spec::{ArgType, ToolSpec};
use crate::limits::SNIPPET_CHARS_MAX;
use crate::text::json_short;

impl ToolSpec {
    /// A pure, safe tool with the arguments of a generated schema.
    pub fn declared(name: &str, description: &str, mut schema: Value) -> Self {
        if let Value::Object(root) = &mut schema {
            for word in ["title", "$schema", "description"] {
                root.remove(word);
            }
            root.entry("properties").or_insert_with(|| Value::Object(Map::new()));
            root.insert("additionalProperties".into(), false.into());
        }
        plain(&mut schema);
        Self::new(name, description).with_schema(schema)
    }

    /// The arguments of a call as a struct. The engine has checked them; a tool that is called without it answers with a
    /// failure too, and never with a guess. A null for what need not be given means that it was not.
    pub fn read_args<'a, Args: Deserialize<'a>>(
        &self,
        args: &'a Map<String, Value>,
    ) -> Result<Args, ToolFailure> {
        for arg in self.args() {
            match args.get(arg.name).filter(|value| !value.is_null() || arg.kind == ArgType::Any) {
                Some(value) => check(arg.name, arg.kind, self.property(arg.name), value)?,
                None if arg.required => {
                    let message = format!("{} requires a '{}' argument", self.name, arg.name);
                    return Err(ToolFailure::invalid_args(message).at(
                        arg.name,
                        arg.kind.expected(),
                        "nothing",
                    ));
                }
                None => {}
            }
        }
        let given = args.iter().filter(|(name, value)| !value.is_null() || self.requires(name));
        let given = given.map(|(name, value)| (name.as_str(), value));
        Args::deserialize(serde::de::value::MapDeserializer::new(given)).map_err(
            |error: serde_json::Error| {
                ToolFailure::invalid_args(format!("{}: {error}", self.name))
                    .hint("Correct the argument and send the call again.")
            },
        )
    }
}

/// One argument against what its own schema says of it: type, words and bounds.
fn check(name: &str, kind: ArgType, schema: Option<&Value>, value: &Value) -> Result<(), ToolFailure> {
    let keyword = |word: &str| schema.and_then(|schema| schema.get(word));
    let received = json_short(value, SNIPPET_CHARS_MAX);
    let refused = |expected: String| {
        ToolFailure::invalid_args(format!("{name} must be {expected}")).at(name, expected, received.clone())
    };
    let outside = |expected: String| {
        let message = format!("{name} must be {expected}, not {received}");
        ToolFailure::invalid_args(message).at(name, expected, received.clone())
    };
    if !kind.accepts(value) {
        return Err(refused(kind.expected().to_owned()));
    }
    if let Some(words) = keyword("enum").and_then(Value::as_array).filter(|words| !words.contains(value)) {
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        return Err(refused(format!("one of {}", words.join(", "))));
    }
    let (least, most) = (keyword("minimum"), keyword("maximum"));
    let number = value.as_f64();
    let is_below = least.and_then(Value::as_f64).zip(number).is_some_and(|(least, number)| number < least);
    let is_above = most.and_then(Value::as_f64).zip(number).is_some_and(|(most, number)| number > most);
    match (is_below || is_above, least, most) {
        (false, ..) | (true, None, None) => Ok(()),
        (true, Some(least), Some(most)) => Err(outside(format!("{least} to {most}"))),
        (true, Some(least), None) => Err(outside(format!("at least {least}"))),
        (true, None, Some(most)) => Err(outside(format!("at most {most}"))),
    }
}

/// Takes out of a generated schema what a model cannot use: the width of a number, and that what need not be given may
/// be null. Each costs words in every prompt.
fn plain(schema: &mut Value) {
    let Value::Object(fields) = schema else { return };
    let is_number = |kind: &Value| kind == "integer" || kind == "number";
    if let Some(Value::Array(kinds)) = fields.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [kind] = kinds.as_slice() {
            let kind = kind.clone();
            fields.insert("type".into(), kind);
        }
    }
    if fields.get("type").is_some_and(is_number) {
        fields.remove("format");
    }
    for word in ["items", "additionalProperties"] {
        if let Some(inner) = fields.get_mut(word) {
            plain(inner);
        }
    }
    for word in ["properties", "$defs"] {
        if let Some(Value::Object(schemas)) = fields.get_mut(word) {
            schemas.values_mut().for_each(plain);
        }
    }
}

#[cfg(test)]
#[path = "declare_tests.rs"]
mod tests;
