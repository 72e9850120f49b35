//! Reading a call's arguments: strictly, then through lossless noise, never by guessing.
//!
//! Empty arguments and null are `{}`; text that is not JSON becomes a failure with the place and the
//! reason, never `{}` and never half of what was meant.

use serde_json::{Map, Value};

use crate::calls::json::clip::clip_chars;
use crate::calls::json::repair::{RepairMode, RepairNote, repair};
use crate::limits::SNIPPET_CHARS_MAX;
use crate::protocol::tool::{ErrorKind, RawArgs, ToolFailure};

/// Arguments, and what had to be changed to read them.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadArgs {
    /// The arguments as a JSON value.
    pub value: Value,
    /// Noise that was taken off; empty when the model wrote strict JSON. Reported with the outcome: nothing
    /// is repaired silently.
    pub repairs: Vec<RepairNote>,
}

impl ReadArgs {
    fn strict(value: Value) -> Self {
        Self { value, repairs: Vec::new() }
    }
}

/// Reads arguments as a JSON value.
pub fn read_args(args: &RawArgs, bytes_max: usize) -> Result<ReadArgs, ToolFailure> {
    let nothing = || ReadArgs::strict(Value::Object(Map::new()));
    let text = match args {
        RawArgs::Value(Value::Null) => return Ok(nothing()),
        // Arguments may be text that holds the object (Z-23).
        RawArgs::Value(Value::String(text)) | RawArgs::Text(text) => text,
        RawArgs::Value(value) => return Ok(ReadArgs::strict(value.clone())),
    };
    // Before it is read: reading is what a huge text would cost.
    if text.len() > bytes_max {
        let message = format!("The arguments have {} bytes; at most {bytes_max} are accepted", text.len());
        return Err(ToolFailure::invalid_args(message).hint("send less, in several calls"));
    }
    // The word null means "nothing", and nothing is no arguments.
    if matches!(text.trim(), "" | "null") {
        return Ok(nothing());
    }
    match repair(text, RepairMode::Lossless) {
        Ok(repaired) => Ok(ReadArgs { value: repaired.value, repairs: repaired.notes }),
        Err(reason) => {
            Err(ToolFailure::new(ErrorKind::ParseError, format!("Invalid JSON arguments: {reason}"))
                .at("arguments", "one JSON object", clip_chars(text, SNIPPET_CHARS_MAX))
                .hint("send the whole call again as strict JSON"))
        }
    }
}

#[cfg(test)]
#[path = "args_tests.rs"]
mod tests;
