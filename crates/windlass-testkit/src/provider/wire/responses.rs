//! OpenAI Responses.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Vendor, sse};
use crate::provider::history::{
    LegalRequest, MustCall, PastCall, PastExchange, VendorRefusal, arguments_of, content_text, demand,
    is_word, list, picture_of, refuse, text, tool_names,
};
use crate::provider::limits::WORD_ID_CHARS_MAX;
use crate::provider::script::{Say, SayEnd, Thought};

pub(super) fn read(vendor: Vendor, body: &Value) -> Result<LegalRequest, VendorRefusal> {
    let Some(model) = text(body, "model") else { return refuse("Missing required parameter: 'model'.") };
    for (old, new) in
        [("messages", "input"), ("max_tokens", "max_output_tokens"), ("response_format", "text.format")]
    {
        demand(body.get(old).is_none(), || {
            format!(
                "Unsupported parameter: '{old}'. In the Responses API, this parameter has moved to '{new}'."
            )
        })?;
    }
    let tools = list(body, "tools");
    for (place, tool) in tools.iter().enumerate() {
        demand(text(tool, "name").is_some(), || {
            format!("Missing required parameter: 'tools[{place}].name'.")
        })?;
    }
    if vendor == Vendor::Xai {
        check_xai(body)?;
    }
    let mut reader =
        ResponsesRequestReader { keeps_order: vendor == Vendor::Xai, ..ResponsesRequestReader::default() };
    match body.get("input") {
        Some(Value::String(_)) => {}
        Some(Value::Array(items)) if !items.is_empty() => {
            items.iter().enumerate().try_for_each(|(place, item)| reader.item(place, item))?;
        }
        _ => return refuse("Missing required parameter: 'input'."),
    }
    reader.check_end()?;
    let keeps_nothing = body.get("store") == Some(&Value::Bool(false));
    let includes = list(body, "include").iter().any(|entry| entry == "reasoning.encrypted_content");
    demand(!keeps_nothing || includes || !reader.has_thoughts, || {
        "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.".to_owned()
    })?;
    let tools = tool_names(tools.iter().map(|tool| text(tool, "name")))?;
    let must_call = match body.get("tool_choice") {
        Some(Value::String(word)) if word == "required" => Some(MustCall::Any),
        Some(choice @ Value::Object(_)) => Some(MustCall::named(text(choice, "name"), &tools)?),
        _ => None,
    };
    Ok(LegalRequest {
        model: model.to_owned(),
        streams: body.get("stream") == Some(&Value::Bool(true)),
        wants_usage: true,
        tools,
        must_call,
        pictures: reader.pictures,
        forbids_calls: text(body, "tool_choice") == Some("none"),
        exchanges: reader.exchanges,
    })
}

/// What xAI does not take (S-18).
fn check_xai(body: &Value) -> Result<(), VendorRefusal> {
    let is_free =
        body.get("tool_choice").is_none() || matches!(text(body, "tool_choice"), Some("auto" | "none"));
    demand(is_free, || "tool_choice: forcing a tool is not supported".to_owned())?;
    demand(body.pointer("/text/format").is_none(), || "text.format: not supported".to_owned())
}

#[derive(Default)]
struct ResponsesRequestReader {
    /// Whether outcomes must be in the order of their calls.
    keeps_order: bool,
    exchanges: Vec<PastExchange>,
    pending: Vec<String>,
    seen: BTreeSet<String>,
    /// Whether the last item belongs to the assistant, so that the next one may go on with it.
    is_speaking: bool,
    /// A reasoning item that still waits for what it led to.
    lonely: Option<String>,
    has_thoughts: bool,
    pictures: Vec<String>,
}

impl ResponsesRequestReader {
    fn item(&mut self, place: usize, item: &Value) -> Result<(), VendorRefusal> {
        match (text(item, "type").unwrap_or("message"), text(item, "role")) {
            ("message", Some("assistant")) => {
                check_parts(place, item, &["output_text", "refusal"])?;
                let said = content_text(item.get("content"));
                demand(!said.is_empty(), || format!("Invalid 'input[{place}].content': empty."))?;
                self.lonely = None;
                self.speak(|exchange| exchange.text.push_str(&said));
            }
            ("message", Some("user" | "system" | "developer")) => {
                self.check_followed()?;
                check_parts(place, item, &["input_text", "input_image", "input_file"])?;
                for part in
                    list(item, "content").iter().filter(|part| text(part, "type") == Some("input_image"))
                {
                    self.pictures.extend(picture_of(text(part, "image_url"))?);
                }
                self.is_speaking = false;
            }
            ("reasoning", _) => self.reasoning(place, item)?,
            ("function_call", _) => self.call(place, item)?,
            ("function_call_output", _) => self.outcome(item)?,
            (other, _) => return refuse(format!("Invalid value: '{other}' for 'input[{place}].type'.")),
        }
        Ok(())
    }

