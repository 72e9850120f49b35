//! Anthropic Messages.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::sse;
use crate::provider::history::{
    LegalRequest, MustCall, PastCall, PastExchange, VendorRefusal, demand, is_word, list, refuse, text,
    tool_names,
};
use crate::provider::http::Incoming;
use crate::provider::limits::{CACHE_MARKS_MAX, WORD_ID_CHARS_MAX};
use crate::provider::script::{Say, SayEnd, Thought};

pub(super) fn read(request: &Incoming, body: &Value) -> Result<LegalRequest, VendorRefusal> {
    let has_version = request.headers.iter().any(|(name, _)| name == "anthropic-version");
    demand(has_version, || "anthropic-version: header is required".to_owned())?;
    let Some(model) = text(body, "model") else { return refuse("model: Field required") };
    demand(body.get("max_tokens").and_then(Value::as_u64).is_some_and(|tokens| tokens > 0), || {
        "max_tokens: Field required".to_owned()
    })?;
    let marks = body.to_string().matches("\"cache_control\"").count();
    demand(marks <= CACHE_MARKS_MAX, || {
        format!("A maximum of 4 blocks with cache_control may be provided. Found {marks}.")
    })?;
    let tools = read_tools(body)?;
    let must_call = match body.pointer("/tool_choice/type").and_then(Value::as_str) {
        Some("any") => Some(MustCall::Any),
        Some("tool") => {
            let name = body.pointer("/tool_choice/name").and_then(Value::as_str);
            Some(MustCall::named(name, &tools)?)
        }
        _ => None,
    };
    Ok(LegalRequest {
        model: model.to_owned(),
        streams: body.get("stream") == Some(&Value::Bool(true)),
        wants_usage: true,
        forbids_calls: body.pointer("/tool_choice/type").and_then(Value::as_str) == Some("none"),
        must_call,
        pictures: read_pictures(list(body, "messages"))?,
        tools,
        exchanges: read_messages(list(body, "messages"))?,
    })
}

fn read_tools(body: &Value) -> Result<BTreeSet<String>, VendorRefusal> {
    let tools = list(body, "tools");
    for (place, tool) in tools.iter().enumerate() {
        demand(tool.pointer("/input_schema/type").and_then(Value::as_str) == Some("object"), || {
            format!("tools.{place}.custom.input_schema.type: Field required")
        })?;
    }
    let choice = body.pointer("/tool_choice/type").and_then(Value::as_str);
    demand(choice.is_none() || !tools.is_empty(), || {
        "tool_choice: may only be specified while providing tools".to_owned()
    })?;
    let thinks = body.pointer("/thinking/type").and_then(Value::as_str) == Some("enabled");
    demand(!thinks || !matches!(choice, Some("any" | "tool")), || {
        "Thinking may not be enabled when tool_choice forces tool use.".to_owned()
    })?;
    tool_names(tools.iter().map(|tool| text(tool, "name")))
}

fn read_messages(messages: &[Value]) -> Result<Vec<PastExchange>, VendorRefusal> {
    demand(!messages.is_empty(), || "messages: at least one message is required".to_owned())?;
    demand(messages.first().and_then(|first| text(first, "role")) == Some("user"), || {
        "messages: first message must use the \"user\" role".to_owned()
    })?;
    let mut exchanges: Vec<PastExchange> = Vec::new();
    let mut pending: Vec<String> = Vec::new();
    let mut seen = BTreeSet::new();
    for (place, message) in messages.iter().enumerate() {
        let blocks = blocks_of(place, message)?;
        match text(message, "role") {
            Some("user") => check_outcomes(place, &blocks, &mut pending)?,
            Some("assistant") => {
                check_pending(place, &pending)?;
                let exchange = read_assistant(place, &blocks, &mut seen)?;
                pending = exchange.calls.iter().map(|call| call.id.clone()).collect();
                exchanges.push(exchange);
            }
            other => {
                return refuse(format!(
                    "messages: Unexpected role \"{}\". Allowed roles are \"user\" or \"assistant\".",
                    other.unwrap_or_default()
                ));
            }
        }
    }
    check_pending(messages.len(), &pending)?;
    let last_text = messages.last().filter(|last| text(last, "role") == Some("assistant")).and_then(|last| {
        blocks_of(0, last).ok()?.last().and_then(|block| text(block, "text").map(str::to_owned))
    });
    demand(last_text.is_none_or(|text| text.trim_end() == text), || {
        "messages: final assistant content cannot end with trailing whitespace".to_owned()
    })?;
    Ok(exchanges)
}

