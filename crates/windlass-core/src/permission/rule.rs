//! Rules: one line of policy, and its text form.
//!
//! | text | means |
//! |---|---|
//! | `read_file` | every call of the tool |
//! | `read_file(src/main.rs)`, `read_file(src/**)` | calls that touch only that file, that folder |
//! | `execute_command(git status *)` | command lines that begin with these words |
//! | `execute_command(git push)(unconfined git push)` | that one outside the sandbox, too |
//! | `fetch_url(example.com)`, `fetch_url(*.example.com)` | that host, every host below it |
//! | `move_file(a.txt)(b.txt)` | calls that touch nothing but these |
//! | `scope:read_files`, `scope:read_files(docs/**)` | tools that touch that part of the machine |
//! | `*`, `*(docs/**)` | any tool |
//!
//! Knows tools and targets by name; what a rule leads to is `judge`'s business.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::confine::UNCONFINED;
use super::pattern::TargetPattern;
use super::question::Target;
use crate::protocol::ids::{Millis, SessionId};
use crate::protocol::tool::{Scope, ToolSpec, is_tool_name};

/// Why a text is no rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    #[error("the rule is empty; write a tool, such as read_file or read_file(src/**)")]
    Empty,
    /// Not a tool name.
    #[error(
        "'{0}' is no tool name: use 1 to 128 letters, digits, '_', '-', '.' or '/', or '*' for any tool; for example read_file(src/**)"
    )]
    ToolName(String),
    #[error(
        "'{0}' is no scope: use read_files, write_files, execute_commands, network_access, system_info or task_management; for example scope:read_files(docs/**)"
    )]
    ScopeName(String),
    /// The bracket is not closed at the end.
    #[error("'{0}' has no ')' at its end; for example read_file(src/**)")]
    OpenBracket(String),
    #[error(
        "there is nothing in the brackets; leave them out to mean the whole tool (read_file), or name a path, host or command: read_file(src/**)"
    )]
    EmptyPattern,
    /// A space at the edge, which would never match.
    #[error(
        "'{0}' begins or ends with a space; take it out, or write '\\ ' if it is meant: read_file(src/**)"
    )]
    OuterSpace(String),
    /// A backslash with nothing after it.
    #[error(
        "'{0}' ends with a single '\\', which makes the next character literal; write '\\\\' for a backslash: read_file(odd\\\\name)"
    )]
    LoneEscape(String),
}

/// Tools that show what is in files, with their other names. A rule that denies one of them a path denies it to all.
const READERS: [&str; 10] = [
    "read_file",
    "search_text",
    "grep_search",
    "get_file_tree",
    "list_files",
    "search_codebase",
    "request_code_context",
    "find_symbol",
    "find_references",
    "rag_search",
];

/// Tools that fetch addresses, with their other names: rules for them name hosts.
const FETCHERS: [&str; 4] = ["fetch_url", "read_url", "web_fetch", "summarize_url"];

/// Which tools a rule means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolPattern {
    Any,
    /// The tool of this name.
    Named(String),
    /// Tools that touch this part of the machine.
    Scope(Scope),
}

impl ToolPattern {
    /// Reads `*`, a tool name or `scope:NAME`.
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        match text.strip_prefix("scope:") {
            Some(word) => {
                scope_of(word).map(Self::Scope).ok_or_else(|| RuleError::ScopeName(word.to_owned()))
            }
            None if text == "*" => Ok(Self::Any),
            None if is_tool_name(text) => Ok(Self::Named(text.to_owned())),
            None => Err(RuleError::ToolName(text.to_owned())),
        }
    }

    /// Whether the pattern is enough to allow a tool: an alias is not, for any tool may claim one,
    /// and a scope only if the tool touches nothing else.
    fn covers(&self, spec: &ToolSpec) -> bool {
        match self {
            Self::Any => true,
            Self::Named(name) => *name == spec.name,
            Self::Scope(scope) => !spec.scopes.is_empty() && spec.scopes.iter().all(|own| own == scope),
        }
    }

    /// Whether the pattern, in a rule that denies or asks, means a tool.
    fn touches(&self, spec: &ToolSpec) -> bool {
        match self {
            Self::Any => true,
            Self::Named(name) => *name == spec.name || spec.aliases.contains(name),
            Self::Scope(scope) => spec.scopes.contains(scope),
        }
    }
}

