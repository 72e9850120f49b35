//! Rows of sessions and runs, made of their records as these come.

use std::sync::Arc;

use windlass_core::event::{Event, Record};
use windlass_core::ids::{CallId, Millis, SessionId};
use windlass_core::message::Message;
use windlass_core::model::Usage;
use windlass_core::permission::Decision;
use windlass_core::store::{NewSession, RunQuery, RunRow, SessionQuery, SessionRow, title_of};
use windlass_core::task::Task;
use windlass_core::text::cut_chars;

use crate::limits::TITLE_CHARS_MAX;

/// One session and all that belongs to it.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// Nothing while only its records are known (a journal without sessions).
    pub(super) row: Option<SessionRow>,
    pub(super) runs: Vec<KeptRun>,
    pub(super) tasks: Arc<[Task]>,
    pub(super) grants: Vec<String>,
}

/// One run.
#[derive(Debug)]
pub(super) struct KeptRun {
    pub(super) row: RunRow,
    said: Arc<Message>,
    asking: Vec<CallId>,
}

impl Kept {
    pub(super) fn begin(&mut self, session_id: &SessionId, begin: NewSession, now: Millis) {
        self.row = Some(SessionRow {
            session_id: session_id.clone(),
            begin,
            created_ms: now,
            updated_ms: now,
            last_seq: 0,
            runs: 0,
        });
    }

    /// Takes a record; whether a run began with it.
    pub(super) fn take(&mut self, record: &Record) -> bool {
        let has_begun = self.begin_run(record);
        if let Some(row) = &mut self.row {
            row.last_seq = record.seq;
            row.updated_ms = row.updated_ms.max(record.ts_ms);
            row.runs = self.runs.len() as u64;
        }
        match &record.event {
            Event::TasksChanged { tasks } => self.tasks = Arc::clone(tasks),
            Event::PermissionDecided { decision, rule: Some(rule), .. } => match decision {
                Decision::Session | Decision::Remember => self.grants.push(rule.clone()),
                Decision::Once | Decision::Deny => {}
            },
            _ => {}
        }
        if let Some(run) = self.runs.iter_mut().rev().find(|run| run.row.run_id == record.run_id) {
            run.take(record);
        }
        has_begun
    }

    fn begin_run(&mut self, record: &Record) -> bool {
        let Event::RunStarted { model, profile, message, .. } = &record.event else { return false };
        let text = message.text();
        if let Some(session) = self.row.as_mut().filter(|session| session.begin.title.is_empty()) {
            title_of(&text).clone_into(&mut session.begin.title);
        }
        let row = RunRow {
            run_id: record.run_id.clone(),
            session_id: record.session_id.clone(),
            message: cut_chars(&text, TITLE_CHARS_MAX).to_owned(),
            model: model.clone(),
            profile: profile.clone(),
            started_ms: record.ts_ms,
            ended_ms: None,
            outcome: None,
            reason: None,
            first_seq: record.seq,
            last_seq: record.seq,
            steps: 0,
            calls: 0,
            questions: 0,
            usage: Usage::default(),
        };
        self.runs.push(KeptRun { row, said: Arc::clone(message), asking: Vec::new() });
        true
    }

    pub(super) fn fits(&self, query: &SessionQuery) -> bool {
        let Some(row) = &self.row else { return false };
        let is_before =
            query.before.as_ref().is_none_or(|(at_ms, id)| (row.updated_ms, &row.session_id) < (*at_ms, id));
        is_before
            && query.text.as_ref().is_none_or(|text| {
                let text = text.to_lowercase();
                let has = |place: &str| place.to_lowercase().contains(&text);
                has(&row.begin.title) || self.runs.iter().any(|run| has(&run.said.text()))
            })
    }
}

/// Whether a run is one of those that are wanted.
pub(super) fn is_wanted(row: &RunRow, query: &RunQuery) -> bool {
    query.session_id.as_ref().is_none_or(|id| row.session_id == *id)
        && (!query.is_unfinished || row.outcome.is_none())
        && query.before.as_ref().is_none_or(|(at_ms, id)| (row.started_ms, &row.run_id) < (*at_ms, id))
}

impl KeptRun {
    fn take(&mut self, record: &Record) {
        let row = &mut self.row;
        row.last_seq = record.seq;
        match &record.event {
            Event::StepStarted { step, .. } => row.steps = row.steps.max(*step),
            Event::StepEnded { usage: Some(usage), .. } => row.usage.add(usage),
            Event::CallRequested { .. } => row.calls = row.calls.saturating_add(1),
            Event::PermissionRequested { question } => self.asking.push(question.call_id.clone()),
            Event::PermissionDecided { call_id, .. } | Event::CallEnded { call_id, .. } => {
                self.asking.retain(|asking| asking != call_id);
            }
            Event::RunEnded { outcome, reason, usage, .. } => {
                row.ended_ms = Some(record.ts_ms);
                row.outcome = Some(*outcome);
                row.reason = Some(reason.clone());
                row.usage = *usage;
                self.asking.clear();
            }
            Event::RunStarted { .. }
            | Event::RunResumed { .. }
            | Event::StepDelayed { .. }
            | Event::RequestAdjusted { .. }
            | Event::ReasoningDelta { .. }
            | Event::TextDelta { .. }
            | Event::CallDelta { .. }
            | Event::StepEnded { usage: None, .. }
            | Event::CallStarted { .. }
            | Event::InnerCallStarted { .. }
            | Event::InnerCallEnded { .. }
            | Event::StepProgressed { .. }
            | Event::CallProgressed { .. }
            | Event::TasksChanged { .. }
            | Event::NoteAdded { .. }
            | Event::WarningRaised { .. }
            | Event::ErrorRaised { .. } => {}
        }
        row.questions = u32::try_from(self.asking.len()).unwrap_or(u32::MAX);
    }
}
