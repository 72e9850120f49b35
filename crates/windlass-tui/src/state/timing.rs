//! When things happened: a second fold over the records, for the times and sizes that core's view does not keep.

use std::collections::HashMap;

use windlass_core::event::{Event, Record};
use windlass_core::ids::{CallId, Millis, RunId};
use windlass_core::model::Usage;

/// Times of a session.
#[derive(Debug, Clone, Default)]
pub struct Timing {
    runs: HashMap<RunId, RunTiming>,
}

/// Times of a run.
#[derive(Debug, Clone, Default)]
pub struct RunTiming {
    /// When it began.
    pub started_ms: Millis,
    /// When it ended.
    pub ended_ms: Option<Millis>,
    /// The model that answers.
    pub model: String,
    /// The profile.
    pub profile: String,
    /// The step that goes on, or the last.
    pub step: u32,
    /// Token counts of the last step that ended: what the model has read is what its context holds.
    pub last_step: Option<Usage>,
    /// When calls started to run.
    calls: HashMap<CallId, Millis>,
    /// When each phase of thinking began and was last added to.
    thinking: HashMap<u32, (Millis, Millis)>,
}

impl Timing {
    /// Folds in a record.
    pub fn apply(&mut self, record: &Record) {
        let now = record.ts_ms;
        if let Event::RunStarted { model, profile, .. } = &record.event {
            let (model, profile) = (model.clone(), profile.clone());
            let run = RunTiming { started_ms: now, model, profile, ..RunTiming::default() };
            self.runs.insert(record.run_id.clone(), run);
            return;
        }
        let Some(run) = self.runs.get_mut(&record.run_id) else { return };
        match &record.event {
            Event::StepStarted { step, .. } => run.step = *step,
            Event::StepEnded { usage: Some(usage), .. } => run.last_step = Some(*usage),
            Event::ReasoningDelta { phase, .. } => {
                run.thinking.entry(*phase).or_insert((now, now)).1 = now;
            }
            Event::CallStarted { call_id, .. } => {
                run.calls.insert(call_id.clone(), now);
            }
            Event::RunEnded { .. } => run.ended_ms = Some(now),
            Event::RunStarted { .. }
            | Event::RunResumed { .. }
            | Event::StepDelayed { .. }
            | Event::RequestAdjusted { .. }
            | Event::TextDelta { .. }
            | Event::CallDelta { .. }
            | Event::StepEnded { .. }
            | Event::CallRequested { .. }
            | Event::PermissionRequested { .. }
            | Event::PermissionDecided { .. }
            | Event::CallProgressed { .. }
            | Event::CallEnded { .. }
            | Event::TasksChanged { .. }
            | Event::NoteAdded { .. }
            | Event::WarningRaised { .. }
            | Event::ErrorRaised { .. } => {}
        }
    }

    /// The times of a run.
    pub fn run(&self, run_id: &RunId) -> Option<&RunTiming> {
        self.runs.get(run_id)
    }
}

impl RunTiming {
    /// When a call started to run.
    pub fn call_started_ms(&self, call_id: &CallId) -> Option<Millis> {
        self.calls.get(call_id).copied()
    }

    /// When a phase of thinking began, and how long it took so far.
    pub fn thought_ms(&self, phase: u32) -> Option<(Millis, u64)> {
        let (began, last) = self.thinking.get(&phase)?;
        Some((*began, last.saturating_sub(*began)))
    }
}
