//! The event contract: everything that a front end, a journal or a trace can see of a run.
//!
//! Events are named noun-action. Durable ones are journaled before they are published and carry all
//! that is needed to fold a session back; deltas are for the eye and are never the only copy of
//! anything (wall 6). How events look on the SSE wire is `frame`'s business.

mod wire;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::permission::{Decision, DeniedBy, Question};
use crate::protocol::cause::Cause;
use crate::protocol::command::RunWishes;
use crate::protocol::ids::{CallId, MessageId, Millis, RunId, SessionId};
use crate::protocol::message::Message;
use crate::protocol::model::{Finish, NoticeKind, StepPurpose, Usage};
use crate::protocol::task::Task;
use crate::protocol::tool::{Category, Effects, OutcomeStatus, ToolCall, ToolOutcome, Visibility};

/// An event with its place: sequence numbers of a session only grow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Record {
    /// Place in the session, from 1.
    pub seq: u64,
    /// When it happened.
    pub ts_ms: Millis,
    /// The session.
    pub session_id: SessionId,
    /// The run; what ploke calls `request_id` (P-3).
    pub run_id: RunId,
    /// The user message that caused it (P-3).
    pub parent_id: MessageId,
    /// What happened.
    pub event: Event,
    /// What led to it; nothing for what is only shown, and in journals of the first release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Arc<Cause>>,
}

/// Everything that can happen in a run. On every wire the two kinds are one flat object with a `type`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Event {
    /// What is journaled before anybody sees it, and what a session is folded back from.
    Durable(DurableEvent),
    /// What is only shown; nothing but a piece or a sign of what a durable event says whole.
    Delta(DeltaEvent),
}

