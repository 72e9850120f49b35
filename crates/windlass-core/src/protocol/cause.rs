//! What led to a record. All records of one append have one cause: the input that the run machine was given, or what
//! whoever drives it did. With it a run is driven through its own past without a look at any text for people.
//!
//! A cause has what the input held and the records do not say. Its words are for programs and never change.

use serde::{Deserialize, Serialize};

use crate::permission::ApproveMode;
use crate::protocol::ids::CallId;
use crate::protocol::message::{Part, text_of};
use crate::protocol::model::{Finish, ModelFailure, ModelStep, Usage};
use crate::run::{Deadline, Input, STEP_CALLS_READ_MAX};

/// What led to a record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Cause {
    /// The user said something, and the run began.
    MessageSent,
    /// A call was complete while the model still spoke.
    CallReady,
    /// The model was done with a step.
    ModelEnded {
        /// Calls that were too many to be looked at.
        #[serde(default, skip_serializing_if = "is_zero")]
        calls_left_out: u64,
    },
    /// The model was done with a step that had neither words nor calls.
    ModelGaveNothing {
        /// What there was of it: thinking.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        parts: Vec<Part>,
        /// Why it stopped.
        finish: Finish,
        /// Token counts.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
    },
    /// The model gave no step.
    ModelFailed {
        /// Why.
        failure: ModelFailure,
    },
    /// The model's adapter had to change something of the request.
    ModelNoticed,
    /// A tool said what a call would touch.
    CallInspected {
        /// The call.
        call_id: CallId,
    },
    /// The user answered a question.
    PermissionAnswered {
        /// The call that waited.
        call_id: CallId,
    },
    /// The user chose another mode while a question waited.
    ModeChanged {
        /// The mode.
        mode: ApproveMode,
    },
    /// A running call had its outcome.
    CallEnded {
        /// The call.
        call_id: CallId,
    },
    /// A running call made a call itself.
    CalledInside {
        /// The call that runs.
        call_id: CallId,
    },
    /// The run was out of time.
    DeadlinePassed {
        /// Which of its times.
        deadline: Deadline,
    },
    /// The user stopped the run.
    Cancelled,
    /// The journal could not be written.
    JournalFailed {
        /// What the user was told.
        message: String,
    },
    /// The program had stopped in the middle of the run, and took it up again.
    ProgramStarted,
    /// The run could not be taken up again.
    Abandoned,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Cause {
    /// What the records that come of an input will name as their cause.
    pub fn of(input: &Input) -> Self {
        match input {
            Input::UserMessage(_) => Cause::MessageSent,
            Input::CallReady(_) => Cause::CallReady,
            Input::ModelEnded(step) => Self::of_step(step),
            Input::ModelFailed { failure, .. } => Cause::ModelFailed { failure: failure.clone() },
            Input::ModelNoticed(_) => Cause::ModelNoticed,
            Input::CallInspected { call_id, .. } => Cause::CallInspected { call_id: call_id.clone() },
            Input::PermissionAnswered { call_id, .. } => {
                Cause::PermissionAnswered { call_id: call_id.clone() }
            }
            Input::ModeChanged(mode) => Cause::ModeChanged { mode: *mode },
            Input::CallEnded { call_id, .. } => Cause::CallEnded { call_id: call_id.clone() },
            Input::DeadlinePassed(deadline) => Cause::DeadlinePassed { deadline: *deadline },
            Input::Cancel { .. } => Cause::Cancelled,
            Input::JournalFailed { message } => Cause::JournalFailed { message: message.clone() },
        }
    }

    fn of_step(step: &ModelStep) -> Self {
        let ModelStep { parts, calls, usage, finish } = step;
        if calls.is_empty() && text_of(parts).trim().is_empty() {
            let (parts, finish, usage) = (parts.clone(), finish.clone(), *usage);
            return Cause::ModelGaveNothing { parts, finish, usage };
        }
        Cause::ModelEnded { calls_left_out: calls.len().saturating_sub(STEP_CALLS_READ_MAX) as u64 }
    }
}
