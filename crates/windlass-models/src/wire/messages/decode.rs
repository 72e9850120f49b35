//! Answers: named events that open, grow and close content blocks.
//!
//! A block is known by its index. Counts are snapshots of the whole answer, never increments. Only
//! `message_stop` ends an answer.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use windlass_core::protocol::model::{CallDelta, Finish, ModelDelta, ModelFailure, ModelFailureKind, Usage};

use crate::failure;
use crate::wire::{Decode, SharedTarget, read_args, read_json};

#[derive(Deserialize)]
struct MessagesEvent<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Cow<'a, str>,
    index: Option<u32>,
    #[serde(borrow)]
    delta: Option<BlockDelta<'a>>,
    #[serde(borrow)]
    content_block: Option<&'a RawValue>,
    message: Option<Value>,
    usage: Option<Value>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct BlockDelta<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Cow<'a, str>,
    text: Option<String>,
    thinking: Option<String>,
    signature: Option<String>,
    partial_json: Option<String>,
    stop_reason: Option<String>,
}

/// The opening of a block, with its input as it is written: what is read of it must be what was meant, and a number that
/// no double holds spoils its own call alone.
#[derive(Deserialize)]
struct BlockOpening<'a> {
    #[serde(rename = "type", default)]
    kind: Value,
    #[serde(default)]
    id: Value,
    #[serde(default)]
    name: Value,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct WholeMessage<'a> {
    #[serde(default)]
    error: Value,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(default)]
    usage: Option<Value>,
    #[serde(default)]
    stop_reason: Value,
}

/// The events that mean something here; others may look as they like.
const KNOWN: [&str; 7] = [
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
    "error",
];

/// Blocks that are open at once; providers open one at a time.
const OPEN_BLOCKS_MAX: usize = 256;

/// An open content block.
#[derive(Debug)]
enum Block {
    /// Nothing has to be remembered.
    Plain,
    /// Thinking: the block without its text.
    Thinking(Map<String, Value>),
    /// A call: the input of its opening, as text or as a value, and whether any piece of input came after it.
    Call { input: (Option<String>, Option<Value>), has_pieces: bool },
    /// A block that only goes back: hidden thinking, calls that the provider answers itself, their results.
    Opaque { block: Map<String, Value>, input: String },
}

#[derive(Debug, Default)]
struct MessagesUsage {
    fresh: u64,
    read: u64,
    created: u64,
    output: u64,
}

impl MessagesUsage {
    /// A later snapshot replaces an earlier one; some gateways send zeros for what they do not repeat.
    fn replace(&mut self, usage: &Value) {
        let fields = [
            ("input_tokens", &mut self.fresh),
            ("cache_read_input_tokens", &mut self.read),
            ("cache_creation_input_tokens", &mut self.created),
            ("output_tokens", &mut self.output),
        ];
        for (name, count) in fields {
            match usage.get(name).and_then(Value::as_u64) {
                Some(0) | None => {}
                Some(new) => *count = new,
            }
        }
    }

    fn usage(&self) -> Usage {
        // Unlike OpenAI's, `input_tokens` leaves out what was read from the cache and written to it.
        let input = self.fresh.saturating_add(self.read).saturating_add(self.created);
        Usage { input, output: self.output, cached: self.read, ..Usage::default() }
    }
}

#[derive(Debug)]
pub(super) struct MessagesDecoder {
    target: SharedTarget,
    open: Vec<(u32, Block)>,
    /// A call that closed without a word of input: it has none, or it was cut before the first.
    bare_call: Option<u32>,
    counts: MessagesUsage,
    stop_reason: Option<String>,
    is_over: bool,
}

impl MessagesDecoder {
    pub(super) fn new(target: SharedTarget) -> Self {
        Self {
            target,
            open: Vec::new(),
            bare_call: None,
            counts: MessagesUsage::default(),
            stop_reason: None,
            is_over: false,
        }
    }