fn read_pictures(messages: &[Value]) -> Result<Vec<String>, VendorRefusal> {
    let users = messages.iter().filter(|message| text(message, "role") == Some("user"));
    let blocks = users.flat_map(|message| list(message, "content"));
    let mut pictures = Vec::new();
    for source in blocks.filter(|block| text(block, "type") == Some("image")).map(|block| block.get("source"))
    {
        let source = source.unwrap_or(&Value::Null);
        match (text(source, "type"), text(source, "media_type"), text(source, "data")) {
            (Some("url"), ..) => {}
            (Some("base64"), Some(kind), Some(bytes)) if kind.starts_with("image/") => {
                pictures.push(bytes.to_owned());
            }
            _ => return refuse("messages: image.source: Input should be a valid image source"),
        }
    }
    Ok(pictures)
}

/// The blocks of a message; a string is one of text.
fn blocks_of(place: usize, message: &Value) -> Result<Vec<Value>, VendorRefusal> {
    let blocks = match message.get("content") {
        Some(Value::String(text)) => vec![json!({"type": "text", "text": text})],
        Some(Value::Array(blocks)) => blocks.clone(),
        _ => Vec::new(),
    };
    demand(!blocks.is_empty(), || {
        format!(
            "messages.{place}: all messages must have non-empty content except for the optional final assistant message"
        )
    })?;
    for block in &blocks {
        let is_empty =
            text(block, "type") == Some("text") && text(block, "text").unwrap_or_default().trim().is_empty();
        demand(!is_empty, || "messages: text content blocks must be non-empty".to_owned())?;
    }
    Ok(blocks)
}

fn check_pending(place: usize, pending: &[String]) -> Result<(), VendorRefusal> {
    demand(pending.is_empty(), || {
        format!(
            "messages.{place}: `tool_use` ids were found without `tool_result` blocks immediately after: {}. Each \
             `tool_use` block must have a corresponding `tool_result` block in the next message.",
            pending.join(", ")
        )
    })
}

/// All outcomes of the last calls, first in the message.
fn check_outcomes(place: usize, blocks: &[Value], pending: &mut Vec<String>) -> Result<(), VendorRefusal> {
    let mut is_behind = false;
    for (number, block) in blocks.iter().enumerate() {
        if text(block, "type") != Some("tool_result") {
            is_behind = true;
            continue;
        }
        let id = text(block, "tool_use_id").unwrap_or_default();
        let Some(at) = pending.iter().position(|pending| pending == id).filter(|_| !is_behind) else {
            return refuse(format!(
                "messages.{place}.content.{number}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. \
                 Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
            ));
        };
        pending.remove(at);
    }
    check_pending(place, pending)
}

fn read_assistant(
    place: usize,
    blocks: &[Value],
    seen: &mut BTreeSet<String>,
) -> Result<PastExchange, VendorRefusal> {
    let mut exchange = PastExchange::default();
    for (number, block) in blocks.iter().enumerate() {
        match text(block, "type") {
            Some("text") => exchange.text.push_str(text(block, "text").unwrap_or_default()),
            Some("thinking" | "redacted_thinking") => {
                demand(exchange.text.is_empty() && exchange.calls.is_empty(), || {
                    format!("messages.{place}.content.{number}: thinking must stand where it stood")
                })?;
                exchange.thoughts.push(block.clone());
            }
            Some("tool_use") => {
                let id = text(block, "id").unwrap_or_default();
                demand(is_word(id, WORD_ID_CHARS_MAX), || {
                    format!(
                        "messages.{place}.content.{number}.tool_use.id: String should match pattern \
                         '^[a-zA-Z0-9_-]+$'"
                    )
                })?;
                demand(seen.insert(id.to_owned()), || {
                    format!("messages.{place}.content.{number}: `tool_use` ids must be unique")
                })?;
                let input = block.get("input").cloned().unwrap_or_default();
                demand(input.is_object(), || {
                    format!(
                        "messages.{place}.content.{number}.tool_use.input: Input should be a valid dictionary"
                    )
                })?;
                let name = text(block, "name").unwrap_or_default().to_owned();
                exchange.calls.push(PastCall { id: id.to_owned(), name, arguments: input });
            }
            other => {
                return refuse(format!(
                    "messages.{place}.content.{number}: Input tag '{}' found using 'type' does not match",
                    other.unwrap_or_default()
                ));
            }
        }
    }
    Ok(exchange)
}

