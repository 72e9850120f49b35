//! OpenAI Chat Completions, with the manners of those who speak it too.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Vendor, sse};
use crate::provider::history::{
    LegalRequest, MustCall, PastCall, PastExchange, VendorRefusal, arguments_of, content_text, demand,
    is_word, list, picture_of, refuse, text, tool_names,
};
use crate::provider::limits::{CHAT_ID_CHARS_MAX, MISTRAL_ID_CHARS, NAME_CHARS_MAX};
use crate::provider::script::{Say, SayEnd, Thought};

pub(super) fn read(vendor: Vendor, body: &Value) -> Result<LegalRequest, VendorRefusal> {
    let Some(model) = text(body, "model") else { return refuse("you must provide a model parameter") };
    let messages = list(body, "messages");
    demand(!messages.is_empty(), || "[] is too short - 'messages'".to_owned())?;
    let tools = read_tools(body)?;
    check_wishes(vendor, body, !tools.is_empty())?;
    let mut reader = ChatRequestReader { vendor, ..ChatRequestReader::default() };
    for (place, message) in messages.iter().enumerate() {
        reader.message(place, message)?;
    }
    reader.check_pending()?;
    let must_call = match body.get("tool_choice") {
        Some(Value::String(word)) if word == "required" || word == "any" => Some(MustCall::Any),
        Some(choice @ Value::Object(_)) => {
            let name = choice.pointer("/function/name").and_then(Value::as_str);
            Some(MustCall::named(name, &tools)?)
        }
        _ => None,
    };
    let last_role = messages.last().and_then(|message| text(message, "role"));
    demand(vendor != Vendor::Mistral || last_role != Some("assistant"), || {
        "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant"
            .to_owned()
    })?;
    Ok(LegalRequest {
        model: model.to_owned(),
        streams: body.get("stream") == Some(&Value::Bool(true)),
        // Mistral gives it unasked.
        wants_usage: vendor == Vendor::Mistral
            || body.pointer("/stream_options/include_usage") == Some(&Value::Bool(true)),
        tools,
        forbids_calls: text(body, "tool_choice") == Some("none"),
        must_call,
        pictures: reader.pictures,
        exchanges: reader.exchanges,
    })
}

fn read_tools(body: &Value) -> Result<BTreeSet<String>, VendorRefusal> {
    let tools = list(body, "tools");
    demand(body.get("tools").is_none() || !tools.is_empty(), || "[] is too short - 'tools'".to_owned())?;
    for (place, tool) in tools.iter().enumerate() {
        demand(text(tool, "type") == Some("function"), || {
            format!("Invalid value for 'tools[{place}].type'")
        })?;
        let function = tool.get("function").unwrap_or(&Value::Null);
        let name = text(function, "name").unwrap_or_default();
        if let Some(schema) = function.get("parameters") {
            demand(text(schema, "type") == Some("object"), || {
                format!(
                    "Invalid schema for function '{name}': schema must be a JSON Schema of 'type: \"object\"'."
                )
            })?;
            if function.get("strict") == Some(&Value::Bool(true)) {
                check_strict(name, schema)?;
            }
        }
    }
    tool_names(tools.iter().map(|tool| tool.pointer("/function/name").and_then(Value::as_str)))
}

/// The strict subset, at the top and in every object below.
fn check_strict(name: &str, schema: &Value) -> Result<(), VendorRefusal> {
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        let required: BTreeSet<&str> = list(schema, "required").iter().filter_map(Value::as_str).collect();
        demand(properties.keys().all(|key| required.contains(key.as_str())), || {
            format!(
                "Invalid schema for function '{name}': 'required' is required to be supplied and to be an array \
                 including every key in properties."
            )
        })?;
        demand(schema.get("additionalProperties") == Some(&Value::Bool(false)), || {
            format!("Invalid schema for function '{name}': 'additionalProperties' is required to be false.")
        })?;
        return properties.values().try_for_each(|property| check_strict(name, property));
    }
    schema.get("items").map_or(Ok(()), |items| check_strict(name, items))
}

