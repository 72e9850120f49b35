//! The model request: a prefix that stays byte-identical, a window over the history, a trailer.
//!
//! The window only moves when the budget is exceeded, and then far, so that providers' prompt caches
//! keep working. It begins at a user message, so a call is never separated from its outcome, and
//! never leaves out anything of the run that asks.

use std::sync::Arc;

use super::{Goal, Run};
use crate::dialect::text;
use crate::message::{Message, Part, Transcript};
use crate::model::{ModelRequest, ToolChoice};
use crate::phrase::{phrase_continue, phrase_correction, phrase_finalise};
use crate::profile::Dialect;
use crate::toolset::Toolset;

/// The window is moved to this share of the budget, so that it moves rarely.
const REFILL_PERCENT: u64 = 70;

/// Which part of the transcript the model sees.
#[derive(Debug, Default)]
pub(super) struct Window {
    start: usize,
    /// Estimated tokens of every message.
    sizes: Vec<u64>,
    /// Their sum from `start` on.
    total: u64,
    /// Where this run begins: its own messages are never left out.
    run_start: usize,
}

impl Window {
    /// A window over a history that came in whole.
    pub(super) fn of(transcript: &Transcript) -> Self {
        let sizes: Vec<u64> = transcript.iter().map(|message| estimate_tokens(message)).collect();
        Self { start: 0, total: sizes.iter().sum(), run_start: sizes.len(), sizes }
    }

    /// Measures one more message.
    pub(super) fn grow(&mut self, message: &Message) {
        let size = estimate_tokens(message);
        self.sizes.push(size);
        self.total = self.total.saturating_add(size);
    }

    /// Moves the beginning when the budget is exceeded.
    fn fit(&mut self, transcript: &Transcript, tokens_max: u64) {
        if self.total <= tokens_max {
            return;
        }
        let aim = tokens_max.saturating_mul(REFILL_PERCENT) / 100;
        while self.start < self.run_start && (self.total > aim || !begins_group(transcript, self.start)) {
            let size = self.sizes.get(self.start).copied().unwrap_or(0);
            self.total = self.total.saturating_sub(size);
            self.start = self.start.saturating_add(1);
        }
    }

    fn view(&self, transcript: &Transcript) -> Transcript {
        if self.start == 0 {
            return Arc::clone(transcript);
        }
        let note = format!("{} earlier messages were left out to fit the context", self.start);
        let head = std::iter::once(Arc::new(Message::note(note)));
        Arc::new(head.chain(transcript.iter().skip(self.start).cloned()).collect())
    }
}

/// Whether the history may begin here.
fn begins_group(transcript: &Transcript, index: usize) -> bool {
    match transcript.get(index).map(AsRef::as_ref) {
        Some(Message::User { .. }) => true,
        Some(Message::Assistant { .. } | Message::Tool(_) | Message::Note { .. }) | None => false,
    }
}

/// Four characters a token: good enough to keep a budget, and the same on every machine.
fn estimate_tokens(message: &Message) -> u64 {
    let parts_size = |parts: &[Part]| parts.iter().map(part_chars).sum::<usize>();
    let chars = match message {
        Message::User { parts } | Message::Assistant { parts } => parts_size(parts),
        Message::Tool(tool) => tool.content.len(),
        Message::Note { text } => text.len(),
    };
    (chars as u64).div_ceil(4).saturating_add(4)
}

fn part_chars(part: &Part) -> usize {
    match part {
        Part::Text { text } => text.len(),
        Part::Reasoning(reasoning) => reasoning.text.len(),
        Part::Call(call) => call.name.len().saturating_add(call.arguments.len()),
        // A picture costs about a thousand tokens wherever its bytes are.
        Part::Image { .. } => 4_000,
    }
}

impl Run {
    pub(super) fn build_request(&mut self, tools: &Toolset, goal: &Goal) -> ModelRequest {
        let limits = &self.settings.profile.limits;
        self.window.fit(&self.transcript, limits.history_tokens_max);
        let mut request = ModelRequest {
            run_id: self.wishes.run_id.clone(),
            step: self.counters.steps,
            purpose: goal.purpose(),
            system: Arc::clone(&self.settings.system),
            messages: self.window.view(&self.transcript),
            trailer: self.trailer(goal),
            tools: tools.specs(),
            tool_choice: match goal {
                Goal::Finalise(_) => ToolChoice::Forbidden,
                Goal::Work | Goal::Correction(_) | Goal::Continuation => self.wishes.tool_choice.clone(),
            },
            sampling: self.wishes.sampling.clone(),
            kept: self.kept.clone(),
        };
        if self.settings.profile.dialect == Dialect::Text {
            self.write_as_text(&mut request, tools, goal);
        }
        request
    }

    /// What belongs to this request alone.
    fn trailer(&self, goal: &Goal) -> Vec<String> {
        let mut trailer = Vec::new();
        match goal {
            Goal::Work => {}
            Goal::Correction(error) => match self.settings.profile.dialect {
                Dialect::Text => {}
                Dialect::Native | Dialect::Field => trailer.push(format!(
                    "The last call was not run: {error}. Send it once more, corrected to the schema in its outcome, or answer."
                )),
            },
            Goal::Continuation => trailer.push(phrase_continue().to_owned()),
            Goal::Finalise(reason) => trailer.push(phrase_finalise(&self.settings.profile, &capitalised(&self.why(reason)))),
        }
        trailer
    }

    /// The prompt of the text dialect: one user message, its beginning stable from step to step (E-31).
    fn write_as_text(&self, request: &mut ModelRequest, tools: &Toolset, goal: &Goal) {
        let instructions = text::instructions(tools.specs().iter().map(AsRef::as_ref));
        request.system = match self.settings.system.as_ref() {
            "" => instructions.into(),
            system => format!("{system}\n\n{instructions}").into(),
        };
        let mut lines = Vec::new();
        let mut number = 0;
        for message in request.messages.iter() {
            write_line(&mut lines, &mut number, message);
        }
        match goal {
            Goal::Finalise(_) | Goal::Continuation => lines.append(&mut request.trailer),
            Goal::Work | Goal::Correction(_) => {
                lines.push(text::step_line(self.counters.work_steps, self.settings.profile.limits.steps_max));
            }
        }
        if let Goal::Correction(error) = goal {
            lines.push(phrase_correction(error));
        }
        request.messages = Arc::new(vec![Arc::new(Message::user(lines.join("\n")))]);
        request.trailer = Vec::new();
        request.tools = Arc::new([]);
        request.tool_choice = ToolChoice::Auto;
    }
}

/// One message as lines of a text prompt (Appendix A.1).
fn write_line(lines: &mut Vec<String>, number: &mut u32, message: &Message) {
    match message {
        Message::User { .. } => lines.push(format!("User: {}", message.text())),
        Message::Assistant { .. } => {
            let text = message.text();
            if !text.trim().is_empty() {
                lines.push(format!("Assistant: {text}"));
            }
        }
        Message::Tool(tool) if tool.is_valid_call => {
            *number = number.saturating_add(1);
            lines.push(format!("Tool {number} [{}]: {}", tool.name, tool.content));
        }
        Message::Tool(_) => {}
        Message::Note { text } => lines.push(text.clone()),
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
#[path = "context_tests.rs"]
mod tests;
