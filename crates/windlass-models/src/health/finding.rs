//! Findings: what had to be healed, each rule told once for a request and each place once for a run.

use std::collections::HashSet;

use windlass_core::model::{Notice, NoticeKind};

/// A rule of a healthy history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Rule {
    MissingOutcome,
    OrphanOutcome,
    LateOutcome,
    DuplicateOutcome,
    OutcomeOrder,
    MovedMessage,
    EmptyText,
    EmptyMessage,
    EmptyOutcome,
    UnreadableArgs,
    NoisyArgs,
    CallId,
    ToolName,
    ForeignReasoning,
    DanglingReasoning,
    ForeignState,
    DuplicateState,
    Picture,
    MisplacedPart,
    UserFirst,
    TemplateToken,
    NulCharacter,
}

impl Rule {
    /// The stable word of a rule.
    pub(super) fn word(self) -> &'static str {
        match self {
            Rule::MissingOutcome => "missing_outcome",
            Rule::OrphanOutcome => "orphan_outcome",
            Rule::LateOutcome => "late_outcome",
            Rule::DuplicateOutcome => "duplicate_outcome",
            Rule::OutcomeOrder => "outcome_order",
            Rule::MovedMessage => "moved_message",
            Rule::EmptyText => "empty_text",
            Rule::EmptyMessage => "empty_message",
            Rule::EmptyOutcome => "empty_outcome",
            Rule::UnreadableArgs => "unreadable_args",
            Rule::NoisyArgs => "noisy_args",
            Rule::CallId => "call_id",
            Rule::ToolName => "tool_name",
            Rule::ForeignReasoning => "foreign_reasoning",
            Rule::DanglingReasoning => "dangling_reasoning",
            Rule::ForeignState => "foreign_state",
            Rule::DuplicateState => "duplicate_state",
            Rule::Picture => "picture",
            Rule::MisplacedPart => "misplaced_part",
            Rule::UserFirst => "user_first",
            Rule::TemplateToken => "template_token",
            Rule::NulCharacter => "nul_character",
        }
    }

    /// Whether one word about it is enough for a whole run: some models write blanks before every call.
    fn is_told_once(self) -> bool {
        self == Rule::EmptyText
    }
}

/// Where something was found: the address of its message, and which of its parts.
pub(super) type Spot = (usize, usize);

/// What was found in one pass over messages.
#[derive(Debug, Default)]
pub(super) struct Findings {
    found: Vec<Found>,
    /// The last turn of a history is healed again with the next step; its findings are no news then.
    told: HashSet<(Rule, Spot)>,
}

#[derive(Debug)]
struct Found {
    rule: Rule,
    message: String,
    more: usize,
}

impl Findings {
    /// Notes something; its words are only made where they will be read.
    pub(super) fn add(&mut self, rule: Rule, spot: Spot, words: impl FnOnce() -> String) {
        let spot = if rule.is_told_once() { (0, 0) } else { spot };
        if !self.told.insert((rule, spot)) {
            return;
        }
        match self.found.iter_mut().find(|found| found.rule == rule) {
            Some(found) => found.more += 1,
            None => self.found.push(Found { rule, message: words(), more: 0 }),
        }
    }

    /// Tells what was found since the last time.
    pub(super) fn tell(&mut self, notices: &mut Vec<Notice>) {
        for Found { rule, mut message, more } in self.found.drain(..) {
            if more > 0 {
                message.push_str(&format!(" (and {more} more)"));
            }
            notices.push(Notice { kind: NoticeKind::Healed, rule: rule.word().to_owned(), message });
        }
    }
}
