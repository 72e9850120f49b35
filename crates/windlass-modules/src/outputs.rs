//! Reading the outputs of a module out of what a model wrote. Pure.
//!
//! A model may answer with one JSON object, with lines `Name: value`, with JSON in the middle of prose, or, where
//! there is only one output, with that alone. Ways are tried in this order; the first that finds everything wins,
//! else the first that finds anything. A text in which nothing is found is an error, never an empty success.

use serde_json::{Map, Value};
use windlass_core::calls::dialect::field::CALL_FIELD;
use windlass_core::calls::json::clip::clip_chars;
use windlass_core::calls::json::parse::parse_value;
use windlass_core::calls::json::repair::{RepairMode, repair};
use windlass_core::calls::json::scan::{ScanFailure, fenced_object, value_end, whole_object};

use crate::error::ModuleError;
use crate::limits::SHOWN_CHARS_MAX;
use crate::module::Module;
use crate::signature::{Field, FieldType};

/// One way to find outputs in a text.
type OutputFinder = fn(&[Field], &str) -> Option<Map<String, Value>>;

/// Reads whatever outputs there are, at least one. Whether they are complete and right is
/// `Signature::check_outputs`'s business.
pub fn read_outputs(module: &Module, text: &str) -> Result<Map<String, Value>, ModuleError> {
    let fields = module.signature.outputs.as_slice();
    let text = text.trim();
    let ways: [OutputFinder; 4] = [whole, marked, inside, single];
    let mut partial = None;
    for way in ways {
        let Some(found) = way(fields, text).filter(|found| !found.is_empty()) else { continue };
        if module.signature.check_outputs(&found).is_ok() {
            return Ok(found);
        }
        partial = partial.or(Some(found));
    }
    partial.ok_or_else(|| nothing_found(fields, text))
}

/// The outputs of a whole answer: read, complete, and each of its type.
pub fn read_answer(module: &Module, answer: &str) -> Result<Map<String, Value>, ModuleError> {
    let outputs = read_outputs(module, answer)?;
    module.signature.check_outputs(&outputs)?;
    Ok(outputs)
}

fn nothing_found(fields: &[Field], text: &str) -> ModuleError {
    let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    let found = match text {
        "" => "nothing".to_owned(),
        text => format!("'{}'", clip_chars(text, SHOWN_CHARS_MAX)),
    };
    ModuleError::Parse(format!("none of the outputs {} is there; found {found}", names.join(", ")))
}

/// The text is one JSON object, in a fence or not.
fn whole(fields: &[Field], text: &str) -> Option<Map<String, Value>> {
    let object = whole_object(text).or_else(|| fenced_object(text))?;
    pick(fields, &read_object(object)?)
}

/// There is one JSON object in the text.
fn inside(fields: &[Field], text: &str) -> Option<Map<String, Value>> {
    let (start, end) = (text.find('{')?, text.rfind('}')?);
    pick(fields, &read_object(text.get(start..=end)?)?)
}

/// There is only one output, and the text is it.
fn single(fields: &[Field], text: &str) -> Option<Map<String, Value>> {
    let [field] = fields else { return None };
    // An object that was cut or broken is no text, but an object that must be asked for again.
    let is_broken = text.starts_with('{')
        && (value_end(text, 0) == Err(ScanFailure::Unfinished)
            || text.contains(&format!("\"{}\"", field.name)));
    if text.is_empty() || is_broken {
        return None;
    }
    Some(Map::from_iter([(field.name.clone(), read_text(field, text))]))
}

fn read_object(text: &str) -> Option<Map<String, Value>> {
    let value = parse_value(text).ok().or_else(|| Some(repair(text, RepairMode::Lossless).ok()?.value));
    match value? {
        Value::Object(object) => Some(object),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => None,
    }
}

/// The outputs among the fields of an object, in the order of the signature.
fn pick(fields: &[Field], object: &Map<String, Value>) -> Option<Map<String, Value>> {
    let find = |field: &Field| {
        let named = object.iter().find(|(key, _)| is_name(key, &field.name)).map(|(_, value)| value);
        let value = object.get(&field.name).or(named)?;
        Some((field.name.clone(), fit_value(field, value)))
    };
    Some(fields.iter().filter_map(find).collect())
}