fn check_wishes(vendor: Vendor, body: &Value, has_tools: bool) -> Result<(), VendorRefusal> {
    let has = |key: &str| body.get(key).is_some_and(|value| !value.is_null());
    demand(has_tools || !has("tool_choice"), || {
        "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified."
            .to_owned()
    })?;
    demand(has_tools || !has("parallel_tool_calls"), || {
        "Invalid value for 'parallel_tool_calls': only allowed when 'tools' are specified.".to_owned()
    })?;
    demand(!has("stream_options") || body.get("stream") == Some(&Value::Bool(true)), || {
        "The 'stream_options' parameter is only allowed when 'stream' is enabled.".to_owned()
    })?;
    let is_forced = has("tool_choice") && !matches!(text(body, "tool_choice"), Some("auto" | "none"));
    match vendor {
        Vendor::Xai => {
            demand(!is_forced, || "tool_choice: forcing a tool is not supported".to_owned())?;
            demand(!has("response_format"), || "response_format: not supported with tools".to_owned())
        }
        Vendor::Mistral => {
            demand(!has("stream_options"), || {
                "body.stream_options: Extra inputs are not permitted".to_owned()
            })?;
            demand(text(body, "tool_choice") != Some("required"), || {
                "tool_choice: Input should be 'auto', 'none' or 'any'".to_owned()
            })
        }
        Vendor::Plain | Vendor::DeepSeek | Vendor::OpenRouter => Ok(()),
    }
}

/// Reads messages in order and holds them to the rules of pairing.
struct ChatRequestReader {
    vendor: Vendor,
    exchanges: Vec<PastExchange>,
    pending: Vec<String>,
    seen: BTreeSet<String>,
    last_role: String,
    pictures: Vec<String>,
}

impl Default for ChatRequestReader {
    fn default() -> Self {
        Self {
            vendor: Vendor::Plain,
            exchanges: Vec::new(),
            pending: Vec::new(),
            seen: BTreeSet::new(),
            last_role: String::new(),
            pictures: Vec::new(),
        }
    }
}

impl ChatRequestReader {
    fn message(&mut self, place: usize, message: &Value) -> Result<(), VendorRefusal> {
        let role = text(message, "role").unwrap_or_default();
        if role != "tool" {
            self.check_pending()?;
        }
        match role {
            "system" | "developer" => {}
            "user" => {
                demand(
                    !content_text(message.get("content")).is_empty()
                        || message.get("content").is_some_and(Value::is_array),
                    || format!("Invalid value for 'messages[{place}].content': expected a non-empty string."),
                )?;
                demand(self.vendor != Vendor::Mistral || self.last_role != "tool", || {
                    "Unexpected role 'user' after role 'tool'".to_owned()
                })?;
                for part in
                    list(message, "content").iter().filter(|part| text(part, "type") == Some("image_url"))
                {
                    let url = part.pointer("/image_url/url").and_then(Value::as_str);
                    self.pictures.extend(picture_of(url)?);
                }
            }
            "assistant" => self.assistant(place, message)?,
            "tool" => self.outcome(place, message)?,
            other => return refuse(format!("Invalid value: '{other}' for 'messages[{place}].role'.")),
        }
        role.clone_into(&mut self.last_role);
        Ok(())
    }

    fn assistant(&mut self, place: usize, message: &Value) -> Result<(), VendorRefusal> {
        let calls = list(message, "tool_calls");
        let said = content_text(message.get("content"));
        demand(message.get("tool_calls").is_none() || !calls.is_empty(), || {
            format!(
                "Invalid 'messages[{place}].tool_calls': empty array. Expected an array with minimum length 1."
            )
        })?;
        demand(!said.is_empty() || !calls.is_empty(), || {
            format!("Invalid value for 'messages[{place}].content': expected a string, got null.")
        })?;
        if self.vendor == Vendor::DeepSeek {
            demand(message.get("content").is_some_and(Value::is_string), || {
                format!("messages[{place}]: invalid type: null, expected a string")
            })?;
        }
        let mut exchange =
            PastExchange { text: said, thoughts: self.thoughts_of(message), ..PastExchange::default() };
        for (number, call) in calls.iter().enumerate() {
            exchange.calls.push(self.call(&format!("messages[{place}].tool_calls[{number}]"), call)?);
        }
        self.exchanges.push(exchange);
        Ok(())
    }

