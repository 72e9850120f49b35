//! When things happened: a second fold over the records, for the times and sizes that core's view does not keep.

use std::collections::HashMap;

use windlass_core::protocol::event::{DeltaEvent, DurableEvent, Event, Record};
use windlass_core::protocol::ids::{CallId, Millis, RunId};
use windlass_core::protocol::model::Usage;

/// Times of a session.
#[derive(Debug, Clone, Default)]
pub struct Timing {
    runs: HashMap<RunId, RunTiming>,
}

/// Times of a run.
#[derive(Debug, Clone, Default)]
pub struct RunTiming {
    pub started_ms: Millis,
    pub ended_ms: Option<Millis>,
    /// The model that answers.
    pub model: String,
    pub profile: String,
    /// The step that goes on, or the last.
    pub step: u32,
    /// Token counts of the last step that ended: what the model has read is what its context holds.
    pub last_step: Option<Usage>,
    /// When calls started to run.
    calls: HashMap<CallId, Millis>,
    /// When blocks of thinking began and were last added to, by their phase and their place in it.
    thinking: HashMap<u32, Vec<(Millis, Millis)>>,
    /// Whether the last piece that came was one of thinking.
    is_thinking: bool,
    /// When the step that goes on was asked for.
    pub step_started_ms: Option<Millis>,
    /// The call that the model is writing, if it is, with the characters of its arguments so far.
    pub writing: Option<(Option<String>, u64)>,
    /// When the wait for the next try began.
    pub delayed_ms: Option<Millis>,
    /// Whether text or thinking is arriving: the last thing that happened was a piece of it.
    pub is_telling: bool,
}

impl Timing {
    /// Folds in a record.
    pub fn apply(&mut self, record: &Record) {
        let now = record.ts_ms;
        if let Event::Durable(DurableEvent::RunStarted { model, profile, .. }) = &record.event {
            let (model, profile) = (model.clone(), profile.clone());
            let run = RunTiming { started_ms: now, model, profile, ..RunTiming::default() };
            self.runs.insert(record.run_id.clone(), run);
            return;
        }
        let Some(run) = self.runs.get_mut(&record.run_id) else { return };
        run.apply(&record.event, now);
    }

    /// The times of a run.
    pub fn run(&self, run_id: &RunId) -> Option<&RunTiming> {
        self.runs.get(run_id)
    }
}

impl RunTiming {
    fn apply(&mut self, event: &Event, now: Millis) {
        let was_thinking = std::mem::take(&mut self.is_thinking);
        self.is_telling = matches!(
            event,
            Event::Delta(DeltaEvent::TextDelta { .. }) | Event::Delta(DeltaEvent::ReasoningDelta { .. })
        );
        match event {
            Event::Durable(event) => match event {
                DurableEvent::StepStarted { step, .. } => {
                    (self.step, self.step_started_ms, self.writing) = (*step, Some(now), None);
                }
                DurableEvent::StepEnded { usage, .. } => {
                    (self.step_started_ms, self.writing) = (None, None);
                    self.last_step = usage.or(self.last_step);
                }
                DurableEvent::CallStarted { call_id, .. } => {
                    self.calls.insert(call_id.clone(), now);
                }
                DurableEvent::RunEnded { .. } => {
                    (self.ended_ms, self.step_started_ms, self.writing) = (Some(now), None, None);
                }
                // What was thought in a try that failed is thrown away, and thought again.
                DurableEvent::StepDelayed { .. } => {
                    self.thinking.retain(|_, blocks| {
                        let began = self.step_started_ms.unwrap_or(Millis::MAX);
                        blocks.retain(|(first, _)| *first < began);
                        !blocks.is_empty()
                    });
                    (self.step_started_ms, self.writing, self.delayed_ms) = (None, None, Some(now));
                }
                other => other.ignored(),
            },
            Event::Delta(delta) => match delta {
                DeltaEvent::ReasoningDelta { phase, .. } => {
                    let blocks = self.thinking.entry(*phase).or_default();
                    match blocks.last_mut().filter(|_| was_thinking) {
                        Some((_, last)) => *last = now,
                        None => blocks.push((now, now)),
                    }
                    self.is_thinking = true;
                }
                DeltaEvent::CallDelta { name, chars, .. } => self.writing = Some((name.clone(), *chars)),
                DeltaEvent::TextDelta { .. } => self.writing = None,
                DeltaEvent::StepProgressed { .. } | DeltaEvent::CallProgressed { .. } => {}
            },
        }
    }

    /// When a call started to run.
    pub fn call_started_ms(&self, call_id: &CallId) -> Option<Millis> {
        self.calls.get(call_id).copied()
    }

    /// When a block of thinking began, and how long it took so far: the nth of its phase.
    pub fn thought_ms(&self, phase: u32, block: usize) -> Option<(Millis, u64)> {
        let (began, last) = self.thinking.get(&phase)?.get(block)?;
        Some((*began, last.saturating_sub(*began)))
    }
}