    fn take(&mut self, frame: MessagesEvent<'_>, out: &mut Vec<ModelDelta>) -> Result<(), ModelFailure> {
        if let Some(error) = frame.error.filter(|error| !error.is_null()) {
            return Err(self.refuse(&error));
        }
        match frame.kind.as_ref() {
            "content_block_delta" => {
                if let Some(delta) = frame.delta {
                    self.grow(frame.index, delta, out);
                }
            }
            "content_block_start" => {
                let block = frame.content_block.map(RawValue::get).unwrap_or("{}");
                self.start(frame.index, block, out)?;
            }
            "content_block_stop" => self.stop(frame.index, out),
            "message_start" => {
                self.count(frame.message.as_ref().and_then(|message| message.get("usage")), out)
            }
            "message_delta" => {
                // This comes behind all blocks: one that is still open was never closed by its server.
                self.stop_all(out);
                if let Some(reason) = frame.delta.and_then(|delta| delta.stop_reason) {
                    self.stop_reason = Some(reason);
                }
                self.count(frame.usage.as_ref(), out);
            }
            "message_stop" => self.finish(out),
            // Heartbeats, and whatever will be invented.
            _ => {}
        }
        Ok(())
    }

    fn count(&mut self, usage: Option<&Value>, out: &mut Vec<ModelDelta>) {
        if let Some(usage) = usage.filter(|usage| usage.is_object()) {
            self.counts.replace(usage);
            out.push(ModelDelta::Usage(self.counts.usage()));
        }
    }

    fn start(
        &mut self,
        index: Option<u32>,
        written: &str,
        out: &mut Vec<ModelDelta>,
    ) -> Result<(), ModelFailure> {
        let opening: BlockOpening<'_> = read_json(&self.target, written)?;
        let mut block: Map<String, Value> = match opening.kind.as_str() {
            Some("tool_use") => Map::new(),
            Some(_) | None => read_json(&self.target, written)?,
        };
        // Only the last block of an answer can be cut: one that is followed by another is complete.
        self.settle_bare_call("{}", out);
        self.stop_stale(out);
        let index = index.unwrap_or_else(|| self.open.last().map_or(0, |(last, _)| last.saturating_add(1)));
        let opened = match opening.kind.as_str().unwrap_or_default() {
            "text" => {
                push_text(out, ModelDelta::Text, block.shift_remove("text"));
                Block::Plain
            }
            "thinking" => {
                push_text(out, ModelDelta::Reasoning, block.shift_remove("thinking"));
                Block::Thinking(block)
            }
            "tool_use" => {
                out.push(ModelDelta::Call(CallDelta {
                    index: Some(index),
                    id: opening.id.as_str().map(str::to_owned),
                    name: opening.name.as_str().map(str::to_owned),
                    ..CallDelta::default()
                }));
                Block::Call { input: read_args(opening.input), has_pieces: false }
            }
            "redacted_thinking" => Block::Opaque { block, input: String::new() },
            other if other.ends_with("_tool_use") || other.ends_with("_tool_result") => {
                Block::Opaque { block, input: String::new() }
            }
            _ => Block::Plain,
        };
        self.open.push((index, opened));
        Ok(())
    }

    fn find(&mut self, index: Option<u32>) -> Option<&mut (u32, Block)> {
        match index {
            Some(index) => self.open.iter_mut().rev().find(|(own, _)| *own == index),
            None => self.open.last_mut(),
        }
    }

    fn grow(&mut self, index: Option<u32>, delta: BlockDelta<'_>, out: &mut Vec<ModelDelta>) {
        match delta.kind.as_ref() {
            "text_delta" => {
                out.extend(delta.text.filter(|text| !text.is_empty()).map(ModelDelta::Text));
            }
            "thinking_delta" => {
                out.extend(delta.thinking.filter(|text| !text.is_empty()).map(ModelDelta::Reasoning));
            }
            "signature_delta" => {
                if let Some((_, Block::Thinking(block))) = self.find(index) {
                    sign(block, delta.signature.unwrap_or_default());
                }
            }
            "input_json_delta" => {
                let piece = delta.partial_json.unwrap_or_default();
                self.grow_input(index, piece, out);
            }
            // Citations, and whatever will be invented.
            _ => {}
        }
    }

