//! The field dialect: a call is the field `tool_call` of a structured output (D-15…D-17, D-26).
//!
//! `null`, `"null"`, `""`, `"none"`, `{}` and an absent field all mean "no call"; an object, or a
//! string that holds one, is a call; anything else is a bad call. An output of no fields is an error, never an empty
//! success; text that is no JSON and does not look like it is an answer.

use serde_json::{Map, Value, json};

use super::{ReadCall, anonymous};
use crate::calls::json::clip::clip_chars;
use crate::calls::json::parse::parse_value;
use crate::limits::SNIPPET_CHARS_MAX;
use crate::protocol::message::Message;
use crate::protocol::tool::{ErrorKind, ToolFailure, ToolSpec, without_live};

/// The field that holds a call.
pub const CALL_FIELD: &str = "tool_call";
/// The field that lists the tools (D-14).
pub const TOOLS_FIELD: &str = "available_tools";

/// What a structured output is.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldReading {
    /// The final output, returned whole (D-17).
    Output,
    /// A call, good or bad.
    Call(ReadCall),
}

/// Reads a structured output, given as JSON text.
pub fn read(output: &str) -> FieldReading {
    match parse_value(output) {
        Ok(Value::Object(fields)) if !fields.is_empty() => read_fields(&fields),
        Ok(_) => FieldReading::Call(bad(output, "the output has no fields")),
        Err(_) if is_prose(output) => FieldReading::Output,
        Err(failure) => FieldReading::Call(bad(output, &failure.message)),
    }
}

fn is_prose(output: &str) -> bool {
    let output = output.trim();
    !output.is_empty()
        && !output.starts_with(['{', '[', '`'])
        // Text that names the field means a call: it is corrected, and never shown as an answer.
        && !output.contains(&format!("\"{CALL_FIELD}\""))
}

/// What a model is told that has no module before it: the tools, and how it calls one.
pub fn instructions(tools: &Value) -> String {
    format!(
        "You get the fields query and context. To call a tool, reply with one JSON object and nothing else: \
         {{\"{CALL_FIELD}\": {{\"name\": \"NAME\", \"args\": {{...}}}}}}. What it returned stands in context then. To answer, \
         reply in plain text.\n\n{TOOLS_FIELD}: {tools}"
    )
}

/// Reads the fields of an output.
pub fn read_fields(fields: &Map<String, Value>) -> FieldReading {
    match fields.get(CALL_FIELD) {
        None | Some(Value::Null) => FieldReading::Output,
        Some(Value::String(text)) => read_string(text),
        Some(Value::Object(call)) => read_object(call),
        Some(other) => FieldReading::Call(bad(&other.to_string(), "tool_call must be an object")),
    }
}

fn read_string(text: &str) -> FieldReading {
    let trimmed = text.trim();
    if matches!(trimmed.to_ascii_lowercase().as_str(), "" | "null" | "none") {
        return FieldReading::Output;
    }
    match parse_value(trimmed) {
        Ok(Value::Object(call)) => read_object(&call),
        Ok(_) => FieldReading::Call(bad(trimmed, "tool_call must be an object")),
        Err(failure) => FieldReading::Call(bad(trimmed, &failure.message)),
    }
}

fn read_object(call: &Map<String, Value>) -> FieldReading {
    if call.is_empty() {
        return FieldReading::Output;
    }
    let Some(name) = call.get("name").and_then(Value::as_str) else {
        let raw = Value::Object(call.clone()).to_string();
        return FieldReading::Call(bad(&raw, "tool_call needs a 'name' that is a string"));
    };
    // A missing `args` is no arguments, not null.
    let args = match call.get("args") {
        None | Some(Value::Null) => json!({}),
        Some(args) => args.clone(),
    };
    FieldReading::Call(anonymous(name, args))
}

fn bad(raw: &str, reason: &str) -> ReadCall {
    let failure = ToolFailure::new(ErrorKind::ParseError, format!("tool_call could not be read: {reason}"))
        .at(CALL_FIELD, "null, or an object with name and args", clip_chars(raw, SNIPPET_CHARS_MAX));
    ReadCall::Bad { name: String::new(), raw: raw.to_owned(), failure }
}

/// The item of `available_tools` for one tool (Appendix A.2).
pub fn tool_item(name: &str, description: &str, args_schema: Option<&Value>) -> Value {
    json!({"name": name, "description": description, "args_schema": args_schema})
}

/// The list of `available_tools`, in the stable order of the specs.
pub fn tool_items<'a>(specs: impl Iterator<Item = &'a ToolSpec>) -> Value {
    specs.map(|spec| tool_item(&spec.name, &spec.description, shown_schema(spec).as_ref())).collect()
}

/// The schema without what goes without saying; none where nothing is left, as of a tool that has none.
fn shown_schema(spec: &ToolSpec) -> Option<Value> {
    let mut schema = without_live(&spec.schema).as_object()?.clone();
    if schema.get("additionalProperties") == Some(&Value::Bool(true)) {
        schema.shift_remove("additionalProperties");
    }
    let has_args = spec.properties().is_some_and(|properties| !properties.is_empty());
    (has_args
        || schema.keys().any(|key| key != "type" && key != "properties" && key != "additionalProperties"))
    .then_some(Value::Object(schema))
}

/// One line of the context field after a call (Appendix A.2).
pub fn context_line(tool: &str, content: &str) -> String {
    format!("Tool '{tool}' returned: {content}")
}

/// The input of the next step: the caller's fields, the tools, and the outcomes appended to the context
/// field without losing what was there (D-14, D-16, D-19).
pub fn next_input(
    input: &Map<String, Value>,
    tools: &Value,
    context_field: &str,
    history: &[std::sync::Arc<Message>],
) -> Map<String, Value> {
    let mut next = input.clone();
    next.insert(TOOLS_FIELD.to_owned(), tools.clone());
    let mut context = match input.get(context_field) {
        Some(Value::String(text)) => text.clone(),
        Some(_) | None => String::new(),
    };
    for message in history {
        if let Message::Tool(tool) = message.as_ref() {
            if !context.is_empty() {
                context.push('\n');
            }
            context.push_str(&context_line(&tool.name, tool.told()));
        }
    }
    next.insert(context_field.to_owned(), Value::String(context));
    next
}

#[cfg(test)]
#[path = "field_tests.rs"]
mod tests;
