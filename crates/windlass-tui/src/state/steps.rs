//! The steps of runs, in a few words each: a third fold over the records, for those who fork.

use std::collections::HashMap;

use windlass_core::protocol::event::{DurableEvent, Event, Record};
use windlass_core::protocol::ids::RunId;
use windlass_core::text::cut_chars;

use crate::text::one_line;

/// Characters of a step's words that are kept: one line of a wide screen.
const WORDS_CHARS_MAX: usize = 160;

/// Steps of a session.
#[derive(Debug, Clone, Default)]
pub struct Steps {
    runs: HashMap<RunId, Vec<StepNote>>,
}

/// A step that is complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepNote {
    /// Which, from 1.
    pub step: u32,
    /// How its text begins.
    pub words: String,
    /// The tools that it called.
    pub calls: Vec<String>,
}

impl Steps {
    /// Folds in a record.
    pub fn apply(&mut self, record: &Record) {
        let Event::Durable(DurableEvent::StepEnded { step, message, .. }) = &record.event else { return };
        let words = one_line(cut_chars(&message.text(), WORDS_CHARS_MAX));
        let calls = message.calls().map(|call| call.name.clone()).collect();
        let steps = self.runs.entry(record.run_id.clone()).or_default();
        steps.retain(|known| known.step != *step);
        steps.push(StepNote { step: *step, words, calls });
    }

    /// The complete steps of a run, in their order.
    pub fn of(&self, run_id: &RunId) -> &[StepNote] {
        self.runs.get(run_id).map_or(&[], Vec::as_slice)
    }
}
