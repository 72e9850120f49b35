//! Wires: how five protocols write a request and speak an answer. Pure: bytes out, deltas in.
//!
//! A request body is a head (model, system text, tools, wishes), the turns of the history, and a tail.
//! Turns are only ever appended: the bytes of a turn depend on the turn, on what stands before it and on
//! whether it is the last, so that a run keeps its serialised history and writes each turn once or twice.

pub mod chat;
pub mod gemini;
pub mod messages;
pub mod ollama;
pub mod picture;
pub mod responses;
mod surrogate;

use std::sync::Arc;

use serde_json::Value;
use serde_json::value::RawValue;
use windlass_core::calls::json::parse::parse_value;
use windlass_core::protocol::model::{
    ModelDelta, ModelFailure, Notice, NoticeKind, Sampling, StepPurpose, ToolChoice,
};

use crate::failure::malformed;
use crate::frame::Framing;
use crate::health::Turn;
use crate::lower::LoweredTools;
use crate::target::{ModelTarget, WireKind};
use surrogate::mend_surrogates;

/// Everything of one request but its history.
#[derive(Debug, Clone, Copy)]
pub struct RequestPlan<'a> {
    pub target: &'a ModelTarget,
    /// The system text; may be empty.
    pub system: &'a str,
    /// The tools; may be empty.
    pub tools: &'a LoweredTools,
    /// What may be done with them: only forms that the target takes (`guard` saw to it).
    pub choice: &'a ToolChoice,
    /// Wishes: only such that the target takes.
    pub sampling: &'a Sampling,
    /// Why the step is asked for.
    pub purpose: StepPurpose,
    /// Notes that belong to this request alone, after the history.
    pub trailer: &'a [String],
}

/// What stands before a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TurnBefore {
    /// Nothing: it is the first.
    #[default]
    Nothing,
    /// A user message or a note.
    User,
    /// An assistant message without calls.
    Assistant,
    Outcomes,
}

/// Where a turn stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TurnPosition {
    /// What stands before it.
    pub before: TurnBefore,
    /// Whether the history ends with it.
    pub is_last: bool,
}

impl Turn<'_> {
    /// What stands before whatever follows this turn.
    pub fn leaves(&self) -> TurnBefore {
        match self {
            Turn::User(_) | Turn::Note(_) => TurnBefore::User,
            Turn::Exchange(exchange) if exchange.outcomes.is_empty() => TurnBefore::Assistant,
            Turn::Exchange(_) => TurnBefore::Outcomes,
        }
    }
}

