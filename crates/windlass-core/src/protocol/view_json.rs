//! A view as JSON: what `fixtures/views` holds, so that every fold of records can be held against the same files.
//!
//! ```text
//! {seq, runs: [{run_id, user, entries: [Entry], warnings: [{code, message}], adjustments: [{kind, message}],
//!   waiting: {attempt, attempts_max, delay_ms, message} | null, questions: [Question], error: text | null,
//!   ended: {outcome, reason} | null, answer, usage: Usage, tasks: [Task]}]}
//! Entry = {kind: "reasoning", phase, text} | {kind: "text", text}
//!   | {kind: "call", call: ToolCall, category, visibility, state: {kind, outcome?}, progress: text | null}
//! ```
//!
//! States of calls are `requested`, `asking`, `running` and `ended`. What is `null` is written, not left out.
//! What the fold itself keeps between two records is no part of it.

use serde::ser::{SerializeMap, SerializeStruct};
use serde::{Serialize, Serializer};

use crate::protocol::view::{CallState, CallView, Entry, RunView, SessionView, Waiting};

impl Serialize for SessionView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut view = serializer.serialize_struct("SessionView", 2)?;
        view.serialize_field("seq", &self.seq)?;
        view.serialize_field("runs", &self.runs)?;
        view.end()
    }
}

impl Serialize for RunView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let warnings: Vec<_> =
            self.warnings.iter().map(|(code, text)| NamedPair("code", code, "message", text)).collect();
        let adjustments: Vec<_> =
            self.adjustments.iter().map(|(kind, text)| NamedPair("kind", kind, "message", text)).collect();
        let ended =
            self.ended.as_ref().map(|(outcome, reason)| NamedPair("outcome", outcome, "reason", reason));
        let mut run = serializer.serialize_struct("RunView", 12)?;
        run.serialize_field("run_id", &self.run_id)?;
        run.serialize_field("user", &self.user)?;
        run.serialize_field("entries", &self.entries)?;
        run.serialize_field("warnings", &warnings)?;
        run.serialize_field("adjustments", &adjustments)?;
        run.serialize_field("waiting", &self.waiting)?;
        run.serialize_field("questions", &self.questions)?;
        run.serialize_field("error", &self.error)?;
        run.serialize_field("ended", &ended)?;
        run.serialize_field("answer", &self.answer)?;
        run.serialize_field("usage", &self.usage)?;
        run.serialize_field("tasks", &self.tasks)?;
        run.end()
    }
}

/// Two fields with their names.
struct NamedPair<'a, A, B>(&'static str, &'a A, &'static str, &'a B);

impl<A: Serialize, B: Serialize> Serialize for NamedPair<'_, A, B> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut pair = serializer.serialize_map(Some(2))?;
        pair.serialize_entry(self.0, self.1)?;
        pair.serialize_entry(self.2, self.3)?;
        pair.end()
    }
}

impl Serialize for Waiting {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut waiting = serializer.serialize_struct("Waiting", 4)?;
        waiting.serialize_field("attempt", &self.attempt)?;
        waiting.serialize_field("attempts_max", &self.attempts_max)?;
        waiting.serialize_field("delay_ms", &self.delay_ms)?;
        waiting.serialize_field("message", &self.message)?;
        waiting.end()
    }
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Entry::Reasoning { phase, text } => {
                let mut entry = serializer.serialize_struct("Entry", 3)?;
                entry.serialize_field("kind", "reasoning")?;
                entry.serialize_field("phase", phase)?;
                entry.serialize_field("text", text)?;
                entry.end()
            }
            Entry::Text(text) => {
                let mut entry = serializer.serialize_struct("Entry", 2)?;
                entry.serialize_field("kind", "text")?;
                entry.serialize_field("text", text)?;
                entry.end()
            }
            Entry::Call(call) => call.serialize(serializer),
        }
    }
}

impl Serialize for CallView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut call = serializer.serialize_struct("CallView", 6 + usize::from(self.is_applied))?;
        call.serialize_field("kind", "call")?;
        call.serialize_field("call", &self.call)?;
        call.serialize_field("category", &self.category)?;
        call.serialize_field("visibility", &self.visibility)?;
        call.serialize_field("state", &self.state)?;
        call.serialize_field("progress", &self.progress)?;
        if self.is_applied {
            call.serialize_field("is_applied", &true)?;
        }
        call.end()
    }
}

impl Serialize for CallState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut state = serializer.serialize_map(None)?;
        match self {
            CallState::Requested => state.serialize_entry("kind", "requested")?,
            CallState::Asking => state.serialize_entry("kind", "asking")?,
            CallState::Running => state.serialize_entry("kind", "running")?,
            CallState::Ended(outcome) => {
                state.serialize_entry("kind", "ended")?;
                state.serialize_entry("outcome", outcome)?;
            }
        }
        state.end()
    }
}