    /// Goes on with what the assistant says, or begins it.
    fn speak(&mut self, change: impl FnOnce(&mut PastExchange)) {
        if !self.is_speaking {
            self.exchanges.push(PastExchange::default());
        }
        self.is_speaking = true;
        if let Some(exchange) = self.exchanges.last_mut() {
            change(exchange);
        }
    }

    fn reasoning(&mut self, place: usize, item: &Value) -> Result<(), VendorRefusal> {
        self.check_followed()?;
        let id = text(item, "id").unwrap_or_default();
        demand(id.starts_with("rs"), || {
            format!("Invalid 'input[{place}].id': '{id}'. Expected an ID that begins with 'rs'.")
        })?;
        demand(item.get("summary").is_some_and(Value::is_array), || {
            format!("Missing required parameter: 'input[{place}].summary'.")
        })?;
        self.lonely = Some(id.to_owned());
        self.has_thoughts = true;
        let mut thought = item.clone();
        if let Some(fields) = thought.as_object_mut() {
            fields.remove("status");
        }
        self.speak(|exchange| exchange.thoughts.push(thought));
        Ok(())
    }

    fn call(&mut self, place: usize, item: &Value) -> Result<(), VendorRefusal> {
        let id = text(item, "call_id").unwrap_or_default().to_owned();
        demand(is_word(&id, WORD_ID_CHARS_MAX), || format!("Invalid 'input[{place}].call_id': '{id}'."))?;
        demand(self.seen.insert(id.clone()), || format!("Duplicate 'call_id' '{id}' in 'input[{place}]'."))?;
        if let Some(item_id) = text(item, "id") {
            demand(item_id.starts_with("fc"), || {
                format!("Invalid 'input[{place}].id': '{item_id}'. Expected an ID that begins with 'fc'.")
            })?;
        }
        let name = text(item, "name").unwrap_or_default().to_owned();
        let arguments = arguments_of(text(item, "arguments"), &format!("input[{place}]"))?;
        self.lonely = None;
        self.pending.push(id.clone());
        self.speak(|exchange| exchange.calls.push(PastCall { id, name, arguments }));
        Ok(())
    }

    fn outcome(&mut self, item: &Value) -> Result<(), VendorRefusal> {
        self.check_followed()?;
        let id = text(item, "call_id").unwrap_or_default();
        let Some(at) = self.pending.iter().position(|pending| pending == id) else {
            return refuse(format!("No tool call found for function call output with call_id {id}."));
        };
        demand(!self.keeps_order || at == 0, || {
            "tool results must be in the order of their calls".to_owned()
        })?;
        demand(item.get("output").is_some_and(|output| output.is_string() || output.is_array()), || {
            "Missing required parameter: 'input.output'.".to_owned()
        })?;
        self.pending.remove(at);
        self.is_speaking = false;
        Ok(())
    }

    fn check_followed(&self) -> Result<(), VendorRefusal> {
        match &self.lonely {
            None => Ok(()),
            Some(id) => refuse(format!(
                "Item '{id}' of type 'reasoning' was provided without its required following item."
            )),
        }
    }

    fn check_end(&self) -> Result<(), VendorRefusal> {
        self.check_followed()?;
        match self.pending.first() {
            None => Ok(()),
            Some(id) => refuse(format!("No tool output found for function call {id}.")),
        }
    }
}

fn check_parts(place: usize, item: &Value, kinds: &[&str]) -> Result<(), VendorRefusal> {
    for part in list(item, "content") {
        let kind = text(part, "type").unwrap_or_default();
        demand(kinds.contains(&kind), || {
            format!(
                "Invalid value: '{kind}' in 'input[{place}].content'. Supported values are: {}.",
                kinds.join(", ")
            )
        })?;
    }
    Ok(())
}

/// What must come back of a thought.
pub(super) fn thoughts(thought: &Thought) -> Vec<Value> {
    vec![json!({
        "type": "reasoning", "id": format!("rs_{}", thought.sealed.trim_end_matches("/w==")),
        "summary": [{"type": "summary_text", "text": thought.text}], "encrypted_content": thought.state,
    })]
}

