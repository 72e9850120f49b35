//! Questions that wait for the user: which one is looked at, how far its answer is, and whether it listens yet.
//!
//! A question comes up when it likes, also in the middle of a word. What was meant for something else must not answer
//! it:
//! - for `SETTLE_MS` after it came up, keys go where they went before;
//! - so do they while the message has text and the last key in it is not `TYPING_MS` ago: whoever writes goes on;
//! - where it took the place of a question that is settled, keys within `SETTLE_MS` go nowhere: nobody was writing;
//! - a question that cannot be seen (something lies over it, the screen is too small) has not come up.
//!
//! Only the wish to stop is heard at any time.

use ratatui_textarea::TextArea;
use windlass_core::permission::{Decision, PermissionAnswer, Question};
use windlass_core::protocol::ids::{CallId, Millis};

use super::TuiState;

/// How long a question lets keys pass after it came up.
pub const SETTLE_MS: u64 = 500;

/// How long after its last key a message is still being written.
pub const TYPING_MS: u64 = 1_000;

/// What the user does about questions.
#[derive(Debug, Default)]
pub struct Asking {
    /// Which of the questions that wait is shown.
    pub chosen: usize,
    /// Lines of it that are scrolled away.
    pub scrolled: usize,
    /// Whether it has all of the screen.
    pub is_whole: bool,
    /// The answer that Enter would give.
    pub picked: Option<Decision>,
    /// What is being typed for it.
    pub writing: Writing,
    /// Why the last answer did not count.
    pub problem: Option<String>,
    /// Calls whose answers are on their way: they cannot be answered twice.
    pub answering: Vec<CallId>,
    /// The question that can be seen.
    pub shown: Option<ShownQuestion>,
    /// When the message was last typed in.
    pub typed_ms: Option<Millis>,
}

/// A question that can be seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownQuestion {
    pub call_id: CallId,
    /// When it came up.
    pub since_ms: Millis,
    /// Whether it took the place of another that is settled.
    pub is_next: bool,
}

/// What is typed for a question.
#[derive(Debug, Default)]
pub enum Writing {
    #[default]
    Nothing,
    /// The rule to remember.
    Rule(Box<TextArea<'static>>),
    /// Why it is denied.
    Reason(Box<TextArea<'static>>),
    /// The word of a critical call, and the answer that it confirms.
    Word(PermissionAnswer, Box<TextArea<'static>>),
}

/// Who hears keys while a question waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyTarget {
    Question,
    /// Whoever heard them before.
    Others,
    Nobody,
}

impl TuiState {
    /// The questions that wait, oldest first.
    pub fn questions(&self) -> &[Question] {
        self.session.as_ref().and_then(|session| session.newest()).map_or(&[], |run| &run.questions)
    }

    /// The question that is looked at.
    pub fn question(&self) -> Option<&Question> {
        self.questions().get(self.asking.chosen)
    }

    /// Which of how many questions of its step one is.
    pub fn counted(&self, question: &Question) -> (u32, u32) {
        let most = self.questions().iter().map(|other| other.total).max().unwrap_or(0);
        match question.position {
            // Records of older versions do not say.
            0 => (number(self.asking.chosen + 1), number(self.questions().len())),
            position => (position, most),
        }
    }

    /// Whether the answer to the question that is looked at is on its way, or not wanted any more.
    pub fn is_answering(&self) -> bool {
        let is_sent = |question: &Question| self.asking.answering.contains(&question.call_id);
        self.cancelling.is_some() || self.question().is_some_and(is_sent)
    }

    /// Who hears a key now.
    pub fn ear(&self) -> KeyTarget {
        let Some(shown) = &self.asking.shown else { return KeyTarget::Others };
        let is_writing = !self.composer.is_empty()
            && self.asking.typed_ms.is_some_and(|typed| self.now_ms.saturating_sub(typed) < TYPING_MS);
        let is_new = self.now_ms.saturating_sub(shown.since_ms) < SETTLE_MS;
        match (is_writing, is_new, shown.is_next) {
            (true, _, _) | (false, true, false) => KeyTarget::Others,
            (false, true, true) => KeyTarget::Nobody,
            (false, false, _) => KeyTarget::Question,
        }
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
