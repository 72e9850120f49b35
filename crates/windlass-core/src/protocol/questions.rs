//! Which questions wait for an answer: the one place that says what asks one and what settles it.

use std::sync::Arc;

use crate::permission::Question;
use crate::protocol::event::{DurableEvent, Event, Record};
use crate::protocol::ids::CallId;

/// What an event means for the open questions of its run.
#[derive(Debug, Clone, Copy)]
pub enum QuestionChange<'a> {
    /// One more waits.
    Asked(&'a Question),
    /// That of this call is decided or given up.
    Settled(&'a CallId),
    /// The run is over.
    AllSettled,
}

/// What an event means for the open questions of its run; nothing, mostly.
pub fn change_of(event: &DurableEvent) -> Option<QuestionChange<'_>> {
    match event {
        DurableEvent::PermissionRequested { question } => Some(QuestionChange::Asked(question)),
        DurableEvent::PermissionDecided { call_id, .. } | DurableEvent::CallEnded { call_id, .. } => {
            Some(QuestionChange::Settled(call_id))
        }
        DurableEvent::RunEnded { .. } => Some(QuestionChange::AllSettled),
        other => other.ignored(),
    }
}

/// Takes one event of a run into its open questions.
pub fn follow(open: &mut Vec<Question>, event: &DurableEvent) {
    match change_of(event) {
        Some(QuestionChange::Asked(question)) => open.push(question.clone()),
        Some(QuestionChange::Settled(call_id)) => open.retain(|question| question.call_id != *call_id),
        Some(QuestionChange::AllSettled) => open.clear(),
        None => {}
    }
}

/// The open questions of a run, from its records, each with its digest.
pub fn open_questions(records: &[Arc<Record>]) -> Vec<Question> {
    let mut open = Vec::new();
    for record in records {
        if let Event::Durable(event) = &record.event {
            follow(&mut open, event);
        }
    }
    let Some(first) = records.first() else { return open };
    open.into_iter().map(|question| question.sealed(&first.run_id)).collect()
}
