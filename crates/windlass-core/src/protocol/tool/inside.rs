//! Calls that a running call makes itself: what is on record of them, folded into a tree under that call.
//!
//! Each has a record before anything of it happens and one with how it ended. One without an end was cut off: with
//! the call around it, or with the program. Which of the two is not written down again, the other records say it.

use serde::{Deserialize, Serialize};

use super::{Effects, OutcomeMeta, OutcomeStatus, ToolOutcome};
use crate::calls::json::clip::clip_chars;
use crate::protocol::event::{DurableEvent, Event, Record};
use crate::protocol::ids::{CallId, Millis};

/// Characters that are kept of what a call inside a call gave.
const SAID_CHARS_MAX: usize = 2_000;

/// Characters of the arguments where calls are told in a sentence.
const TOLD_CHARS_MAX: usize = 80;

/// Calls that are told in a sentence: the newest, for nobody knows how the last one ended.
const TOLD_CALLS_MAX: usize = 16;

/// A call that a running call made itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InnerCall {
    /// The tool.
    pub name: String,
    /// Complete arguments.
    pub arguments: String,
    /// What its tool may change; nothing if there is no such tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effects: Option<Effects>,
    /// How it ended; nothing while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<OutcomeStatus>,
    /// What it gave or why it failed, cut.
    pub said: String,
    /// When it began.
    pub started_ms: Millis,
    /// How long it took.
    pub duration_ms: u64,
    /// Who allowed it: the gate's word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    /// Calls that it made itself, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inside: Vec<InnerCall>,
}

impl InnerCall {
    /// How it ended, or that it has not.
    pub fn word(&self) -> &'static str {
        self.status.map_or("running", OutcomeStatus::word)
    }

    /// Whether it, or a call inside it, may have changed something.
    pub fn may_have_changed(&self) -> bool {
        let may_change = self.effects.is_some_and(|effects| !effects.is_read_only());
        (may_change && self.status != Some(OutcomeStatus::Denied))
            || self.inside.iter().any(InnerCall::may_have_changed)
    }

    /// It and the calls inside it, told, in the order in which they began.
    fn tell(&self, told: &mut Vec<String>) {
        let end = match self.status {
            None | Some(OutcomeStatus::Interrupted) => "may or may not have happened",
            Some(OutcomeStatus::Ok) => "done",
            Some(status) => status.word(),
        };
        told.push(format!("{} {} ({end})", self.name, clip_chars(&self.arguments, TOLD_CHARS_MAX)));
        self.inside.iter().for_each(|call| call.tell(told));
    }

    fn cut_off(&mut self, status: OutcomeStatus) {
        self.status.get_or_insert(status);
        self.inside.iter_mut().for_each(|call| call.cut_off(status));
    }
}

/// How a call inside a call ended, for the record.
pub fn inner_end(call_id: CallId, path: Vec<u32>, outcome: &ToolOutcome) -> Event {
    let said = match &outcome.body {
        Ok(output) => clip_chars(&output.readable(), SAID_CHARS_MAX).into_owned(),
        Err(failure) => clip_chars(&failure.message, SAID_CHARS_MAX).into_owned(),
    };
    let OutcomeMeta { duration_ms, decision, .. } = &outcome.meta;
    let (status, duration_ms, decision) = (outcome.status(), *duration_ms, decision.clone());
    Event::Durable(DurableEvent::InnerCallEnded { call_id, path, status, said, duration_ms, decision })
}

/// Whether a record says anything of the calls inside some call.
pub fn concerns_inside(record: &Record) -> bool {
    let Event::Durable(event) = &record.event else { return false };
    match event {
        DurableEvent::InnerCallStarted { .. }
        | DurableEvent::InnerCallEnded { .. }
        | DurableEvent::CallEnded { .. }
        | DurableEvent::RunResumed { .. } => true,
        other => other.ignored(),
    }
}

/// Folds a record into the calls inside a call. One that says nothing of them changes nothing.
pub fn see_inside(calls: &mut Vec<InnerCall>, call_id: &str, record: &Record) {
    let Event::Durable(event) = &record.event else { return };
    let is_of_it = match event {
        DurableEvent::InnerCallStarted { call_id: own, .. }
        | DurableEvent::InnerCallEnded { call_id: own, .. }
        | DurableEvent::CallEnded { call_id: own, .. } => own.as_str() == call_id,
        DurableEvent::RunResumed { .. } => true,
        other => other.ignored(),
    };
    if !is_of_it {
        return;
    }
    match event {
        DurableEvent::InnerCallStarted { path, name, arguments, effects, .. } => {
            let Some((_, outer)) = path.split_last() else { return };
            let siblings =
                if outer.is_empty() { Some(calls) } else { find(calls, outer).map(|call| &mut call.inside) };
            let Some(siblings) = siblings else { return };
            siblings.push(InnerCall {
                name: name.clone(),
                arguments: arguments.clone(),
                effects: *effects,
                status: None,
                said: String::new(),
                started_ms: record.ts_ms,
                duration_ms: 0,
                decision: None,
                inside: Vec::new(),
            });
        }
        DurableEvent::InnerCallEnded { path, status, said, duration_ms, decision, .. } => {
            let Some(call) = find(calls, path) else { return };
            call.cut_off(OutcomeStatus::Cancelled);
            call.status = Some(*status);
            (call.said, call.duration_ms, call.decision) = (said.clone(), *duration_ms, decision.clone());
        }
        DurableEvent::RunResumed { .. } => {
            calls.iter_mut().for_each(|call| call.cut_off(OutcomeStatus::Interrupted))
        }
        DurableEvent::CallEnded { outcome, .. } => {
            // Before they had records of their own, they were part of the outcome.
            calls.extend_from_slice(&outcome.meta.inside);
            let is_unknown = outcome.status() == OutcomeStatus::Interrupted;
            let status = if is_unknown { OutcomeStatus::Interrupted } else { OutcomeStatus::Cancelled };
            calls.iter_mut().for_each(|call| call.cut_off(status));
        }
        other => other.ignored(),
    }
}

/// The call at a place: numbers count from 1.
fn find<'a>(calls: &'a mut [InnerCall], path: &[u32]) -> Option<&'a mut InnerCall> {
    let (number, deeper) = path.split_first()?;
    let at = usize::try_from(*number).ok()?.checked_sub(1)?;
    let call = calls.get_mut(at)?;
    if deeper.is_empty() { Some(call) } else { find(&mut call.inside, deeper) }
}

/// The calls inside one call, from the records of its run.
pub fn inside_of<'a>(records: impl IntoIterator<Item = &'a Record>, call_id: &CallId) -> Vec<InnerCall> {
    let mut calls = Vec::new();
    records.into_iter().for_each(|record| see_inside(&mut calls, call_id.as_str(), record));
    calls
}

/// The calls inside a call that was cut off by a stop of the program, in a sentence.
pub(crate) fn tell_inside(calls: &[InnerCall]) -> String {
    let mut told = Vec::new();
    calls.iter().for_each(|call| call.tell(&mut told));
    let left_out = told.len().saturating_sub(TOLD_CALLS_MAX);
    let before = if left_out > 0 { format!("{left_out} others, then ") } else { String::new() };
    format!("Calls that it had made: {before}{}", told.split_off(left_out).join(", "))
}

#[cfg(test)]
#[path = "inside_tests.rs"]
mod tests;
