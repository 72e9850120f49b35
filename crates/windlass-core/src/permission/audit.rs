//! The audit log: one line for every decision about a call.
//!
//! Arguments in it are for recognising a call, not for running it again: secrets are struck out and
//! long values cut. Who writes it to disk is the caller's business.

use std::collections::VecDeque;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::gate::Refusal;
use super::limits::{AUDIT_ARGS_CHARS_MAX, AUDIT_ENTRIES_MAX, AUDIT_VALUE_CHARS_MAX};
use crate::protocol::ids::Millis;

/// Parts of argument names whose values are never logged.
const SECRET_NAMES: [&str; 10] = [
    "password",
    "passwd",
    "secret",
    "token",
    "api_key",
    "apikey",
    "authorization",
    "cookie",
    "credential",
    "private_key",
];

/// What was decided, in the log's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AuditDecision {
    AutoApproved,
    /// The user let it run.
    UserApproved,
    /// A gate or rule refused it.
    DeniedByPolicy,
    /// The user refused it.
    DeniedByUser,
    /// It never came to the gates: unknown, unreadable or wrong.
    FailedValidation,
}

impl AuditDecision {
    /// The word of the log.
    pub fn word(self) -> &'static str {
        match self {
            AuditDecision::AutoApproved => "auto_approved",
            AuditDecision::UserApproved => "user_approved",
            AuditDecision::DeniedByPolicy => "denied_by_policy",
            AuditDecision::DeniedByUser => "denied_by_user",
            AuditDecision::FailedValidation => "failed_validation",
        }
    }

    fn from_word(word: &str) -> Option<Self> {
        let all = [
            AuditDecision::AutoApproved,
            AuditDecision::UserApproved,
            AuditDecision::DeniedByPolicy,
            AuditDecision::DeniedByUser,
            AuditDecision::FailedValidation,
        ];
        all.into_iter().find(|decision| decision.word() == word)
    }
}

/// One decision; `Display` is its line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditEntry {
    pub ts_ms: Millis,
    pub decision: AuditDecision,
    /// The tool, as far as it is known.
    pub tool: String,
    /// Why, or by whom.
    pub reason: String,
    /// The user who was there, where users have names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Arguments as JSON text: secrets struck out, long values cut.
    pub args: String,
}

impl AuditEntry {
    /// A decision about a call with known arguments.
    pub fn new(
        ts_ms: Millis,
        decision: AuditDecision,
        tool: &str,
        reason: impl Into<String>,
        args: &Map<String, Value>,
    ) -> Self {
        // Struck out before it is cut: behind a cut no name says any more what is a secret.
        let args = redacted_fields(args).to_string();
        let args = cut(&args, AUDIT_ARGS_CHARS_MAX);
        Self { ts_ms, decision, tool: tool.to_owned(), reason: reason.into(), user: None, args }
    }

    /// A call that never came to the gates; arguments that are no JSON object are counted, not repeated.
    pub fn failed_validation(ts_ms: Millis, tool: &str, reason: impl Into<String>, arguments: &str) -> Self {
        let read = serde_json::from_str::<Map<String, Value>>(arguments);
        let entry = Self::new(
            ts_ms,
            AuditDecision::FailedValidation,
            tool,
            reason,
            read.as_ref().unwrap_or(&Map::new()),
        );
        match read {
            Ok(_) => entry,
            Err(_) => {
                // Secrets are known by the names of arguments: text without names is not shown.
                Self { args: format!("({} characters, no JSON object)", arguments.chars().count()), ..entry }
            }
        }
    }

    /// A call that a gate before the schema refused: its arguments were never read.
    pub fn refused(ts_ms: Millis, tool: &str, refusal: &Refusal, arguments: &str) -> Self {
        let entry = Self::failed_validation(ts_ms, tool, refusal.message.clone(), arguments);
        Self { decision: AuditDecision::DeniedByPolicy, ..entry }
    }

    /// Reads a line of the log back; nothing for what is no such line. The arguments begin at the first mark
    /// of theirs: whatever a model writes into them, they do not pass for a reason.
    pub fn from_line(line: &str) -> Option<Self> {
        let (ts_ms, rest) = line.strip_prefix('[')?.split_once("] ")?;
        let (decision, rest) = rest.split_once(' ')?;
        let (tool, rest) = rest.split_once(" | ")?;
        let (said, args) = rest.split_once(" | args=").or_else(|| Some(("", rest.strip_prefix("args=")?)))?;
        let (reason, user) = match said.rsplit_once(" | user=") {
            Some((reason, user)) => (reason, Some(user.to_owned())),
            None => (said, None),
        };
        Some(Self {
            ts_ms: ts_ms.parse().ok()?,
            decision: AuditDecision::from_word(decision)?,
            tool: tool.to_owned(),
            reason: reason.to_owned(),
            user,
            args: args.to_owned(),
        })
    }

    pub fn with_user(mut self, user: impl Into<String>) -> Self {
        self.user = Some(user.into());
        self
    }
}

impl fmt::Display for AuditEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (tool, reason) = (one_line(&self.tool), one_line(&self.reason));
        write!(f, "[{}] {} {tool} | {reason}", self.ts_ms, self.decision.word())?;
        if let Some(user) = &self.user {
            write!(f, " | user={}", one_line(user))?;
        }
        write!(f, " | args={}", one_line(&self.args))
    }
}

/// The last decisions, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AuditLog {
    entries: VecDeque<AuditEntry>,
}

impl AuditLog {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a decision; beyond the limit the oldest goes.
    pub fn push(&mut self, entry: AuditEntry) {
        if self.entries.len() == AUDIT_ENTRIES_MAX {
            self.entries.pop_front();
        }
        self.entries.push_back(entry);
    }

    /// The decisions, oldest first.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = &AuditEntry> {
        self.entries.iter()
    }
}

fn redacted_fields(fields: &Map<String, Value>) -> Value {
    let field = |(name, value): (&String, &Value)| {
        let lowered = name.to_ascii_lowercase();
        let is_secret = SECRET_NAMES.iter().any(|secret| lowered.contains(secret));
        (name.clone(), if is_secret { Value::from("[redacted]") } else { redacted(value) })
    };
    Value::Object(fields.iter().map(field).collect())
}

fn redacted(value: &Value) -> Value {
    match value {
        Value::Object(fields) => redacted_fields(fields),
        Value::Array(items) => Value::Array(items.iter().map(redacted).collect()),
        Value::String(text) => Value::String(cut(text, AUDIT_VALUE_CHARS_MAX)),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// The beginning of a text, and how much is missing.
fn cut(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        None => text.to_owned(),
        Some((at, _)) => {
            let (head, tail) = text.split_at_checked(at).unwrap_or((text, ""));
            format!("{head}… ({} more characters)", tail.chars().count())
        }
    }
}

/// Text on one line: whoever wrote it cannot write the next line of the log.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
#[path = "audit_tests.rs"]
mod tests;
