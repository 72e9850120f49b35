//! What an EDISON client is told of a run: the answer and the tools that it used (E-38, E-40).

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use windlass_core::calls::envelope::render_whole;
use windlass_core::profile::Profile;
use windlass_core::protocol::event::{DurableEvent, Event, RunOutcome};
use windlass_core::protocol::ids::CallId;
use windlass_core::protocol::model::ModelFailure;

/// The words by which a call that was not corrected ends a run: an answer, not a failure (E-33).
const REJECTED: &str = "rejected";

/// A call that ran (E-38).
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct EdisonToolEvent {
    tool: String,
    args: Value,
    result: Value,
    summary: String,
}

/// A run as EDISON's clients see it.
#[derive(Debug, Default)]
pub(super) struct EdisonRun {
    pub(super) model: String,
    pub(super) answer: String,
    pub(super) outcome: Option<RunOutcome>,
    /// Names of tools that ran, in call order.
    pub(super) tools_used: Vec<String>,
    pub(super) tool_events: Vec<EdisonToolEvent>,
    /// Why it failed, where the answer does not say it.
    pub(super) failure: Option<ModelFailure>,
    args: HashMap<CallId, Value>,
    running: Vec<CallId>,
}

impl EdisonRun {
    /// Takes in an event; gives the line of status that belongs to it.
    pub(super) fn apply(&mut self, event: &Event) -> Option<Value> {
        match event {
            Event::Durable(DurableEvent::RunStarted { model, .. }) => self.model.clone_from(model),
            Event::Durable(DurableEvent::CallRequested { call, .. }) => {
                let args = serde_json::from_str(&call.arguments).unwrap_or_else(|_| json!({}));
                self.args.insert(call.id.clone(), args);
            }
            Event::Durable(DurableEvent::CallStarted { call_id, name, .. }) => {
                self.running.push(call_id.clone());
                self.tools_used.push(name.clone());
                return Some(json!({"status": "tool_running", "tool": name}));
            }
            Event::Durable(DurableEvent::CallEnded { call_id, name, outcome, message, .. })
                // A call that was refused ends too, and is no tool that was used.
                if self.running.contains(call_id) =>
            {
                let result = render_whole(&Profile::edison(), name, outcome);
                let told = EdisonToolEvent {
                    tool: name.clone(),
                    args: self.args.remove(call_id).unwrap_or_default(),
                    result: serde_json::from_str(&result).unwrap_or(Value::String(result)),
                    summary: message.text(),
                };
                self.tool_events.push(told.clone());
                return Some(json!({"status": "tool_done", "tool": name, "event": told}));
            }
            Event::Durable(DurableEvent::WarningRaised { message, .. }) => {
                return Some(json!({"status": "warning", "message": message}));
            }
            Event::Durable(DurableEvent::ErrorRaised { code, message }) if code != REJECTED => {
                self.failure = Some(ModelFailure::fatal(code.clone(), message.clone()));
            }
            Event::Durable(DurableEvent::RunEnded { outcome, answer, .. }) => {
                self.outcome = Some(*outcome);
                self.answer.clone_from(answer);
                if *outcome != RunOutcome::Failed {
                    self.failure = None;
                }
            }
            Event::Durable(other) => other.ignored(),
            Event::Delta(_) => {}
        }
        None
    }
}
