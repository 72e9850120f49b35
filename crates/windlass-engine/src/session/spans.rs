//! The spans of a run for whoever listens by `tracing`: `run → step → call`, each with the ids that belong to
//! it (P-24), and the operator's lines within them.
//!
//! A span costs a look at a flag while nobody listens: nothing is formatted, nothing is kept. Knows records
//! alone, never the machine.

use std::collections::HashMap;

use tracing::field::{Empty, debug};
use tracing::{Span, info, info_span, warn};
use windlass_core::protocol::event::{DurableEvent, Event, Record, RunOutcome, StopReason};
use windlass_core::protocol::ids::{CallId, MessageId, RunId, SessionId};
use windlass_core::protocol::tool::{ToolCall, ToolOutcome};

/// The spans of one run.
#[derive(Debug)]
pub(crate) struct RunSpans {
    run: Span,
    step: Span,
    calls: HashMap<CallId, Span>,
}

impl RunSpans {
    pub(crate) fn begin(session_id: &SessionId, run_id: &RunId, parent_id: &MessageId) -> Self {
        let run = info_span!(
            // Without a parent: a span of whoever opened the session would end long before the run.
            parent: None, "run", session = %session_id, request_id = %run_id, parent_id = %parent_id,
            outcome = Empty
        );
        Self { run, step: Span::none(), calls: HashMap::new() }
    }

    /// The span of the step that goes on, or of the run between steps.
    pub(crate) fn step(&self) -> &Span {
        if self.step.is_disabled() { &self.run } else { &self.step }
    }

    /// The span of a call, or of the run if the call is not known.
    pub(crate) fn call(&self, call_id: &CallId) -> &Span {
        self.calls.get(call_id).unwrap_or(&self.run)
    }

    /// Opens and closes spans as records say, and writes the operator's lines within them.
    pub(crate) fn follow(&mut self, record: &Record) {
        let (run, parent) = (&record.run_id, &record.parent_id);
        let Event::Durable(event) = &record.event else { return };
        match event {
DurableEvent::RunStarted { model, profile, .. }  => self.run.in_scope(
                || info!(request_id = %run, parent_id = %parent, model, profile, "run requested"),
            ),
DurableEvent::RunResumed { .. }  => {
                self.run.in_scope(|| info!(request_id = %run, parent_id = %parent, "run resumed"));
            }
DurableEvent::StepStarted { step, purpose, attempt }  => {
                self.step = info_span!(
                    parent: &self.run, "step", step, attempt, purpose = debug(purpose), finish = Empty
                );
            }
DurableEvent::StepDelayed { step, attempt, delay_ms, code, message, .. }  => self.step().in_scope(|| {
                warn!(request_id = %run, parent_id = %parent, step, attempt, delay_ms, code, "step failed: {message}");
            }),
DurableEvent::StepEnded { finish, .. }  => {
                self.step.record("finish", debug(finish));
            }
DurableEvent::CallRequested { call, .. }  => self.open_call(record, call),
DurableEvent::CallEnded { call_id, name, outcome, .. }  => self.close_call(record, call_id, name, outcome),
DurableEvent::ErrorRaised { code, message }  => self.step().in_scope(
                || warn!(request_id = %run, parent_id = %parent, code, "run failed: {message}"),
            ),
DurableEvent::RunEnded { outcome, reason, .. }  => self.close(record, *outcome, reason),
other => other.ignored(),
}
    }

    fn open_call(&mut self, record: &Record, call: &ToolCall) {
        let span = info_span!(
            parent: self.step(), "call", call_id = %call.id, tool = %call.name, outcome = Empty
        );
        span.in_scope(|| {
            info!(
                request_id = %record.run_id, parent_id = %record.parent_id, call_id = %call.id, tool = %call.name,
                "call requested"
            );
        });
        if !span.is_disabled() {
            self.calls.insert(call.id.clone(), span);
        }
    }

    fn close_call(&mut self, record: &Record, call_id: &CallId, name: &str, outcome: &ToolOutcome) {
        let span = self.calls.remove(call_id).unwrap_or_else(|| self.run.clone());
        let (run, parent) = (&record.run_id, &record.parent_id);
        span.record("outcome", debug(outcome.status()));
        span.in_scope(|| match outcome.failure() {
            None => {
                info!(request_id = %run, parent_id = %parent, call_id = %call_id, tool = %name, "call completed");
            }
            Some(failure) => warn!(
                request_id = %run, parent_id = %parent, call_id = %call_id, tool = %name,
                kind = failure.kind.word(), detail = failure.detail.as_deref(), "call failed: {failure}"
            ),
        });
    }

    fn close(&mut self, record: &Record, outcome: RunOutcome, reason: &StopReason) {
        let (run, parent) = (&record.run_id, &record.parent_id);
        self.run.record("outcome", outcome.word());
        self.run.in_scope(|| {
            if outcome == RunOutcome::Failed || *reason == StopReason::Deadline {
                warn!(
                    request_id = %run, parent_id = %parent, outcome = outcome.word(), reason = ?reason, "run ended"
                );
            } else {
                info!(
                    request_id = %run, parent_id = %parent, outcome = outcome.word(), reason = ?reason, "run ended"
                );
            }
        });
        self.step = Span::none();
    }
}
