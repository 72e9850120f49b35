//! What is asked of the user before a call runs, and what the user answers.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::confine::Sandbox;
use super::taint::TaintFinding;
use crate::calls::json::canonical::canonical_text;
use crate::protocol::ids::{CallId, RunId};
use crate::protocol::tool::Risk;
use crate::text::hex;
use crate::text::redact::Redactor;

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
    /// The exact command, and nothing else.
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
    /// The folder it would run in.
    pub folder: Option<String>,
    /// What the tool itself warns of, in words that nobody else wrote.
    pub caution: Option<String>,
    /// What it is held to while it runs, if it is a command.
    pub sandbox: Option<Sandbox>,
    /// A higher risk than the spec's, for this very call (`rm -rf`, overwriting).
    pub risk: Option<Risk>,
    /// Arguments that hold the call to what was looked at (the hash of a file, for one): who makes it later
    /// adds them.
    pub pins: Map<String, Value>,
    /// What the context of the run says of the call. The run puts it in; what a tool says here does not count.
    pub taint: Option<Box<TaintFinding>>,
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
    /// The folder it would run in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// What its tool warns of, in words of the program alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caution: Option<String>,
    /// What it is held to while it runs, if it is a command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<Box<Sandbox>>,
    /// The rule that *remember* would store: the narrowest that covers the call.
    pub rule: String,
    /// The word to type for a critical call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirm_word: Option<String>,
    /// What an answer must name: a digest over the run and everything that is asked. Empty in what nobody can answer,
    /// and in records that are older than it.
    #[serde(default)]
    pub digest: String,
    /// Its place among the questions of its step, in call order, from 1.
    #[serde(default)]
    pub position: u32,
    /// How many questions its step is expected to have, as far as its calls are known: it may grow.
    #[serde(default)]
    pub total: u32,
    /// Characters of known secret values in what is asked. Some make the question critical; what leaves the program has
    /// `***` in their place.
    #[serde(default)]
    pub hidden_chars: u32,
}

impl Question {
    /// The digest of what is asked in a run: tool, arguments, targets, preview, folder, caution, sandbox, rule and risk. Arguments count in
    /// canonical form, so that spacing makes no difference. Its place among others is no part of it.
    pub fn digest_in(&self, run_id: &RunId) -> String {
        let arguments = serde_json::from_str(&self.arguments)
            .map_or_else(|_| self.arguments.clone(), |value| canonical_text(&value));
        let (preview_kind, preview) = match &self.preview {
            None => ("", ""),
            Some(Preview::Diff(text)) => ("diff", text.as_str()),
            Some(Preview::Command(text)) => ("command", text.as_str()),
            Some(Preview::Text(text)) => ("text", text.as_str()),
        };
        let sandbox = self.sandbox.as_ref().map(|sandbox| sandbox.digest_words());
        let targets = self.targets.iter().flat_map(|target| match target {
            Target::Path(text) => ["path", text.as_str()],
            Target::Host(text) => ["host", text.as_str()],
            Target::Command(text) => ["command", text.as_str()],
        });
        // Questions that are older than these three have none of them, and the digest they had.
        let further = [("folder", &self.folder), ("caution", &self.caution), ("sandbox", &sandbox)];
        let further = further.into_iter().filter_map(|(kind, text)| Some([kind, text.as_deref()?])).flatten();
        let pieces = [run_id.as_str(), self.call_id.as_str(), &self.tool, &arguments, self.risk.label()];
        let pieces = pieces.into_iter().chain([self.rule.as_str(), preview_kind, preview]).chain(targets);
        let pieces = pieces.chain(further);
        let mut hash = Sha256::new();
        for piece in pieces {
            // The length first: no two lists of pieces run together to the same bytes.
            hash.update(u64::try_from(piece.len()).unwrap_or(u64::MAX).to_be_bytes());
            hash.update(piece.as_bytes());
        }
        hex(&hash.finalize())
    }

    /// The digest of what is asked about a call by hand, which belongs to no run: what a consent to it names.
    pub fn digest_by_hand(&self) -> String {
        Self { call_id: CallId::new(""), ..self.clone() }.digest_in(&RunId::new(""))
    }