/// Lines `Name: value`; a value goes on to the next line that begins with the name of another output.
fn marked(fields: &[Field], text: &str) -> Option<Map<String, Value>> {
    let mut values: Vec<(&Field, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        let is_new = |field: &&Field| !values.iter().any(|(known, _)| known.name == field.name);
        let marker = fields.iter().filter(is_new).find_map(|field| Some((field, marker(line, &field.name)?)));
        match (marker, values.last_mut()) {
            (Some((field, rest)), _) => values.push((field, rest.to_owned())),
            (None, Some((_, value))) => value.push_str(line),
            // What stands before the first output is none.
            (None, None) => {}
        }
    }
    let find = |field: &Field| {
        let (_, value) = values.iter().find(|(known, _)| known.name == field.name)?;
        Some((field.name.clone(), read_text(field, value.trim())))
    };
    Some(fields.iter().filter_map(find).collect())
}

/// What stands behind a name and a colon at the beginning of a line: `Name: …`, `**Name:** …`, `[[ ## name ## ]]`.
fn marker<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let line = line.trim_start();
    if let Some((inner, rest)) = line.strip_prefix("[[").and_then(|rest| rest.split_once("]]")) {
        return is_name(inner.trim_matches(|c: char| c == '#' || c.is_whitespace()), name).then_some(rest);
    }
    let (before, rest) = line.split_once(':')?;
    let is_decoration = |c: char| matches!(c, '*' | '#' | '_' | '`') || c.is_whitespace();
    // Underscores may belong to the name.
    let is_it = is_name(before.trim(), name) || is_name(before.trim_matches(is_decoration), name);
    let is_bold = before.trim_start().starts_with("**");
    let rest = if is_bold { rest.strip_prefix("**").unwrap_or(rest) } else { rest };
    is_it.then_some(rest)
}

/// Whether a word means a field, whatever its case and blanks: `Tool Call` is `tool_call`.
fn is_name(word: &str, name: &str) -> bool {
    let plain = |c: char| if c == ' ' || c == '-' { '_' } else { c.to_ascii_lowercase() };
    word.chars().map(plain).eq(name.chars().map(plain))
}

/// A value that came as JSON. A text for a field of another type is read once more, where that loses nothing.
pub(crate) fn fit_value(field: &Field, value: &Value) -> Value {
    let fitted = match (field.field_type, value) {
        (FieldType::String, Value::Number(_) | Value::Bool(_)) => Value::String(value.to_string()),
        (FieldType::Json, Value::String(text)) => {
            let trimmed = text.trim();
            let holds_more = trimmed.starts_with(['{', '[']) || trimmed == "null";
            if holds_more { read_loosely(trimmed).unwrap_or_else(|| value.clone()) } else { value.clone() }
        }
        (FieldType::Integer | FieldType::Number | FieldType::Boolean, Value::String(text))
        | (FieldType::Array | FieldType::Object, Value::String(text)) => read_typed(field, text),
        _ => value.clone(),
    };
    settle_call(field, fitted)
}

/// A value that came as text.
pub(crate) fn read_text(field: &Field, text: &str) -> Value {
    let value = match field.field_type {
        FieldType::String => Value::String(text.to_owned()),
        FieldType::Json => read_loosely(text).unwrap_or_else(|| Value::String(text.to_owned())),
        FieldType::Integer
        | FieldType::Number
        | FieldType::Boolean
        | FieldType::Array
        | FieldType::Object => read_typed(field, text),
    };
    settle_call(field, value)
}

/// The text as a value of the field's type; the text itself if it is none.
fn read_typed(field: &Field, text: &str) -> Value {
    let spelled = match field.field_type {
        FieldType::Boolean => read_loosely(&text.trim().to_ascii_lowercase()),
        FieldType::Integer
        | FieldType::Number
        | FieldType::Array
        | FieldType::Object
        | FieldType::String
        | FieldType::Json => read_loosely(text),
    };
    let value = spelled.filter(|value| field.field_type.accepts(value));
    value.unwrap_or_else(|| Value::String(text.to_owned()))
}

/// JSON, or nearly: also in a fence.
fn read_loosely(text: &str) -> Option<Value> {
    let text = text.trim();
    if let Ok(value) = parse_value(text) {
        return Some(value);
    }
    let looks_like_json = text.starts_with(['{', '[']) || text.starts_with("```");
    if looks_like_json { Some(repair(text, RepairMode::Lossless).ok()?.value) } else { None }
}

/// There are many ways to say that nothing is called, and one to write it (R-11).
fn settle_call(field: &Field, value: Value) -> Value {
    if field.name != CALL_FIELD || field.field_type != FieldType::Json {
        return value;
    }
    let is_none = match &value {
        Value::String(text) => {
            let word = text.trim().trim_matches('"');
            word.is_empty() || word.eq_ignore_ascii_case("null") || word.eq_ignore_ascii_case("none")
        }
        Value::Object(call) => call.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => false,
    };
    if is_none { Value::Null } else { value }
}

#[cfg(test)]
#[path = "outputs_tests.rs"]
mod tests;
