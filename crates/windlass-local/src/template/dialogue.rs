//! A request as the messages that chat templates take.
//!
//! Two ways: as the template wants it, with roles, calls and outcomes; and plain, where a template knows no tools or
//! refuses what a run looks like: then everything is text of users and answers that take turns. Knows no template.

use serde_json::{Map, Value, json};
use windlass_core::protocol::message::{Message, Part, text_of};
use windlass_core::protocol::model::ModelRequest;
use windlass_core::protocol::tool::{ToolCall, ToolSpec, without_live};

use crate::grammar::CallSyntax;

/// How a request is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestTelling {
    /// With roles and calls.
    Native,
    /// Calls and outcomes as text, one speaker after the other.
    Plain,
}

pub(crate) fn messages(request: &ModelRequest, telling: RequestTelling, syntax: &CallSyntax) -> Vec<Value> {
    let mut messages = Vec::new();
    let mut system = request.system.to_string();
    if telling == RequestTelling::Plain && !request.tools.is_empty() {
        system = format!("{system}\n\n{}", tools_as_text(&request.tools, syntax)).trim().to_owned();
    }
    if !system.is_empty() {
        messages.push(json!({ "role": "system", "content": system }));
    }
    for message in request.messages.iter() {
        messages.push(match (message.as_ref(), telling) {
            (Message::User { parts }, _) => json!({ "role": "user", "content": text_with_pictures(parts) }),
            (Message::Note { text }, _) => json!({ "role": "user", "content": text }),
            (Message::Assistant { parts }, RequestTelling::Native) => answer(parts),
            (Message::Assistant { parts }, RequestTelling::Plain) => {
                json!({ "role": "assistant", "content": answer_as_text(parts, syntax) })
            }
            (Message::Tool(tool), RequestTelling::Native) => json!({
                "role": "tool",
                "name": tool.name,
                "tool_call_id": short_id(tool.call_id.as_str()),
                "content": tool.told(),
            }),
            (Message::Tool(tool), RequestTelling::Plain) => {
                let text = format!("<tool_response>\n{}\n</tool_response>", tool.told());
                json!({ "role": "user", "content": text })
            }
        });
    }
    let trailer = request.trailer.iter().map(|note| json!({ "role": "user", "content": note }));
    messages.extend(trailer);
    match telling {
        RequestTelling::Native => messages,
        RequestTelling::Plain => taking_turns(messages),
    }
}

/// The tools as templates take them.
pub(crate) fn tools(tools: &[std::sync::Arc<ToolSpec>]) -> Value {
    let function = |tool: &ToolSpec| {
        let schema = without_live(&tool.schema);
        let function = json!({ "name": tool.name, "description": tool.description, "parameters": schema });
        json!({ "type": "function", "function": function })
    };
    Value::Array(tools.iter().map(|tool| function(tool)).collect())
}

fn text_with_pictures(parts: &[Part]) -> String {
    let pieces = parts.iter().map(|part| match part {
        Part::Text { text } => text.as_str(),
        Part::Image { .. } => "(a picture, which this model cannot see)",
        Part::Reasoning(_) | Part::Call(_) => "",
    });
    pieces.collect()
}

fn answer(parts: &[Part]) -> Value {
    let mut answer = Map::new();
    answer.insert("role".to_owned(), "assistant".into());
    answer.insert("content".to_owned(), text_of(parts).into());
    let reasoning = parts.iter().filter_map(|part| match part {
        Part::Reasoning(reasoning) => Some(reasoning.text.as_str()),
        Part::Text { .. } | Part::Call(_) | Part::Image { .. } => None,
    });
    let reasoning: String = reasoning.collect();
    if !reasoning.is_empty() {
        answer.insert("reasoning_content".to_owned(), reasoning.into());
    }
    let calls: Vec<Value> = calls_of(parts)
        .map(|call| {
            let function = json!({ "name": call.name, "arguments": arguments(call) });
            json!({ "id": short_id(call.id.as_str()), "type": "function", "function": function })
        })
        .collect();
    if !calls.is_empty() {
        answer.insert("tool_calls".to_owned(), calls.into());
    }
    answer.into()
}

fn calls_of(parts: &[Part]) -> impl Iterator<Item = &ToolCall> {
    parts.iter().filter_map(|part| match part {
        Part::Call(call) => Some(call),
        Part::Text { .. } | Part::Reasoning(_) | Part::Image { .. } => None,
    })
}

/// Arguments as a value; what cannot be read stays the text it is.
fn arguments(call: &ToolCall) -> Value {
    serde_json::from_str(&call.arguments).unwrap_or_else(|_| call.arguments.as_str().into())
}

fn answer_as_text(parts: &[Part], syntax: &CallSyntax) -> String {
    let mut text = text_of(parts);
    let calls: Vec<String> = calls_of(parts).map(|call| written(call, syntax)).collect();
    if !calls.is_empty() && !text.is_empty() {
        text.push('\n');
    }
    match syntax {
        CallSyntax::Tags { begin, end } => {
            let calls: Vec<String> = calls.iter().map(|call| format!("{begin}\n{call}\n{end}")).collect();
            text + &calls.join("\n")
        }
        CallSyntax::BareObject => text + &calls.join("\n"),
        CallSyntax::List { begin } if !calls.is_empty() => format!("{text}{begin}[{}]", calls.join(", ")),
        CallSyntax::List { .. } => text,
    }
}

fn written(call: &ToolCall, syntax: &CallSyntax) -> String {
    let key = match syntax {
        CallSyntax::BareObject => "parameters",
        CallSyntax::Tags { .. } | CallSyntax::List { .. } => "arguments",
    };
    format!("{{\"name\": {}, \"{key}\": {}}}", Value::from(call.name.as_str()), arguments(call))
}

/// For templates that say nothing of tools.
fn tools_as_text(specs: &[std::sync::Arc<ToolSpec>], syntax: &CallSyntax) -> String {
    let list = tools(specs);
    let lines: Vec<String> = list.as_array().into_iter().flatten().map(Value::to_string).collect();
    let example = match syntax {
        CallSyntax::Tags { begin, end } => {
            format!("{begin}\n{{\"name\": NAME, \"arguments\": ARGUMENTS}}\n{end}")
        }
        CallSyntax::BareObject => "{\"name\": NAME, \"parameters\": ARGUMENTS}".to_owned(),
        CallSyntax::List { begin } => format!("{begin}[{{\"name\": NAME, \"arguments\": ARGUMENTS}}]"),
    };
    format!(
        "You can call these tools:\n<tools>\n{}\n</tools>\nTo call one, write exactly:\n{example}",
        lines.join("\n")
    )
}

/// Mistral's templates want nine letters or digits.
fn short_id(id: &str) -> String {
    let letters: Vec<char> = id.chars().filter(char::is_ascii_alphanumeric).collect();
    let tail = letters.iter().skip(letters.len().saturating_sub(9));
    format!("{:0>9}", tail.collect::<String>())
}

/// The system text joins the first words of the user; neighbours of one speaker become one message.
fn taking_turns(messages: Vec<Value>) -> Vec<Value> {
    let mut turns: Vec<(String, String)> = Vec::new();
    for message in messages {
        let field = |key: &str| message.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let role = match field("role").as_str() {
            "assistant" => "assistant",
            _ => "user",
        };
        match turns.last_mut() {
            Some((last, text)) if last == role => {
                text.push_str("\n\n");
                text.push_str(&field("content"));
            }
            _ => turns.push((role.to_owned(), field("content"))),
        }
    }
    turns.into_iter().map(|(role, content)| json!({ "role": role, "content": content })).collect()
}
