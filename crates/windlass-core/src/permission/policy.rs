//! The stored rules: a set, how it is searched, and the text of `policies.json`.
//!
//! Our own shape is read and written here; the two older ones are `legacy`'s business. Knows no
//! file: the caller reads and writes, and keeps a file that cannot be read.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::closed::ClosedPaths;
use super::legacy;
use super::limits::RULES_MAX;
use super::question::Target;
use super::rule::{Rule, RuleEffect, RuleError, RulePattern, RuleSource, ToolPattern};
use super::taint::TaintMode;
use crate::protocol::ids::Millis;
use crate::protocol::tool::ToolSpec;

/// Why a text is no set of policies. The file must be kept: somebody meant something by it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    #[error("the policies are not valid JSON: {0}; correct the text, or move the file away to start anew")]
    Json(String),
    /// JSON, but none of the known shapes.
    #[error(
        "the policies have an unknown shape: expected {{\"version\": 1, \"rules\": [{{\"effect\": \"allow\", \"rule\": \"read_file(src/**)\"}}]}}"
    )]
    Shape,
    /// Written by a later program.
    #[error("the policies are of version {0}, but only version 1 is known; use a newer windlass")]
    Version(String),
    /// An entry lacks a field or has a wrong one.
    #[error("entry {entry} of the policies is wrong: {problem}")]
    Entry {
        /// Which entry, from 1.
        entry: usize,
        /// What is wrong there.
        problem: String,
    },
    /// An entry's rule cannot be read.
    #[error("entry {entry} of the policies has a bad rule: {problem}")]
    Rule {
        /// Which entry, from 1.
        entry: usize,
        /// What is wrong with it.
        #[source]
        problem: RuleError,
    },
    #[error(
        "the policies have {0} entries, more than the {RULES_MAX} that are looked at for every call; merge some with globs such as src/**"
    )]
    TooMany(usize),
}

/// One entry of our own shape.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyEntry {
    #[serde(default)]
    id: String,
    effect: RuleEffect,
    rule: String,
    #[serde(default)]
    created_ms: Millis,
    /// Rules from before there was one hold everywhere.
    #[serde(default)]
    root: Option<String>,
}

/// Reads one entry, counted from 1, of a shape.
type EntryReader = fn(&Value, usize) -> Result<Vec<Rule>, PolicyError>;

/// Rules in their order. A rule that denies beats every other, wherever it stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PolicySet {
    rules: Vec<Rule>,
    /// What is done with calls that reach out while the context has text from outside.
    taint: TaintMode,
}

impl PolicySet {
    /// No rules: the risk of each call decides.
    pub fn new() -> Self {
        Self::default()
    }

    /// A set that asks before every call, for a session whose stored rules cannot be read: what was
    /// denied there must not run unasked.
    pub fn ask_always() -> Self {
        let pattern = RulePattern { tool: ToolPattern::Any, targets: Vec::new() };
        Self::from_iter([Rule::new(RuleEffect::Ask, pattern, RuleSource::User)])
    }

    /// Reads `policies.json`: our own shape, or either of the older ones.
    pub fn from_json(text: &str) -> Result<Self, PolicyError> {
        let value: Value =
            serde_json::from_str(text).map_err(|error| PolicyError::Json(error.to_string()))?;
        let (entries, read): (_, EntryReader) = match &value {
            Value::Array(entries) => (entries, legacy::read_scope_entry),
            Value::Object(fields) => {
                match (fields.get("version"), fields.get("rules"), fields.get("policies")) {
                    (None, None, Some(Value::Array(entries))) => (entries, legacy::read_tool_entry),
                    (Some(version), _, _) if *version != json!(1) => {
                        return Err(PolicyError::Version(version.to_string()));
                    }
                    // A third field would be something that somebody meant and nobody reads.
                    (Some(_), Some(Value::Array(entries)), None) if fields.len() == 2 => {
                        (entries, read_entry)
                    }
                    _ => return Err(PolicyError::Shape),
                }
            }
            _ => return Err(PolicyError::Shape),
        };
        if entries.len() > RULES_MAX {
            return Err(PolicyError::TooMany(entries.len()));
        }
        let mut set = Self::new();
        for (entry, number) in entries.iter().zip(1..) {
            // One bad entry refuses the whole text: it may be the one that denies.
            set.extend(read(entry, number)?);
        }
        Ok(set)
    }

    /// The text of `policies.json`: one entry a rule, readable and editable by hand.
    pub fn to_json(&self) -> String {
        let entries: Vec<Value> = self
            .rules
            .iter()
            .map(|rule| {
                let mut entry = json!({
                    "id": rule.id,
                    "effect": rule.effect.word(),
                    "rule": rule.pattern.to_string(),
                    "created_ms": rule.created_ms,
                });
                if let (Value::Object(fields), Some(root)) = (&mut entry, &rule.root) {
                    fields.insert("root".into(), json!(root));
                }
                entry
            })
            .collect();
        format!("{:#}\n", json!({ "version": 1, "rules": entries }))
    }

    /// What is done with calls that reach out while the context has text from outside.
    pub fn taint(&self) -> TaintMode {
        self.taint
    }

    /// The same rules with another such mode.
    pub fn with_taint(self, taint: TaintMode) -> Self {
        Self { taint, ..self }
    }