    /// The question with its digest, also where its record is older than that.
    pub fn sealed(mut self, run_id: &RunId) -> Self {
        if self.digest.is_empty() {
            self.digest = self.digest_in(run_id);
        }
        self
    }

    /// The question as it may leave the program: complete, but for known secret values.
    pub fn shown(&self, redactor: &Redactor) -> Self {
        let known = redactor.known_values();
        let mut shown = self.clone();
        // Counted when it was asked; secrets that are known only since count as well.
        shown.hidden_chars = shown.hidden_chars.max(shown.secret_chars(&known));
        for text in shown.texts_mut() {
            if let Cow::Owned(cleaned) = known.clean(text) {
                *text = cleaned;
            }
        }
        shown
    }

    /// Puts the question, as it may leave the program, into a value that was cleaned of everything that looks like a
    /// secret: what is asked is never cut by what it looks like.
    pub fn put_shown(&self, redactor: &Redactor, value: &mut Value, pointer: &str) {
        if let (Some(place), Ok(shown)) =
            (value.pointer_mut(pointer), serde_json::to_value(self.shown(redactor)))
        {
            *place = shown;
        }
    }

    /// Counts the secret values in it; with some it is critical.
    pub(super) fn guarded(mut self, known: &Redactor) -> Self {
        let hidden = self.secret_chars(known);
        if hidden > 0 {
            self.hidden_chars = hidden;
            self.risk = Risk::Critical;
            self.confirm_word = Some(self.tool.clone());
        }
        self
    }

    /// Characters of secret values in what is asked, once: targets, preview and rule only say again what stands in the
    /// arguments.
    fn secret_chars(&mut self, known: &Redactor) -> u32 {
        let most = self.texts_mut().map(|text| known.hidden_chars(text)).max().unwrap_or(0);
        u32::try_from(most).unwrap_or(u32::MAX)
    }

    /// Everything in it that comes from the call.
    fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let preview = self.preview.iter_mut().map(|preview| match preview {
            Preview::Diff(text) | Preview::Command(text) | Preview::Text(text) => text,
        });
        let targets = self.targets.iter_mut().map(|target| match target {
            Target::Path(text) | Target::Host(text) | Target::Command(text) => text,
        });
        // Tool, caution and sandbox are left out: they are words of the program.
        [&mut self.arguments, &mut self.rule]
            .into_iter()
            .chain(preview)
            .chain(targets)
            .chain(&mut self.folder)
    }
}

/// Who denied a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DeniedBy {
    /// The user, asked about this call.
    User,
    /// A rule.
    Rule,
    /// How the run is approved: the call needs asking, and nobody is asked.
    Mode,
    /// A limit: of the run, of the request, or of what the tool may touch.
    Limit,
}

impl DeniedBy {
    /// The word of wires and logs.
    pub fn word(self) -> &'static str {
        match self {
            DeniedBy::User => "user",
            DeniedBy::Rule => "rule",
            DeniedBy::Mode => "mode",
            DeniedBy::Limit => "limit",
        }
    }
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

/// Who answered a question, in events: the user.
pub(crate) const BY_USER: &str = "user";

/// Who answered a question, in events: whoever knows that nobody can.
pub(crate) const BY_NOBODY: &str = "nobody";

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
    /// What the user says to a denied call: the model is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Whether nobody is there who could answer. Never believed of others.
    #[serde(skip)]
    pub is_by_nobody: bool,
}

impl PermissionAnswer {
    /// An answer without a changed rule and without words.
    pub fn new(decision: Decision) -> Self {
        Self { decision, rule: None, confirmation: None, message: None, is_by_nobody: false }
    }

    /// What becomes of a question that nobody can answer: it is denied, and not in the user's name.
    pub fn by_nobody() -> Self {
        Self { is_by_nobody: true, ..Self::new(Decision::Deny) }
    }

    /// Who answered, as events write it.
    pub(crate) fn by(&self) -> &'static str {
        if self.is_by_nobody { BY_NOBODY } else { BY_USER }
    }
}

#[cfg(test)]
#[path = "question_tests.rs"]
mod tests;
