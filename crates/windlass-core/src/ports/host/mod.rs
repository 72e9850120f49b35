//! The host: what a front end sees of a running Windlass, in this process or behind a server.
//!
//! Front ends (server, terminal app, commands) hold a `HostPort`; who stands behind it, they do not know.
//! Everything that they show of a run is a fold over the records that `events` gives (wall 3). What is asked
//! and given is here; the traits, one for each subject, are in `port`; what is told of modules is in `modules`,
//! and of programs that run tools for a host in `executors`.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::permission::{ApproveMode, Question};
use crate::protocol::event::Record;
use crate::protocol::ids::{CallId, Millis, RunId, SessionId};
use crate::protocol::model::Sampling;
use crate::protocol::tool::ToolOutcome;

mod executors;
mod modules;
mod port;

pub use crate::protocol::command::RunWishes;
pub use executors::{
    ExecutorAnswer, ExecutorBadge, ExecutorNews, ExecutorOffer, ExecutorRow, ExecutorTicket, ExecutorsPort,
    RequestedCall,
};
pub use modules::{
    MODULE_PREFIX, ModuleFault, ModuleField, ModulePrompt, ModuleRow, ModuleShelf, ModulesPort, PromptMessage,
};
pub use port::{
    HostModels, HostPolicies, HostPort, HostRuns, HostSearch, HostSessions, HostTools, ServedPort,
};

/// A run that is wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct RunStart {
    /// What the user says.
    pub message: crate::protocol::message::Message,
    /// What the user wishes beside that.
    pub wishes: RunWishes,
    /// Another model than the session's.
    pub model: Option<String>,
    /// Another profile than the session's.
    pub profile: Option<String>,
    /// Whether a call may start as soon as it is complete (`TOOL_LOOP_V2`); the configuration's choice otherwise.
    pub executes_while_streaming: Option<bool>,
}

/// A run that began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartedRun {
    /// Its id.
    pub run_id: RunId,
    /// Its session.
    pub session_id: SessionId,
    /// The number after which its records come.
    pub after_seq: u64,
}

/// What a reader of events gets.
#[derive(Debug, Clone, PartialEq)]
pub enum HostDelivery {
    /// The next record.
    Record(Arc<Record>),
    /// The reader was too slow, and what it missed is not there any more: it should begin again after its
    /// last durable record.
    Gap,
    /// The session was forgotten: nothing comes after this. Only readers of whole sessions hear it.
    Deleted,
}

/// Which records of a session are wanted at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordQuery {
    /// Those with a larger number.
    pub after: u64,
    /// At most so many.
    pub rows_max: usize,
    /// Whether deltas are among them.
    pub has_deltas: bool,
}

/// How a run that stopped in the middle is taken up again.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ResumeWish {
    /// Calls that may run again although nobody knows whether they happened.
    pub retry: Vec<CallId>,
    /// How calls are approved from now on, if not as the run began with.
    pub approve: Option<ApproveMode>,
}

/// What becomes of a run that was copied up to a step.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ForkWish {
    /// The last step that is taken over; 0 for the user's message alone.
    pub step: u32,
    /// Another model.
    pub model: Option<String>,
    /// Another message instead of the user's (only with step 0).
    pub message: Option<String>,
    /// Another outcome for a call of the last step taken over: its id and the JSON that it gave.
    pub outcome: Option<(CallId, Value)>,
}

/// What a replay found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReplayReport {
    /// The run.
    pub run_id: RunId,
    /// Durable records that came out the same.
    pub same: u64,
    /// The first that did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub divergence: Option<ReplayDivergence>,
}

/// Where a replay went another way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReplayDivergence {
    /// The number of the record.
    pub seq: u64,
    /// What is on record.
    pub recorded: String,
    /// What came out now.
    pub replayed: String,
}

/// A model that can be chosen.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Model"))]
pub struct ModelRow {
    /// `provider/model`.
    pub name: String,
    /// Who offers it.
    #[serde(default)]
    pub provider: String,
    /// Whether it is chosen when nobody chooses.
    pub is_default: bool,
    /// Whether it can be asked as things are (a key is there, a script can be read).
    pub is_ready: bool,
    /// Tokens it holds, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u64>,
    /// Whether it can use tools, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_tools: Option<bool>,
    /// Whether it can think aloud, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_reasoning: Option<bool>,
    /// Who says so: the catalogue and where it has it from, the configuration, the doctor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// What it costs, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<ModelPrice>,
    /// What the doctor found last, if it was ever asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doctor: Option<ModelFindings>,
}

/// What a million tokens cost, in US dollars.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelPrice {
    /// Read.
    pub input: f64,
    /// Read from the provider's cache.
    pub cached: f64,
    /// Written, thinking included.
    pub output: f64,
}

/// What the doctor found of a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Findings"))]
pub struct ModelFindings {
    /// When.
    pub checked_ms: Millis,
    /// One a probe, in their order.
    pub findings: Vec<ModelFinding>,
}