    /// The rules, in order.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    pub fn get(&self, id: &str) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.id == id)
    }

    /// Adds a rule and returns its id. The same rule is not stored twice; a missing or taken id is
    /// replaced by a free one.
    pub fn add(&mut self, mut rule: Rule) -> String {
        let is_same = |own: &&Rule| {
            (own.effect, own.source) == (rule.effect, rule.source)
                && own.pattern == rule.pattern
                && own.root == rule.root
        };
        if let Some(own) = self.rules.iter().find(is_same) {
            return own.id.clone();
        }
        if rule.id.is_empty() || self.get(&rule.id).is_some() {
            rule.id = self.free_id();
        }
        let id = rule.id.clone();
        self.rules.push(rule);
        id
    }

    /// The rules that hold in a root.
    pub fn held_in(&self, root: &str) -> Self {
        let rules = self.rules.iter().filter(|rule| rule.holds_in(root)).cloned().collect();
        Self { rules, taint: self.taint }
    }

    /// Takes a rule out.
    pub fn remove(&mut self, id: &str) -> Option<Rule> {
        let at = self.rules.iter().position(|rule| rule.id == id)?;
        Some(self.rules.remove(at))
    }

    /// Adds what a project's own file may say: it can deny and ask, never allow.
    pub fn with_project(&self, project: &PolicySet) -> Self {
        let mut set = self.clone();
        set.extend(project.rules.iter().filter_map(|rule| match rule.effect {
            // A project is text of others, which could allow itself everything.
            RuleEffect::Allow => None,
            RuleEffect::Ask | RuleEffect::Deny => {
                Some(Rule { id: format!("project-{}", rule.id), source: RuleSource::Project, ..rule.clone() })
            }
        }));
        set
    }

    /// An id that no rule has.
    pub fn free_id(&self) -> String {
        // Ids may be written by hand or have gaps: the next number may be taken.
        let mut number = self.rules.len() + 1;
        loop {
            let id = format!("r{number}");
            if self.get(&id).is_none() {
                return id;
            }
            number += 1;
        }
    }

    /// The first rule that denies a call.
    pub fn denying(&self, spec: &ToolSpec, targets: &[Target]) -> Option<&Rule> {
        let reads_closed = |rule: &&Rule| {
            spec.effects.is_read_only()
                && targets.iter().any(|target| match target {
                    Target::Path(path) => rule.pattern.closes(path),
                    Target::Host(_) | Target::Command(_) => false,
                })
        };
        self.of(RuleEffect::Deny).find(|rule| rule.pattern.touches(spec, targets) || reads_closed(rule))
    }

    /// The paths that are closed to every reader.
    pub fn closed_paths(&self) -> ClosedPaths {
        ClosedPaths::of(self.of(RuleEffect::Deny).filter(|rule| !rule.pattern.targets.is_empty()))
    }

    /// The first rule that wants a call asked.
    pub fn asking(&self, spec: &ToolSpec, targets: &[Target]) -> Option<&Rule> {
        self.of(RuleEffect::Ask).find(|rule| rule.pattern.touches(spec, targets))
    }

    /// The first rule that allows a call.
    pub fn allowing(&self, spec: &ToolSpec, targets: &[Target]) -> Option<&Rule> {
        self.of(RuleEffect::Allow).find(|rule| rule.pattern.covers(spec, targets))
    }

    /// The first rule that allows just this call, and not a group of calls.
    pub(super) fn naming(&self, spec: &ToolSpec, targets: &[Target]) -> Option<&Rule> {
        self.of(RuleEffect::Allow).find(|rule| rule.pattern.names(spec, targets))
    }

    /// The first rule of the user's own that allows a call and names exactly where it leads.
    pub(super) fn naming_destination(&self, spec: &ToolSpec, targets: &[Target]) -> Option<&Rule> {
        let is_users = |rule: &&Rule| match rule.source {
            RuleSource::User | RuleSource::Flag => rule.pattern.is_exact(),
            RuleSource::Project | RuleSource::Grant => false,
        };
        self.of(RuleEffect::Allow).filter(is_users).find(|rule| rule.pattern.covers(spec, targets))
    }

    fn of(&self, effect: RuleEffect) -> impl Iterator<Item = &Rule> {
        self.rules.iter().filter(move |rule| rule.effect == effect)
    }
}

impl Extend<Rule> for PolicySet {
    fn extend<T: IntoIterator<Item = Rule>>(&mut self, rules: T) {
        for rule in rules {
            self.add(rule);
        }
    }
}

impl FromIterator<Rule> for PolicySet {
    fn from_iter<T: IntoIterator<Item = Rule>>(rules: T) -> Self {
        let mut set = Self::new();
        set.extend(rules);
        set
    }
}

/// Reads one entry of our own shape.
fn read_entry(entry: &Value, number: usize) -> Result<Vec<Rule>, PolicyError> {
    let read = PolicyEntry::deserialize(entry)
        .map_err(|error| PolicyError::Entry { entry: number, problem: error.to_string() })?;
    let rule = Rule::parse(read.effect, &read.rule, RuleSource::User)
        .map_err(|problem| PolicyError::Rule { entry: number, problem })?;
    Ok(vec![Rule { id: read.id, ..rule.stamped(read.created_ms).rooted(read.root) }])
}

#[cfg(test)]
#[path = "policy_tests.rs"]
mod tests;
