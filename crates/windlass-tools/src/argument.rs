//! Reads arguments of a checked call.
//!
//! The engine has validated them against the schema and put defaults in; what is read here is checked
//! again, so that a tool called without the engine answers with a failure and never with a guess.

use std::ops::RangeInclusive;

use serde_json::{Map, Value};
use windlass_core::tool::ToolFailure;

/// How much of a wrong value is quoted.
const RECEIVED_CHARS_MAX: usize = 80;

/// A text that must be there.
pub(crate) fn text<'a>(args: &'a Map<String, Value>, name: &str) -> Result<&'a str, ToolFailure> {
    match optional_text(args, name)? {
        Some(text) => Ok(text),
        None => {
            Err(ToolFailure::invalid_args(format!("Missing required arg '{name}'"))
                .at(name, "string", "nothing"))
        }
    }
}

/// A text that may be missing or null.
pub(crate) fn optional_text<'a>(
    args: &'a Map<String, Value>,
    name: &str,
) -> Result<Option<&'a str>, ToolFailure> {
    match args.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(wrong_type(name, "string", other)),
    }
}

/// A whole number in a range, or its default.
pub(crate) fn integer(
    args: &Map<String, Value>,
    name: &str,
    default: i64,
    range: RangeInclusive<i64>,
) -> Result<i64, ToolFailure> {
    let number = match args.get(name) {
        None | Some(Value::Null) => default,
        Some(value) => value.as_i64().ok_or_else(|| wrong_type(name, "int", value))?,
    };
    if range.contains(&number) {
        return Ok(number);
    }
    Err(out_of_range(name, range.start(), range.end(), number))
}

/// A whole number that counts something, in a range, or its default.
pub(crate) fn count(
    args: &Map<String, Value>,
    name: &str,
    default: i64,
    range: RangeInclusive<i64>,
) -> Result<usize, ToolFailure> {
    let number = integer(args, name, default, range)?;
    usize::try_from(number).map_err(|_| out_of_range(name, 0, "the address space", number))
}

/// A number in a range, or its default.
pub(crate) fn number(
    args: &Map<String, Value>,
    name: &str,
    default: f64,
    range: RangeInclusive<f64>,
) -> Result<f64, ToolFailure> {
    let number = match args.get(name) {
        None | Some(Value::Null) => default,
        Some(value) => value.as_f64().ok_or_else(|| wrong_type(name, "float", value))?,
    };
    if range.contains(&number) {
        return Ok(number);
    }
    Err(out_of_range(name, range.start(), range.end(), number))
}

/// True or false, or its default.
pub(crate) fn flag(args: &Map<String, Value>, name: &str, default: bool) -> Result<bool, ToolFailure> {
    match args.get(name) {
        None | Some(Value::Null) => Ok(default),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(other) => Err(wrong_type(name, "bool", other)),
    }
}

fn wrong_type(name: &str, expected: &str, received: &Value) -> ToolFailure {
    let received: String = received.to_string().chars().take(RECEIVED_CHARS_MAX).collect();
    ToolFailure::invalid_args(format!("{name} must be {expected}")).at(name, expected, received)
}

fn out_of_range(
    name: &str,
    least: impl std::fmt::Display,
    most: impl std::fmt::Display,
    received: impl std::fmt::Display,
) -> ToolFailure {
    let expected = format!("{least} to {most}");
    ToolFailure::invalid_args(format!("{name} must be {expected}, not {received}")).at(
        name,
        expected,
        received.to_string(),
    )
}

#[cfg(test)]
#[path = "argument_tests.rs"]
mod tests;
