//! Reading a call's arguments: strictly, then through lossless noise, never by guessing.
//!
//! Empty arguments and null are `{}`; text that is not JSON becomes a failure with the place and the
//! reason, never `{}` and never half of what was meant.

use serde_json::{Map, Value};

use crate::json::clip::clip_chars;
use crate::json::repair::{RepairMode, repair};
use crate::limits::SNIPPET_CHARS_MAX;
use crate::tool::{ErrorKind, RawArgs, ToolFailure};

/// Reads arguments as a JSON value.
pub fn read_args(args: &RawArgs, bytes_max: usize) -> Result<Value, ToolFailure> {
    let text = match args {
        RawArgs::Value(Value::Null) => return Ok(Value::Object(Map::new())),
        RawArgs::Value(Value::String(text)) | RawArgs::Text(text) => text,
        RawArgs::Value(value) => return Ok(value.clone()),
    };
    if text.len() > bytes_max {
        let message = format!("The arguments have {} bytes; at most {bytes_max} are accepted", text.len());
        return Err(ToolFailure::invalid_args(message).hint("send less, in several calls"));
    }
    if text.trim().is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    // The word null means "nothing", and nothing is no arguments.
    if text.trim() == "null" {
        return Ok(Value::Object(Map::new()));
    }
    repair(text, RepairMode::Lossless).map(|repaired| repaired.value).map_err(|reason| {
        ToolFailure::new(ErrorKind::ParseError, format!("Invalid JSON arguments: {reason}"))
            .at("arguments", "one JSON object", clip_chars(text, SNIPPET_CHARS_MAX))
            .hint("send the whole call again as strict JSON")
    })
}

#[cfg(test)]
#[path = "args_tests.rs"]
mod tests;
