//! The answer of a run as one growing text, for clients that know neither steps nor calls.
//!
//! Owns what such a client may see and when: what a failed try said is not said twice, and the end adds what only the
//! machine knows (sources, refusals, a cancel's words).
//! Knows no wire.

use windlass_core::protocol::event::{DeltaEvent, DurableEvent, Event, RunOutcome};
use windlass_core::protocol::model::StepPurpose;

/// What stands between the texts of two steps.
const GAP: &str = "\n\n";

/// What the client is shown next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ShownText {
    /// More of the answer.
    Text(String),
    /// More of the thinking.
    Reasoning(String),
}

/// Folds the events of one run into what a client is shown of it.
#[derive(Debug, Default)]
pub(crate) struct AnswerText {
    /// What was shown of this step, and of those that it continues.
    shown: String,
    /// What an earlier try of this step had shown.
    earlier: String,
    /// What this try said while it might be the same again.
    retold: String,
    /// Whether another step was shown before.
    needs_gap: bool,
}

impl AnswerText {
    /// Takes in an event.
    pub(crate) fn apply(&mut self, event: &Event) -> Option<ShownText> {
        match event {
            Event::Durable(event) => match event {
                DurableEvent::StepStarted { purpose, attempt, .. } => {
                    self.begin_step(*purpose, *attempt);
                    None
                }
                DurableEvent::RunEnded { answer, outcome, .. } => self.close(answer, *outcome),
                other => other.ignored(),
            },
            Event::Delta(delta) => match delta {
                DeltaEvent::ReasoningDelta { text, .. } => Some(ShownText::Reasoning(text.clone())),
                DeltaEvent::TextDelta { text } => self.show(text),
                DeltaEvent::CallDelta { .. }
                | DeltaEvent::StepProgressed { .. }
                | DeltaEvent::CallProgressed { .. } => None,
            },
        }
    }

    fn begin_step(&mut self, purpose: StepPurpose, attempt: u32) {
        self.retold.clear();
        if attempt > 1 {
            // A try that said nothing leaves what an earlier one has shown.
            if !self.shown.is_empty() {
                self.earlier = std::mem::take(&mut self.shown);
            }
            return;
        }
        self.earlier.clear();
        if purpose != StepPurpose::Continuation && !self.shown.is_empty() {
            self.shown.clear();
            self.needs_gap = true;
        }
    }

    fn show(&mut self, text: &str) -> Option<ShownText> {
        if text.is_empty() {
            return None;
        }
        if self.earlier.is_empty() {
            return self.add(text);
        }
        self.retold.push_str(text);
        if let Some(more) = self.retold.strip_prefix(self.earlier.as_str()) {
            let more = more.to_owned();
            self.shown = std::mem::take(&mut self.earlier);
            return self.add(&more);
        }
        if self.earlier.starts_with(self.retold.as_str()) {
            return None;
        }
        // What was shown cannot be taken back: other words begin behind a gap.
        self.earlier.clear();
        self.needs_gap = true;
        let told = std::mem::take(&mut self.retold);
        self.add(&told)
    }

    fn add(&mut self, text: &str) -> Option<ShownText> {
        if text.is_empty() {
            return None;
        }
        let gap = if std::mem::take(&mut self.needs_gap) { GAP } else { "" };
        self.shown.push_str(text);
        Some(ShownText::Text(format!("{gap}{text}")))
    }

    /// The end of the answer, where it is not what was shown already.
    fn close(&mut self, answer: &str, outcome: RunOutcome) -> Option<ShownText> {
        if self.shown.is_empty() {
            self.shown = std::mem::take(&mut self.earlier);
        }
        self.earlier.clear();
        // Blanks around a text are the model's; the answer comes without them.
        if let Some(rest) = answer.trim_start().strip_prefix(self.shown.trim()) {
            let rest = rest.to_owned();
            return self.add(&rest);
        }
        // A failed run's answer is what there was of it: it has been shown.
        let is_shown = self.shown.contains(answer.trim()) || outcome == RunOutcome::Failed;
        if is_shown {
            return None;
        }
        self.needs_gap = true;
        self.add(answer)
    }
}

#[cfg(test)]
#[path = "answer_text_tests.rs"]
mod tests;
