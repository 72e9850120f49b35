//! Messages as OpenAI clients send them, and the history that they mean.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use windlass_core::protocol::ids::CallId;
use windlass_core::protocol::message::{Message, Part, ToolMessage};
use windlass_core::protocol::tool::{Label, ToolCall};

use crate::error::{Problem, RouteResult};

/// One message. Fields that are not named here are ignored.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct ChatMessage {
    pub(super) role: String,
    #[serde(default)]
    pub(super) content: Value,
    #[serde(default)]
    pub(super) tool_calls: Option<Vec<ChatCall>>,
    #[serde(default)]
    pub(super) tool_call_id: Option<String>,
}

/// A call that the caller has answered, or will.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct ChatCall {
    #[serde(default)]
    pub(super) id: String,
    #[serde(default)]
    pub(super) function: Option<CalledFunction>,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct CalledFunction {
    pub(super) name: String,
    #[serde(default)]
    pub(super) arguments: String,
}

/// What was said before, as Windlass keeps it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Conversation {
    /// System and developer messages at the beginning, joined.
    pub(super) system: String,
    /// Everything after them; later system messages are notes in their place.
    pub(super) history: Vec<Arc<Message>>,
}

/// Reads messages in order.
pub(super) fn read(messages: &[ChatMessage]) -> RouteResult<Conversation> {
    if messages.is_empty() {
        return Err(Problem::field("messages", "'messages' is empty; send at least one message"));
    }
    let mut reader = MessageReader::default();
    for (at, message) in messages.iter().enumerate() {
        reader.read(at, message)?;
    }
    Ok(reader.conversation)
}

#[derive(Default)]
struct MessageReader {
    conversation: Conversation,
    /// Calls so far: the caller's id, our id and the name.
    calls: HashMap<String, (CallId, String)>,
    count: u32,
}

impl MessageReader {
    fn read(&mut self, at: usize, message: &ChatMessage) -> RouteResult<()> {
        let read = match message.role.as_str() {
            "system" | "developer" => {
                let text = text_of(at, &message.content)?;
                if self.conversation.history.is_empty() {
                    self.add_system(&text);
                    return Ok(());
                }
                Message::note(text)
            }
            "user" => Message::User { parts: user_parts(at, &message.content)? },
            "assistant" => self.assistant(at, message)?,
            "tool" => Message::Tool(self.tool(at, message)?),
            other => {
                return Err(Problem::field(
                    format!("messages[{at}].role"),
                    format!(
                        "unknown role '{}'; use system, developer, user, assistant or tool",
                        other.chars().take(40).collect::<String>()
                    ),
                ));
            }
        };
        self.conversation.history.push(Arc::new(read));
        Ok(())
    }

    fn add_system(&mut self, text: &str) {
        if !self.conversation.system.is_empty() {
            self.conversation.system.push_str("\n\n");
        }
        self.conversation.system.push_str(text);
    }

    fn assistant(&mut self, at: usize, message: &ChatMessage) -> RouteResult<Message> {
        let text = text_of(at, &message.content)?;
        let mut parts = if text.is_empty() { Vec::new() } else { vec![Part::text(text)] };
        for (index, call) in (0_u32..).zip(message.tool_calls.iter().flatten()) {
            let place = || format!("messages[{at}].tool_calls[{index}]");
            let Some(function) = &call.function else {
                return Err(Problem::field(place(), "only function calls are supported; send 'function'"));
            };
            if call.id.is_empty() {
                return Err(Problem::field(place(), "a call needs its 'id': its tool message names it"));
            }
            self.count = self.count.saturating_add(1);
            // Calls of the run itself are counted from 1; these are of another counting.
            let id = CallId::new(format!("earlier_{}", self.count));
            self.calls.insert(call.id.clone(), (id.clone(), function.name.clone()));
            let arguments = if function.arguments.trim().is_empty() {
                "{}".to_owned()
            } else {
                function.arguments.clone()
            };
            parts.push(Part::Call(ToolCall {
                id,
                provider_id: Some(call.id.clone()),
                step: 1,
                index,
                name: function.name.clone(),
                arguments,
                state: None,
            }));
        }
        Ok(Message::Assistant { parts })
    }

