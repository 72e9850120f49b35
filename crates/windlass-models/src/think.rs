//! `<think>` tags in a streamed answer: what is between them is thinking, the rest is the answer.
//!
//! Thinking stands at the beginning of an answer and nowhere else: once an answer has begun, a tag in it is
//! text, so that an answer about tags loses nothing. Blanks around the tags go with the thinking. Not a byte
//! is lost but the tags themselves, wherever the stream is cut into pieces. Knows no wire.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";
/// Blanks at the beginning that are kept for a tag to come; more are an answer.
const BLANKS_MAX: usize = 4096;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerPiece {
    Text(String),
    Reasoning(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ThinkMode {
    /// Nothing but blanks came yet.
    Begin,
    Thinking,
    /// Behind a closing tag, nothing but blanks since.
    Behind,
    Answer,
}

/// Splits one streamed answer.
#[derive(Debug)]
pub struct ThinkSplitter {
    mode: ThinkMode,
    opens_thinking: bool,
    /// Text that may turn out to be the beginning of a tag, or blanks that may stand before one.
    held: String,
    tail_bytes: usize,
}

impl ThinkSplitter {
    /// A splitter for one answer. With `opens_thinking` the answer begins inside the tags: some templates
    /// write the opening tag into the prompt, so that only the closing one is ever seen.
    pub fn new(opens_thinking: bool) -> Self {
        Self { mode: ThinkMode::Begin, opens_thinking, held: String::new(), tail_bytes: 0 }
    }

    /// A splitter that takes everything for the answer.
    pub fn passing() -> Self {
        Self { mode: ThinkMode::Answer, ..Self::new(false) }
    }

    /// Whether everything from here on is answer text.
    pub fn is_passing(&self) -> bool {
        self.mode == ThinkMode::Answer
    }

    /// How many bytes at the end of the thinking stood behind its closing tag.
    pub fn tail_bytes(&self) -> usize {
        self.tail_bytes
    }

    /// Takes in a piece of the stream.
    pub fn push(&mut self, text: &str, out: &mut Vec<AnswerPiece>) {
        let mut buffer = std::mem::take(&mut self.held);
        buffer.push_str(text);
        let mut rest = buffer.as_str();
        while !rest.is_empty() {
            rest = match self.mode {
                ThinkMode::Begin | ThinkMode::Behind => self.open(rest, out),
                ThinkMode::Thinking => self.think(rest, out),
                ThinkMode::Answer => {
                    out.push(AnswerPiece::Text(rest.to_owned()));
                    ""
                }
            };
        }
    }

    /// Gives what was held back: no more text comes, or something else comes between.
    pub fn flush(&mut self, out: &mut Vec<AnswerPiece>) {
        let held = std::mem::take(&mut self.held);
        if held.is_empty() {
            return;
        }
        let is_thinking =
            self.mode == ThinkMode::Thinking || (self.mode == ThinkMode::Begin && self.opens_thinking);
        if is_thinking {
            out.push(AnswerPiece::Reasoning(held));
            return;
        }
        if !held.trim().is_empty() {
            self.mode = ThinkMode::Answer;
        }
        out.push(AnswerPiece::Text(held));
    }

    /// Before an answer: a tag, or the answer itself. Returns what is not yet looked at.
    fn open<'t>(&mut self, text: &'t str, out: &mut Vec<AnswerPiece>) -> &'t str {
        let inner = text.trim_start();
        let blanks = text.get(..text.len() - inner.len()).unwrap_or_default();
        let is_late = self.mode == ThinkMode::Begin && blanks.len() > BLANKS_MAX;
        if let Some(behind) = inner.strip_prefix(OPEN).filter(|_| !is_late) {
            give_reasoning(blanks, out);
            self.mode = ThinkMode::Thinking;
            self.tail_bytes = 0;
            return behind;
        }
        // Blanks behind a closing tag are known to be its tail; blanks at the very beginning are not.
        let is_behind = self.mode == ThinkMode::Behind;
        if is_behind {
            give_reasoning(blanks, out);
            self.tail_bytes += blanks.len();
        }
        let undecided = if is_behind { inner } else { text };
        // True of blanks alone, too: a tag may still follow them.
        if OPEN.starts_with(inner) && !is_late {
            undecided.clone_into(&mut self.held);
            return "";
        }
        let begins_inside = self.mode == ThinkMode::Begin && self.opens_thinking;
        self.mode = if begins_inside { ThinkMode::Thinking } else { ThinkMode::Answer };
        undecided
    }

    /// Between the tags: up to the closing one.
    fn think<'t>(&mut self, text: &'t str, out: &mut Vec<AnswerPiece>) -> &'t str {
        if let Some((thought, behind)) = text.split_once(CLOSE) {
            give_reasoning(thought, out);
            self.mode = ThinkMode::Behind;
            self.tail_bytes = 0;
            return behind;
        }
        let held = held_bytes(text, CLOSE);
        let (thought, held) = text.split_at_checked(text.len() - held).unwrap_or((text, ""));
        give_reasoning(thought, out);
        held.clone_into(&mut self.held);
        ""
    }
}

fn give_reasoning(text: &str, out: &mut Vec<AnswerPiece>) {
    if !text.is_empty() {
        out.push(AnswerPiece::Reasoning(text.to_owned()));
    }
}

/// How many bytes at the end of a text may be the beginning of a tag.
pub(crate) fn held_bytes(text: &str, tag: &str) -> usize {
    let longest = tag.len().saturating_sub(1).min(text.len());
    (1..=longest)
        .rev()
        .find(|length| tag.get(..*length).is_some_and(|start| text.ends_with(start)))
        .unwrap_or(0)
}

#[cfg(test)]
#[path = "think_tests.rs"]
mod tests;
