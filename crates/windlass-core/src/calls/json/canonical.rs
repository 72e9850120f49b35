//! One text for equal values: the key by which a repeated call is recognised.
//!
//! Keys are sorted by their bytes, blanks are left out, numbers are written in one way. `1` and `1.0` stay
//! different, and so do `0.0` and `-0.0`, as they are different to a tool.

use std::fmt::Write;

use serde_json::{Map, Number, Value};

pub fn canonical_text(value: &Value) -> String {
    let mut text = String::new();
    write_value(value, &mut text);
    text
}

fn write_value(value: &Value, text: &mut String) {
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(true) => text.push_str("true"),
        Value::Bool(false) => text.push_str("false"),
        Value::Number(number) => write_number(number, text),
        Value::String(string) => write_string(string, text),
        Value::Array(items) => {
            text.push('[');
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    text.push(',');
                }
                write_value(item, text);
            }
            text.push(']');
        }
        Value::Object(fields) => write_object(fields, text),
    }
}

/// Writes the canonical text of an object.
pub fn write_object(fields: &Map<String, Value>, text: &mut String) {
    // Maps keep the order in which a model wrote the keys.
    let mut sorted: Vec<_> = fields.iter().collect();
    sorted.sort_unstable_by_key(|(key, _)| key.as_str());
    text.push('{');
    for (place, (key, field)) in sorted.into_iter().enumerate() {
        if place > 0 {
            text.push(',');
        }
        write_string(key, text);
        text.push(':');
        write_value(field, text);
    }
    text.push('}');
}

fn write_number(number: &Number, text: &mut String) {
    let written = write!(text, "{number}");
    debug_assert!(written.is_ok(), "writing to a string does not fail");
}

fn write_string(string: &str, text: &mut String) {
    text.push('"');
    for c in string.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            c if c < ' ' => {
                let written = write!(text, "\\u{:04x}", u32::from(c));
                debug_assert!(written.is_ok(), "writing to a string does not fail");
            }
            c => text.push(c),
        }
    }
    text.push('"');
}

#[cfg(test)]
#[path = "canonical_tests.rs"]
mod tests;
