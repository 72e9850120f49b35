//! Steps and calls as the model gave them, from what the transcript has of them.

use serde_json::Value;

use super::tape::Tape;
use crate::calls::dialect::{ReadCall, field, text};
use crate::calls::toolset::Toolset;
use crate::profile::{Dialect, Profile};
use crate::protocol::message::{Part, text_of};
use crate::protocol::model::{Finish, ModelStep, Usage};
use crate::protocol::tool::{ErrorKind, RawArgs, RawCall, ToolCall};

/// The step that led to a message.
pub(super) fn rebuild_step(
    parts: &[Part],
    finish: &Finish,
    usage: Option<Usage>,
    tape: &Tape<'_>,
    profile: &Profile,
    tools: &Toolset,
) -> ModelStep {
    let finish = finish.clone();
    if let Some(parts) = written_call(parts, tape, profile, tools) {
        return ModelStep { parts, calls: Vec::new(), usage, finish };
    }
    let mut calls = Vec::new();
    let mut before = 0_usize;
    for part in parts {
        match part {
            Part::Call(call) => calls.push(raw_call(call, before, tape, profile)),
            Part::Text { .. } | Part::Reasoning(_) | Part::Image { .. } => before = before.saturating_add(1),
        }
    }
    ModelStep { parts: non_calls(parts), calls, usage, finish }
}

/// The parts of a step whose call was not a call of the wire, but read out of its text.
fn written_call(parts: &[Part], tape: &Tape<'_>, profile: &Profile, tools: &Toolset) -> Option<Vec<Part>> {
    let mut calls = parts.iter().filter_map(|part| match part {
        Part::Call(call) => Some(call),
        Part::Text { .. } | Part::Reasoning(_) | Part::Image { .. } => None,
    });
    // Text holds one call; several came by the wire.
    let (call, None) = (calls.next()?, calls.next()) else { return None };
    let mut said = non_calls(parts);
    let is_same = |read: &ReadCall| match read {
        ReadCall::Raw(raw) => {
            let name = tools.find(&raw.name).map_or(raw.name.as_str(), |entry| entry.spec.name.as_str());
            name == call.name && raw.args.to_text() == call.arguments
        }
        ReadCall::Bad { name, raw, .. } => {
            // It was corrected, or refused before anybody looked at it.
            let is_bad = failed_as(tape, call, ErrorKind::ParseError)
                || failed_as(tape, call, ErrorKind::LimitExceeded);
            let found = tools.find(name).map_or(name.as_str(), |entry| entry.spec.name.as_str());
            is_bad && found == call.name && *raw == call.arguments
        }
    };
    match profile.dialect {
        Dialect::Native => None,
        // The text that was the call is not in the message; a call that was read well reads the same as one
        // of the wire.
        Dialect::Text => match text::read(&call.arguments) {
            text::TextReading::Call(read @ ReadCall::Bad { .. }) if is_same(&read) => {
                said.push(Part::text(call.arguments.clone()));
                Some(said)
            }
            text::TextReading::Call(_) | text::TextReading::Answer => None,
        },
        Dialect::Field => match field::read(&text_of(&said)) {
            field::FieldReading::Call(read) if is_same(&read) => Some(said),
            field::FieldReading::Call(_) | field::FieldReading::Output => None,
        },
    }
}

/// A call as it came from the wire. What it looked like matters only as far as its outcome shows it.
pub(super) fn raw_call(call: &ToolCall, after_parts: usize, tape: &Tape<'_>, profile: &Profile) -> RawCall {
    let text = &call.arguments;
    let args = match serde_json::from_str(text) {
        // Arguments that were left out read `{}`, but not when they were cut.
        _ if text == "{}" && failed_as(tape, call, ErrorKind::ParseError) => RawArgs::Text(String::new()),
        // Text that holds a string is noted as encoded twice; without a note it came as a value.
        Ok(Value::String(inner)) if !is_repaired(tape, call) => RawArgs::Value(Value::String(inner)),
        // Only text has a limit.
        Ok(value)
            if text.len() > profile.limits.args_bytes_max
                && !failed_as(tape, call, ErrorKind::InvalidArgs) =>
        {
            RawArgs::Value(value)
        }
        Ok(_) | Err(_) => RawArgs::Text(text.clone()),
    };
    RawCall {
        provider_id: call.provider_id.clone(),
        name: call.name.clone(),
        args,
        after_parts,
        state: call.state.clone(),
    }
}

/// A call of which nothing is known.
pub(super) fn answered_call() -> RawCall {
    RawCall {
        provider_id: None,
        name: String::new(),
        args: RawArgs::Value(Value::Null),
        after_parts: 0,
        state: None,
    }
}

pub(super) fn non_calls(parts: &[Part]) -> Vec<Part> {
    parts.iter().filter(|part| !matches!(part, Part::Call(_))).cloned().collect()
}

fn failed_as(tape: &Tape<'_>, call: &ToolCall, kind: ErrorKind) -> bool {
    let failure = tape.outcome(&call.id).and_then(|outcome| outcome.failure());
    failure.is_some_and(|failure| failure.kind == kind)
}

fn is_repaired(tape: &Tape<'_>, call: &ToolCall) -> bool {
    tape.outcome(&call.id).is_none_or(|outcome| !outcome.meta.repairs.is_empty())
}