    fn grow_input(&mut self, index: Option<u32>, piece: String, out: &mut Vec<ModelDelta>) {
        if piece.is_empty() {
            return;
        }
        let index = match self.find(index) {
            Some((_, Block::Opaque { input, .. })) => {
                input.push_str(&piece);
                return;
            }
            Some((own, Block::Call { has_pieces, .. })) => {
                *has_pieces = true;
                Some(*own)
            }
            Some((_, Block::Plain | Block::Thinking(_))) => return,
            // Input of a block that was never opened: a call without a name fails loudly.
            None => index,
        };
        out.push(ModelDelta::Call(CallDelta { index, args_text: Some(piece), ..CallDelta::default() }));
    }

    fn stop(&mut self, index: Option<u32>, out: &mut Vec<ModelDelta>) {
        let place = match index {
            Some(index) => self.open.iter().rposition(|(own, _)| *own == index),
            None => self.open.len().checked_sub(1),
        };
        let Some(place) = place else { return };
        let (index, block) = self.open.remove(place);
        match block {
            Block::Plain | Block::Call { has_pieces: true, .. } => {}
            Block::Thinking(state) => out.push(ModelDelta::ReasoningState(Value::Object(state))),
            Block::Call { input: (args_text, args_value), .. }
                if args_text.is_some() || args_value.as_ref().is_some_and(is_filled) =>
            {
                out.push(ModelDelta::Call(CallDelta {
                    index: Some(index),
                    args_text,
                    args_value: args_value.map(Box::new),
                    ..CallDelta::default()
                }));
            }
            Block::Call { .. } => self.bare_call = Some(index),
            Block::Opaque { mut block, input } => {
                if let Ok(input) = serde_json::from_str::<Value>(&input) {
                    block.insert("input".to_owned(), input);
                }
                out.push(ModelDelta::ReasoningState(Value::Object(block)));
            }
        }
    }

    fn stop_all(&mut self, out: &mut Vec<ModelDelta>) {
        while let Some((first, _)) = self.open.first() {
            self.stop(Some(*first), out);
        }
    }

    /// Calls may grow side by side; thinking is over when something else begins, said or not.
    fn stop_stale(&mut self, out: &mut Vec<ModelDelta>) {
        let is_full = self.open.len() >= OPEN_BLOCKS_MAX;
        let stale = self.open.iter().find(|(_, block)| is_full || matches!(block, Block::Thinking(_)));
        if let Some((index, _)) = stale {
            self.stop(Some(*index), out);
        }
    }

    fn settle_bare_call(&mut self, args: &str, out: &mut Vec<ModelDelta>) {
        if let Some(index) = self.bare_call.take() {
            let args_text = Some(args.to_owned());
            out.push(ModelDelta::Call(CallDelta { index: Some(index), args_text, ..CallDelta::default() }));
        }
    }

    fn finish(&mut self, out: &mut Vec<ModelDelta>) {
        if self.is_over {
            return;
        }
        self.is_over = true;
        self.stop_all(out);
        let finish = match self.stop_reason.as_deref() {
            Some("end_turn" | "stop_sequence") => Finish::Stop,
            Some("tool_use") => Finish::Calls,
            Some("max_tokens" | "model_context_window_exceeded") => Finish::Length,
            Some("pause_turn") => Finish::Paused,
            Some("refusal") => Finish::Filtered,
            other => Finish::Other(other.unwrap_or("none").to_owned()),
        };
        // A call that was cut before its first argument must not look like one without arguments.
        self.settle_bare_call(if finish == Finish::Length { "{" } else { "{}" }, out);
        out.push(ModelDelta::Finish(finish));
    }

