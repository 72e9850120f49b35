//! What is asked of a model and what it answers: requests, deltas, steps, failures.
//!
//! A model knows nothing of sessions, permissions or tools: specs and calls are data to it.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::protocol::ids::RunId;
use crate::protocol::message::{Part, Transcript};
use crate::protocol::tool::{RawCall, ToolSpec};

/// Why a step is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum StepPurpose {
    /// An ordinary step.
    Work,
    /// The last step had a bad call; this one may correct it. Does not count as a step (E-33).
    Correction,
    /// The last answer was cut by its length, or the model paused; go on with it.
    Continuation,
    /// The last word of a run that reached a limit: no tools.
    Finalise,
}

/// What a model may do with tools in a step.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    /// As it likes.
    #[default]
    Auto,
    /// It must call one.
    Required,
    /// It must call none.
    #[serde(alias = "none")]
    Forbidden,
    /// It must call this one.
    #[serde(alias = "name")]
    Named(String),
}

impl ToolChoice {
    /// What a word of users means: auto, required, none, or the name of a tool.
    pub fn of_word(word: &str) -> Self {
        match word {
            "auto" => ToolChoice::Auto,
            "required" => ToolChoice::Required,
            "none" => ToolChoice::Forbidden,
            name => ToolChoice::Named(name.to_owned()),
        }
    }
}

/// Wishes that go to the provider as they are.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sampling {
    /// Sampling temperature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Nucleus sampling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// Most tokens of one answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens_max: Option<u32>,
    /// `low`, `medium`, `high` or `auto`; reasoning is shown when it is set (S-25).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub reasoning_effort: Option<Effort>,
    /// For repeatable answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The form of the answer, as OpenAI's `response_format` says it; other wires translate it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_format: Option<Value>,
}

/// How hard a model thinks before it answers. People choose among `low`, `medium`, `high` and `auto`
/// ([`EFFORTS`](crate::protocol::settings::EFFORTS)); the other levels come from clients of OpenAI's interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// Not at all.
    #[serde(rename = "none", alias = "off")]
    Off,
    /// As little as there is.
    Minimal,
    /// A little.
    Low,
    /// As much as is usual.
    Medium,
    /// Much.
    High,
    /// More than `high`.
    XHigh,
    /// All it can.
    Max,
    /// As the model finds right; also what a record means whose word is not known here.
    #[serde(other)]
    Auto,
}

impl Effort {
    const ALL: [Self; 8] =
        [Self::Off, Self::Minimal, Self::Low, Self::Medium, Self::High, Self::XHigh, Self::Max, Self::Auto];

    /// The word of wires, records and settings.
    pub fn word(self) -> &'static str {
        match self {
            Self::Off => "none",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::XHigh => "xhigh",
            Self::Max => "max",
            Self::Auto => "auto",
        }
    }

    /// The effort that a word names.
    pub fn of_word(word: &str) -> Option<Self> {
        let word = if word == "off" { "none" } else { word };
        Self::ALL.into_iter().find(|effort| effort.word() == word)
    }
}

/// What a model adapter keeps between the steps of a run, so that a long history is written once and only
/// appended to. The machine hands it on and never looks inside; it dies with the run.
#[derive(Clone, Default)]
pub struct Kept(Arc<Mutex<Option<Box<dyn Any + Send>>>>);

impl Kept {
    /// Takes out what was kept, if it is of this type.
    pub fn take<T: Any + Send>(&self) -> Option<Box<T>> {
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match slot.take()?.downcast::<T>() {
            Ok(kept) => Some(kept),
            Err(other) => {
                *slot = Some(other);
                None
            }
        }
    }

    /// Keeps something until the next step.
    pub fn put<T: Any + Send>(&self, kept: Box<T>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(kept);
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Kept")
    }
}

/// What an adapter keeps is no part of what is asked: two requests that ask the same are the same.
impl PartialEq for Kept {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

/// One request to a model. Its beginning is byte-identical from step to step: system text
/// and tools first, history next, what changes (`trailer`) last.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRequest {
    /// The run that asks.
    pub run_id: RunId,
    /// The step that asks, from 1.
    pub step: u32,
    /// Why.
    pub purpose: StepPurpose,
    /// The system text.
    pub system: Arc<str>,
    /// The history to show, calls never apart from their outcomes.
    pub messages: Transcript,
    /// How many messages at its beginning are examples: nobody ever said them.
    pub examples: usize,
    /// Notes that belong to this request alone, after the history.
    pub trailer: Vec<String>,
    /// The tools that may be called in the run, sorted by name; present also in a step that forbids calls, so that
    /// the prefix stays the same.
    pub tools: Arc<[Arc<ToolSpec>]>,
    /// Values that exist now, by their kind: a string of a tool's schema that says `"x-windlass-live": KIND` is one
    /// of them; a kind that is not here leaves it free. What samples in the process keeps to it; nothing of it is
    /// ever sent or written down.
    pub live: Arc<BTreeMap<String, Vec<String>>>,
    /// What may be done with them.
    pub tool_choice: ToolChoice,
    /// Sampling wishes.
    pub sampling: Sampling,
    /// What the adapter kept of earlier steps of this run.
    pub kept: Kept,
}

