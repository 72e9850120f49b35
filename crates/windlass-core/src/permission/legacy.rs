//! The two shapes of `policies.json` that came before ours (Appendix A.5), read and never written.
//!
//! Each entry becomes plain rules, never wider than what it said: a pattern list becomes one rule,
//! a list of denied patterns becomes a rule that denies, and what was to be asked is asked.

use serde::Deserialize;
use serde_json::Value;

use super::pattern::TargetPattern;
use super::policy::PolicyError;
use super::rule::{Rule, RuleEffect, RulePattern, RuleSource, ToolPattern};
use crate::protocol::ids::Millis;
use crate::protocol::tool::Scope;

/// `{scope, mode, path_patterns, deny_patterns}`.
#[derive(Deserialize)]
struct ScopeEntry {
    scope: Scope,
    mode: LegacyMode,
    #[serde(default)]
    path_patterns: Vec<String>,
    #[serde(default)]
    deny_patterns: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum LegacyMode {
    AlwaysAllow,
    AllowOnce,
    AskEachTime,
    Deny,
}

/// `{tool_name, decision, created_at}`.
#[derive(Deserialize)]
struct LegacyEntry {
    tool_name: String,
    decision: ToolDecision,
    #[serde(default)]
    created_at: Millis,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum ToolDecision {
    AlwaysAllow,
    AlwaysDeny,
}

/// Reads one entry of the array shape.
pub(super) fn read_scope_entry(entry: &Value, number: usize) -> Result<Vec<Rule>, PolicyError> {
    let read = ScopeEntry::deserialize(entry)
        .map_err(|error| PolicyError::Entry { entry: number, problem: error.to_string() })?;
    let effect = match read.mode {
        LegacyMode::AlwaysAllow => RuleEffect::Allow,
        // A permission for one time is long used up when it is read from a file.
        LegacyMode::AllowOnce | LegacyMode::AskEachTime => RuleEffect::Ask,
        LegacyMode::Deny => RuleEffect::Deny,
    };
    let touches_files = match read.scope {
        Scope::ReadFiles | Scope::WriteFiles => true,
        Scope::ExecuteCommands | Scope::NetworkAccess | Scope::SystemInfo | Scope::TaskManagement => false,
    };
    let mut rules = Vec::new();
    // To allow files but no path is to allow nothing; without files there are no paths to name.
    if effect != RuleEffect::Allow || !touches_files || !read.path_patterns.is_empty() {
        rules.push(scope_rule(effect, read.scope, &read.path_patterns, number)?);
    }
    if !read.deny_patterns.is_empty() {
        rules.push(scope_rule(RuleEffect::Deny, read.scope, &read.deny_patterns, number)?);
    }
    Ok(rules)
}

fn scope_rule(
    effect: RuleEffect,
    scope: Scope,
    patterns: &[String],
    number: usize,
) -> Result<Rule, PolicyError> {
    // `*` is the whole scope, also for tools that name no path.
    let targets = if patterns.iter().any(|pattern| pattern == "*") {
        Vec::new()
    } else {
        patterns
            .iter()
            .map(|pattern| TargetPattern::parse(pattern))
            .collect::<Result<_, _>>()
            .map_err(|problem| PolicyError::Rule { entry: number, problem })?
    };
    Ok(Rule::new(effect, RulePattern { tool: ToolPattern::Scope(scope), targets }, RuleSource::User))
}

/// Reads one entry of the `policies` shape.
pub(super) fn read_tool_entry(entry: &Value, number: usize) -> Result<Vec<Rule>, PolicyError> {
    let read = LegacyEntry::deserialize(entry)
        .map_err(|error| PolicyError::Entry { entry: number, problem: error.to_string() })?;
    let effect = match read.decision {
        ToolDecision::AlwaysAllow => RuleEffect::Allow,
        ToolDecision::AlwaysDeny => RuleEffect::Deny,
    };
    let tool = ToolPattern::parse(&read.tool_name)
        .map_err(|problem| PolicyError::Rule { entry: number, problem })?;
    let pattern = RulePattern { tool, targets: Vec::new() };
    Ok(vec![Rule::new(effect, pattern, RuleSource::User).stamped(read.created_at)])
}

#[cfg(test)]
#[path = "legacy_tests.rs"]
mod tests;
