//! Which questions wait for an answer: the one fold of it.

use std::sync::Arc;

use crate::permission::Question;
use crate::protocol::event::{DurableEvent, Event, Record};

/// Takes one event of a run into its open questions: those that were asked and neither decided nor given up.
pub fn follow(open: &mut Vec<Question>, event: &DurableEvent) {
    match event {
        DurableEvent::PermissionRequested { question } => open.push(question.as_ref().clone()),
        DurableEvent::PermissionDecided { call_id, .. } | DurableEvent::CallEnded { call_id, .. } => {
            open.retain(|question| question.call_id != *call_id);
        }
        DurableEvent::RunEnded { .. } => open.clear(),
        other => other.ignored(),
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
