//! What a user does: says something with wishes for the run that it starts, answers a question, stops the run.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::limits::{WISHED_CALLS_MAX, WISHED_COST_USD_MAX, WISHED_TIMEOUT_MS_MAX, WISHED_TOKENS_MAX};
use crate::permission::{ApproveMode, PermissionAnswer};
use crate::profile::Profile;
use crate::protocol::form::WishedForm;
use crate::protocol::ids::{CallId, MessageId, RunId};
use crate::protocol::message::Message;
use crate::protocol::model::{Sampling, ToolChoice};
use crate::protocol::settings::WrongSetting;
use crate::protocol::tool::Effects;

/// What a user does while a run goes on.
#[derive(Debug, Clone, PartialEq)]
pub enum RunCommand {
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
#[derive(Debug, Clone, PartialEq)]
pub struct MessageSend {
    /// The run it starts; made by the sender, so that it can be followed from the first event.
    pub run_id: RunId,
    /// The message's own id.
    pub message_id: MessageId,
    /// What is said.
    pub message: Message,
    /// What is wished for the run.
    pub wishes: RunWishes,
}

impl MessageSend {
    /// A plain text message with tools allowed.
    pub fn text(run_id: RunId, message_id: MessageId, text: impl Into<String>) -> Self {
        Self { run_id, message_id, message: Message::user(text), wishes: RunWishes::default() }
    }
}

/// The shape of wishes that this release writes.
pub const WISHES_VERSION: u32 = 3;

/// What a user wishes for a run, beside what is said, and what that came to when the run began: on record, so that
/// the run holds to it when it is taken up again, whatever the configuration says then.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct RunWishes {
    /// Which shape this is. The first one, which had no `approve` and no `setup`, does not say. The second always had
    /// a `tool_choice`; since the third, only what was said is there.
    #[serde(default = "first_version")]
    pub version: u32,
    /// Background for the message, before it was cut: found passages, a page, a selection (E-31).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Where it was taken from, names of documents and addresses of pages: the answer cites them (E-35).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub context_sources: Vec<String>,
    /// Whether tools may be used at all (gate 1).
    pub tools_allowed: bool,
    /// Only these tools (gate 3).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// What the model may do with tools until it has called one (gate 3); as it likes where nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<ToolChoice>,
    /// Sampling wishes.
    pub sampling: Sampling,
    /// What the model is told for this run after the session's system text (callers that bring their own).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// What the model is told in a last step without tools, beside the usual (S-20).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finalize_hint: Option<String>,
    /// Another step limit than the profile's, up to `WISHED_STEPS_MAX`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps_max: Option<u32>,
    /// Most calls of the run, where the profile allows more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls_max: Option<u32>,
    /// Most tokens of the run, those of all steps together, where the profile allows more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_max: Option<u64>,
    /// Most US dollars of the run, where the profile allows more. Steps whose cost is not known are told of and do not
    /// count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd_max: Option<f64>,
    /// How long the run may take, where the profile allows longer, not counting the time the user thinks about a question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_timeout_ms: Option<u64>,
    /// What the answer must be, where that is more than text: it is checked before the run is believed to have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<Arc<WishedForm>>,
    /// How calls are approved that need asking. On record it is what the run began with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approve: Option<ApproveMode>,
    /// What the run began with. Filled in by whoever runs it, never by whoever wishes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub setup: Option<Arc<RunSetup>>,
}

/// What a run began with, before what was wished for it alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunSetup {
    /// The session's system text.
    pub system: Arc<str>,
    /// Limits and behaviour.
    pub profile: Profile,
    /// Tokens that the model's context holds, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u64>,
    /// The model below, where the run's own is a module.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_below: Option<String>,
    /// The tools that may be called, and what each of them may change: no others are sent to the model.
    #[serde(default)]
    pub tools: BTreeMap<String, Effects>,
    /// Those of them that executors of a user's own run.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub executed: BTreeMap<String, ExecutedTool>,
}

/// A tool of an executor, as far as it must be known while the executor is away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExecutedTool {
    /// The executor's name.
    pub executor: String,
    /// Whether sending the same call twice does no more than once.
    #[serde(default)]
    pub idempotent: bool,
}

impl Default for RunWishes {
    fn default() -> Self {
        Self {
            version: WISHES_VERSION,
            context: None,
            context_sources: Vec::new(),
            tools_allowed: true,
            tools: None,
            tool_choice: None,
            sampling: Sampling::default(),
            system: None,
            finalize_hint: None,
            steps_max: None,
            calls_max: None,
            tokens_max: None,
            cost_usd_max: None,
            run_timeout_ms: None,
            form: None,
            approve: None,
            setup: None,
        }
    }
}

impl RunWishes {
    /// Whether every budget that is wished can be one. Steps are no part of this: a run takes the nearest number of them
    /// that it allows.
    pub fn check(&self) -> Result<(), WrongSetting> {
        for (name, wished, most) in [
            ("calls_max", self.calls_max.map(u64::from), u64::from(WISHED_CALLS_MAX)),
            ("tokens_max", self.tokens_max, WISHED_TOKENS_MAX),
            ("run_timeout_ms", self.run_timeout_ms, WISHED_TIMEOUT_MS_MAX),
        ] {
            if wished.is_some_and(|wished| !(1..=most).contains(&wished)) {
                return Err(WrongSetting { name, why: format!("'{name}' must be from 1 to {most}") });
            }
        }
        // Said as what it must be, so that what is no number is wrong as well.
        let is_amount = |wished: f64| wished > 0.0 && wished <= WISHED_COST_USD_MAX;
        if self.cost_usd_max.is_some_and(|wished| !is_amount(wished)) {
            let why =
                format!("'cost_usd_max' must be more than 0 and at most {WISHED_COST_USD_MAX} US dollars");
            return Err(WrongSetting { name: "cost_usd_max", why });
        }
        Ok(())
    }

    /// The wishes of a record that has none: they were left out when there was nothing to say.
    pub(crate) fn unsaid() -> Arc<Self> {
        Arc::new(Self { version: first_version(), ..Self::default() })
    }
}

fn first_version() -> u32 {
    1
}

#[cfg(test)]
#[path = "command_tests.rs"]
mod tests;