/// The events of an answer.
pub(super) fn frames(asked: &LegalRequest, say: &Say) -> Vec<String> {
    let mut stream = ResponsesStream::default();
    let response = |status: &str, output: &[Value]| {
        json!({"response": {"id": "resp_1", "object": "response", "model": asked.model, "status": status,
            "output": output, "error": null, "incomplete_details": null}})
    };
    stream.put("response.created", response("in_progress", &[]));
    stream.put("response.in_progress", response("in_progress", &[]));
    if let Some(thought) = &say.thought {
        stream.think(thought);
    }
    if !say.text.is_empty() {
        stream.speak(&say.text);
    }
    for (place, call) in say.calls.iter().enumerate() {
        let item = |status: &str, arguments: &str| {
            json!({"type": "function_call", "id": format!("fc_{}_{place}", say.step), "call_id": call.id,
                "name": call.name, "arguments": arguments, "status": status})
        };
        let deltas = call.pieces();
        stream.item(&item("in_progress", ""), &item("completed", &call.arguments), |stream, at, id| {
            for delta in &deltas {
                stream.put(
                    "response.function_call_arguments.delta",
                    json!({"item_id": id, "output_index": at, "delta": delta}),
                );
            }
            stream.put(
                "response.function_call_arguments.done",
                json!({"item_id": id, "output_index": at, "arguments": call.arguments}),
            );
        });
    }
    let is_cut = say.finish == SayEnd::Length;
    let (event, status) =
        if is_cut { ("response.incomplete", "incomplete") } else { ("response.completed", "completed") };
    let output = std::mem::take(&mut stream.output);
    let mut last = response(status, &output);
    if let Some(fields) = last.get_mut("response").and_then(Value::as_object_mut) {
        fields.insert(
            "usage".to_owned(),
            json!({"input_tokens": 50, "input_tokens_details": {"cached_tokens": 20}, "output_tokens": 12,
                "output_tokens_details": {"reasoning_tokens": 5}, "total_tokens": 62}),
        );
        if is_cut {
            fields.insert("incomplete_details".to_owned(), json!({"reason": "max_output_tokens"}));
        }
    }
    stream.put(event, last);
    stream.frames
}

/// An answer in one piece: what the last event of the stream says of the whole.
pub(super) fn whole(asked: &LegalRequest, say: &Say) -> Value {
    let last = frames(asked, say).pop().unwrap_or_default();
    let payload = last.split_once("data: ").map_or("", |(_, payload)| payload);
    let event: Value = serde_json::from_str(payload).unwrap_or_default();
    event.get("response").cloned().unwrap_or_default()
}

#[derive(Default)]
struct ResponsesStream {
    frames: Vec<String>,
    output: Vec<Value>,
}

impl ResponsesStream {
    fn put(&mut self, event: &str, fields: Value) {
        let mut payload = serde_json::Map::new();
        payload.insert("type".to_owned(), event.into());
        payload.insert("sequence_number".to_owned(), self.frames.len().into());
        if let Value::Object(fields) = fields {
            payload.extend(fields);
        }
        self.frames.push(sse(Some(event), &Value::Object(payload)));
    }

    fn item(&mut self, begun: &Value, done: &Value, fill: impl FnOnce(&mut Self, usize, &str)) {
        let at = self.output.len();
        self.put("response.output_item.added", json!({"output_index": at, "item": begun}));
        fill(self, at, text(begun, "id").unwrap_or_default());
        self.put("response.output_item.done", json!({"output_index": at, "item": done}));
        self.output.push(done.clone());
    }

    fn think(&mut self, thought: &Thought) {
        let Some(done) = thoughts(thought).pop() else { return };
        let begun = json!({"type": "reasoning", "id": done.get("id"), "summary": []});
        self.item(&begun, &done, |stream, at, id| {
            let place = json!({"item_id": id, "output_index": at, "summary_index": 0});
            let with = |key: &str, value: Value| {
                let mut fields = place.clone();
                if let Some(fields) = fields.as_object_mut() {
                    fields.insert(key.to_owned(), value);
                }
                fields
            };
            let part = |text: &str| json!({"type": "summary_text", "text": text});
            stream.put("response.reasoning_summary_part.added", with("part", part("")));
            stream.put("response.reasoning_summary_text.delta", with("delta", thought.text.clone().into()));
            stream.put("response.reasoning_summary_text.done", with("text", thought.text.clone().into()));
            stream.put("response.reasoning_summary_part.done", with("part", part(&thought.text)));
        });
    }

    fn speak(&mut self, pieces: &[String]) {
        let message = |status: &str, content: Value| json!({"type": "message", "id": "msg_1", "status": status, "role": "assistant", "content": content});
        let part = |text: &str| json!({"type": "output_text", "text": text, "annotations": []});
        let whole = pieces.concat();
        let done = message("completed", json!([part(&whole)]));
        self.item(&message("in_progress", json!([])), &done, |stream, at, id| {
            let place = |key: &str, value: Value| {
                json!({"item_id": id, "output_index": at, "content_index": 0, key: value})
            };
            stream.put("response.content_part.added", place("part", part("")));
            for piece in pieces {
                stream.put("response.output_text.delta", place("delta", piece.as_str().into()));
            }
            stream.put("response.output_text.done", place("text", whole.as_str().into()));
            stream.put("response.content_part.done", place("part", part(&whole)));
        });
    }
}
