//! Gemini generateContent.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::provider::history::{
    LegalRequest, MustCall, PastCall, PastExchange, VendorRefusal, demand, list, refuse, text, tool_names,
};
use crate::provider::http::Incoming;
use crate::provider::script::{SaidCall, Say, SayEnd, Thought};

const FIELDS: [&str; 7] = [
    "contents",
    "systemInstruction",
    "tools",
    "toolConfig",
    "generationConfig",
    "safetySettings",
    "cachedContent",
];

/// Words of JSON Schema that `parameters` does not know.
const FOREIGN_WORDS: [&str; 5] = ["additionalProperties", "$ref", "$schema", "$defs", "const"];

pub(super) fn read(request: &Incoming, body: &Value) -> Result<LegalRequest, VendorRefusal> {
    let model = request.path.rsplit('/').next().and_then(|last| last.split(':').next()).unwrap_or_default();
    for key in body.as_object().into_iter().flat_map(|fields| fields.keys()) {
        demand(FIELDS.contains(&key.as_str()), || {
            format!("Invalid JSON payload received. Unknown name \"{key}\": Cannot find field.")
        })?;
    }
    let streams = request.path.contains(":stream");
    demand(!streams || request.path.contains("alt=sse"), || "only alt=sse is played".to_owned())?;
    let config = body.pointer("/toolConfig/functionCallingConfig").unwrap_or(&Value::Null);
    let mode = text(config, "mode");
    let tools = read_tools(body)?;
    let allowed = list(config, "allowedFunctionNames");
    demand(allowed.is_empty() || mode == Some("ANY"), || {
        "allowed_function_names should only be set when the mode is ANY.".to_owned()
    })?;
    let must_call = match (mode, allowed.first()) {
        (Some("ANY"), None) => Some(MustCall::Any),
        (Some("ANY"), Some(name)) => Some(MustCall::named(name.as_str(), &tools)?),
        _ => None,
    };
    Ok(LegalRequest {
        model: model.to_owned(),
        streams,
        wants_usage: true,
        forbids_calls: mode == Some("NONE"),
        must_call,
        pictures: read_pictures(list(body, "contents"))?,
        tools,
        exchanges: read_contents(list(body, "contents"))?,
    })
}

fn read_tools(body: &Value) -> Result<BTreeSet<String>, VendorRefusal> {
    let declared: Vec<&Value> =
        list(body, "tools").iter().flat_map(|tool| list(tool, "functionDeclarations")).collect();
    for (place, tool) in declared.iter().enumerate() {
        if let Some(schema) = tool.get("parameters") {
            check_schema(&format!("tools[0].function_declarations[{place}].parameters"), schema)?;
        }
    }
    tool_names(declared.iter().map(|tool| text(tool, "name")))
}

fn check_schema(place: &str, schema: &Value) -> Result<(), VendorRefusal> {
    for word in FOREIGN_WORDS {
        demand(schema.get(word).is_none(), || {
            format!("Invalid JSON payload received. Unknown name \"{word}\" at '{place}': Cannot find field.")
        })?;
    }
    demand(schema.get("type").is_none_or(Value::is_string), || {
        format!("Invalid value at '{place}.type' (type), one type is expected")
    })?;
    let properties = schema.get("properties").and_then(Value::as_object);
    for key in list(schema, "required").iter().filter_map(Value::as_str) {
        demand(properties.is_some_and(|known| known.contains_key(key)), || {
            format!("{place}.required[0]: property is not defined")
        })?;
    }
    if text(schema, "type").is_some_and(|kind| kind.eq_ignore_ascii_case("array")) {
        demand(schema.get("items").is_some(), || format!("{place}.items: missing field."))?;
    }
    let below = properties.into_iter().flat_map(|known| known.values()).chain(schema.get("items"));
    below.into_iter().try_for_each(|part| check_schema(&format!("{place}.properties"), part))
}

fn read_pictures(contents: &[Value]) -> Result<Vec<String>, VendorRefusal> {
    let parts = contents.iter().flat_map(|content| list(content, "parts"));
    let mut pictures = Vec::new();
    for picture in parts.filter_map(|part| part.get("inlineData")) {
        match (text(picture, "mimeType"), text(picture, "data")) {
            (Some(kind), Some(bytes)) if kind.starts_with("image/") => pictures.push(bytes.to_owned()),
            _ => return refuse("Unable to process input image."),
        }
    }
    Ok(pictures)
}

fn read_contents(contents: &[Value]) -> Result<Vec<PastExchange>, VendorRefusal> {
    demand(!contents.is_empty(), || {
        "* GenerateContentRequest.contents: contents is not specified".to_owned()
    })?;
    let mut exchanges: Vec<PastExchange> = Vec::new();
    let mut pending: Vec<String> = Vec::new();
    for (place, content) in contents.iter().enumerate() {
        let parts = list(content, "parts");
        demand(!parts.is_empty() && parts.iter().all(is_full), || {
            format!("* GenerateContentRequest.contents[{place}].parts: contents.parts must not be empty.")
        })?;
        match text(content, "role") {
            Some("user") => {
                let answered: Vec<&Value> =
                    parts.iter().filter_map(|part| part.get("functionResponse")).collect();
                check_outcomes(&answered, &pending)?;
                pending.clear();
            }
            Some("model") => {
                let exchange = read_model(parts)?;
                demand(pending.is_empty(), || UNANSWERED.to_owned())?;
                let is_first = place == 0 && !exchange.calls.is_empty();
                demand(!is_first, || {
                    "Please ensure that function call turn comes immediately after a user turn or after a function \
                     response turn."
                        .to_owned()
                })?;
                pending = exchange.calls.iter().map(|call| call.name.clone()).collect();
                exchanges.push(exchange);
            }
            _ => return refuse("Please use a valid role: user, model."),
        }
    }
    demand(pending.is_empty(), || UNANSWERED.to_owned())?;
    Ok(exchanges)
}

