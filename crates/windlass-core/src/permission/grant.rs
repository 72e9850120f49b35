//! Session grants: what the user allowed until the session or the program ends, and what was asked already.

use std::collections::BTreeSet;

use super::question::Target;
use super::rule::{Rule, RuleEffect, RulePattern, RuleSource};
use crate::protocol::tool::ToolSpec;

/// What a session was allowed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Grants {
    rules: Vec<Rule>,
    asked: BTreeSet<String>,
    /// Those that were given while text from outside was in the context, which the user was told.
    tainted: Vec<RulePattern>,
}

impl Grants {
    /// The grants, oldest first.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Whether the user was asked about a tool of low risk and let it run: once a session is enough.
    pub fn was_asked(&self, tool: &str) -> bool {
        self.asked.contains(tool)
    }

    /// The first grant that covers a call.
    pub(super) fn covering(&self, spec: &ToolSpec, targets: &[Target]) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.pattern.covers(spec, targets))
    }

    /// The first grant of just this call, and not of a group of calls.
    pub(super) fn naming(&self, spec: &ToolSpec, targets: &[Target]) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.pattern.names(spec, targets))
    }

    /// Whether a grant that was given knowing of text from outside names exactly where a call leads.
    pub(super) fn name_destination(&self, spec: &ToolSpec, targets: &[Target]) -> bool {
        let is_held = |pattern: &RulePattern| self.rules.iter().any(|rule| rule.pattern == *pattern);
        self.tainted.iter().any(|pattern| pattern.covers(spec, targets) && is_held(pattern))
    }

    /// Notes that a grant was given although text from outside is in the context.
    pub(super) fn note_tainted(&mut self, pattern: &RulePattern) {
        if pattern.is_exact() && !self.tainted.contains(pattern) {
            self.tainted.push(pattern.clone());
        }
    }

    /// Adds a grant; the same one is kept once.
    pub(super) fn add(&mut self, pattern: RulePattern) {
        if !self.rules.iter().any(|rule| rule.pattern == pattern) {
            let id = format!("g{}", self.rules.len() + 1);
            self.rules.push(Rule { id, ..Rule::new(RuleEffect::Allow, pattern, RuleSource::Grant) });
        }
    }

    /// Drops the grants that are not among these: they were revoked.
    pub(super) fn retain(&mut self, granted: &[Rule]) {
        // By what they allow: a session and its store number grants apart.
        self.rules.retain(|rule| granted.iter().any(|other| other.pattern == rule.pattern));
    }

    /// Notes that the user was asked about a tool and let it run.
    pub(super) fn note_asked(&mut self, tool: &str) {
        self.asked.insert(tool.to_owned());
    }
}

#[cfg(test)]
#[path = "grant_tests.rs"]
mod tests;