    fn tool(&mut self, at: usize, message: &ChatMessage) -> RouteResult<ToolMessage> {
        let id = message.tool_call_id.clone().unwrap_or_default();
        let Some((call_id, name)) = self.calls.get(&id).cloned() else {
            return Err(Problem::field(
                format!("messages[{at}].tool_call_id"),
                "a message with role 'tool' must name a call of an earlier assistant message in 'tool_call_id'",
            ));
        };
        let source = format!("tool:{name}");
        Ok(ToolMessage {
            call_id,
            provider_id: Some(id),
            name,
            content: text_of(at, &message.content)?,
            is_ok: true,
            is_valid_call: true,
            // Who ran the tool is not known here: what it gave is text of others.
            label: Some(Label::untrusted(source)),
        })
    }
}

/// Content that must be text: a string, text parts, or nothing.
fn text_of(at: usize, content: &Value) -> RouteResult<String> {
    let wrong = || {
        Problem::field(
            format!("messages[{at}].content"),
            "the content must be a string or a list of parts with type 'text'",
        )
    };
    match content {
        Value::Null => Ok(String::new()),
        Value::String(text) => Ok(text.clone()),
        Value::Array(parts) => {
            let texts: Option<Vec<&str>> = parts.iter().map(text_of_part).collect();
            texts.map(|texts| texts.concat()).ok_or_else(wrong)
        }
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => Err(wrong()),
    }
}

fn text_of_part(part: &Value) -> Option<&str> {
    match part.get("type").and_then(Value::as_str)? {
        "text" => part.get("text").and_then(Value::as_str),
        "refusal" => part.get("refusal").and_then(Value::as_str),
        _ => None,
    }
}

fn user_parts(at: usize, content: &Value) -> RouteResult<Vec<Part>> {
    let Value::Array(parts) = content else {
        let text = text_of(at, content)?;
        if content.is_null() {
            return Err(Problem::field(format!("messages[{at}].content"), "a user message needs content"));
        }
        return Ok(vec![Part::text(text)]);
    };
    let read = |(index, part): (usize, &Value)| {
        text_of_part(part).map(Part::text).or_else(|| image_of(part)).ok_or_else(|| {
            Problem::field(
                format!("messages[{at}].content[{index}]"),
                "a part must be {\"type\":\"text\",\"text\":…} or {\"type\":\"image_url\",\"image_url\":{\"url\":…}} \
                 with a data: or https: address",
            )
        })
    };
    parts.iter().enumerate().map(read).collect()
}

fn image_of(part: &Value) -> Option<Part> {
    if part.get("type").and_then(Value::as_str) != Some("image_url") {
        return None;
    }
    let image = part.get("image_url")?;
    let url = image.get("url").unwrap_or(image).as_str()?;
    Some(Part::Image { media_type: media_type_of(url)?, url: url.to_owned() })
}

/// The media type that an address says or suggests; nothing for an address that may not be used.
fn media_type_of(url: &str) -> Option<String> {
    if let Some(inline) = url.strip_prefix("data:") {
        let media_type = inline.split([';', ',']).next().filter(|word| word.starts_with("image/"));
        return media_type.map(str::to_owned);
    }
    url.strip_prefix("https://").filter(|rest| !rest.is_empty())?;
    let path = url.split(['?', '#']).next().unwrap_or(url).to_ascii_lowercase();
    let by_end = [(".png", "image/png"), (".gif", "image/gif"), (".webp", "image/webp")];
    let known = by_end.iter().find(|(end, _)| path.ends_with(end));
    Some(known.map_or("image/jpeg", |(_, media_type)| media_type).to_owned())
}

#[cfg(test)]
#[path = "message_tests.rs"]
mod tests;