/// Events that are journaled before they are published.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum DurableEvent {
    /// A run began.
    RunStarted {
        /// The model that answers.
        model: String,
        /// The profile.
        profile: String,
        /// What the user said.
        message: Arc<Message>,
        /// What the user wished for the run beside that.
        #[serde(default = "RunWishes::unsaid", skip_serializing_if = "is_usual")]
        wishes: Arc<RunWishes>,
    },
    /// The program stopped in the middle of the run, and took it up again (not the machine's own).
    RunResumed {
        /// Calls of which nobody knows whether they happened: they were not repeated.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        interrupted: Vec<CallId>,
        /// Calls that ran when the program stopped and are run again: they change nothing twice.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        repeated: Vec<CallId>,
        /// What the session is still granted.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        grants: Vec<String>,
    },
    /// A model was asked for a step; a second start of the same step throws the first away.
    StepStarted {
        /// Which step, from 1.
        step: u32,
        /// Why.
        purpose: StepPurpose,
        /// Which try, from 1.
        attempt: u32,
    },
    /// The model failed in a way that may pass: the step is asked for again after a wait.
    StepDelayed {
        /// Which step.
        step: u32,
        /// The try that is waited for, from 2.
        attempt: u32,
        /// The last try there will be.
        attempts_max: u32,
        /// How long about; a provider's own wish is kept to the letter.
        delay_ms: u64,
        /// The failure's stable word: `rate_limit`, `overloaded`, `cut`, …
        code: String,
        /// What happened.
        message: String,
        /// Token counts of a try that gave nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Box<Usage>>,
    },
    /// Something of a request had to be changed, imitated or left out; the same change is told once a run.
    /// That a step was cut is told for every such step.
    RequestAdjusted {
        /// Which step.
        step: u32,
        /// What was done.
        kind: NoticeKind,
        /// The rule that asked for it, a stable word.
        rule: String,
        /// What was done and why.
        message: String,
    },
    /// A model step is complete: text, reasoning and calls, as they go into the transcript.
    StepEnded {
        /// Which step.
        step: u32,
        /// The assistant message.
        message: Arc<Message>,
        /// Why the model stopped.
        finish: Finish,
        /// Token counts.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
    },
    /// The model asked for a call.
    CallRequested {
        /// The call.
        call: ToolCall,
        /// Where front ends file it.
        category: Category,
        /// How prominently they show it.
        visibility: Visibility,
        /// Whose model asked: the provider's name (P-5); nothing in journals of earlier releases.
        #[serde(default, skip_serializing_if = "str::is_empty")]
        vendor: Arc<str>,
    },
    /// The user is asked.
    PermissionRequested {
        /// What is asked.
        question: Box<Question>,
    },
    /// Somebody or some rule decided.
    PermissionDecided {
        /// The call.
        call_id: CallId,
        /// What was decided.
        decision: Decision,
        /// Which gate decided: `user`, `rule:ID`, `grant`, `risk`, `mode`, …
        by: String,
        /// The rule that was stored with *remember*, or the grant with *session*.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rule: Option<String>,
        /// What the user should know about the decision: a rule that could not be kept, for one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        problem: Option<String>,
        /// Who denied it, if it was denied.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        denied_by: Option<DeniedBy>,
        /// What the user said to a denied call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<Box<str>>,
    },
    /// A call is about to run: written before anything happens.
    CallStarted {
        /// The call.
        call_id: CallId,
        /// The tool.
        name: String,
        /// Who allowed it: the gate's word.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
        /// Where front ends file it.
        category: Category,
        /// How prominently they show it.
        visibility: Visibility,
    },
    /// A running call makes a call itself: written before anything of that happens (not the machine's own).
    InnerCallStarted {
        /// The call that runs, which the model asked for.
        call_id: CallId,
        /// Its place inside: `[2]` is the second call that it made, `[2, 1]` the first call that this one made.
        path: Vec<u32>,
        /// The tool.
        name: String,
        /// Complete arguments.
        arguments: String,
        /// What the tool may change; nothing if there is no such tool.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        effects: Option<Effects>,
    },
    /// A call inside a call has ended. One without this record was cut off, with the call around it or with the
    /// program (not the machine's own).
    InnerCallEnded {
        /// The call that runs.
        call_id: CallId,
        /// Its place inside.
        path: Vec<u32>,
        /// How it ended.
        status: OutcomeStatus,
        /// What it gave or why it failed, cut.
        said: String,
        /// How long it took.
        duration_ms: u64,
        /// Who allowed it: the gate's word.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        decision: Option<String>,
    },
    /// A call has its outcome: exactly once for every requested call.
    CallEnded {
        /// The call.
        call_id: CallId,
        /// The tool.
        name: String,
        /// What it gave.
        outcome: Arc<ToolOutcome>,
        /// The message the model sees.
        message: Arc<Message>,
        /// Where front ends file it.
        category: Category,
        /// How prominently they show it.
        visibility: Visibility,
    },
    /// The task list is now this (not the machine's own).
    TasksChanged {
        /// All tasks, oldest first.
        tasks: Arc<[Task]>,
    },
    /// The runtime told the model something.
    NoteAdded {
        /// What.
        text: String,
    },
    /// Something the user should know; each code at most once a run.
    WarningRaised {
        /// A stable code.
        code: WarningCode,
        /// What happened.
        message: String,
    },
    /// The run cannot go on.
    ErrorRaised {
        /// A stable word.
        code: String,
        /// What happened and what to do.
        message: String,
    },
    /// A staged edit of the run was made when the user approved it (not the machine's own); may come after its end.
    EditApplied {
        /// The call that was staged.
        call_id: CallId,
        /// What the model is told.
        note: String,
    },
    /// The run is over: exactly once. After it comes only what becomes of its staged edits.
    RunEnded {
        /// How it ended.
        outcome: RunOutcome,
        /// Why it stopped.
        reason: StopReason,
        /// The answer, or what there is of it.
        answer: String,
        /// Token counts of the whole run.
        usage: Usage,
    },
}

