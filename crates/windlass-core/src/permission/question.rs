//! What is asked of the user before a call runs, and what the user answers.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::ids::CallId;
use crate::tool::Risk;

/// Something a call would touch, in canonical form: never as the model spelled it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// A path below the root, relative, `/`-separated, symlinks resolved.
    Path(String),
    /// A host name or address, lower case, with `:port` when it is not the usual one.
    Host(String),
    /// A command line: program and arguments, joined by single spaces.
    Command(String),
}

/// What a call would do, for the eyes of the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", content = "text", rename_all = "snake_case")]
pub enum Preview {
    /// A unified diff of a file change.
    Diff(String),
    /// The exact command, with its folder.
    Command(String),
    /// Anything else worth seeing.
    Text(String),
}

/// What a tool says of a call before it runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inspection {
    /// What it would touch.
    pub targets: Vec<Target>,
    /// What it would do.
    pub preview: Option<Preview>,
    /// A higher risk than the spec's, for this very call (`rm -rf`, overwriting).
    pub risk: Option<Risk>,
    /// Arguments that hold the call to what was looked at (the hash of a file, for one): who makes it later
    /// adds them.
    pub pins: Map<String, Value>,
}

/// A question to the user: complete arguments, true risk, nothing cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Question {
    /// The call that waits.
    pub call_id: CallId,
    /// The tool.
    pub tool: String,
    /// Complete arguments, as they will be used.
    pub arguments: String,
    /// True risk of this call.
    pub risk: Risk,
    /// What it would touch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<Target>,
    /// What it would do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<Preview>,
    /// The rule that *remember* would store: the narrowest that covers the call.
    pub rule: String,
    /// The word to type for a critical call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirm_word: Option<String>,
}

/// What the user decided (Z-13).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// This call only.
    Once,
    /// Until the session ends.
    Session,
    /// Stored as a rule.
    Remember,
    /// Not at all.
    Deny,
}

impl Decision {
    /// Reads a word or the key of the prompt (Z-14).
    pub fn from_word(word: &str) -> Option<Self> {
        match word.trim().to_ascii_lowercase().as_str() {
            "1" | "once" => Some(Decision::Once),
            "2" | "session" => Some(Decision::Session),
            "3" | "remember" => Some(Decision::Remember),
            "4" | "deny" => Some(Decision::Deny),
            _ => None,
        }
    }

    /// The word of wires and logs.
    pub fn word(self) -> &'static str {
        match self {
            Decision::Once => "once",
            Decision::Session => "session",
            Decision::Remember => "remember",
            Decision::Deny => "deny",
        }
    }
}

/// An answer to a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermissionAnswer {
    /// What was decided.
    pub decision: Decision,
    /// The rule to store with *remember*, if the user changed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The word typed for a critical call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmation: Option<String>,
}

impl PermissionAnswer {
    /// An answer without a changed rule.
    pub fn new(decision: Decision) -> Self {
        Self { decision, rule: None, confirmation: None }
    }
}

#[cfg(test)]
#[path = "question_tests.rs"]
mod tests;
