//! What was found: findings, and the diagnosis that is stored.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_core::calls::json::clip::clip_chars;
use windlass_core::protocol::ids::Millis;
use windlass_core::protocol::model::ModelFailure;

use crate::limits::QUOTE_CHARS_MAX;

/// What is looked at, in this order: later probes use what earlier ones learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Probe {
    /// It answers at all.
    PlainAnswer,
    /// The answer comes in pieces.
    Streaming,
    /// A streamed answer says how many tokens it took.
    StreamUsage,
    /// System text is obeyed.
    SystemText,
    /// A system message may stand in the middle.
    Note,
    /// It calls a tool.
    OneCall,
    /// Arguments come as text or as an object, and can be read.
    ArgsForm,
    /// Arguments come in pieces.
    ArgsStreamed,
    /// Several calls come in one step.
    ParallelCalls,
    /// A call can be forced.
    RequiredChoice,
    /// A certain call can be forced.
    NamedChoice,
    /// Calls can be forbidden.
    ForbiddenChoice,
    /// A call and its outcome are taken back, and used.
    Pairing,
    /// The user may speak right after an outcome.
    UserAfterOutcome,
    /// Calls have ids, each once.
    CallIds,
    /// It shows its thinking when it is asked to.
    Reasoning,
    /// It takes its thinking back.
    ReasoningEcho,
    Picture,
    /// The form of an answer can be prescribed.
    ResponseFormat,
    /// A long prompt is read whole.
    LongPrompt,
}

impl Probe {
    /// All of them, in order.
    pub const ALL: [Probe; 20] = [
        Probe::PlainAnswer,
        Probe::Streaming,
        Probe::StreamUsage,
        Probe::SystemText,
        Probe::Note,
        Probe::OneCall,
        Probe::ArgsForm,
        Probe::ArgsStreamed,
        Probe::ParallelCalls,
        Probe::RequiredChoice,
        Probe::NamedChoice,
        Probe::ForbiddenChoice,
        Probe::Pairing,
        Probe::UserAfterOutcome,
        Probe::CallIds,
        Probe::Reasoning,
        Probe::ReasoningEcho,
        Probe::Picture,
        Probe::ResponseFormat,
        Probe::LongPrompt,
    ];

    /// A few words for a table.
    pub fn title(self) -> &'static str {
        match self {
            Probe::PlainAnswer => "answers",
            Probe::Streaming => "streams",
            Probe::StreamUsage => "counts tokens while streaming",
            Probe::SystemText => "obeys the system text",
            Probe::Note => "takes notes in the middle",
            Probe::OneCall => "calls a tool",
            Probe::ArgsForm => "writes readable arguments",
            Probe::ArgsStreamed => "streams arguments",
            Probe::ParallelCalls => "calls several tools at once",
            Probe::RequiredChoice => "can be made to call",
            Probe::NamedChoice => "can be made to call a certain tool",
            Probe::ForbiddenChoice => "can be kept from calling",
            Probe::Pairing => "uses the outcome of a call",
            Probe::UserAfterOutcome => "takes a user message after an outcome",
            Probe::CallIds => "gives calls unique ids",
            Probe::Reasoning => "shows its thinking",
            Probe::ReasoningEcho => "takes its thinking back",
            Probe::Picture => "sees pictures",
            Probe::ResponseFormat => "keeps to a form of answer",
            Probe::LongPrompt => "reads a long prompt whole",
        }
    }

    /// Whether it means nothing for an endpoint that calls no tools.
    pub(super) fn needs_calls(self) -> bool {
        match self {
            Probe::ArgsForm
            | Probe::ArgsStreamed
            | Probe::ParallelCalls
            | Probe::RequiredChoice
            | Probe::NamedChoice
            | Probe::ForbiddenChoice
            | Probe::Pairing
            | Probe::UserAfterOutcome
            | Probe::CallIds
            | Probe::ReasoningEcho => true,
            Probe::PlainAnswer
            | Probe::Streaming
            | Probe::StreamUsage
            | Probe::SystemText
            | Probe::Note
            | Probe::OneCall
            | Probe::Reasoning
            | Probe::Picture
            | Probe::ResponseFormat
            | Probe::LongPrompt => false,
        }
    }
}

/// How a probe went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProbeVerdict {
    Pass,
    Fail,
    /// It cannot be said.
    Unsure,
    /// It was not looked at.
    Skipped,
}

/// What one probe found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeFinding {
    pub probe: Probe,
    pub verdict: ProbeVerdict,
    /// What it means for the user.
    pub meaning: String,
    /// What the endpoint did or said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// Everything that was found of an endpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Diagnosis {
    /// `provider/model`.
    pub target: String,
    /// When it was made.
    pub at_ms: Millis,
    /// One for each probe, in order.
    pub findings: Vec<ProbeFinding>,
    /// Quirks that differ from what was assumed, by name.
    #[serde(default)]
    pub patch: Map<String, Value>,
}

impl Diagnosis {
    /// What one probe found.
    pub fn finding(&self, probe: Probe) -> Option<&ProbeFinding> {
        self.findings.iter().find(|finding| finding.probe == probe)
    }
}

/// A finding that does not know its probe yet.
#[derive(Debug)]
pub(super) struct ProbeResult {
    pub(super) verdict: ProbeVerdict,
    meaning: String,
    detail: Option<String>,
}

impl ProbeResult {
    fn new(verdict: ProbeVerdict, meaning: impl Into<String>) -> Self {
        Self { verdict, meaning: meaning.into(), detail: None }
    }

    pub(super) fn pass(meaning: impl Into<String>) -> Self {
        Self::new(ProbeVerdict::Pass, meaning)
    }

    pub(super) fn fail(meaning: impl Into<String>) -> Self {
        Self::new(ProbeVerdict::Fail, meaning)
    }

    pub(super) fn unsure(meaning: impl Into<String>) -> Self {
        Self::new(ProbeVerdict::Unsure, meaning)
    }

    pub(super) fn skipped(meaning: impl Into<String>) -> Self {
        Self::new(ProbeVerdict::Skipped, meaning)
    }

    /// Something went wrong that says nothing about the endpoint's abilities.
    pub(super) fn lost(failure: &ModelFailure) -> Self {
        Self::unsure("could not be found out").saying(&failure.message)
    }

    pub(super) fn saying(mut self, detail: &str) -> Self {
        self.detail = Some(clip_chars(detail.trim(), QUOTE_CHARS_MAX).into_owned());
        self
    }

    pub(super) fn of(self, probe: Probe) -> ProbeFinding {
        ProbeFinding { probe, verdict: self.verdict, meaning: self.meaning, detail: self.detail }
    }
}