/// A piece of a streamed answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelDelta {
    /// Answer text.
    Text(String),
    /// Thinking.
    Reasoning(String),
    /// Provider state for the thinking so far; closes the current block.
    ReasoningState(Value),
    /// A piece of a call.
    Call(CallDelta),
    /// Token counts; later ones replace earlier ones.
    Usage(Usage),
    /// Why the model stopped.
    Finish(Finish),
    /// How far the prompt is read.
    Progress(ReadingProgress),
    /// The adapter had to change something of the request, or the provider did. What the adapter did comes
    /// before everything else.
    Notice(Notice),
}

/// How far a prompt is read that takes a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadingProgress {
    /// Tokens that are read.
    pub tokens_read: u64,
    /// Tokens of the whole prompt.
    pub tokens_total: u64,
    /// How long the rest takes about, by the speed so far; said where reading takes longer than ten seconds.
    pub remaining_ms: Option<u64>,
}

/// Something of a request that was changed, left out, or could only be imitated. Nothing is repaired silently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// What was done.
    pub kind: NoticeKind,
    /// The rule that asked for it, a stable word such as `orphan_outcome` or `tool_choice_required`.
    pub rule: String,
    /// What was done and why, for the user.
    pub message: String,
}

/// What was done to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum NoticeKind {
    /// The history was not legal for the provider and was made so.
    Healed,
    /// A schema or a name was put into the provider's dialect with a loss.
    Lowered,
    /// Something that the provider cannot do is imitated, or left out.
    Emulated,
    /// The history was too long and was shortened.
    Trimmed,
}

impl NoticeKind {
    /// The word of wires and screens.
    pub fn word(self) -> &'static str {
        match self {
            NoticeKind::Healed => "healed",
            NoticeKind::Lowered => "lowered",
            NoticeKind::Emulated => "emulated",
            NoticeKind::Trimmed => "trimmed",
        }
    }
}

/// A piece of a call, as providers stream them: any field may be missing or repeated.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CallDelta {
    /// The provider's slot number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u32>,
    /// The provider's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The tool's name; repeated, never concatenated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Argument text to append.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args_text: Option<String>,
    /// Arguments given as a value; several objects merge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args_value: Option<Box<Value>>,
    /// State that the provider wants to see again with this call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<Box<Value>>,
    /// Whether it is a whole call from a field that may only repeat what another one says.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_echo: bool,
}

/// Why a model stopped. Never trusted alone: calls present are calls (providers lie).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// It was done.
    Stop,
    /// It wants calls answered.
    Calls,
    /// It ran out of tokens.
    Length,
    /// It paused in the middle and goes on when it is asked again with what it said so far.
    Paused,
    /// The provider withheld the rest.
    Filtered,
    /// Something else, or nothing.
    Other(String),
}

/// Token counts in one normal form: `input` includes cached, `output` includes reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Usage {
    /// Tokens read.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
    /// Tokens read from the provider's cache.
    #[serde(default)]
    pub cached: u64,
    /// Tokens of thinking.
    #[serde(default)]
    pub reasoning: u64,
    /// What it cost, where prices are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

impl Usage {
    /// Tokens read and written.
    pub fn total(&self) -> u64 {
        self.input.saturating_add(self.output)
    }

    /// Adds another step's counts.
    pub fn add(&mut self, other: &Usage) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cached = self.cached.saturating_add(other.cached);
        self.reasoning = self.reasoning.saturating_add(other.reasoning);
        self.cost_usd = match (self.cost_usd, other.cost_usd) {
            (None, None) => None,
            (own, more) => Some(own.unwrap_or(0.0) + more.unwrap_or(0.0)),
        };
    }
}

/// One complete model response, as the assembler made it of deltas.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelStep {
    /// Text and reasoning in order.
    pub parts: Vec<Part>,
    /// Calls in order, as the model gave them.
    pub calls: Vec<RawCall>,
    /// Token counts.
    pub usage: Option<Usage>,
    /// Why it stopped.
    pub finish: Finish,
}

impl ModelStep {
    /// A step of text alone.
    pub fn text(text: impl Into<String>) -> Self {
        Self { parts: vec![Part::text(text)], calls: Vec::new(), usage: None, finish: Finish::Stop }
    }

    /// A step of calls alone.
    pub fn calls(calls: Vec<RawCall>) -> Self {
        Self { parts: Vec::new(), calls, usage: None, finish: Finish::Calls }
    }
}