    fn thoughts_of(&self, message: &Value) -> Vec<Value> {
        match self.vendor {
            Vendor::OpenRouter => list(message, "reasoning_details").to_vec(),
            Vendor::DeepSeek => message.get("reasoning_content").cloned().into_iter().collect(),
            Vendor::Plain | Vendor::Mistral | Vendor::Xai => Vec::new(),
        }
    }

    fn call(&mut self, place: &str, call: &Value) -> Result<PastCall, VendorRefusal> {
        let id = text(call, "id").unwrap_or_default();
        demand(!id.is_empty(), || format!("Missing required parameter: '{place}.id'."))?;
        demand(id.len() <= CHAT_ID_CHARS_MAX, || {
            format!("Invalid '{place}.id': string too long. Expected a string with maximum length 40.")
        })?;
        let is_nine = id.len() == MISTRAL_ID_CHARS && id.chars().all(|c| c.is_ascii_alphanumeric());
        demand(self.vendor != Vendor::Mistral || is_nine, || {
            format!("Tool call id was {id} but must be a-z, A-Z, 0-9, with a length of 9.")
        })?;
        demand(self.seen.insert(id.to_owned()), || format!("Duplicate value for 'tool_call_id' of '{id}'"))?;
        demand(text(call, "type") == Some("function"), || {
            format!("Missing required parameter: '{place}.type'.")
        })?;
        demand(self.vendor != Vendor::DeepSeek || call.get("index").is_some_and(Value::is_u64), || {
            format!("{place}: missing field `index`")
        })?;
        let function = call.get("function").unwrap_or(&Value::Null);
        let name = text(function, "name").unwrap_or_default();
        demand(is_word(name, NAME_CHARS_MAX), || {
            format!("Invalid '{place}.function.name': string does not match pattern '^[a-zA-Z0-9_-]+$'.")
        })?;
        let arguments = arguments_of(text(function, "arguments"), &format!("{place}.function"))?;
        self.pending.push(id.to_owned());
        Ok(PastCall { id: id.to_owned(), name: name.to_owned(), arguments })
    }

    fn outcome(&mut self, place: usize, message: &Value) -> Result<(), VendorRefusal> {
        let id = text(message, "tool_call_id").unwrap_or_default();
        let Some(at) = self.pending.iter().position(|pending| pending == id) else {
            return refuse(
                "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with \
                 'tool_calls'.",
            );
        };
        demand(self.vendor != Vendor::Xai || at == 0, || {
            format!("messages[{place}]: tool results must be in the order of their calls")
        })?;
        let has_text = match message.get("content") {
            Some(Value::String(_)) => true,
            Some(Value::Array(parts)) => parts.iter().all(|part| text(part, "type") == Some("text")),
            _ => false,
        };
        demand(has_text, || {
            format!("Invalid value for 'messages[{place}].content': expected a string or text parts.")
        })?;
        self.pending.remove(at);
        Ok(())
    }

    fn check_pending(&self) -> Result<(), VendorRefusal> {
        demand(self.pending.is_empty(), || {
            format!(
                "An assistant message with 'tool_calls' must be followed by tool messages responding to each \
                 'tool_call_id'. The following tool_call_ids did not have response messages: {}",
                self.pending.join(", ")
            )
        })
    }
}

/// What must come back of a thought; `None` where nothing must.
pub(super) fn thoughts(vendor: Vendor, thought: &Thought) -> Option<Vec<Value>> {
    match vendor {
        Vendor::DeepSeek => Some(vec![Value::from(thought.text.clone())]),
        Vendor::OpenRouter => Some(vec![
            json!({"type": "reasoning.text", "text": thought.text, "signature": thought.state, "format": FORMAT, "index": 0}),
            json!({"type": "reasoning.encrypted", "data": thought.sealed, "format": FORMAT, "index": 1}),
        ]),
        Vendor::Plain | Vendor::Mistral | Vendor::Xai => None,
    }
}

const FORMAT: &str = "anthropic-claude-v1";

