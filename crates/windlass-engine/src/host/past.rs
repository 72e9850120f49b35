//! A session's past, from its records.

use std::sync::Arc;

use windlass_core::event::{Event, Record};
use windlass_core::message::Message;
use windlass_core::permission::{Decision, Question};
use windlass_core::store::SessionRow;

use crate::session::{Past, Unfinished};

/// What a session goes on from.
pub(super) fn past_of(row: &SessionRow, records: &[Arc<Record>]) -> Past {
    let mut past = Past { last_seq: row.last_seq, ..Past::default() };
    let mut transcript: Vec<Arc<Message>> = row.begin.history.clone();
    let mut from = 0;
    for (index, record) in records.iter().enumerate() {
        past.last_seq = past.last_seq.max(record.seq);
        match &record.event {
            Event::RunStarted { message, .. } => {
                from = index;
                transcript.push(Arc::clone(message));
            }
            Event::StepEnded { message, .. } | Event::CallEnded { message, .. } => {
                transcript.push(Arc::clone(message));
            }
            Event::NoteAdded { text } => transcript.push(Arc::new(Message::note(text.clone()))),
            Event::CallRequested { call, .. } => {
                let next = call.id.number().unwrap_or(0).saturating_add(1);
                past.next_call_number = past.next_call_number.max(next);
            }
            Event::TasksChanged { tasks } => past.tasks = tasks.to_vec(),
            Event::PermissionDecided {
                decision: Decision::Session | Decision::Remember,
                rule: Some(rule),
                ..
            } => past.grants.push(rule.clone()),
            _ => {}
        }
    }
    past.transcript = Arc::new(transcript);
    let is_unfinished = records.last().is_some_and(|record| !matches!(record.event, Event::RunEnded { .. }));
    past.unfinished = is_unfinished.then(|| Unfinished {
        records: records.iter().skip(from).cloned().collect(),
        retry: Vec::new(),
        given: Vec::new(),
    });
    past
}

/// The questions of a run that wait for an answer, from its records.
pub(super) fn questions_of(records: &[Arc<Record>]) -> Vec<Question> {
    let mut waiting: Vec<Question> = Vec::new();
    for record in records {
        match &record.event {
            Event::PermissionRequested { question } => waiting.push(question.as_ref().clone()),
            Event::PermissionDecided { call_id, .. } | Event::CallEnded { call_id, .. } => {
                waiting.retain(|question| question.call_id != *call_id);
            }
            Event::RunEnded { .. } => waiting.clear(),
            _ => {}
        }
    }
    waiting
}
