//! Answers: one JSON record a line, the last one `done`.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use windlass_core::protocol::model::{CallDelta, Finish, ModelDelta, ModelFailure, Usage};

use crate::failure;
use crate::wire::{Decode, SharedTarget, read_args};

#[derive(Deserialize)]
struct OllamaChunk<'a> {
    message: Option<OllamaMessage>,
    #[serde(default)]
    done: bool,
    #[serde(borrow)]
    done_reason: Option<BorrowedText<'a>>,
    prompt_eval_count: Option<u64>,
    eval_count: Option<u64>,
    error: Option<Value>,
}

/// An optional text that is borrowed where it can be.
#[derive(Deserialize)]
struct BorrowedText<'a>(#[serde(borrow)] Cow<'a, str>);

#[derive(Deserialize)]
struct OllamaMessage {
    content: Option<String>,
    thinking: Option<String>,
    tool_calls: Option<Vec<Call>>,
}

#[derive(Deserialize)]
struct Call {
    id: Option<String>,
    function: Option<OllamaFunction>,
}

#[derive(Deserialize)]
struct OllamaFunction {
    name: Option<String>,
    /// As they are written: what is read of them must be what was meant.
    arguments: Option<Box<RawValue>>,
}

#[derive(Debug)]
pub(super) struct OllamaDecoder {
    target: SharedTarget,
    /// Numbers of the daemon repeat from record to record; these do not.
    calls: u32,
    is_over: bool,
}

impl OllamaDecoder {
    pub(super) fn new(target: SharedTarget) -> Self {
        Self { target, calls: 0, is_over: false }
    }

    fn take(&mut self, record: OllamaChunk<'_>, out: &mut Vec<ModelDelta>) -> Result<(), ModelFailure> {
        if let Some(error) = record.error.filter(|error| !error.is_null()) {
            return Err(failure::in_band(&self.target, &as_object(error)));
        }
        if let Some(message) = record.message {
            out.extend(message.thinking.filter(|text| !text.is_empty()).map(ModelDelta::Reasoning));
            out.extend(message.content.filter(|text| !text.is_empty()).map(ModelDelta::Text));
            for call in message.tool_calls.into_iter().flatten() {
                self.push_call(call, out);
            }
        }
        if record.prompt_eval_count.is_some() || record.eval_count.is_some() {
            out.push(ModelDelta::Usage(Usage {
                input: record.prompt_eval_count.unwrap_or(0),
                output: record.eval_count.unwrap_or(0),
                ..Usage::default()
            }));
        }
        if record.done && !self.is_over {
            self.is_over = true;
            let reason = record.done_reason.as_ref().map(|word| word.0.as_ref());
            out.push(ModelDelta::Finish(self.finish_of(reason)));
        }
        Ok(())
    }

    fn push_call(&mut self, call: Call, out: &mut Vec<ModelDelta>) {
        let OllamaFunction { name, arguments } =
            call.function.unwrap_or(OllamaFunction { name: None, arguments: None });
        let (args_text, args_value) = match read_args(arguments.as_deref()) {
            // Calls come whole here: arguments that are missing are none, and not yet to come.
            (None, None) => (None, Some(Value::Object(Map::new()))),
            (Some(text), None) if text.trim().is_empty() => (None, Some(Value::Object(Map::new()))),
            read => read,
        };
        let index = Some(self.calls);
        self.calls = self.calls.saturating_add(1);
        out.push(ModelDelta::Call(CallDelta {
            index,
            id: call.id,
            name,
            args_text,
            args_value: args_value.map(Box::new),
            ..CallDelta::default()
        }));
    }

    /// Calls are calls, whatever the daemon says about its end.
    fn finish_of(&self, reason: Option<&str>) -> Finish {
        match reason {
            Some("length") => Finish::Length,
            Some("stop" | "tool_calls" | "") | None if self.calls > 0 => Finish::Calls,
            Some("stop" | "") | None => Finish::Stop,
            Some(other) => Finish::Other(other.to_owned()),
        }
    }
}

/// The daemon's errors are bare texts.
fn as_object(error: Value) -> Value {
    match error {
        Value::String(_) => Value::Object([("message".to_owned(), error)].into_iter().collect()),
        other => other,
    }
}

impl Decode for OllamaDecoder {
    fn frame(
        &mut self,
        _event: Option<&str>,
        data: &str,
        out: &mut Vec<ModelDelta>,
    ) -> Result<(), ModelFailure> {
        let record = serde_json::from_str::<OllamaChunk<'_>>(data)
            .map_err(|error| failure::malformed(&self.target, data, &error.to_string()))?;
        self.take(record, out)
    }

    fn whole(&mut self, body: &str, out: &mut Vec<ModelDelta>) -> Result<(), ModelFailure> {
        self.frame(None, body.trim(), out)
    }

    fn end(&mut self, _out: &mut Vec<ModelDelta>) -> Result<(), ModelFailure> {
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.is_over
    }
}

#[cfg(test)]
#[path = "decode_tests.rs"]
mod tests;
