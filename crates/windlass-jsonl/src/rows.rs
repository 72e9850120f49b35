//! What is known of one session: its records, and the rows that core's projection makes of them.

use std::sync::Arc;

use windlass_core::permission::Rule;
use windlass_core::ports::store::{
    BegunRun, NewSession, RowChange, RunRow, SessionQuery, SessionRow, project,
};
use windlass_core::protocol::event::Record;
use windlass_core::protocol::ids::{CallId, Millis, RunId, SessionId};
use windlass_core::protocol::model::Usage;
use windlass_core::protocol::task::Task;

/// One session, from its lines.
#[derive(Debug, Default)]
pub(crate) struct LoggedSession {
    /// Nothing while only its records are known.
    pub(crate) row: Option<SessionRow>,
    pub(crate) records: Vec<Arc<Record>>,
    pub(crate) runs: Vec<LoggedRun>,
    pub(crate) tasks: Vec<Task>,
    /// What it is granted, with the run that it was granted in.
    pub(crate) grants: Vec<(RunId, Rule)>,
}

#[derive(Debug)]
pub(crate) struct LoggedRun {
    pub(crate) row: RunRow,
    said: String,
    asking: Vec<CallId>,
}

impl LoggedSession {
    pub(crate) fn begin(&mut self, session_id: SessionId, begin: NewSession, now: Millis) {
        let (created_ms, updated_ms) = (now, now);
        self.row = Some(SessionRow { session_id, begin, created_ms, updated_ms, last_seq: 0, runs: 0 });
    }

    /// Takes a record; the number of the next grant goes up with each.
    pub(crate) fn take(&mut self, record: Arc<Record>, next_grant: &mut u64) {
        for change in project(&record) {
            match change {
                RowChange::RunBegun(begun) => self.begin_run(&record, begun),
                RowChange::TasksReplaced(tasks) => self.tasks = tasks.to_vec(),
                RowChange::Granted(rule) => {
                    let granted = Rule::granted(*next_grant, rule, record.session_id.clone(), record.ts_ms);
                    *next_grant += 1;
                    self.grants.extend(granted.ok().map(|rule| (record.run_id.clone(), rule)));
                }
                change @ (RowChange::StepReached(_)
                | RowChange::UsageAdded(_)
                | RowChange::CallCounted
                | RowChange::QuestionAsked(_)
                | RowChange::QuestionSettled(_)
                | RowChange::RunEnded { .. }) => {
                    if let Some(run) = self.run_mut(&record.run_id) {
                        run.apply(&record, change);
                    }
                }
            }
        }
        if let Some(run) = self.run_mut(&record.run_id) {
            run.row.last_seq = record.seq;
        }
        if let Some(row) = &mut self.row {
            row.last_seq = record.seq;
            row.updated_ms = row.updated_ms.max(record.ts_ms);
            row.runs = self.runs.len() as u64;
        }
        self.records.push(record);
    }

    fn run_mut(&mut self, run_id: &RunId) -> Option<&mut LoggedRun> {
        self.runs.iter_mut().rev().find(|run| run.row.run_id == *run_id)
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
        self.runs.push(LoggedRun { row, said: begun.said, asking: Vec::new() });
    }

    /// Drops what was granted in runs that have ended: the process that gave it is another, or gone.
    pub(crate) fn end_grants(&mut self) {
        let runs = &self.runs;
        let is_open = |id: &RunId| runs.iter().any(|run| run.row.run_id == *id && run.row.ended_ms.is_none());
        self.grants.retain(|(run_id, _)| is_open(run_id));
    }

    pub(crate) fn fits(&self, query: &SessionQuery) -> bool {
        let Some(row) = &self.row else { return false };
        let is_before =
            query.before.as_ref().is_none_or(|(at_ms, id)| (row.updated_ms, &row.session_id) < (*at_ms, id));
        is_before
            && query.text.as_ref().is_none_or(|text| {
                let has = |place: &str| place.to_lowercase().contains(&text.to_lowercase());
                has(&row.begin.title) || self.runs.iter().any(|run| has(&run.said))
            })
    }
}

impl LoggedRun {
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
