//! Outcomes as the built-in model and its answers see them: read back from the envelope of any profile.

use serde_json::{Map, Value};
use windlass_core::calls::envelope::{OUTSIDE_MARK, without_marks};
use windlass_core::protocol::message::{Message, ToolMessage};
use windlass_core::protocol::tool::ToolCall;

/// One call of the present request, with what it gave.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct AnsweredCall {
    pub(super) tool: String,
    /// What it was called with.
    pub(super) args: Map<String, Value>,
    /// What it gave, or why it gave nothing.
    pub(super) result: Result<Value, CallComplaint>,
}

/// Why a call gave nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CallComplaint {
    pub(super) message: String,
    pub(super) hint: Option<String>,
    /// Whether it was not allowed.
    pub(super) is_denied: bool,
}

/// The calls since the user last spoke, in order.
pub(super) fn answered_calls<'a>(messages: impl Iterator<Item = &'a Message>) -> Vec<AnsweredCall> {
    let mut calls: Vec<&ToolCall> = Vec::new();
    let mut answered = Vec::new();
    for message in messages {
        match message {
            Message::User { .. } => {
                calls.clear();
                answered.clear();
            }
            Message::Assistant { .. } => calls.extend(message.calls()),
            Message::Tool(tool) => {
                let call = calls.iter().find(|call| call.id == tool.call_id);
                let args =
                    call.and_then(|call| serde_json::from_str(&call.arguments).ok()).unwrap_or_default();
                answered.push(read(tool, args));
            }
            Message::Note { .. } => {}
        }
    }
    answered
}

pub(super) fn read(tool: &ToolMessage, args: Map<String, Value>) -> AnsweredCall {
    let content =
        serde_json::from_str::<Value>(&tool.content).unwrap_or_else(|_| without_marks(&tool.content).into());
    let result =
        if tool.is_ok { Ok(said_in(&tool.name, value_of(content))) } else { Err(complaint_of(&content)) };
    AnsweredCall { tool: tool.name.clone(), args, result }
}

/// The value inside an envelope: each profile has its own word for it.
fn value_of(content: Value) -> Value {
    let Value::Object(mut fields) = content else { return content };
    let is_wrapped = fields.contains_key("ok") || fields.contains_key("success");
    // A bare value has an envelope where it needs a mark.
    let is_marked = fields.get("source").is_some_and(|mark| mark == OUTSIDE_MARK);
    let word = if is_wrapped {
        ["output", "data", "result"].into_iter().find(|word| fields.contains_key(*word))
    } else {
        Some("value").filter(|word| is_marked && fields.contains_key(*word))
    };
    match word {
        Some(word) => fields.remove(word).unwrap_or_default(),
        None => Value::Object(fields),
    }
}

/// Tools that give the text of a file, a page or a program: it may look like JSON, and is text all the same.
const TEXT_TOOLS: [&str; 5] = ["execute_command", "fetch_url", "read_file", "read_result", "search_text"];

/// Fields, where a profile gives the model their text.
fn fields_in(tool: &str, value: Value) -> Value {
    let Some(text) = value.as_str().filter(|_| !TEXT_TOOLS.contains(&tool)) else { return value };
    match serde_json::from_str(text) {
        Ok(fields @ (Value::Array(_) | Value::Object(_))) => fields,
        Ok(_) | Err(_) => value,
    }
}

/// What a tool says in words, where a profile gives the model its fields instead.
fn said_in(tool: &str, value: Value) -> Value {
    let value = fields_in(tool, value);
    let field = |name: &str| value.get(name).cloned();
    let said = match tool {
        "calculate" => field("result"),
        "get_current_time" => field("timestamp"),
        "read_file" => field("content"),
        // What went wrong is in the other fields.
        "execute_command" if value.get("exit_code").and_then(Value::as_i64) == Some(0) => field("stdout"),
        "search_text" => value.get("matches").and_then(Value::as_array).map(|found| lines_of(found).into()),
        _ => None,
    };
    said.unwrap_or(value)
}

/// Matches as lines, each with its place.
fn lines_of(found: &[Value]) -> String {
    let line = |one: &Value| {
        let (path, at) = (one.get("path")?.as_str()?, one.get("line")?.as_u64()?);
        Some(format!("{path}:{at}: {}", one.get("text")?.as_str()?))
    };
    found.iter().filter_map(line).collect::<Vec<_>>().join("\n")
}

fn complaint_of(content: &Value) -> CallComplaint {
    let error = content.get("error").or_else(|| content.get("error_message")).unwrap_or(content);
    let text = |word: &str| error.get(word).and_then(Value::as_str).map(str::to_owned);
    let plain = error.as_str().map_or_else(|| error.to_string(), str::to_owned);
    let kind = error.get("kind").or_else(|| content.get("error_type")).and_then(Value::as_str);
    CallComplaint {
        message: text("message").unwrap_or(plain),
        hint: text("hint"),
        is_denied: kind.is_some_and(|kind| kind.contains("permission")),
    }
}

#[cfg(test)]
#[path = "outcome_tests.rs"]
mod tests;
