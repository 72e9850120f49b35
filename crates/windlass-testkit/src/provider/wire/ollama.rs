//! Ollama's own protocol: one document a line.

use serde_json::{Value, json};

use super::line;
use crate::provider::history::{
    LegalRequest, PastCall, PastExchange, VendorRefusal, content_text, demand, list, refuse, text, tool_names,
};
use crate::provider::script::{Say, SayEnd, Thought};

pub(super) fn read(body: &Value) -> Result<LegalRequest, VendorRefusal> {
    let Some(model) = text(body, "model") else { return refuse("model is required") };
    let tools = list(body, "tools");
    let names = tool_names(tools.iter().map(|tool| tool.pointer("/function/name").and_then(Value::as_str)))?;
    Ok(LegalRequest {
        model: model.to_owned(),
        streams: body.get("stream") != Some(&Value::Bool(false)),
        wants_usage: true,
        tools: names,
        forbids_calls: false,
        must_call: None,
        pictures: read_pictures(list(body, "messages"))?,
        exchanges: read_messages(list(body, "messages"))?,
    })
}

fn read_pictures(messages: &[Value]) -> Result<Vec<String>, VendorRefusal> {
    let pictures = messages.iter().flat_map(|message| list(message, "images")).map(|picture| {
        let bytes = picture.as_str().filter(|bytes| !bytes.starts_with("data:"));
        bytes
            .map(str::to_owned)
            .ok_or_else(|| VendorRefusal("illegal base64 data at input byte 4".to_owned()))
    });
    pictures.collect()
}

fn read_messages(messages: &[Value]) -> Result<Vec<PastExchange>, VendorRefusal> {
    let mut exchanges: Vec<PastExchange> = Vec::new();
    let mut pending: Vec<String> = Vec::new();
    for message in messages {
        let role = text(message, "role").unwrap_or_default();
        demand(role == "tool" || pending.is_empty(), || {
            format!("tool calls without a response: {}", pending.join(", "))
        })?;
        demand(message.get("content").is_none_or(Value::is_string), || {
            "json: cannot unmarshal array into Go struct field ChatRequest.messages.content of type string"
                .to_owned()
        })?;
        match role {
            "system" | "user" => {}
            "assistant" => {
                let exchange = read_assistant(message)?;
                pending = exchange.calls.iter().map(|call| call.name.clone()).collect();
                exchanges.push(exchange);
            }
            "tool" => {
                let name = text(message, "tool_name").unwrap_or_default();
                demand(pending.first().is_some_and(|first| first == name), || {
                    format!("tool response '{name}' does not follow its call")
                })?;
                pending.remove(0);
            }
            other => return refuse(format!("invalid role: {other}")),
        }
    }
    demand(pending.is_empty(), || format!("tool calls without a response: {}", pending.join(", ")))?;
    Ok(exchanges)
}

fn read_assistant(message: &Value) -> Result<PastExchange, VendorRefusal> {
    let mut exchange = PastExchange {
        text: content_text(message.get("content")),
        thoughts: message.get("thinking").cloned().into_iter().collect(),
        ..PastExchange::default()
    };
    for call in list(message, "tool_calls") {
        let arguments = call.pointer("/function/arguments").cloned().unwrap_or_default();
        demand(arguments.is_object(), || {
            "json: cannot unmarshal string into Go struct field ChatRequest.messages.tool_calls.function.arguments \
             of type api.ToolCallFunctionArguments"
                .to_owned()
        })?;
        let name = call.pointer("/function/name").and_then(Value::as_str).unwrap_or_default().to_owned();
        exchange.calls.push(PastCall { id: String::new(), name, arguments });
    }
    Ok(exchange)
}

/// What must come back of a thought.
pub(super) fn thoughts(thought: &Thought) -> Vec<Value> {
    vec![thought.text.clone().into()]
}

/// An answer in one piece.
pub(super) fn whole(asked: &LegalRequest, say: &Say) -> Value {
    let mut message = json!({"role": "assistant", "content": say.text.concat()});
    if let Some(fields) = message.as_object_mut() {
        if let Some(thought) = &say.thought {
            fields.insert("thinking".to_owned(), thought.text.clone().into());
        }
        if !say.calls.is_empty() {
            let calls = say.calls.iter().map(|call| {
                json!({"function": {"name": call.name, "arguments": call.arguments_value().unwrap_or_default()}})
            });
            fields.insert("tool_calls".to_owned(), calls.collect());
        }
    }
    last_record(asked, &message, say.finish)
}

fn last_record(asked: &LegalRequest, message: &Value, finish: SayEnd) -> Value {
    let reason = if finish == SayEnd::Length { "length" } else { "stop" };
    json!({
        "model": asked.model, "created_at": "2026-01-01T00:00:00Z", "message": message, "done": true,
        "done_reason": reason, "prompt_eval_count": 50, "eval_count": 12,
    })
}

/// The events of an answer.
pub(super) fn frames(asked: &LegalRequest, say: &Say) -> Vec<String> {
    let record = |message: Value| {
        line(
            &json!({"model": asked.model, "created_at": "2026-01-01T00:00:00Z", "message": message, "done": false}),
        )
    };
    let mut frames = Vec::new();
    if let Some(thought) = &say.thought {
        frames.push(record(json!({"role": "assistant", "content": "", "thinking": thought.text})));
    }
    for piece in &say.text {
        frames.push(record(json!({"role": "assistant", "content": piece})));
    }
    for call in &say.calls {
        let Some(arguments) = call.arguments_value() else {
            if say.finish == SayEnd::Length {
                break;
            }
            let words = format!(
                "error parsing tool call: raw='{}', err=unexpected end of JSON input",
                call.arguments
            );
            frames.push(line(&json!({"error": words})));
            return frames;
        };
        let function = json!({"name": call.name, "arguments": arguments});
        frames.push(record(
            json!({"role": "assistant", "content": "", "tool_calls": [{"function": function}]}),
        ));
    }
    frames.push(line(&last_record(asked, &json!({"role": "assistant", "content": ""}), say.finish)));
    frames
}
