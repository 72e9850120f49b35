//! One model step of a run: what was asked, how often, and what came back.
//!
//! Tries and the response are folded from records. The request is not on record: whoever has the machine,
//! the tools and the model puts it in, or says why not. Knows no wire.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::protocol::event::{DurableEvent, Event, Record};
use crate::protocol::ids::Millis;
use crate::protocol::message::{Message, Transcript};
use crate::protocol::model::{Finish, ModelRequest, Sampling, StepPurpose, ToolChoice, Usage};
use crate::protocol::tool::ToolSpec;
use crate::run::OVERFLOW;

/// A model step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StepReport {
    /// Which step, from 1.
    pub step: u32,
    /// Every time the model was asked, oldest first.
    pub attempts: Vec<StepAttempt>,
    /// What the last attempt asked, as the run machine made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<AskedRequest>,
    /// The same as it went over the wire.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wire: Option<WrittenRequest>,
    /// What came back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<StepResponse>,
    /// Why something of the request is missing, or may not be as it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// One try of a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StepAttempt {
    /// Which, from 1.
    pub attempt: u32,
    /// Why the step was asked for.
    pub purpose: StepPurpose,
    /// When it began; the wait before it is part of it.
    pub started_ms: Millis,
    /// When it was over; nothing while it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_ms: Option<Millis>,
    /// How long was waited before the model was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
    /// Why it came to nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<AttemptFailure>,
}

/// Why a try came to nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AttemptFailure {
    /// The failure's stable word.
    pub code: String,
    /// What happened.
    pub message: String,
}

/// What was asked, as the run machine made it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AskedRequest {
    /// The system text.
    pub system: Arc<str>,
    /// The history that was shown.
    pub messages: Transcript,
    /// Notes that belong to this request alone.
    pub trailer: Vec<String>,
    /// The tools.
    pub tools: Arc<[Arc<ToolSpec>]>,
    /// What might be done with them.
    pub tool_choice: ToolChoice,
    /// Sampling wishes.
    pub sampling: Sampling,
}

impl From<&ModelRequest> for AskedRequest {
    fn from(request: &ModelRequest) -> Self {
        Self {
            system: Arc::clone(&request.system),
            messages: Arc::clone(&request.messages),
            trailer: request.trailer.clone(),
            tools: Arc::clone(&request.tools),
            tool_choice: request.tool_choice.clone(),
            sampling: request.sampling.clone(),
        }
    }
}

/// A request as it goes over a wire, without key and headers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WrittenRequest {
    /// The method.
    pub method: String,
    /// The address, without anything secret.
    pub url: String,
    /// The body.
    pub body: Value,
}

/// What a step gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StepResponse {
    /// The assistant message.
    pub message: Arc<Message>,
    /// Why the model stopped.
    pub finish: Finish,
    /// Token counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

impl StepReport {
    /// What the records of a run say of one of its steps; nothing if there is no such step.
    pub fn fold<'a>(step: u32, records: impl IntoIterator<Item = &'a Record>) -> Option<Self> {
        let report =
            Self { step, attempts: Vec::new(), request: None, wire: None, response: None, problem: None };
        let mut fold = StepFold { report, delay_ms: None, is_open: false };
        for record in records {
            if matches!(record.event, Event::Durable(DurableEvent::StepStarted { step: next, .. }) if next > step)
            {
                fold.close(record.ts_ms, None);
                break;
            }
            fold.take(record);
        }
        (!fold.report.attempts.is_empty()).then_some(fold.report)
    }
}

/// A fold on its way.
struct StepFold {
    report: StepReport,
    /// The wait before the next try.
    delay_ms: Option<u64>,
    /// Whether the last try goes on.
    is_open: bool,
}

impl StepFold {
    fn take(&mut self, record: &Record) {
        let (now, own) = (record.ts_ms, self.report.step);
        let Event::Durable(event) = &record.event else { return };
        match event {
            DurableEvent::StepStarted { step, purpose, attempt } if *step == own => {
                self.close(now, None);
                self.report.attempts.push(StepAttempt {
                    attempt: *attempt,
                    purpose: *purpose,
                    started_ms: now,
                    ended_ms: None,
                    delay_ms: self.delay_ms.take(),
                    failure: None,
                });
                self.is_open = true;
            }
            DurableEvent::StepDelayed { step, delay_ms, code, message, .. } if *step == own => {
                self.close(now, Some((code, message)));
                self.delay_ms = Some(*delay_ms);
            }
            DurableEvent::RequestAdjusted { step, rule, message, .. } if *step == own && rule == OVERFLOW => {
                self.close(now, Some((rule, message)));
            }
            DurableEvent::StepEnded { step, message, finish, usage } if *step == own => {
                self.close(now, None);
                let message = Arc::clone(message);
                self.report.response = Some(StepResponse { message, finish: finish.clone(), usage: *usage });
            }
            DurableEvent::ErrorRaised { code, message } => self.fail(now, code, message),
            DurableEvent::RunEnded { .. } => self.close(now, None),
            other => other.ignored(),
        }
    }

    fn close(&mut self, now: Millis, failure: Option<(&str, &str)>) {
        if !std::mem::take(&mut self.is_open) {
            return;
        }
        if let Some(attempt) = self.report.attempts.last_mut() {
            attempt.ended_ms = Some(now);
            attempt.failure = failure.map(failure_of);
        }
    }

    /// The run failed: with this step, or with what was heard of it.
    fn fail(&mut self, now: Millis, code: &str, message: &str) {
        if self.is_open {
            return self.close(now, Some((code, message)));
        }
        let finish = self.report.response.as_ref().map(|response| &response.finish);
        if let (Some(Finish::Other(word)), Some(attempt)) = (finish, self.report.attempts.last_mut())
            && word == code
        {
            attempt.failure = Some(failure_of((code, message)));
        }
    }
}

fn failure_of((code, message): (&str, &str)) -> AttemptFailure {
    AttemptFailure { code: code.to_owned(), message: message.to_owned() }
}

#[cfg(test)]
#[path = "step_tests.rs"]
mod tests;
