//! The answer while it comes: which text of which event goes to a terminal that somebody watches.
//!
//! Pure: events in, text out. A step that is asked for again begins anew on a new line, and whatever the
//! answer turns out to be in the end, all of it stands there once.

use windlass_core::protocol::event::{DeltaEvent, DurableEvent, Event};

use crate::terminal::quote::Flow;

/// What stands on the terminal of the answer that is coming.
#[derive(Debug, Default)]
pub(crate) struct LiveAnswer {
    /// Everything said since the last step with calls, as the model said it.
    said: String,
    /// How much of it was there when the current step began.
    step_start: usize,
    /// How it stands there.
    flow: Flow,
}

impl LiveAnswer {
    /// Sees an event; what to print on a terminal with so many columns.
    pub(crate) fn see(&mut self, event: &Event, columns: usize) -> String {
        match event {
            Event::Durable(event) => match event {
                DurableEvent::StepStarted { attempt, .. } => {
                    let is_again = *attempt > 1 && self.said.len() > self.step_start;
                    if is_again {
                        self.said.truncate(self.step_start);
                        return self.break_line();
                    }
                    self.step_start = self.said.len();
                    String::new()
                }
                DurableEvent::StepEnded { message, .. } if message.calls().next().is_some() => {
                    self.said.clear();
                    self.step_start = 0;
                    self.break_line()
                }
                DurableEvent::RunEnded { answer, .. } => self.finish(answer, columns),
                DurableEvent::RunStarted { .. } => {
                    *self = Self::default();
                    String::new()
                }
                other => other.ignored(),
            },
            Event::Delta(delta) => match delta {
                DeltaEvent::TextDelta { text } => {
                    self.said.push_str(text);
                    self.flow.put(text, columns)
                }
                DeltaEvent::ReasoningDelta { .. }
                | DeltaEvent::CallDelta { .. }
                | DeltaEvent::StepProgressed { .. }
                | DeltaEvent::CallProgressed { .. } => String::new(),
            },
        }
    }

    /// A line break, if the cursor stands behind text: something else is about to be written.
    pub(crate) fn break_line(&mut self) -> String {
        self.flow.break_line()
    }

    /// Whether text stands on the terminal whose step goes on.
    pub(crate) fn is_speaking(&self) -> bool {
        self.flow.is_mid_line()
    }

    fn finish(&mut self, answer: &str, columns: usize) -> String {
        let said = std::mem::take(&mut self.said);
        self.step_start = 0;
        let mut text = match answer.strip_prefix(&*said) {
            Some(rest) => self.flow.put(rest, columns),
            None if answer.trim() == said.trim() => String::new(),
            None => {
                let gap = self.break_line();
                gap + self.flow.put(answer, columns).as_str()
            }
        };
        text.push_str(&self.break_line());
        text
    }
}

#[cfg(test)]
#[path = "answer_stream_tests.rs"]
mod tests;
