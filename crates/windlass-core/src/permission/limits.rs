//! The limits of this module, each with its reason.

/// Decisions kept in memory: as many as a person scrolls through; the journal has the rest.
pub const AUDIT_ENTRIES_MAX: usize = 50;

/// Characters of one argument value in an audit line: enough to recognise it, whatever a file holds.
pub const AUDIT_VALUE_CHARS_MAX: usize = 200;

/// Characters of all arguments in an audit line, so that fifty entries stay a small thing.
pub const AUDIT_ARGS_CHARS_MAX: usize = 2_000;

/// Characters of what a user says to a denied call: a note to the model, and no document.
pub(super) const DENIAL_CHARS_MAX: usize = 4_000;

/// Rules in one file: each call looks at all of them, so the cost of a call stays bounded.
pub const RULES_MAX: usize = 4_096;