const UNANSWERED: &str = "Please ensure that the number of function response parts is equal to the number of \
                          function call parts of the function call turn.";

fn is_full(part: &Value) -> bool {
    ["functionCall", "functionResponse", "inlineData", "fileData"].iter().any(|key| part.get(key).is_some())
        || text(part, "text").is_some_and(|text| !text.is_empty() || part.get("thoughtSignature").is_some())
}

/// All outcomes in one content, in the order of the calls, and no id that was never given.
fn check_outcomes(answered: &[&Value], pending: &[String]) -> Result<(), VendorRefusal> {
    demand(answered.len() == pending.len(), || UNANSWERED.to_owned())?;
    for (outcome, name) in answered.iter().zip(pending) {
        demand(text(outcome, "name") == Some(name), || {
            format!("Function response for '{name}' is out of order")
        })?;
        demand(outcome.get("response").is_some_and(Value::is_object), || {
            "Invalid value at 'function_response.response' (type.googleapis.com/google.protobuf.Struct)"
                .to_owned()
        })?;
        demand(outcome.get("id").is_none(), || "function_response.id: unknown id".to_owned())?;
    }
    Ok(())
}

fn read_model(parts: &[Value]) -> Result<PastExchange, VendorRefusal> {
    let mut exchange = PastExchange::default();
    for part in parts {
        if let Some(call) = part.get("functionCall") {
            let arguments = call.get("args").cloned().unwrap_or_else(|| json!({}));
            demand(arguments.is_object(), || "Invalid value at 'function_call.args'".to_owned())?;
            demand(call.get("id").is_none(), || "function_call.id: unknown id".to_owned())?;
            if let Some(signature) = part.get("thoughtSignature") {
                exchange.thoughts.push(json!([exchange.calls.len(), signature]));
            }
            let name = text(call, "name").unwrap_or_default().to_owned();
            exchange.calls.push(PastCall { id: String::new(), name, arguments });
        } else if part.get("thought") != Some(&Value::Bool(true)) {
            exchange.text.push_str(text(part, "text").unwrap_or_default());
        }
    }
    Ok(exchange)
}

/// What must come back of a thought: the signature on the first call, and on no other.
pub(super) fn thoughts(thought: &Thought) -> Vec<Value> {
    vec![json!([0, thought.state])]
}

/// The events of an answer.
pub(super) fn frames(asked: &LegalRequest, say: &Say) -> Vec<String> {
    let (chunks, reason) = chunks_of(say);
    let last = chunks.len() - 1;
    let chunk = |(place, parts)| response(asked, parts, (place == last).then_some(reason));
    // Google ends its lines with CRLF.
    chunks.into_iter().enumerate().map(chunk).map(|chunk| format!("data: {chunk}\r\n\r\n")).collect()
}

/// An answer in one piece.
pub(super) fn whole(asked: &LegalRequest, say: &Say) -> Value {
    let text = if say.text.is_empty() { Vec::new() } else { vec![say.text.concat()] };
    let (chunks, reason) = chunks_of(&Say { text, ..say.clone() });
    response(asked, chunks.concat(), Some(reason))
}

fn response(asked: &LegalRequest, parts: Vec<Value>, reason: Option<&str>) -> Value {
    let mut candidate = json!({"content": {"role": "model", "parts": parts}, "index": 0});
    if let (Some(reason), Some(fields)) = (reason, candidate.as_object_mut()) {
        fields.insert("finishReason".to_owned(), reason.into());
    }
    let usage = json!({"promptTokenCount": 50, "cachedContentTokenCount": 20, "candidatesTokenCount": 7,
        "thoughtsTokenCount": 5, "totalTokenCount": 62});
    json!({"candidates": [candidate], "usageMetadata": usage, "modelVersion": asked.model})
}

/// The parts of an answer, event by event, and why it ends.
fn chunks_of(say: &Say) -> (Vec<Vec<Value>>, &'static str) {
    let mut chunks: Vec<Vec<Value>> = Vec::new();
    if let Some(thought) = &say.thought {
        chunks.push(vec![json!({"text": thought.text, "thought": true})]);
    }
    chunks.extend(say.text.iter().map(|piece| vec![json!({"text": piece})]));
    let values: Option<Vec<Value>> = say.calls.iter().map(SaidCall::arguments_value).collect();
    let is_malformed = values.is_none();
    let calls = say.calls.iter().zip(values.unwrap_or_default()).enumerate().map(|(place, (call, args))| {
        let mut part = json!({"functionCall": {"name": call.name, "args": args}});
        if let (0, Some(thought), Some(fields)) = (place, &say.thought, part.as_object_mut()) {
            fields.insert("thoughtSignature".to_owned(), thought.state.clone().into());
        }
        part
    });
    chunks.push(calls.collect());
    let reason = match say.finish {
        SayEnd::Length => "MAX_TOKENS",
        SayEnd::Stop | SayEnd::Calls if is_malformed => "MALFORMED_FUNCTION_CALL",
        SayEnd::Stop | SayEnd::Calls => "STOP",
    };
    (chunks, reason)
}
