//! What a record changes in the rows that are made of the journal: one answer for every store.
//!
//! A store applies the changes in the transaction that keeps the record, each in its own way. Knows no rows.

use crate::calls::json::clip::clip_chars;
use crate::permission::Decision;
use crate::ports::store::{RUN_MESSAGE_CHARS_MAX, title_of};
use crate::protocol::event::{DurableEvent, Event, Record, RunOutcome, StopReason};
use crate::protocol::ids::CallId;
use crate::protocol::model::Usage;
use crate::protocol::task::Task;

/// One change of the rows of the record's session and run.
#[derive(Debug, Clone, PartialEq)]
pub enum RowChange<'r> {
    /// A run began: it gets a row, and its session one run more. A session without a title takes it from what was
    /// said.
    RunBegun(BegunRun<'r>),
    /// The run has come at least so far.
    StepReached(u32),
    /// A step has used so much.
    UsageAdded(&'r Usage),
    /// The model asked for a call.
    CallCounted,
    /// The user is asked about a call.
    QuestionAsked(&'r CallId),
    /// A call is not asked about any more, if it was.
    QuestionSettled(&'r CallId),
    /// The session was granted what this rule says, until the process that gave it ends.
    Granted(&'r str),
    /// The session's task list is now this.
    TasksReplaced(&'r [Task]),
    /// The run is over, and none of its questions waits any more.
    RunEnded {
        /// How it ended.
        outcome: RunOutcome,
        /// Why it stopped.
        reason: &'r StopReason,
        /// What the whole run has used, in place of what was added.
        usage: &'r Usage,
    },
}

/// A run at its beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BegunRun<'r> {
    /// The model that answers.
    pub model: &'r str,
    /// The profile.
    pub profile: &'r str,
    /// What the user said, whole: searches look through it.
    pub said: String,
}

impl BegunRun<'_> {
    /// What a session without a title is called from now on.
    pub fn title(&self) -> &str {
        title_of(&self.said)
    }

    /// What lists show of the message.
    pub fn message(&self) -> String {
        clip_chars(&self.said, RUN_MESSAGE_CHARS_MAX).into_owned()
    }
}

/// What a record changes, in order. Deltas and most events change nothing.
pub fn project(record: &Record) -> impl Iterator<Item = RowChange<'_>> {
    let changes = match &record.event {
        Event::Durable(event) => changes_of(event),
        Event::Delta(_) => [None, None],
    };
    changes.into_iter().flatten()
}

fn changes_of(event: &DurableEvent) -> [Option<RowChange<'_>>; 2] {
    let only = |change| [Some(change), None];
    match event {
        DurableEvent::RunStarted { model, profile, message, .. } => {
            only(RowChange::RunBegun(BegunRun { model, profile, said: message.text() }))
        }
        DurableEvent::StepStarted { step, .. } => only(RowChange::StepReached(*step)),
        DurableEvent::StepEnded { usage, .. } => [usage.as_ref().map(RowChange::UsageAdded), None],
        DurableEvent::CallRequested { .. } => only(RowChange::CallCounted),
        DurableEvent::PermissionRequested { question } => only(RowChange::QuestionAsked(&question.call_id)),
        DurableEvent::PermissionDecided { call_id, decision, rule, .. } => {
            let granted = rule.as_deref().filter(|_| *decision == Decision::Session);
            [Some(RowChange::QuestionSettled(call_id)), granted.map(RowChange::Granted)]
        }
        DurableEvent::CallEnded { call_id, .. } => only(RowChange::QuestionSettled(call_id)),
        DurableEvent::TasksChanged { tasks } => only(RowChange::TasksReplaced(tasks)),
        DurableEvent::RunEnded { outcome, reason, usage, .. } => {
            only(RowChange::RunEnded { outcome: *outcome, reason, usage })
        }
        other => other.ignored(),
    }
}