    /// The provider's words for what went wrong are finer than a look at the message.
    fn refuse(&self, error: &Value) -> ModelFailure {
        let failure = failure::in_band(&self.target, error);
        // An overflow comes as a plain `invalid_request_error`: there the words are finer than the type.
        let is_known =
            matches!(failure.kind, ModelFailureKind::ContextOverflow | ModelFailureKind::NoToolSupport);
        let (kind, is_retryable) = match error.get("type").and_then(Value::as_str) {
            Some("overloaded_error" | "api_error") => (ModelFailureKind::Overloaded, true),
            Some("rate_limit_error") => (ModelFailureKind::RateLimit, true),
            Some("timeout_error") => (ModelFailureKind::Timeout, true),
            Some("authentication_error" | "permission_error" | "billing_error") => {
                (ModelFailureKind::Auth, false)
            }
            Some("invalid_request_error" | "not_found_error" | "request_too_large") if !is_known => {
                (ModelFailureKind::BadRequest, false)
            }
            _ => return failure,
        };
        ModelFailure { kind, is_retryable, ..failure }
    }

    fn take_whole(
        &mut self,
        message: &WholeMessage<'_>,
        blocks: &[&RawValue],
        out: &mut Vec<ModelDelta>,
    ) -> Result<(), ModelFailure> {
        for (index, block) in (0..).zip(blocks) {
            if block.get().starts_with('{') {
                self.start(Some(index), block.get(), out)?;
                self.stop(Some(index), out);
            }
        }
        self.count(message.usage.as_ref(), out);
        self.stop_reason = message.stop_reason.as_str().map(str::to_owned);
        self.finish(out);
        Ok(())
    }
}

impl Decode for MessagesDecoder {
    fn frame(
        &mut self,
        event: Option<&str>,
        data: &str,
        out: &mut Vec<ModelDelta>,
    ) -> Result<(), ModelFailure> {
        match serde_json::from_str::<MessagesEvent<'_>>(data) {
            Ok(mut frame) => {
                if let (true, Some(event)) = (frame.kind.is_empty(), event) {
                    frame.kind = Cow::Owned(event.to_owned());
                }
                self.take(frame, out)
            }
            Err(error) => {
                let value = serde_json::from_str::<Value>(data).ok();
                let kind = value.as_ref().and_then(|value| value.get("type")).and_then(Value::as_str);
                match kind {
                    Some(kind) if !KNOWN.contains(&kind) => Ok(()),
                    Some(_) | None => Err(failure::malformed(&self.target, data, &error.to_string())),
                }
            }
        }
    }

    fn whole(&mut self, body: &str, out: &mut Vec<ModelDelta>) -> Result<(), ModelFailure> {
        let malformed = |why: &str| failure::malformed(&self.target, body, why);
        let message: WholeMessage<'_> =
            serde_json::from_str(body).map_err(|error| malformed(&error.to_string()))?;
        if !message.error.is_null() {
            return Err(self.refuse(&message.error));
        }
        match message.content.map(|content| serde_json::from_str::<Vec<&RawValue>>(content.get())) {
            Some(Ok(blocks)) => self.take_whole(&message, &blocks, out),
            Some(Err(_)) | None => Err(malformed("the answer has no content")),
        }
    }

    fn end(&mut self, _out: &mut Vec<ModelDelta>) -> Result<(), ModelFailure> {
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.is_over
    }
}

/// Whether input says anything: an empty object at the opening of a block only says that pieces follow.
fn is_filled(input: &Value) -> bool {
    match input {
        Value::Null => false,
        Value::Object(fields) => !fields.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => true,
    }
}

fn push_text(out: &mut Vec<ModelDelta>, kind: fn(String) -> ModelDelta, text: Option<Value>) {
    if let Some(Value::String(text)) = text
        && !text.is_empty()
    {
        out.push(kind(text));
    }
}

/// A signature may begin in the opening of its block; what comes later is appended.
fn sign(block: &mut Map<String, Value>, piece: String) {
    match block.get_mut("signature") {
        Some(Value::String(signature)) => signature.push_str(&piece),
        Some(_) | None => {
            block.insert("signature".to_owned(), piece.into());
        }
    }
}

#[cfg(test)]
#[path = "decode_tests.rs"]
mod tests;