impl fmt::Display for ToolPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("*"),
            Self::Named(name) => f.write_str(name),
            Self::Scope(scope) => write!(f, "scope:{}", scope_word(*scope)),
        }
    }
}

fn scope_word(scope: Scope) -> &'static str {
    match scope {
        Scope::ReadFiles => "read_files",
        Scope::WriteFiles => "write_files",
        Scope::ExecuteCommands => "execute_commands",
        Scope::NetworkAccess => "network_access",
        Scope::SystemInfo => "system_info",
        Scope::TaskManagement => "task_management",
    }
}

/// The scope of a word, as rules and policy files write it.
pub(super) fn scope_of(word: &str) -> Option<Scope> {
    [
        Scope::ReadFiles,
        Scope::WriteFiles,
        Scope::ExecuteCommands,
        Scope::NetworkAccess,
        Scope::SystemInfo,
        Scope::TaskManagement,
    ]
    .into_iter()
    .find(|scope| scope_word(*scope) == word)
}

/// What a rule means: its text form is `Display` and `FromStr`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RulePattern {
    pub tool: ToolPattern,
    /// Which targets; none means whatever the call touches.
    pub targets: Vec<TargetPattern>,
}

impl RulePattern {
    /// The narrowest pattern that covers a call: the tool with exactly its targets. With
    /// several targets each is named, and so are calls that touch only some of them; a tool that
    /// touches nothing it can name has nothing narrower than its name.
    pub fn narrowest(spec: &ToolSpec, targets: &[Target]) -> Self {
        let tool = ToolPattern::Named(spec.name.clone());
        let mut exact: Vec<TargetPattern> = Vec::with_capacity(targets.len());
        for pattern in targets.iter().map(TargetPattern::exact) {
            if !exact.contains(&pattern) {
                exact.push(pattern);
            }
        }
        Self { tool, targets: exact }
    }

    /// Every call that reads files of the project and touches nothing else.
    pub(super) fn reading() -> Self {
        Self { tool: ToolPattern::Scope(Scope::ReadFiles), targets: Vec::new() }
    }

    /// Whether it names a tool and targets without leaving anything open.
    pub(super) fn is_exact(&self) -> bool {
        matches!(self.tool, ToolPattern::Named(_))
            && !self.targets.is_empty()
            && self.targets.iter().all(TargetPattern::is_exact)
    }

    /// Whether the pattern is enough to allow a call: every target must be named.
    pub fn covers(&self, spec: &ToolSpec, targets: &[Target]) -> bool {
        let is_named = |target: &Target| self.targets.iter().any(|pattern| pattern.covers(target));
        self.tool.covers(spec)
            // A call that names no target is covered by no rule for some: `all` of nothing would be true.
            && (self.targets.is_empty() || (!targets.is_empty() && targets.iter().all(is_named)))
            && (self.says_unconfined() || !targets.iter().any(leaves_sandbox))
    }

    /// Whether the pattern itself speaks of calls that leave the sandbox: no other is enough for one.
    fn says_unconfined(&self) -> bool {
        self.targets.iter().any(|pattern| pattern.to_string().starts_with(UNCONFINED))
    }

    /// Whether the pattern names just this call: each target itself or, where it touches nothing it can name, the tool.
    pub(super) fn names(&self, spec: &ToolSpec, targets: &[Target]) -> bool {
        let is_named = |target: &Target| self.targets.iter().any(|pattern| pattern.names(target));
        let is_exact = match targets {
            [] => matches!(self.tool, ToolPattern::Named(_)),
            targets => targets.iter().all(is_named),
        };
        is_exact && self.covers(spec, targets)
    }

