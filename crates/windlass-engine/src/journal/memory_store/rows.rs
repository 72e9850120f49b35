//! Rows of sessions and runs, made of their records as these come.

use std::sync::atomic::{AtomicU64, Ordering};

use windlass_core::permission::Rule;
use windlass_core::ports::store::{
    BegunRun, NewSession, RowChange, RunQuery, RunRow, SessionQuery, SessionRow, project,
};
use windlass_core::protocol::event::Record;
use windlass_core::protocol::ids::{CallId, Millis, RunId, SessionId};
use windlass_core::protocol::model::Usage;
use windlass_core::protocol::task::Task;

/// The number of the next grant, of whatever session.
static NEXT_GRANT: AtomicU64 = AtomicU64::new(1);

/// One session and all that belongs to it.
#[derive(Debug, Default)]
pub(super) struct SessionRows {
    /// Nothing while only its records are known (a journal without sessions).
    pub(super) row: Option<SessionRow>,
    pub(super) runs: Vec<StoredRun>,
    pub(super) tasks: Vec<Task>,
    /// What it is granted, with the run that it was granted in.
    pub(super) grants: Vec<(RunId, Rule)>,
}

#[derive(Debug)]
pub(super) struct StoredRun {
    pub(super) row: RunRow,
    said: String,
    asking: Vec<CallId>,
}

impl SessionRows {
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
        let runs_before = self.runs.len();
        for change in project(record) {
            self.apply(record, change);
        }
        if let Some(run) = self.run_of(record) {
            run.row.last_seq = record.seq;
        }
        if let Some(row) = &mut self.row {
            row.last_seq = record.seq;
            row.updated_ms = row.updated_ms.max(record.ts_ms);
            row.runs = self.runs.len() as u64;
        }
        self.runs.len() > runs_before
    }

    fn apply(&mut self, record: &Record, change: RowChange<'_>) {
        match change {
            RowChange::RunBegun(begun) => self.begin_run(record, begun),
            RowChange::Granted(rule) => self.grant(record, rule),
            RowChange::TasksReplaced(tasks) => self.tasks = tasks.to_vec(),
            change @ (RowChange::StepReached(_)
            | RowChange::UsageAdded(_)
            | RowChange::CallCounted
            | RowChange::QuestionAsked(_)
            | RowChange::QuestionSettled(_)
            | RowChange::RunEnded { .. }) => {
                if let Some(run) = self.run_of(record) {
                    run.apply(record, change);
                }
            }
        }
    }

    fn run_of(&mut self, record: &Record) -> Option<&mut StoredRun> {
        // From the end: nearly every record is of the newest run.
        self.runs.iter_mut().rev().find(|run| run.row.run_id == record.run_id)
    }

    fn grant(&mut self, record: &Record, rule: &str) {
        let number = NEXT_GRANT.fetch_add(1, Ordering::Relaxed);
        let granted = Rule::granted(number, rule, record.session_id.clone(), record.ts_ms);
        self.grants.extend(granted.ok().map(|rule| (record.run_id.clone(), rule)));
    }

    /// Drops what was granted in runs that have ended.
    pub(super) fn end_grants(&mut self) {
        let runs = &self.runs;
        let is_open = |id: &RunId| runs.iter().any(|run| run.row.run_id == *id && run.row.ended_ms.is_none());
        self.grants.retain(|(run_id, _)| is_open(run_id));
    }

    fn begin_run(&mut self, record: &Record, begun: BegunRun<'_>) {
        if let Some(session) = self.row.as_mut().filter(|session| session.begin.title.is_empty()) {
            begun.title().clone_into(&mut session.begin.title);
        }
        let row = RunRow {
            run_id: record.run_id.clone(),
            session_id: record.session_id.clone(),
            message: begun.message(),
            model: begun.model.to_owned(),
            profile: begun.profile.to_owned(),
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
        self.runs.push(StoredRun { row, said: begun.said, asking: Vec::new() });
    }

    pub(super) fn fits(&self, query: &SessionQuery) -> bool {
        let Some(row) = &self.row else { return false };
        let is_before =
            query.before.as_ref().is_none_or(|(at_ms, id)| (row.updated_ms, &row.session_id) < (*at_ms, id));
        is_before
            && query.text.as_ref().is_none_or(|text| {
                let text = text.to_lowercase();
                let has = |place: &str| place.to_lowercase().contains(&text);
                has(&row.begin.title) || self.runs.iter().any(|run| has(&run.said))
            })
    }
}

/// Whether a run is one of those that are wanted.
pub(super) fn is_wanted(row: &RunRow, query: &RunQuery) -> bool {
    query.session_id.as_ref().is_none_or(|id| row.session_id == *id)
        && (!query.is_unfinished || row.outcome.is_none())
        && query.before.as_ref().is_none_or(|(at_ms, id)| (row.started_ms, &row.run_id) < (*at_ms, id))
}

impl StoredRun {
    fn apply(&mut self, record: &Record, change: RowChange<'_>) {
        let row = &mut self.row;
        match change {
            RowChange::StepReached(step) => row.steps = row.steps.max(step),
            RowChange::UsageAdded(usage) => row.usage.add(usage),
            RowChange::CallCounted => row.calls = row.calls.saturating_add(1),
            RowChange::QuestionAsked(call_id) => self.asking.push(call_id.clone()),
            RowChange::QuestionSettled(call_id) => self.asking.retain(|asking| asking != call_id),
            RowChange::RunEnded { outcome, reason, usage } => {
                row.ended_ms = Some(record.ts_ms);
                row.outcome = Some(outcome);
                row.reason = Some(reason.clone());
                row.usage = *usage;
                self.asking.clear();
            }
            RowChange::RunBegun(_) | RowChange::Granted(_) | RowChange::TasksReplaced(_) => {}
        }
        row.questions = u32::try_from(self.asking.len()).unwrap_or(u32::MAX);
    }
}
