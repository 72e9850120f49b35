//! Paths that rules close to reading: whoever lists, searches or reads files leaves them out.
//!
//! Which rule closes which path, `RulePattern::closes` alone says.

use std::sync::Arc;

use super::rule::{Rule, RulePattern};

/// Patterns of rules that deny reading, to be asked for one path after another.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClosedPaths(Arc<[RulePattern]>);

impl ClosedPaths {
    pub(super) fn of<'a>(denying: impl Iterator<Item = &'a Rule>) -> Self {
        Self(denying.map(|rule| rule.pattern.clone()).collect())
    }

    /// What is closed by either.
    pub fn and(&self, other: &Self) -> Self {
        match (self.0.is_empty(), other.0.is_empty()) {
            (true, _) => other.clone(),
            (_, true) => self.clone(),
            (false, false) => Self(self.0.iter().chain(other.0.iter()).cloned().collect()),
        }
    }

    /// Whether a relative path, `/`-separated, may not be shown, be it by its name or by what is in it.
    pub fn closes(&self, path: &str) -> bool {
        self.0.iter().any(|pattern| pattern.closes(path))
    }

    /// Whether nothing is closed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