    /// Whether the pattern, in a rule that denies, closes a path to reading: to the tool that it names and to every
    /// other reader, for what one may not read no other way may show.
    pub fn closes(&self, path: &str) -> bool {
        let is_of_reading = match &self.tool {
            ToolPattern::Any | ToolPattern::Scope(Scope::ReadFiles) => true,
            ToolPattern::Named(name) => READERS.contains(&name.as_str()),
            ToolPattern::Scope(
                Scope::WriteFiles
                | Scope::ExecuteCommands
                | Scope::NetworkAccess
                | Scope::SystemInfo
                | Scope::TaskManagement,
            ) => false,
        };
        // A folder is closed with what is in it where the rule means all of that.
        let target = Target::Path(path.to_owned());
        is_of_reading && self.targets.iter().any(|pattern| pattern.touches(&target))
    }

    /// What a rule about hosts holds for beyond what it names, in words to show beside it: no rule parts the paths of a
    /// host (U-83).
    pub fn host_note(&self) -> Option<&'static str> {
        if !self.is_of_fetching() {
            return None;
        }
        Some(match self.targets.as_slice() {
            [] => "every path of every host",
            [one] if one.is_exact() => "every path of this host",
            [_, ..] => "every path of these hosts",
        })
    }

    /// The first of its targets that looks like an address with a path, where its tool touches hosts alone: it matches
    /// nothing.
    pub fn path_of_host(&self) -> Option<&TargetPattern> {
        let is_of_tool = matches!(self.tool, ToolPattern::Named(_)) && self.is_of_fetching();
        self.targets.iter().find(|target| is_of_tool && target.to_string().contains('/'))
    }

    fn is_of_fetching(&self) -> bool {
        match &self.tool {
            ToolPattern::Named(name) => FETCHERS.contains(&name.as_str()),
            ToolPattern::Scope(scope) => *scope == Scope::NetworkAccess,
            ToolPattern::Any => false,
        }
    }

    /// Whether the pattern, in a rule that denies or asks, means a call: one target is enough.
    pub fn touches(&self, spec: &ToolSpec, targets: &[Target]) -> bool {
        let is_named = |target: &Target| self.targets.iter().any(|pattern| pattern.touches(target));
        self.tool.touches(spec) && (self.targets.is_empty() || targets.iter().any(is_named))
    }
}

fn leaves_sandbox(target: &Target) -> bool {
    match target {
        Target::Command(line) => line.starts_with(UNCONFINED),
        Target::Path(_) | Target::Host(_) => false,
    }
}

/// What the text of a rule holds for beyond what it names, as [`RulePattern::host_note`] says it.
pub fn host_note(rule: &str) -> Option<&'static str> {
    let (_, rule) = read_reach(rule);
    rule.parse::<RulePattern>().ok()?.host_note()
}

impl FromStr for RulePattern {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(RuleError::Empty);
        }
        let Some((tool, bracket)) = text.split_once('(') else {
            return Ok(Self { tool: ToolPattern::parse(text)?, targets: Vec::new() });
        };
        let tool = ToolPattern::parse(tool)?;
        let inner = bracket.strip_suffix(')').ok_or_else(|| RuleError::OpenBracket(text.to_owned()))?;
        // `escape` keeps these two characters apart in patterns that are made from targets.
        let targets = inner.split(")(").map(TargetPattern::parse).collect::<Result<_, _>>()?;
        Ok(Self { tool, targets })
    }
}

impl fmt::Display for RulePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.tool)?;
        self.targets.iter().try_for_each(|pattern| write!(f, "({pattern})"))
    }
}

