//! What the machine can be told, and what it asks to be done.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::taint::Taint;
use crate::permission::{
    ApproveMode, ApprovedCall, AuditEntry, Inspection, PermissionAnswer, Question, Rule,
};
use crate::protocol::command::MessageSend;
use crate::protocol::event::{Event, RunOutcome, StopReason};
use crate::protocol::ids::{CallId, Millis};
use crate::protocol::message::{Part, Transcript};
use crate::protocol::model::{ModelFailure, ModelRequest, ModelStep, Notice, Usage};
use crate::protocol::tool::{CheckedCall, RawCall, ToolFailure, ToolOutcome};

/// Something happened outside.
#[derive(Debug, Clone)]
pub enum Input {
    /// The user said something: the run begins.
    UserMessage(Box<Start>),
    /// A call is complete although the model still speaks (execute while streaming).
    CallReady(RawCall),
    /// The model is done with a step.
    ModelEnded(ModelStep),
    /// The model gave no step.
    ModelFailed {
        /// Why.
        failure: ModelFailure,
        /// What it had said and thought of the step so far.
        partial: Vec<Part>,
    },
    /// The model's adapter had to change something of the request.
    ModelNoticed(Notice),
    /// A tool said what a call would touch.
    CallInspected {
        /// The call.
        call_id: CallId,
        /// What it would touch, or why it must not run.
        result: Result<Inspection, ToolFailure>,
    },
    /// The user answered a question.
    PermissionAnswered {
        /// The call that waited.
        call_id: CallId,
        /// The answer.
        answer: PermissionAnswer,
    },
    /// The user chose another mode, and the permissions know it: questions that wait are judged by it.
    ModeChanged(ApproveMode),
    /// A running call has its outcome.
    CallEnded {
        /// The call.
        call_id: CallId,
        /// What it gave.
        outcome: ToolOutcome,
    },
    /// A timer went off.
    DeadlinePassed(Deadline),
    /// The user wants it to stop.
    Cancel {
        /// What the model had said of the step so far.
        partial: String,
    },
    /// The journal cannot be written: going on would lose what happens.
    JournalFailed {
        /// What the user is told.
        message: String,
    },
}

/// What a run begins with.
#[derive(Debug, Clone)]
pub struct Start {
    /// The user's message and wishes.
    pub send: MessageSend,
    /// The session's history so far.
    pub transcript: Transcript,
    /// The number of the session's next call: ids never repeat in a session.
    pub next_call_number: u64,
    /// What the context of a call around the run has from outside: a call made inside it is no freer.
    pub outer: Option<Box<Taint>>,
}

/// The two deadlines of a run: when work must stop, and when the final answer must be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Deadline {
    /// No more tools after this.
    Work,
    /// No more waiting for the final answer after this.
    Final,
}

/// Something the machine asks to be done, in order.
#[derive(Debug)]
pub enum Effect {
    /// Journal it if it is durable, then publish it.
    Emit(Event),
    /// Ask the model for a step.
    CallModel {
        /// The request.
        request: Box<ModelRequest>,
        /// How long to wait first.
        delay_ms: u64,
        /// Whether the provider asked for just that wait; any other is better spread a little.
        is_exact: bool,
    },
    /// Stop the model that is speaking.
    StopModel,
    /// Ask a tool what a call would touch.
    InspectCall(Box<CheckedCall>),
    /// Ask the user.
    AskPermission(Box<Question>),
    /// The question needs no answer any more.
    WithdrawQuestion(CallId),
    /// Write a decision down.
    Audit(Box<AuditEntry>),
    /// Store a rule for good.
    StoreRule(Box<Rule>),
    /// Run a call.
    RunTool {
        /// The call, approved.
        call: Box<ApprovedCall>,
        /// How long it may take.
        timeout_ms: u64,
    },
    /// Stop a running call.
    StopCall(CallId),
    /// Tell me when this time has come.
    SetTimer {
        /// Which deadline.
        deadline: Deadline,
        /// When.
        at_ms: Millis,
    },
    /// The run is over: nothing of it may go on.
    Finish(Box<Finished>),
}

/// What a finished run leaves behind.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// How it ended.
    pub outcome: RunOutcome,
    /// Why it stopped.
    pub reason: StopReason,
    /// The answer.
    pub answer: String,
    /// The error, if it failed.
    pub error: Option<RunError>,
    /// Token counts.
    pub usage: Usage,
    /// The session's history, with this run.
    pub transcript: Transcript,
    /// The number of the session's next call.
    pub next_call_number: u64,
}

/// Why a run failed, for callers that want to match on it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RunError {
    /// The step limit of a profile that does not finalise (D-18, D-25).
    #[error("Maximum iterations ({0}) reached during tool execution")]
    StepsMax(u32),
    /// A call failed in a profile that does not go on (D-25).
    #[error("Tool error: {message}")]
    Tool {
        /// What happened, in the profile's words.
        message: String,
        /// The failure itself.
        failure: Arc<ToolOutcome>,
    },
    /// A bad call was not corrected (E-33).
    #[error("Tool call rejected: {0}.")]
    Rejected(String),
    /// The answer was not what it must be, twice.
    #[error("The answer cannot be used: {0}")]
    Malformed(String),
    /// The model failed.
    #[error("{0}")]
    Model(ModelFailure),
    /// The journal failed.
    #[error("{0}")]
    Journal(String),
}