/// What must come back of a thought.
pub(super) fn thoughts(thought: &Thought) -> Vec<Value> {
    vec![
        json!({"type": "thinking", "thinking": thought.text, "signature": thought.state}),
        json!({"type": "redacted_thinking", "data": thought.sealed}),
    ]
}

/// The events of an answer.
pub(super) fn frames(asked: &LegalRequest, say: &Say) -> Vec<String> {
    let mut stream = MessagesStream::default();
    stream.put(
        "message_start",
        json!({"message": {
            "id": "msg_1", "type": "message", "role": "assistant", "model": asked.model, "content": [],
            "stop_reason": null, "stop_sequence": null, "usage": usage(1),
        }}),
    );
    stream.put("ping", json!({}));
    if let Some(thought) = &say.thought {
        let (first, second) = thought.state.split_at(5);
        let deltas = [
            json!({"type": "thinking_delta", "thinking": thought.text}),
            json!({"type": "signature_delta", "signature": first}),
            json!({"type": "signature_delta", "signature": second}),
        ];
        stream.block(json!({"type": "thinking", "thinking": "", "signature": ""}), &deltas);
        stream.block(json!({"type": "redacted_thinking", "data": thought.sealed}), &[]);
    }
    if !say.text.is_empty() {
        let deltas: Vec<Value> =
            say.text.iter().map(|piece| json!({"type": "text_delta", "text": piece})).collect();
        stream.block(json!({"type": "text", "text": ""}), &deltas);
    }
    for call in &say.calls {
        let deltas: Vec<Value> = call
            .pieces()
            .iter()
            .map(|piece| json!({"type": "input_json_delta", "partial_json": piece}))
            .collect();
        stream.block(json!({"type": "tool_use", "id": call.id, "name": call.name, "input": {}}), &deltas);
    }
    let reason = stop_reason(say.finish);
    stream.put(
        "message_delta",
        json!({"delta": {"stop_reason": reason, "stop_sequence": null}, "usage": {"output_tokens": 12}}),
    );
    stream.put("message_stop", json!({}));
    stream.frames
}

fn usage(output: u32) -> Value {
    json!({"input_tokens": 30, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 0,
        "output_tokens": output})
}

fn stop_reason(finish: SayEnd) -> &'static str {
    match finish {
        SayEnd::Stop => "end_turn",
        SayEnd::Calls => "tool_use",
        SayEnd::Length => "max_tokens",
    }
}

/// An answer in one piece.
pub(super) fn whole(asked: &LegalRequest, say: &Say) -> Value {
    let mut content: Vec<Value> = say.thought.iter().flat_map(thoughts).collect();
    if !say.text.is_empty() {
        content.push(json!({"type": "text", "text": say.text.concat()}));
    }
    content.extend(say.calls.iter().map(|call| {
        let input = call.arguments_value().unwrap_or_default();
        json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input})
    }));
    json!({"id": "msg_1", "type": "message", "role": "assistant", "model": asked.model, "content": content,
        "stop_reason": stop_reason(say.finish), "stop_sequence": null, "usage": usage(12)})
}

#[derive(Default)]
struct MessagesStream {
    frames: Vec<String>,
    blocks: usize,
}

impl MessagesStream {
    fn put(&mut self, event: &str, fields: Value) {
        let mut payload = serde_json::Map::new();
        payload.insert("type".to_owned(), event.into());
        if let Value::Object(fields) = fields {
            payload.extend(fields);
        }
        self.frames.push(sse(Some(event), &Value::Object(payload)));
    }

    fn block(&mut self, start: Value, deltas: &[Value]) {
        let index = self.blocks;
        self.blocks += 1;
        self.put("content_block_start", json!({"index": index, "content_block": start}));
        for delta in deltas {
            self.put("content_block_delta", json!({"index": index, "delta": delta}));
        }
        self.put("content_block_stop", json!({"index": index}));
    }
}
