//! The window: which part of the history the model sees, and how large that is.
//!
//! It only moves when a budget is exceeded, and then far, so that providers' prompt caches keep working
//! . It begins at a user message, so a call is never separated from its outcome. Messages of the run
//! that asks are never left out; if they alone are too much, the contents of its oldest outcomes are.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::digest::digest;
use crate::protocol::message::{Message, Part, ToolMessage, Transcript};

/// The window is moved to this share of the budget, so that it moves rarely.
const REFILL_PERCENT: u64 = 70;

/// Requests below it say nothing of how long a token is: what a provider adds by itself weighs too much.
const CALIBRATION_TOKENS_MIN: u64 = 1_000;

/// The most that an estimated token may turn out to be, in percent: one token for each byte.
const SCALE_PERCENT_MAX: u64 = 400;

/// Which part of the transcript the model sees.
#[derive(Debug)]
pub(super) struct HistoryWindow {
    start: usize,
    /// Estimated tokens of every message, as it is shown.
    sizes: Vec<u64>,
    /// Their sum from `start` on.
    total: u64,
    /// Where this run begins: its own messages are never left out.
    run_start: usize,
    /// What stands for the messages before `start`.
    digest: Option<Arc<Message>>,
    /// Outcomes of this run that are shown without their contents, by their place.
    stubs: BTreeMap<usize, Arc<Message>>,
    /// The first outcome of this run that may still be shown whole.
    whole_from: usize,
    /// Estimated tokens that were too many for the provider, halved.
    ceiling: Option<u64>,
    /// What an estimated token is for the provider, in percent; it only grows.
    scale_percent: u64,
}

impl Default for HistoryWindow {
    fn default() -> Self {
        Self::of(&Transcript::default())
    }
}

/// What was left out in one move of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Trimmed {
    exchanges: usize,
    messages: usize,
    outcomes: usize,
    tokens: u64,
}

impl fmt::Display for Trimmed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        f.write_str("left out ")?;
        if self.messages > 0 {
            let Self { exchanges, messages, .. } = self;
            write!(
                f,
                "{exchanges} earlier exchange{} ({messages} message{})",
                plural(*exchanges),
                plural(*messages)
            )?;
        }
        if self.outcomes > 0 {
            let joint = if self.messages > 0 { " and " } else { "" };
            write!(
                f,
                "{joint}the contents of {} outcome{} of this run",
                self.outcomes,
                plural(self.outcomes)
            )?;
        }
        write!(f, ", about {} tokens, to fit the context", self.tokens)
    }
}

/// Whether outcomes that the model has not seen yet may be left out too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Newest {
    Kept,
    LeftOut,
}

impl HistoryWindow {
    /// A window over a history that came in whole.
    pub(super) fn of(transcript: &Transcript) -> Self {
        let sizes: Vec<u64> = transcript.iter().map(|message| estimate_tokens(message)).collect();
        Self {
            start: 0,
            total: sizes.iter().sum(),
            run_start: sizes.len(),
            digest: None,
            stubs: BTreeMap::new(),
            whole_from: sizes.len(),
            ceiling: None,
            scale_percent: 100,
            sizes,
        }
    }

    /// Measures one more message.
    pub(super) fn grow(&mut self, message: &Message) {
        let size = estimate_tokens(message);
        self.sizes.push(size);
        self.total = self.total.saturating_add(size);
    }

    /// Moves the window when it exceeds the budget; what was left out, if anything.
    pub(super) fn fit(&mut self, transcript: &Transcript, tokens_max: u64) -> Option<Trimmed> {
        let budget = self.estimated_budget(tokens_max);
        if self.total <= budget {
            return None;
        }
        self.shorten(transcript, budget, Newest::Kept)
    }

    /// The provider said that it was too much: halves the budget of this run.
    pub(super) fn shrink(&mut self, transcript: &Transcript, tokens_max: u64) -> Option<Trimmed> {
        // Of what was really sent: half of a budget far above that could be refused again.
        let ceiling = self.estimated_budget(tokens_max).min(self.total) / 2;
        self.ceiling = Some(ceiling);
        self.shorten(transcript, ceiling, Newest::LeftOut)
    }

    /// A budget of the provider's tokens in estimated ones.
    fn estimated_budget(&self, tokens_max: u64) -> u64 {
        let estimated = tokens_max.saturating_mul(100) / self.scale_percent;
        self.ceiling.map_or(estimated, |ceiling| ceiling.min(estimated))
    }

    fn shorten(&mut self, transcript: &Transcript, budget: u64, newest: Newest) -> Option<Trimmed> {
        let aim = budget.saturating_mul(REFILL_PERCENT) / 100;
        let (start, stubs, total) = (self.start, self.stubs.len(), self.total);
        self.leave_out_exchanges(transcript, aim);
        self.leave_out_contents(transcript, aim, newest);
        let left_out = transcript.get(start..self.start).unwrap_or_default();
        if !left_out.is_empty() {
            // Of all that is left out by now: there is only one digest.
            let before = transcript.get(..self.start).unwrap_or_default();
            self.digest = Some(Arc::new(Message::note(digest(before))));
        }
        let trimmed = Trimmed {
            exchanges: left_out.iter().filter(|message| begins_exchange(message)).count(),
            messages: left_out.len(),
            outcomes: self.stubs.len().saturating_sub(stubs),
            tokens: total.saturating_sub(self.total),
        };
        (trimmed.messages > 0 || trimmed.outcomes > 0).then_some(trimmed)
    }