/// What one probe found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelFinding {
    /// The probe's word.
    pub probe: String,
    /// What it looks at, in a few words.
    pub title: String,
    /// `pass`, `fail`, `unsure` or `skipped`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["pass", "fail", "unsure", "skipped"])))]
    pub verdict: String,
    /// What it means for the user.
    pub meaning: String,
    /// What the endpoint did or said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// What holds where nobody chooses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HostDefaults {
    /// The project root.
    pub root: String,
    /// The model.
    pub model: String,
    /// The profile.
    pub profile: String,
    /// Whether calls start as soon as they are complete (`TOOL_LOOP_V2`).
    pub executes_while_streaming: bool,
    /// How calls are approved that need asking.
    pub approve: ApproveMode,
    /// Sampling, as far as the configuration says it.
    #[serde(default)]
    pub sampling: Sampling,
}

/// Which lines of the audit log are wanted, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AuditQuery {
    /// Only those about this tool.
    pub tool: Option<String>,
    /// At most so many.
    pub rows_max: usize,
}

/// A call from outside, through the same gates as a model's.
#[derive(Debug, Clone, PartialEq)]
pub struct OutsideCall {
    /// The tool.
    pub name: String,
    /// Its arguments.
    pub args: Map<String, Value>,
    /// The session whose grants and tasks count, if any.
    pub session_id: Option<SessionId>,
    /// What somebody who has seen the call said to it. Without that, what would need asking is refused.
    pub consent: Option<Consent>,
}

/// Somebody has seen a call and wants it to run, this once. Rules that deny it still do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consent {
    /// The digest of the question that was seen: of a staged edit, or of an explanation.
    pub digest: String,
    /// The word typed for a critical call.
    pub confirmation: Option<String>,
}

/// A staged edit is to be made, as somebody has seen it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditApproval {
    /// The run that staged it.
    pub run_id: RunId,
    /// The call that was staged.
    pub call_id: CallId,
    /// What was said to it, and to what: another edit than the one that was shown is not made.
    pub consent: Consent,
}

/// What a call from outside gave.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolAnswer {
    /// The outcome.
    pub outcome: Arc<ToolOutcome>,
    /// The envelope of the profile, as a model would see it.
    pub content: String,
}

/// What decides a call, for `policy explain`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// What each gate says, in their order.
    pub gates: Vec<ExplainedGate>,
    /// What the user would be asked, if the gate that decides asks or stages.
    pub question: Option<Question>,
}

/// What one gate says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Gate"))]
pub struct ExplainedGate {
    /// The gate's word.
    pub gate: String,
    /// `silent`, `allow`, `ask`, `stage` or `deny`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["silent", "allow", "ask", "stage", "deny"])))]
    pub opinion: String,
    /// Why.
    pub reason: String,
    /// Whether it is the one that decides.
    pub decides: bool,
}

/// Why a host did not do what it was asked, by what the caller can do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HostError {
    /// There is no such thing: look at the list.
    #[error("there is no {what} '{id}'")]
    Missing {
        /// `session`, `run`, `step`, `tool`, `model`, `module`, `rule`, `save`, `question`, `index`, `executor`, `call`.
        what: &'static str,
        /// What was asked for.
        id: String,
    },
    /// The request itself is wrong: change it.
    #[error("{message}")]
    Invalid {
        /// The field, if it is one.
        field: Option<&'static str>,
        /// What is wrong and what to do.
        message: String,
    },
    /// The model's provider wants a key, and there is none: set one of these.
    #[error("'{model}' needs a key, and there is none: set {}", .variables.join(" or "))]
    Unkeyed {
        /// The model.
        model: String,
        /// Environment variables that may hold it, the nearest first.
        variables: Vec<String>,
    },
    /// A run goes on in the session: wait or cancel.
    #[error("run {0} is still going on in this session; wait for it or cancel it")]
    Busy(RunId),
    /// Another process writes the session.
    #[error("the session is in use by {0}")]
    Held(String),
    /// The question was answered, withdrawn, or asked for other arguments.
    #[error("{0}")]
    Stale(String),
    /// A call by hand would have to be asked about: show this, and send the call again with its digest.
    #[error("the call needs somebody's consent: send it again with 'approve' and the question's 'digest'")]
    NeedsConsent(Box<Question>),
    /// The run has ended, or has not: it cannot be done now.
    #[error("{0}")]
    Conflict(String),
    /// Too much goes on: later.
    #[error("{message}")]
    Overloaded {
        /// What is full.
        message: String,
        /// When to try again.
        retry_after_ms: u64,
    },
    /// The host is behind a server, and there is no way to it now: look at the address and the network, or try later.
    #[error("{0}")]
    Unreachable(String),
    /// The server that the host is behind wants a token, or another one.
    #[error("{0}")]
    Unauthorised(String),
    /// What answers is no Windlass, or one of another version: look at the address, and bring both to one version.
    #[error("{0}")]
    Incompatible(String),
    /// The host is going down.
    #[error("the server is shutting down")]
    Closing,
    /// The store or something else broke; the operator's log has more.
    #[error("{0}")]
    Broken(String),
}
