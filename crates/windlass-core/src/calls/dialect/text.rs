//! The text dialect: a call is a JSON object `{"tool":…,"args":{…}}` and nothing else (E-32).
//!
//! A call is recognised only when the whole trimmed output, or its one fenced block, is a JSON object
//! that means to be a call. Any other JSON is answer text, so an answer with an example in it is never
//! executed (R-3). An object with the wrong keys, or JSON with a syntax error, is a bad call: the model
//! gets a correction, the user never sees raw JSON.

use serde_json::{Map, Value};

use super::{ReadCall, anonymous};
use crate::calls::json::clip::clip_chars;
use crate::calls::json::parse::parse_value;
use crate::calls::json::scan::{fenced_object, whole_object};
use crate::limits::SNIPPET_CHARS_MAX;
use crate::protocol::tool::{ErrorKind, ToolFailure, ToolSpec};

/// What a text output is.
#[derive(Debug, Clone, PartialEq)]
pub enum TextReading {
    Answer,
    /// A call, good or bad.
    Call(ReadCall),
}

pub fn read(output: &str) -> TextReading {
    let trimmed = output.trim();
    let Some(object) = whole_object(trimmed).or_else(|| whole_fence(trimmed)) else {
        return read_broken(trimmed);
    };
    match parse_value(object) {
        Ok(Value::Object(payload)) if means_a_call(&payload) => {
            TextReading::Call(read_payload(object, payload))
        }
        Ok(_) => TextReading::Answer,
        Err(_) => read_broken(trimmed),
    }
}

/// The object of a fenced block that is the whole output: prose around a block makes it an example.
fn whole_fence(trimmed: &str) -> Option<&str> {
    let is_whole = trimmed.starts_with("```") && trimmed.ends_with("```");
    is_whole.then(|| fenced_object(trimmed)).flatten()
}

/// Whether an object means to be a call: it has at least one of the two keys.
fn means_a_call(payload: &Map<String, Value>) -> bool {
    payload.contains_key("tool") || payload.contains_key("args")
}

fn read_payload(raw: &str, payload: Map<String, Value>) -> ReadCall {
    match check_payload(Value::Object(payload)) {
        Ok((name, args)) => anonymous(&name, Value::Object(args)),
        Err(bad) => {
            ReadCall::Bad { name: bad.tool.unwrap_or_default(), raw: raw.to_owned(), failure: bad.failure }
        }
    }
}

/// Text that begins like a call but is not JSON.
fn read_broken(trimmed: &str) -> TextReading {
    let body = trimmed
        .strip_prefix("```json")
        .or_else(|| trimmed.strip_prefix("```"))
        .unwrap_or(trimmed)
        .trim_start();
    // Any other JSON may be what an answer shows (R-3).
    if !body.starts_with('{') || !body.contains("\"tool\"") {
        return TextReading::Answer;
    }
    let reason = match parse_value(body) {
        Err(failure) => failure.message,
        Ok(_) => "text around the JSON object".to_owned(),
    };
    let failure = ToolFailure::new(ErrorKind::ParseError, format!("Invalid JSON: {reason}")).at(
        "payload",
        "one JSON object with keys tool and args",
        clip_chars(body, SNIPPET_CHARS_MAX),
    );
    TextReading::Call(ReadCall::Bad { name: String::new(), raw: trimmed.to_owned(), failure })
}

/// A payload that is not a call.
#[derive(Debug, Clone, PartialEq)]
pub struct BadPayload {
    /// The tool it names, as far as it names one.
    pub tool: Option<String>,
    /// What is wrong, in the words of Appendix A.1.
    pub failure: ToolFailure,
}

/// Checks the outer shape of a payload (E-7…E-9, E-11); the registry and types are checked later, by
/// the same code that checks native calls.
pub fn check_payload(payload: Value) -> Result<(String, Map<String, Value>), BadPayload> {
    let bad = |tool: Option<String>, kind: ErrorKind, message: &str| BadPayload {
        tool,
        failure: ToolFailure::new(kind, message),
    };
    let Value::Object(mut payload) = payload else {
        return Err(bad(None, ErrorKind::ParseError, "Payload must be an object"));
    };
    // Before the shape is judged: a refusal still names the tool that was meant.
    let named = payload.get("tool").and_then(Value::as_str).map(str::to_owned);
    if payload.len() != 2 || !payload.contains_key("tool") || !payload.contains_key("args") {
        let message = "Payload must contain exactly 'tool' and 'args' keys";
        return Err(bad(named, ErrorKind::ParseError, message));
    }
    let Some(name) = named else {
        return Err(bad(None, ErrorKind::ParseError, "'tool' must be a string"));
    };
    match payload.remove("args") {
        Some(Value::Object(args)) => Ok((name, args)),
        Some(_) | None => Err(bad(Some(name), ErrorKind::ParseError, "'args' must be an object")),
    }
}

/// The instructions of the text dialect (Appendix A.1), with the tools of the registry instead of a
/// hand-written list, so that they cannot drift.
pub fn instructions<'a>(tools: impl Iterator<Item = &'a ToolSpec>) -> String {
    let list: Vec<String> = tools.map(ToolSpec::signature).collect();
    format!(
        "You can call structured tools before answering. Reply with either a final answer in plain text (include \
         citations like [source:web_search]) OR a JSON object exactly of the form {{\"tool\":\"name\",\"args\":{{...}}}} \
         with no extra text. Tools: {}.",
        list.join(", ")
    )
}

/// The last line of a prompt.
pub fn step_line(step: u32, steps_max: u32) -> String {
    format!("Step {step} of {steps_max}. Provide JSON to call a tool or final answer now.")
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;
