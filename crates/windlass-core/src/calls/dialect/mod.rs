//! Dialects: how calls are found in what a model wrote.
//!
//! Native calls come as calls; the text and field dialects have to be read out of text. Whatever the
//! dialect, the result is the same: text parts, good raw calls and bad ones, in order. Nothing is ever
//! guessed: what cannot be read for certain is a bad call with its reason, or plain answer text.

pub mod field;
pub mod text;

use crate::calls::assemble::readable_parts;
use crate::profile::Dialect;
use crate::protocol::message::{Part, text_of};
use crate::protocol::model::ModelStep;
use crate::protocol::tool::{RawArgs, RawCall, ToolFailure};

/// What a model step says, read in a dialect.
#[derive(Debug, Clone, PartialEq)]
pub struct StepReading {
    /// Text and reasoning, without the text that was a call.
    pub parts: Vec<Part>,
    pub calls: Vec<ReadCall>,
}

/// A call as it was read.
#[derive(Debug, Clone, PartialEq)]
pub enum ReadCall {
    /// Its arguments may still be broken, but it is a call.
    Raw(RawCall),
    /// Meant as a call, but not one.
    Bad {
        /// The name, as far as it was there.
        name: String,
        raw: String,
        failure: ToolFailure,
    },
}

/// Reads a step in a dialect. Calls are read before the text is made readable: bytes that were no UTF-8 spoil a call
/// and not a sentence.
pub fn read(dialect: Dialect, step: ModelStep) -> StepReading {
    let StepReading { parts, calls } = read_written(dialect, step);
    StepReading { parts: readable_parts(parts), calls }
}

fn read_written(dialect: Dialect, step: ModelStep) -> StepReading {
    match dialect {
        Dialect::Native => native(step),
        // A model may answer natively although the profile asked for text: its calls are still calls.
        Dialect::Text | Dialect::Field if !step.calls.is_empty() => native(step),
        Dialect::Text => match text::read(&text_of(&step.parts)) {
            text::TextReading::Answer => StepReading { parts: step.parts, calls: Vec::new() },
            text::TextReading::Call(call) => behind(without_text(step.parts), call),
        },
        Dialect::Field => match field::read(&text_of(&step.parts)) {
            field::FieldReading::Output => StepReading { parts: step.parts, calls: Vec::new() },
            field::FieldReading::Call(call) => behind(step.parts, call),
        },
    }
}

/// Whether a whole output is a call that is written as text.
pub fn is_written_call(dialect: Dialect, output: &str) -> bool {
    match dialect {
        Dialect::Native => false,
        Dialect::Text => matches!(text::read(output), text::TextReading::Call(_)),
        Dialect::Field => matches!(field::read(output), field::FieldReading::Call(_)),
    }
}

fn native(step: ModelStep) -> StepReading {
    StepReading { parts: step.parts, calls: step.calls.into_iter().map(ReadCall::Raw).collect() }
}

/// A call that was read out of the text stands behind everything else.
fn behind(parts: Vec<Part>, call: ReadCall) -> StepReading {
    let call = match call {
        ReadCall::Raw(raw) => ReadCall::Raw(RawCall { after_parts: parts.len(), ..raw }),
        bad @ ReadCall::Bad { .. } => bad,
    };
    StepReading { parts, calls: vec![call] }
}

fn without_text(parts: Vec<Part>) -> Vec<Part> {
    parts.into_iter().filter(|part| !matches!(part, Part::Text { .. })).collect()
}

/// A raw call without a provider's id.
fn anonymous(name: &str, args: serde_json::Value) -> ReadCall {
    ReadCall::Raw(RawCall {
        provider_id: None,
        name: name.to_owned(),
        args: RawArgs::Value(args),
        after_parts: 0,
        state: None,
    })
}

#[cfg(test)]
#[path = "mod_tests.rs"]
mod tests;