/// The events of an answer.
pub(super) fn frames(vendor: Vendor, asked: &LegalRequest, say: &Say) -> Vec<String> {
    let mut frames = Vec::new();
    let mut put = |delta: Value, finish: Value| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
        frames.push(sse(None, &chunk(asked, json!([choice]), None)));
    };
    put(json!({"role": "assistant", "content": ""}), Value::Null);
    for delta in say.thought.iter().flat_map(|thought| thinking(vendor, thought)) {
        put(delta, Value::Null);
    }
    for piece in &say.text {
        put(json!({"content": piece}), Value::Null);
    }
    for (index, call) in say.calls.iter().enumerate() {
        let function = json!({"name": call.name, "arguments": ""});
        let start = json!({"index": index, "id": call.id, "type": "function", "function": function});
        put(json!({"tool_calls": [start]}), Value::Null);
    }
    // Fragments of parallel calls come interleaved, as their index allows.
    let pieces: Vec<Vec<&str>> = say.calls.iter().map(|call| call.pieces()).collect();
    for turn in 0..pieces.iter().map(Vec::len).max().unwrap_or_default() {
        for (index, piece) in pieces.iter().enumerate().filter_map(|(index, of)| Some((index, of.get(turn)?)))
        {
            put(json!({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}), Value::Null);
        }
    }
    put(json!({}), finish_word(say.finish).into());
    if asked.wants_usage {
        frames.push(sse(None, &chunk(asked, json!([]), Some(usage()))));
    }
    frames.push("data: [DONE]\n\n".to_owned());
    frames
}

fn thinking(vendor: Vendor, thought: &Thought) -> Vec<Value> {
    if vendor != Vendor::OpenRouter {
        return vec![json!({"reasoning_content": thought.text})];
    }
    let (first, second) = thought.text.split_once(' ').unwrap_or((&thought.text, ""));
    let second = format!(" {second}");
    let detail = |fields: Value| json!({"reasoning_details": [fields]});
    vec![
        json!({"reasoning": first, "reasoning_details":
            [{"type": "reasoning.text", "text": first, "format": FORMAT, "index": 0}]}),
        json!({"reasoning": second, "reasoning_details":
            [{"type": "reasoning.text", "text": second, "format": FORMAT, "index": 0}]}),
        detail(json!({"type": "reasoning.text", "signature": thought.state, "format": FORMAT, "index": 0})),
        detail(json!({"type": "reasoning.encrypted", "data": thought.sealed, "format": FORMAT, "index": 1})),
    ]
}

fn chunk(asked: &LegalRequest, choices: Value, usage: Option<Value>) -> Value {
    let mut chunk = json!({
        "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_700_000_000,
        "model": asked.model, "choices": choices,
    });
    if let (Some(usage), Some(fields)) = (usage, chunk.as_object_mut()) {
        fields.insert("usage".to_owned(), usage);
    }
    chunk
}

fn usage() -> Value {
    json!({"prompt_tokens": 50, "prompt_tokens_details": {"cached_tokens": 20}, "completion_tokens": 12,
        "completion_tokens_details": {"reasoning_tokens": 5}, "total_tokens": 62})
}

fn finish_word(finish: SayEnd) -> &'static str {
    match finish {
        SayEnd::Stop => "stop",
        SayEnd::Calls => "tool_calls",
        SayEnd::Length => "length",
    }
}

/// An answer in one piece.
pub(super) fn whole(vendor: Vendor, asked: &LegalRequest, say: &Say) -> Value {
    let mut message = json!({"role": "assistant", "content": say.text.concat()});
    if let Some(fields) = message.as_object_mut() {
        if !say.calls.is_empty() {
            let calls = say.calls.iter().map(|call| {
                json!({"id": call.id, "type": "function",
                    "function": {"name": call.name, "arguments": call.arguments}})
            });
            fields.insert("tool_calls".to_owned(), calls.collect());
        }
        let key = if vendor == Vendor::OpenRouter { "reasoning" } else { "reasoning_content" };
        if let Some(thought) = &say.thought {
            fields.insert(key.to_owned(), thought.text.clone().into());
            if let (Vendor::OpenRouter, Some(details)) = (vendor, thoughts(vendor, thought)) {
                fields.insert("reasoning_details".to_owned(), details.into());
            }
        }
    }
    let choice = json!({"index": 0, "message": message, "finish_reason": finish_word(say.finish)});
    json!({"id": "chatcmpl-1", "object": "chat.completion", "created": 1_700_000_000,
        "model": asked.model, "choices": [choice], "usage": usage()})
}