/// Events for the eye: pieces of a step as it streams, and how far something is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum DeltaEvent {
    /// A model in the process reads a long prompt: so far it is (not durable).
    StepProgressed {
        /// Tokens that are read.
        tokens_read: u64,
        /// Tokens of the whole prompt.
        tokens_total: u64,
        /// How long the rest takes about; said where reading takes longer than ten seconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        remaining_ms: Option<u64>,
    },
    /// Thinking arrived (not durable).
    ReasoningDelta {
        /// Phase: 0 before the first calls, then one more after each batch of calls (S-32).
        phase: u32,
        /// The piece.
        text: String,
    },
    /// Answer text arrived (not durable).
    TextDelta {
        /// The piece.
        text: String,
    },
    /// A piece of a call arrived (not durable).
    CallDelta {
        /// Its place among the calls of the step.
        index: u32,
        /// Its name, once known.
        name: Option<String>,
        /// How many characters of arguments so far.
        chars: u64,
    },
    /// A call reported how far it is (not durable).
    CallProgressed {
        /// The call.
        call_id: CallId,
        /// One line.
        line: String,
    },
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RunOutcome {
    /// The model answered.
    Completed,
    /// A limit was reached; there is still an answer.
    LimitReached,
    /// The user stopped it.
    Cancelled,
    /// It could not go on.
    Failed,
}

impl RunOutcome {
    /// The word of wires and traces.
    pub fn word(self) -> &'static str {
        match self {
            RunOutcome::Completed => "completed",
            RunOutcome::LimitReached => "limit_reached",
            RunOutcome::Cancelled => "cancelled",
            RunOutcome::Failed => "failed",
        }
    }
}

/// Why a run stopped: typed, on every run.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The model answered.
    Answered,
    /// Too many steps.
    StepsMax,
    /// Too many calls.
    CallsMax,
    /// Too many tokens.
    TokensMax,
    /// It cost too much.
    CostMax,
    /// Too much output.
    BytesMax,
    /// Out of time.
    Deadline,
    /// The same call again and again.
    RepeatedCall,
    /// A bad call was not corrected.
    CorrectionFailed,
    /// The answer was cut by its length, also after a continuation.
    AnswerCut,
    /// The user stopped it.
    Cancelled,
    /// The model failed.
    ModelFailed,
    /// A tool failed and the profile does not go on (`dspy`).
    ToolFailed,
    /// The journal failed: going on would lose what happened.
    JournalFailed,
    /// The program stopped in the middle of the run, which could not be taken up again.
    Interrupted,
}

/// Codes of warnings (interface §3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum WarningCode {
    /// Calls of a category were trimmed to its quota.
    ToolClamp,
    /// The step limit was reached.
    MaxSteps,
    /// The call limit was reached.
    MaxCalls,
    /// The same call came again.
    RepeatCall,
    /// Something was cut.
    Truncated,
    /// Unknown arguments were dropped.
    DroppedArgs,
    /// The model cannot use tools.
    NoToolSupport,
    /// A call in the final step was refused.
    FinalizeRefusedCall,
    /// Something that the provider cannot do is imitated.
    Emulated,
    /// There is a budget of money, and what a step cost is not known.
    CostUnknown,
}

impl WarningCode {
    /// The code as it stands on the wire.
    pub fn word(self) -> &'static str {
        match self {
            WarningCode::ToolClamp => "TOOL_CLAMP",
            WarningCode::MaxSteps => "MAX_STEPS",
            WarningCode::MaxCalls => "MAX_CALLS",
            WarningCode::RepeatCall => "REPEAT_CALL",
            WarningCode::Truncated => "TRUNCATED",
            WarningCode::DroppedArgs => "DROPPED_ARGS",
            WarningCode::NoToolSupport => "NO_TOOL_SUPPORT",
            WarningCode::FinalizeRefusedCall => "FINALIZE_REFUSED_CALL",
            WarningCode::Emulated => "EMULATED",
            WarningCode::CostUnknown => "COST_UNKNOWN",
        }
    }
}

