//! Which call of a run is meant by a number in a script.

use std::collections::BTreeMap;

use windlass_core::protocol::event::{DurableEvent, Event};
use windlass_core::protocol::ids::CallId;

use crate::script::Script;

/// Learns from events which call has which number. A call is known by its place: the run, the step
/// and its index among the calls of that step. Ids of providers may repeat, places do not.
#[derive(Debug, Clone)]
pub struct CallBook {
    /// Numbers of the calls: for each run, for each step.
    numbers_at: Vec<Vec<Vec<u32>>>,
    /// Runs and steps of the run that were begun.
    runs: usize,
    steps: usize,
    ids: BTreeMap<u32, CallId>,
    numbers: BTreeMap<CallId, u32>,
}

impl CallBook {
    /// The calls of a script.
    pub fn new(script: &Script) -> Self {
        let runs = script.runs();
        let numbers_at = runs
            .iter()
            .map(|steps| steps.iter().map(|step| step.calls().map(|call| call.number).collect()).collect())
            .collect();
        Self { numbers_at, runs: 0, steps: 0, ids: BTreeMap::new(), numbers: BTreeMap::new() }
    }

    /// Learns from an event; must see all of them, in order.
    pub fn see(&mut self, event: &Event) {
        if matches!(event, Event::Durable(DurableEvent::RunStarted { .. })) {
            self.runs = self.runs.saturating_add(1);
            self.steps = 0;
        }
        if matches!(event, Event::Durable(DurableEvent::StepStarted { .. })) {
            self.steps = self.steps.saturating_add(1);
        }
        let Event::Durable(DurableEvent::CallRequested { call, .. }) = event else { return };
        let written = self.number_at(call.index);
        // A call that was written as text has no line of its own: it is known by its count.
        let counted = || call.id.number().and_then(|number| u32::try_from(number).ok());
        if let Some(number) = written.or_else(counted) {
            self.ids.insert(number, call.id.clone());
            self.numbers.insert(call.id.clone(), number);
        }
    }

    /// The number of a call of the current step.
    fn number_at(&self, index: u32) -> Option<u32> {
        let run = self.numbers_at.get(self.runs.checked_sub(1)?)?;
        let step = run.get(self.steps.checked_sub(1)?)?;
        step.get(usize::try_from(index).ok()?).copied()
    }

    /// The call of that number, once it was requested.
    pub fn id(&self, number: u32) -> Option<&CallId> {
        self.ids.get(&number)
    }

    /// The number of a call, once it was requested.
    pub fn number(&self, id: &CallId) -> Option<u32> {
        self.numbers.get(id).copied()
    }
}

#[cfg(test)]
#[path = "calls_tests.rs"]
mod tests;