/// Writes requests of one protocol.
pub trait Encode: Send + Sync {
    /// The path after the base URL, with its query.
    fn path(&self, plan: &RequestPlan<'_>) -> String;
    /// Everything before the first turn, up to and including the bracket that opens the list of turns and
    /// whatever of it is no turn (a system message).
    fn head(&self, plan: &RequestPlan<'_>, out: &mut Vec<u8>);
    /// One turn, with the comma before it where one is needed.
    fn turn(&self, plan: &RequestPlan<'_>, turn: &Turn<'_>, place: TurnPosition, out: &mut Vec<u8>);
    /// The trailer and everything up to the end of the body.
    fn tail(&self, plan: &RequestPlan<'_>, before: TurnBefore, out: &mut Vec<u8>);
}

/// Reads an answer of one protocol. Gives a `Finish` delta exactly when the provider really finished: an
/// answer without one was cut, and nothing of it may run.
pub trait Decode: Send {
    /// One frame of a stream: the payload of an SSE event (with its `event:` name) or a line of NDJSON.
    fn frame(
        &mut self,
        event: Option<&str>,
        data: &str,
        out: &mut Vec<ModelDelta>,
    ) -> Result<(), ModelFailure>;
    /// A whole answer that was not streamed.
    fn whole(&mut self, body: &str, out: &mut Vec<ModelDelta>) -> Result<(), ModelFailure>;
    /// The connection was closed in an orderly way.
    fn end(&mut self, out: &mut Vec<ModelDelta>) -> Result<(), ModelFailure>;
    /// Whether the provider has said its last word, so that nothing more needs to be waited for.
    fn is_over(&self) -> bool;
}

/// The encoder of a protocol.
pub fn encoder(kind: WireKind) -> &'static dyn Encode {
    match kind {
        WireKind::Chat => &chat::ChatWire,
        WireKind::Responses => &responses::ResponsesWire,
        WireKind::Messages => &messages::MessagesWire,
        WireKind::Gemini => &gemini::GeminiWire,
        WireKind::Ollama => &ollama::OllamaWire,
    }
}

/// A decoder for one answer of a protocol.
pub fn decoder(kind: WireKind, target: SharedTarget) -> Box<dyn Decode> {
    match kind {
        WireKind::Chat => chat::decoder(target),
        WireKind::Responses => responses::decoder(target),
        WireKind::Messages => messages::decoder(target),
        WireKind::Gemini => gemini::decoder(target),
        WireKind::Ollama => ollama::decoder(target),
    }
}

/// How answers of a protocol are cut into frames.
pub fn framing(kind: WireKind) -> Framing {
    match kind {
        WireKind::Chat | WireKind::Responses | WireKind::Messages | WireKind::Gemini => Framing::Sse,
        WireKind::Ollama => Framing::Lines,
    }
}

/// Reads a payload; one that cannot be read makes the whole answer unbelievable.
pub fn read_json<'a, T: serde::Deserialize<'a>>(
    target: &ModelTarget,
    text: &'a str,
) -> Result<T, ModelFailure> {
    serde_json::from_str(text).map_err(|error| malformed(target, text, &error.to_string()))
}

/// Arguments as they stand in an answer: text that was put into a string, or a value. A value that would not come out
/// as it was written stays text, so that the call fails and says why.
pub(crate) fn read_args(written: Option<&RawValue>) -> (Option<String>, Option<Value>) {
    let text = written.map(RawValue::get).unwrap_or("null");
    match parse_value(text) {
        Ok(Value::Null) => (None, None),
        Ok(Value::String(held)) => (Some(held), None),
        Ok(value) => (None, Some(value)),
        Err(_) => {
            let mended = mend_surrogates(text).unwrap_or_else(|| text.to_owned());
            (Some(serde_json::from_str(&mended).unwrap_or(mended)), None)
        }
    }
}

/// Says that a provider went on after the end of its answer.
pub(crate) fn told_after_end(target: &ModelTarget) -> ModelDelta {
    ModelDelta::Notice(Notice {
        kind: NoticeKind::Healed,
        rule: "after_end".to_owned(),
        message: format!(
            "{} went on after the end of its answer; what came then does not count",
            target.provider
        ),
    })
}

/// Appends a text as a JSON string.
pub fn write_text(out: &mut Vec<u8>, text: &str) {
    // Writing to memory cannot fail.
    let _ = serde_json::to_writer(&mut *out, text);
}

/// Appends any value as JSON.
pub fn write_json<T: serde::Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    let _ = serde_json::to_writer(&mut *out, value);
}

/// Appends a comma unless a list was just opened.
pub fn write_comma(out: &mut Vec<u8>) {
    // An empty buffer gets none either: kept turns are written as if they stood first.
    if out.last().is_some_and(|last| *last != b'[') {
        out.push(b',');
    }
}

/// Appends the name of an object's next member, with the comma before it where one is needed.
pub fn write_member(out: &mut Vec<u8>, name: &str) {
    if out.last().is_some_and(|last| *last != b'{') {
        out.push(b',');
    }
    write_text(out, name);
    out.push(b':');
}

/// A target that is shared by encoder, decoder and transport.
pub type SharedTarget = Arc<ModelTarget>;

#[cfg(test)]
#[path = "recorded_tests.rs"]
mod recorded;
