//! Findings: what had to be healed, each rule told once for a request and each place once for a run.

use std::collections::HashSet;

use windlass_core::protocol::model::{Notice, NoticeKind};

/// A rule of a healthy history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum HealthRule {
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

impl HealthRule {
    /// The stable word of a rule.
    pub(super) fn word(self) -> &'static str {
        match self {
            HealthRule::MissingOutcome => "missing_outcome",
            HealthRule::OrphanOutcome => "orphan_outcome",
            HealthRule::LateOutcome => "late_outcome",
            HealthRule::DuplicateOutcome => "duplicate_outcome",
            HealthRule::OutcomeOrder => "outcome_order",
            HealthRule::MovedMessage => "moved_message",
            HealthRule::EmptyText => "empty_text",
            HealthRule::EmptyMessage => "empty_message",
            HealthRule::EmptyOutcome => "empty_outcome",
            HealthRule::UnreadableArgs => "unreadable_args",
            HealthRule::NoisyArgs => "noisy_args",
            HealthRule::CallId => "call_id",
            HealthRule::ToolName => "tool_name",
            HealthRule::ForeignReasoning => "foreign_reasoning",
            HealthRule::DanglingReasoning => "dangling_reasoning",
            HealthRule::ForeignState => "foreign_state",
            HealthRule::DuplicateState => "duplicate_state",
            HealthRule::Picture => "picture",
            HealthRule::MisplacedPart => "misplaced_part",
            HealthRule::UserFirst => "user_first",
            HealthRule::TemplateToken => "template_token",
            HealthRule::NulCharacter => "nul_character",
        }
    }

    /// Whether one word about it is enough for a whole run: some models write blanks before every call.
    fn is_told_once(self) -> bool {
        self == HealthRule::EmptyText
    }
}

/// Where something was found: the address of its message, and which of its parts.
pub(super) type FindingSpot = (usize, usize);

/// What was found in one pass over messages.
#[derive(Debug, Default)]
pub(super) struct Findings {
    found: Vec<HealthFinding>,
    /// The last turn of a history is healed again with the next step; its findings are no news then.
    told: HashSet<(HealthRule, FindingSpot)>,
}

#[derive(Debug)]
struct HealthFinding {
    rule: HealthRule,
    message: String,
    more: usize,
}

impl Findings {
    /// Notes something; its words are only made where they will be read.
    pub(super) fn add(&mut self, rule: HealthRule, spot: FindingSpot, words: impl FnOnce() -> String) {
        let spot = if rule.is_told_once() { (0, 0) } else { spot };
        if !self.told.insert((rule, spot)) {
            return;
        }
        match self.found.iter_mut().find(|found| found.rule == rule) {
            Some(found) => found.more += 1,
            None => self.found.push(HealthFinding { rule, message: words(), more: 0 }),
        }
    }

    /// Tells what was found since the last time.
    pub(super) fn tell(&mut self, notices: &mut Vec<Notice>) {
        for HealthFinding { rule, mut message, more } in self.found.drain(..) {
            if more > 0 {
                message.push_str(&format!(" (and {more} more)"));
            }
            notices.push(Notice { kind: NoticeKind::Healed, rule: rule.word().to_owned(), message });
        }
    }
}