impl From<DurableEvent> for Event {
    fn from(event: DurableEvent) -> Self {
        Event::Durable(event)
    }
}

impl From<DeltaEvent> for Event {
    fn from(event: DeltaEvent) -> Self {
        Event::Delta(event)
    }
}

impl Event {
    /// The event, if it must be journaled before it is published.
    pub fn durable(&self) -> Option<&DurableEvent> {
        match self {
            Event::Durable(event) => Some(event),
            Event::Delta(_) => None,
        }
    }

    /// Whether the event must be journaled before it is published.
    pub fn is_durable(&self) -> bool {
        self.durable().is_some()
    }

    /// Whether the run machine itself emits events of this kind; the others come from those who drive it.
    pub fn is_of_machine(&self) -> bool {
        self.durable().is_some_and(DurableEvent::is_of_machine)
    }

    /// The event's name, noun-action, as conversation scripts and logs write it.
    pub fn name(&self) -> &'static str {
        match self {
            Event::Durable(event) => event.name(),
            Event::Delta(event) => event.name(),
        }
    }
}

impl DurableEvent {
    /// What a fold makes of an event that it has no business with: nothing. A fold whose last arm says this
    /// leaves events that are added later alone, too; where each new event must be thought about (`view`,
    /// `frame`, the terminal app's inspector), events are named one by one.
    pub fn ignored<T: Default>(&self) -> T {
        T::default()
    }

    fn is_of_machine(&self) -> bool {
        !matches!(
            self,
            DurableEvent::RunResumed { .. }
                | DurableEvent::TasksChanged { .. }
                | DurableEvent::EditApplied { .. }
                | DurableEvent::InnerCallStarted { .. }
                | DurableEvent::InnerCallEnded { .. }
        )
    }

    fn name(&self) -> &'static str {
        match self {
            DurableEvent::RunStarted { .. } => "run-started",
            DurableEvent::RunResumed { .. } => "run-resumed",
            DurableEvent::StepStarted { .. } => "step-started",
            DurableEvent::StepDelayed { .. } => "step-delayed",
            DurableEvent::RequestAdjusted { .. } => "request-adjusted",
            DurableEvent::StepEnded { .. } => "step-ended",
            DurableEvent::CallRequested { .. } => "call-requested",
            DurableEvent::PermissionRequested { .. } => "permission-requested",
            DurableEvent::PermissionDecided { .. } => "permission-decided",
            DurableEvent::CallStarted { .. } => "call-started",
            DurableEvent::InnerCallStarted { .. } => "inner-call-started",
            DurableEvent::InnerCallEnded { .. } => "inner-call-ended",
            DurableEvent::CallEnded { .. } => "call-ended",
            DurableEvent::TasksChanged { .. } => "tasks-changed",
            DurableEvent::NoteAdded { .. } => "note-added",
            DurableEvent::WarningRaised { .. } => "warning-raised",
            DurableEvent::ErrorRaised { .. } => "error-raised",
            DurableEvent::EditApplied { .. } => "edit-applied",
            DurableEvent::RunEnded { .. } => "run-ended",
        }
    }
}

impl DeltaEvent {
    /// What a fold makes of a delta that it has no business with: nothing, and nothing of new ones.
    pub fn ignored<T: Default>(&self) -> T {
        T::default()
    }

    fn name(&self) -> &'static str {
        match self {
            DeltaEvent::StepProgressed { .. } => "step-progressed",
            DeltaEvent::ReasoningDelta { .. } => "reasoning-delta",
            DeltaEvent::TextDelta { .. } => "text-delta",
            DeltaEvent::CallDelta { .. } => "call-delta",
            DeltaEvent::CallProgressed { .. } => "call-progressed",
        }
    }
}

fn is_usual(wishes: &RunWishes) -> bool {
    *wishes == *RunWishes::unsaid()
}

#[cfg(test)]
#[path = "event_tests.rs"]
mod tests;