/// Why a model gave no step. `message` is for the user, `detail` for the operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[error("{message}")]
pub struct ModelFailure {
    /// What kind of failure it is; a stable word in records and on wires.
    #[serde(rename = "code")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub kind: ModelFailureKind,
    /// What happened and what to do.
    pub message: String,
    /// Whether asking again may help.
    pub is_retryable: bool,
    /// How long the provider asked us to wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// For the operator only.
    #[serde(skip)]
    pub detail: Option<String>,
}

impl ModelFailure {
    /// A failure that asking again will not cure.
    pub fn fatal(kind: impl Into<ModelFailureKind>, message: impl Into<String>) -> Self {
        Self {
            kind: kind.into(),
            message: message.into(),
            is_retryable: false,
            retry_after_ms: None,
            detail: None,
        }
    }

    /// A failure that may pass.
    pub fn passing(kind: impl Into<ModelFailureKind>, message: impl Into<String>) -> Self {
        Self { is_retryable: true, ..Self::fatal(kind, message) }
    }
}

/// The kinds of failure that are told apart: what the loop, the doctor and the front ends decide by.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum ModelFailureKind {
    /// No key, or one that the provider refuses.
    Auth,
    /// The provider asks to wait.
    RateLimit,
    /// The provider failed, or has too much to do.
    Overloaded,
    /// No answer in time.
    Timeout,
    /// No connection.
    Network,
    /// The provider refuses the request as it is.
    BadRequest,
    /// An answer that cannot be read.
    Malformed,
    /// An answer that ended in the middle.
    Cut,
    /// The request has more tokens than the model takes.
    ContextOverflow,
    /// The model cannot call tools.
    NoToolSupport,
    /// Withheld for its content.
    Filtered,
    /// No credit is left at the provider.
    Quota,
    /// The provider has no such model.
    ModelUnknown,
    /// An answer with nothing in it.
    Empty,
    /// The program stopped while the model spoke.
    Interrupted,
    /// A conversation script did not go on as it says.
    Script,
    /// Inputs of a module are missing or of another type.
    Inputs,
    /// A model in the process failed.
    Local,
    /// A model in the process could not be held to a grammar.
    Grammar,
    /// A predictor of a library user failed.
    Predictor,
    /// The journal could not be written.
    Journal,
    /// A word that only scripts and the records of other releases have; nothing is decided by it.
    Other(String),
}

impl ModelFailureKind {
    const NAMED: [Self; 21] = [
        Self::Auth,
        Self::RateLimit,
        Self::Overloaded,
        Self::Timeout,
        Self::Network,
        Self::BadRequest,
        Self::Malformed,
        Self::Cut,
        Self::ContextOverflow,
        Self::NoToolSupport,
        Self::Filtered,
        Self::Quota,
        Self::ModelUnknown,
        Self::Empty,
        Self::Interrupted,
        Self::Script,
        Self::Inputs,
        Self::Local,
        Self::Grammar,
        Self::Predictor,
        Self::Journal,
    ];

    /// The word of wires and records.
    pub fn word(&self) -> &str {
        match self {
            Self::Auth => "auth",
            Self::RateLimit => "rate_limit",
            Self::Overloaded => "overloaded",
            Self::Timeout => "timeout",
            Self::Network => "network",
            Self::BadRequest => "bad_request",
            Self::Malformed => "malformed",
            Self::Cut => "cut",
            Self::ContextOverflow => "context_overflow",
            Self::NoToolSupport => "no_tool_support",
            Self::Filtered => "filtered",
            Self::Quota => "quota",
            Self::ModelUnknown => "model_unknown",
            Self::Empty => "empty",
            Self::Interrupted => "interrupted",
            Self::Script => "script",
            Self::Inputs => "inputs",
            Self::Local => "local",
            Self::Grammar => "grammar",
            Self::Predictor => "predictor",
            Self::Journal => "journal",
            Self::Other(word) => word,
        }
    }
}

impl From<&str> for ModelFailureKind {
    fn from(word: &str) -> Self {
        let named = Self::NAMED.into_iter().find(|kind| kind.word() == word);
        named.unwrap_or_else(|| Self::Other(word.to_owned()))
    }
}

impl From<String> for ModelFailureKind {
    fn from(word: String) -> Self {
        Self::from(word.as_str())
    }
}

impl From<ModelFailureKind> for String {
    fn from(kind: ModelFailureKind) -> Self {
        kind.word().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every piece of an answer is one of these, and they are moved often: what is large and rare stands behind a
    /// pointer.
    #[test]
    fn a_delta_is_small() {
        assert!(size_of::<ModelDelta>() <= 104, "{}", size_of::<ModelDelta>());
    }
}