    fn leave_out_exchanges(&mut self, transcript: &Transcript, aim: u64) {
        let may_begin = |index: usize| transcript.get(index).is_some_and(|message| begins_exchange(message));
        // On to a user message, also below the aim: no outcome may stand without its call.
        while self.start < self.run_start && (self.total > aim || !may_begin(self.start)) {
            let size = self.sizes.get(self.start).copied().unwrap_or(0);
            self.total = self.total.saturating_sub(size);
            self.start = self.start.saturating_add(1);
        }
    }

    /// Leaves out the contents of this run's outcomes, oldest first; calls and outcomes stay paired.
    fn leave_out_contents(&mut self, transcript: &Transcript, aim: u64, newest: Newest) {
        let is_assistant = |message: &Arc<Message>| matches!(message.as_ref(), Message::Assistant { .. });
        let end = match newest {
            // Whatever stands behind the last assistant message was in no request so far.
            Newest::Kept => transcript.iter().rposition(is_assistant).unwrap_or(0),
            Newest::LeftOut => transcript.len(),
        };
        while self.total > aim && self.whole_from < end {
            let index = self.whole_from;
            self.whole_from = self.whole_from.saturating_add(1);
            if let (Some(Message::Tool(tool)), Some(size)) =
                (transcript.get(index).map(AsRef::as_ref), self.sizes.get_mut(index))
            {
                let stub = stub_of(tool);
                let stub_size = estimate_tokens(&stub);
                // A short outcome takes less room than what would stand for it.
                if stub_size < *size {
                    self.total = self.total.saturating_sub(*size).saturating_add(stub_size);
                    *size = stub_size;
                    self.stubs.insert(index, Arc::new(stub));
                }
            }
        }
    }

    /// The history as the model sees it.
    pub(super) fn view(&self, transcript: &Transcript) -> Transcript {
        // Most histories fit: then every request shares the one that there is.
        if self.start == 0 && self.stubs.is_empty() {
            return Arc::clone(transcript);
        }
        let shown = (self.start..).zip(transcript.iter().skip(self.start));
        let shown = shown.map(|(index, message)| Arc::clone(self.stubs.get(&index).unwrap_or(message)));
        Arc::new(self.digest.iter().cloned().chain(shown).collect())
    }

    /// Learns from the provider's own count: if a request was larger than estimated, so are all others.
    pub(super) fn calibrate(&mut self, counted_tokens: u64, overhead_tokens: u64) {
        let estimated = self.total.saturating_add(overhead_tokens);
        if estimated >= CALIBRATION_TOKENS_MIN {
            let percent = counted_tokens.saturating_mul(100).div_ceil(estimated);
            self.scale_percent = self.scale_percent.max(percent.min(SCALE_PERCENT_MAX));
        }
    }

    /// Estimated tokens as the provider is expected to count them.
    pub(super) fn scaled(&self, tokens: u64) -> u64 {
        tokens.saturating_mul(self.scale_percent) / 100
    }
}

/// Whether the history may begin here.
fn begins_exchange(message: &Message) -> bool {
    match message {
        Message::User { .. } => true,
        Message::Assistant { .. } | Message::Tool(_) | Message::Note { .. } => false,
    }
}

/// An outcome without its contents.
fn stub_of(tool: &ToolMessage) -> Message {
    let content = format!(
        "[left out to fit the context; read_result with ref \"{}\" gives it again, whole or in pages]",
        tool.call_id
    );
    Message::Tool(ToolMessage { content, ..tool.clone() })
}

/// Four bytes a token: good enough to keep a budget, and the same on every machine.
pub(super) fn tokens_of_bytes(bytes: u64) -> u64 {
    bytes.div_ceil(4)
}

/// Estimated tokens of a message.
fn estimate_tokens(message: &Message) -> u64 {
    let parts_size = |parts: &[Part]| parts.iter().map(part_bytes).sum::<usize>();
    let bytes = match message {
        Message::User { parts } | Message::Assistant { parts } => parts_size(parts),
        Message::Tool(tool) => tool.content.len(),
        Message::Note { text } => text.len(),
    };
    // Roles and marks around a message cost tokens, too.
    tokens_of_bytes(bytes as u64).saturating_add(4)
}

fn part_bytes(part: &Part) -> usize {
    match part {
        Part::Text { text } => text.len(),
        Part::Reasoning(reasoning) => reasoning.text.len(),
        Part::Call(call) => call.name.len().saturating_add(call.arguments.len()),
        // A picture costs about a thousand tokens wherever its bytes are.
        Part::Image { .. } => 4_000,
    }
}

#[cfg(test)]
#[path = "window_tests.rs"]
mod tests;