/// What a rule does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RuleEffect {
    /// Lets a call run without asking.
    Allow,
    /// Asks each time, whatever allows it; only a grant of this session is stronger.
    Ask,
    /// Refuses a call, whatever else allows it.
    Deny,
}

impl RuleEffect {
    /// The word of files and lists.
    pub fn word(self) -> &'static str {
        match self {
            RuleEffect::Allow => "allow",
            RuleEffect::Ask => "ask",
            RuleEffect::Deny => "deny",
        }
    }
}

/// Where a rule comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RuleSource {
    /// The user's own file.
    User,
    /// The project's file: can tighten, never loosen.
    Project,
    /// The command line of this run.
    Flag,
    /// An answer given in a session: ends with it, and with the program that runs it.
    Grant,
}

impl RuleSource {
    /// The word of lists.
    pub fn word(self) -> &'static str {
        match self {
            RuleSource::User => "user",
            RuleSource::Project => "project",
            RuleSource::Flag => "flag",
            RuleSource::Grant => "grant",
        }
    }
}

/// What ids of grants begin with; those of stored rules begin with another letter.
const GRANT_PREFIX: char = 'g';

/// What stands before a rule that is to hold everywhere, and not only in the root that it is given in.
const EVERYWHERE: &str = "everywhere";

/// A rule as a user writes it down to be stored: whether it is to hold everywhere, and the rule itself, which is empty
/// where the word stands alone.
pub fn read_reach(text: &str) -> (bool, &str) {
    match text.trim_start().strip_prefix(EVERYWHERE) {
        // A tool of ours could begin with the word.
        Some(rule) if rule.is_empty() || rule.starts_with(char::is_whitespace) => (true, rule.trim_start()),
        Some(_) | None => (false, text),
    }
}

/// One line of policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Its name in lists, unique in its set.
    pub id: String,
    pub effect: RuleEffect,
    pub pattern: RulePattern,
    /// When it was made; 0 when that is not known.
    pub created_ms: Millis,
    /// Where it comes from.
    pub source: RuleSource,
    /// The session that it was granted to; all others do not know it.
    pub session_id: Option<SessionId>,
    /// The project root that a stored rule was given in and belongs to; one without holds everywhere.
    pub root: Option<String>,
}

impl Rule {
    /// A rule without a name; `PolicySet::add` gives it one.
    pub fn new(effect: RuleEffect, pattern: RulePattern, source: RuleSource) -> Self {
        Self { id: String::new(), effect, pattern, created_ms: 0, source, session_id: None, root: None }
    }

    /// Reads a rule's text form.
    pub fn parse(effect: RuleEffect, text: &str, source: RuleSource) -> Result<Self, RuleError> {
        Ok(Self::new(effect, text.parse()?, source))
    }

    /// What a session was granted, as stores keep it: the number, and the text of the rule.
    pub fn granted(
        number: u64,
        text: &str,
        session_id: SessionId,
        given_ms: Millis,
    ) -> Result<Self, RuleError> {
        let rule = Self::parse(RuleEffect::Allow, text, RuleSource::Grant)?.stamped(given_ms);
        Ok(Self { id: format!("{GRANT_PREFIX}{number}"), session_id: Some(session_id), ..rule })
    }

    pub fn grant_number(id: &str) -> Option<u64> {
        id.strip_prefix(GRANT_PREFIX)?.parse().ok()
    }

    /// Puts in which root it belongs to; nothing is everywhere.
    pub fn rooted(mut self, root: Option<String>) -> Self {
        self.root = root;
        self
    }

    /// Whether it holds in a root.
    pub fn holds_in(&self, root: &str) -> bool {
        self.root.as_deref().is_none_or(|own| own == root)
    }

    /// Puts in when it was made.
    pub fn stamped(mut self, created_ms: Millis) -> Self {
        self.created_ms = created_ms;
        self
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.pattern)
    }
}

#[cfg(test)]
#[path = "rule_tests.rs"]
mod tests;
