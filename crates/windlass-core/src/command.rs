//! The command contract: everything that a front end can ask of a session.

use serde::{Deserialize, Serialize};

use crate::ids::{CallId, MessageId, RunId};
use crate::message::Message;
use crate::model::{Sampling, ToolChoice};
use crate::permission::PermissionAnswer;

/// What a front end asks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Command {
    /// Start a run.
    MessageSend(Box<MessageSend>),
    /// Answer a pending question.
    PermissionAnswer {
        /// The call that waits.
        call_id: CallId,
        /// The digest of the question that is answered.
        digest: String,
        /// The answer.
        answer: PermissionAnswer,
    },
    /// Stop the run that goes on.
    RunCancel,
}

/// A user message, with wishes for the run it starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MessageSend {
    /// The run it starts; made by the sender, so that it can be followed from the first event.
    pub run_id: RunId,
    /// The message's own id.
    pub message_id: MessageId,
    /// What is said.
    pub message: Message,
    /// Background for this message: found passages, a page, a selection (E-31).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Whether tools may be used at all in this run (gate 1).
    pub tools_allowed: bool,
    /// Only these tools (gate 3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// What the model may do with tools (gate 3).
    #[serde(default)]
    pub tool_choice: ToolChoice,
    /// Sampling wishes.
    #[serde(default)]
    pub sampling: Sampling,
    /// What the model is told for this run after the session's system text (callers that bring their own).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// Another step limit than the profile's, up to `WISHED_STEPS_MAX`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps_max: Option<u32>,
}

/// What a user wishes for a run, beside what is said: on record, so that the run can be taken up again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct RunWishes {
    /// Background for the message, before it was cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Whether tools may be used at all.
    pub tools_allowed: bool,
    /// Only these tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// What the model may do with tools.
    pub tool_choice: ToolChoice,
    /// Sampling wishes.
    pub sampling: Sampling,
    /// What the model is told for this run after the session's system text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// Another step limit than the profile's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps_max: Option<u32>,
}

impl Default for RunWishes {
    fn default() -> Self {
        Self {
            context: None,
            tools_allowed: true,
            tools: None,
            tool_choice: ToolChoice::Auto,
            sampling: Sampling::default(),
            system: None,
            steps_max: None,
        }
    }
}

impl MessageSend {
    /// The wishes of the message.
    pub fn wishes(&self) -> RunWishes {
        RunWishes {
            context: self.context.clone(),
            tools_allowed: self.tools_allowed,
            tools: self.tools.clone(),
            tool_choice: self.tool_choice.clone(),
            sampling: self.sampling.clone(),
            system: self.system.clone(),
            steps_max: self.steps_max,
        }
    }

    /// The same message again, from what is on record of it.
    pub fn recalled(run_id: RunId, message_id: MessageId, message: Message, wishes: RunWishes) -> Self {
        let RunWishes { context, tools_allowed, tools, tool_choice, sampling, system, steps_max } = wishes;
        Self {
            run_id,
            message_id,
            message,
            context,
            tools_allowed,
            tools,
            tool_choice,
            sampling,
            system,
            steps_max,
        }
    }

    /// A plain text message with tools allowed.
    pub fn text(run_id: RunId, message_id: MessageId, text: impl Into<String>) -> Self {
        Self {
            run_id,
            message_id,
            message: Message::user(text),
            context: None,
            tools_allowed: true,
            tools: None,
            tool_choice: ToolChoice::Auto,
            sampling: Sampling::default(),
            system: None,
            steps_max: None,
        }
    }
}
