//! Where an outcome's text came from and whose secret it may be: what the gates know of it, whatever a model is told.
//!
//! Knows no gate: what follows from a label is the business of `permission`.

use serde::{Deserialize, Serialize};

use super::{Scope, ToolSpec};
use crate::permission::Target;
use crate::text::{cut_chars, visible_line};

/// Characters of a source: enough for a host and most paths, on one line of a question.
const SOURCE_CHARS_MAX: usize = 120;

/// Who wrote a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Integrity {
    /// The user.
    User,
    /// This program, from the arguments of the call alone.
    Own,
    /// Anybody.
    Untrusted,
}

/// Whether a text may leave the machine unseen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Secrecy {
    /// Others have it already.
    Public,
    /// It may be the user's alone.
    Private,
}

/// What is known of a text: who wrote it, whether it may be told on, where it came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Label {
    /// Who wrote it.
    pub integrity: Integrity,
    /// Whether it may be told on.
    pub secrecy: Secrecy,
    /// `web:HOST`, `file:PATH`, `command`, `tool:NAME` or `context`.
    pub source: String,
}

impl Label {
    /// Text of others that may be private, the worst there is.
    pub fn untrusted(source: impl Into<String>) -> Self {
        Self { integrity: Integrity::Untrusted, secrecy: Secrecy::Private, source: source.into() }
    }

    /// What a tool gives for a call that touches these targets; nothing for what the program made of the arguments
    /// alone. A tool without a claim is not trusted.
    pub fn of(spec: &ToolSpec, targets: &[Target]) -> Option<Self> {
        if spec.is_own_output() {
            return None;
        }
        let place = targets.first().map(|target| match target {
            Target::Host(host) => format!("web:{host}"),
            Target::Path(path) => format!("file:{path}"),
            Target::Command(_) => "command".to_owned(),
        });
        let source = place.unwrap_or_else(|| format!("tool:{}", spec.name));
        let is_web = |target: &Target| matches!(target, Target::Host(_));
        let is_public = (!targets.is_empty() && targets.iter().all(is_web))
            || (!spec.scopes.is_empty() && spec.scopes.iter().all(|scope| *scope == Scope::NetworkAccess));
        let secrecy = if is_public { Secrecy::Public } else { Secrecy::Private };
        Some(Self { secrecy, ..Self::untrusted(cut_chars(&source, SOURCE_CHARS_MAX)) })
    }

    /// Whether somebody else wrote it.
    pub fn is_untrusted(&self) -> bool {
        self.integrity == Integrity::Untrusted
    }

    /// Whether it may be the user's alone.
    pub fn is_private(&self) -> bool {
        self.secrecy == Secrecy::Private
    }

    /// The source in words, on one line.
    pub fn source_words(&self) -> String {
        let source = visible_line(&self.source);
        let source = cut_chars(&source, SOURCE_CHARS_MAX);
        match source.split_once(':') {
            Some(("web", host)) => host.to_owned(),
            Some(("file", path)) => format!("the file {path}"),
            Some(("tool", name)) => format!("the tool {name}"),
            Some(_) => source.to_owned(),
            None if source == "command" => "a command".to_owned(),
            None if source == "context" => "the background of a message".to_owned(),
            None => source.to_owned(),
        }
    }
}

#[cfg(test)]
#[path = "label_tests.rs"]
mod tests;
