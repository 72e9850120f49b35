//! What a call gave.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ErrorKind, InnerCall, Label, ReachedHost, ToolFailure};
use crate::calls::json::note::RepairNote;
use crate::permission::{Question, Sandbox};
use crate::protocol::ids::Millis;

/// What a tool returns when it succeeds: JSON for machines, text for readers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolOutput {
    /// The value; what `$ref` paths point into.
    pub json: Value,
    /// A text form for models and people; the JSON itself when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Sources that an answer can cite.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Link>,
    /// The 900-character summary of text dialects (E-26…E-29), made by the tool's renderer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Whether the tool cut its own output to a limit.
    #[serde(default)]
    pub is_truncated: bool,
}

impl ToolOutput {
    /// Output that is JSON alone.
    pub fn json(json: Value) -> Self {
        Self { json, text: None, links: Vec::new(), summary: None, is_truncated: false }
    }

    /// Output that is text alone.
    pub fn text(text: impl Into<String>) -> Self {
        Self::json(Value::String(text.into()))
    }

    /// Adds a text form.
    pub fn with_text(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }

    /// Adds the summary of text dialects.
    pub fn with_summary(mut self, summary: impl Into<String>) -> Self {
        self.summary = Some(summary.into());
        self
    }

    /// What a reader sees: the text, a bare string, or compact JSON.
    pub fn readable(&self) -> std::borrow::Cow<'_, str> {
        match (&self.text, &self.json) {
            (Some(text), _) => text.as_str().into(),
            (None, Value::String(text)) => text.as_str().into(),
            (None, json) => json.to_string().into(),
        }
    }
}

/// A source found by a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Link {
    /// Its title; the name of a document.
    pub title: String,
    /// Its address; empty where it is a document of the index, which has none.
    pub url: String,
    /// A piece of its text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub snippet: String,
}

impl Link {
    /// What an answer cites: the address of a page, the name of a document.
    pub fn address(&self) -> &str {
        if self.url.is_empty() { &self.title } else { &self.url }
    }
}

/// Where an output came from: untrusted text is never taken for an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// Made by this program.
    #[default]
    Own,
    /// From outside: web pages, files, other programs.
    Untrusted,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OutcomeStatus {
    /// It gave an output.
    Ok,
    /// It failed.
    Failed,
    /// It was not allowed.
    Denied,
    /// It is an edit that awaits the user's approval.
    Staged,
    /// The run was cancelled.
    Cancelled,
    /// The process died while it ran.
    Interrupted,
}

impl OutcomeStatus {
    /// The word of events, scripts, spans and screens.
    pub fn word(self) -> &'static str {
        match self {
            OutcomeStatus::Ok => "ok",
            OutcomeStatus::Failed => "failed",
            OutcomeStatus::Denied => "denied",
            OutcomeStatus::Staged => "staged",
            OutcomeStatus::Cancelled => "cancelled",
            OutcomeStatus::Interrupted => "interrupted",
        }
    }
}

/// Facts about the running of a call.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OutcomeMeta {
    /// When it started (or was refused).
    pub started_ms: Millis,
    /// How long it took.
    pub duration_ms: u64,
    /// Size of the readable output.
    pub output_bytes: u64,
    /// Whether the model sees only a part.
    #[serde(default)]
    pub is_truncated: bool,
    /// Whether an earlier outcome was given again.
    #[serde(default)]
    pub is_cached: bool,
    /// Which try it was, from 1.
    #[serde(default)]
    pub attempt: u32,
    /// Arguments that were dropped (E-16).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped_args: Vec<String>,
    /// Noise that was taken off the arguments before they could be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repairs: Vec<RepairNote>,
    /// Who allowed it: the gate's word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    /// The handle under which the whole output can be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_ref: Option<String>,
    /// Where the output came from.
    #[serde(default)]
    pub trust: Trust,
    /// Who wrote what is in it, for the gates; nothing where that is this program. Older records say `trust` alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<Box<Label>>,
    /// What the command was held to while it ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<Box<Sandbox>>,
    /// The edit that was staged instead of made: what awaits the user's approval. Calling its tool with its
    /// arguments makes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<Box<Question>>,
    /// Hosts that it has sent something to, those of calls inside it among them. A call that was cut off with the program has
    /// none on record, but that it began.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reached: Vec<ReachedHost>,
    /// Calls that it made itself: in journals from before these had records of their own, and in the answer to a call
    /// from outside, of which there is no journal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inside: Vec<InnerCall>,
}

/// What a call gave: exactly one for every call, whatever happened to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolOutcome {
    /// Output or failure.
    pub body: Result<ToolOutput, ToolFailure>,
    /// Facts about the running.
    pub meta: OutcomeMeta,
}

impl ToolOutcome {
    /// A call that worked.
    pub fn ok(output: ToolOutput) -> Self {
        let output_bytes = output.readable().len() as u64;
        let meta = OutcomeMeta {
            output_bytes,
            is_truncated: output.is_truncated,
            attempt: 1,
            ..OutcomeMeta::default()
        };
        Self { body: Ok(output), meta }
    }

    /// A call that failed, or never ran.
    pub fn failed(failure: ToolFailure) -> Self {
        Self { body: Err(failure), meta: OutcomeMeta { attempt: 1, ..OutcomeMeta::default() } }
    }

    /// Puts in when it started and how long it took.
    pub fn timed(mut self, started_ms: Millis, ended_ms: Millis) -> Self {
        self.meta.started_ms = started_ms;
        self.meta.duration_ms = ended_ms.saturating_sub(started_ms);
        self
    }

    /// Who wrote what is in it; nothing where that is this program.
    pub fn label(&self, tool: &str) -> Option<Label> {
        match (&self.meta.label, self.meta.trust) {
            (Some(label), _) => Some(Label::clone(label)),
            (None, Trust::Untrusted) => Some(Label::untrusted(format!("tool:{tool}"))),
            (None, Trust::Own) => None,
        }
    }

    /// Whether it gave an output.
    pub fn is_ok(&self) -> bool {
        self.body.is_ok()
    }

    /// The output, if there is one.
    pub fn output(&self) -> Option<&ToolOutput> {
        self.body.as_ref().ok()
    }

    /// The failure, if it is one.
    pub fn failure(&self) -> Option<&ToolFailure> {
        self.body.as_ref().err()
    }

    /// How it ended.
    pub fn status(&self) -> OutcomeStatus {
        match &self.body {
            Ok(_) => OutcomeStatus::Ok,
            Err(_) if self.meta.proposal.is_some() => OutcomeStatus::Staged,
            Err(failure) => match failure.kind {
                ErrorKind::PermissionDenied => OutcomeStatus::Denied,
                ErrorKind::Cancelled => OutcomeStatus::Cancelled,
                ErrorKind::Interrupted => OutcomeStatus::Interrupted,
                ErrorKind::UnknownTool
                | ErrorKind::InvalidArgs
                | ErrorKind::ParseError
                | ErrorKind::NotFound
                | ErrorKind::IoError
                | ErrorKind::Timeout
                | ErrorKind::LimitExceeded
                | ErrorKind::Unavailable
                | ErrorKind::SandboxDenied
                | ErrorKind::Internal => OutcomeStatus::Failed,
            },
        }
    }
}
