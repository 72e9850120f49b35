//! The machine's effects become deeds: events are journaled, then published; models are asked; tools are
//! inspected, run and stopped; rules are stored.
//!
//! The events of one input are durable before any of its deeds is done: a call's intent is on record before
//! the call starts (wall 6). Deeds are done in order.

use std::sync::Arc;

use tokio::sync::mpsc;
use tracing::Instrument;
use windlass_core::permission::{ApprovedCall, AuditEntry, HeldTargets, Rule};
use windlass_core::ports::{LiveState, ProgressPort, ResultsPort, TasksPort, ToolContext, WaitingTime};
use windlass_core::protocol::cause::Cause;
use windlass_core::protocol::event::{DurableEvent, Event, Record};
use windlass_core::protocol::ids::{CallId, Millis};
use windlass_core::protocol::message::{Message, Transcript};
use windlass_core::protocol::model::ModelRequest;
use windlass_core::protocol::tool::{CheckedCall, ReachLog, ToolFailure, ToolOutcome};
use windlass_core::run::{Deadline, Effect, Input};

use crate::cancel::CancelSignal;
use crate::executor::{await_executor, gone};
use crate::inside::{InnerCalls, InnerNote};
use crate::jitter::{new_dice, spread};
use crate::limits::INSPECT_TIMEOUT_MS;
use crate::session::actor::{ActiveRun, Actor, WorkDone};
use crate::session::live_values::gather;
use crate::session::model_speech::ModelSpeech;
use crate::tool_run::{inspect_call, run_call};

impl Actor {
    /// Does everything the machine asked for. What comes back is news for the machine itself.
    ///
    /// All events of one input are one append, before any of its deeds: a crash finds the whole of it on
    /// record, or nothing.
    pub(crate) async fn perform(
        &mut self,
        now: Millis,
        cause: &Arc<Cause>,
        effects: Vec<Effect>,
    ) -> Option<Input> {
        let (mut records, mut deeds) = (Vec::new(), Vec::new());
        for effect in effects {
            match effect {
                Effect::Emit(event) => self.write_down(now, event, cause, &mut records),
                deed => deeds.push(deed),
            }
        }
        if let Err(input) = self.publish(records).await {
            // What is not on record is not done either.
            return Some(input);
        }
        deeds.into_iter().for_each(|deed| self.perform_one(deed));
        None
    }

    /// Makes a record of an event. The task list that a call has changed stands behind its outcome.
    pub(crate) fn write_down(
        &mut self,
        now: Millis,
        event: Event,
        cause: &Arc<Cause>,
        records: &mut Vec<Arc<Record>>,
    ) {
        let is_outcome = matches!(event, Event::Durable(DurableEvent::CallEnded { .. }));
        records.extend(self.record(now, event, Some(cause)));
        if is_outcome && let Some(tasks) = self.tasks.take_change() {
            records.extend(self.record(
                now,
                Event::Durable(DurableEvent::TasksChanged { tasks }),
                Some(cause),
            ));
        }
    }

    fn perform_one(&mut self, effect: Effect) {
        match effect {
            // Taken out by the caller: events go in batches.
            Effect::Emit(_) => {}
            Effect::CallModel { mut request, delay_ms, is_exact } => {
                let delay_ms = if is_exact { delay_ms } else { spread(delay_ms, new_dice()) };
                self.put_live_values(&mut request);
                if let Some(active) = self.active.as_mut() {
                    let span = active.spans.step();
                    let (model, redactor) = (self.parts.model.as_ref(), &self.redactor);
                    let profile = &self.parts.settings.profile;
                    active.model =
                        Some(ModelSpeech::start(model, *request, delay_ms, span, redactor, profile));
                }
            }
            Effect::StopModel => {
                if let Some(active) = self.active.as_mut() {
                    active.model = None;
                }
            }
            Effect::InspectCall(call) => self.inspect(*call),
            // The question is an event; whoever shows it sends the answer as a command.
            Effect::AskPermission(question) => {
                if let Some(active) = self.active.as_mut() {
                    active.questions.insert(question.call_id, question.digest);
                }
            }
            Effect::WithdrawQuestion(call_id) => {
                if let Some(active) = self.active.as_mut() {
                    active.questions.remove(&call_id);
                }
            }
            Effect::Audit(entry) => self.write_audit(&entry),
            Effect::StoreRule(rule) => self.store_rule(*rule),
            Effect::RunTool { call, timeout_ms } => self.run_tool(*call, timeout_ms),
            Effect::StopCall(call_id) => self.stop_call(&call_id),
            Effect::SetTimer { deadline, at_ms } => {
                if let Some(active) = self.active.as_mut() {
                    match deadline {
                        Deadline::Work => active.work_at = Some(at_ms),
                        Deadline::Final => active.final_at = Some(at_ms),
                    }
                }
            }
            Effect::Finish(finished) => self.finish(*finished),
        }
    }

    /// Puts what exists now into a request, for a model that can be held to it.
    fn put_live_values(&self, request: &mut ModelRequest) {
        let Some(active) = self.active.as_ref().filter(|_| self.parts.model.uses_live_values()) else {
            return;
        };
        let state = LiveState { tasks: self.tasks.as_ref(), results: self.results.as_ref() };
        request.live = Arc::new(gather(&active.shelf, &request.tools, &state));
    }

    /// Journals records, with the deltas before them, then shows them.
    pub(crate) async fn publish(&mut self, records: Vec<Arc<Record>>) -> Result<(), Input> {
        let Some(last_seq) = records.last().map(|record| record.seq) else { return Ok(()) };
        let is_end = records
            .iter()
            .any(|record| matches!(record.event, Event::Durable(DurableEvent::RunEnded { .. })));
        let mut batch = self.log.held();
        batch.extend(records.iter().cloned());
        match self.parts.journal.append(&batch).await {
            Ok(()) => self.log.release(last_seq),
            Err(failure) => {
                tracing::error!(session = %self.parts.session_id, "{failure}");
                // The end is told even if it cannot be written down: nobody may wait for ever.
                if !is_end {
                    return Err(Input::JournalFailed { message: failure.to_string() });
                }
            }
        }
        for record in records {
            self.keep(&record);
            self.log.publish(record);
        }
        Ok(())
    }

    /// Outcomes stay readable by their handles, and the operator's log follows each call by its three ids
    /// (P-24).
    pub(crate) fn keep(&mut self, record: &Record) {
        if let Some(active) = self.active.as_mut() {
            active.spans.follow(record);
        }
        if let Event::Durable(DurableEvent::CallEnded { call_id, outcome, message, .. }) = &record.event
            && let Message::Tool(tool) = message.as_ref()
        {
            self.results.insert(call_id, tool.provider_id.as_deref(), Arc::clone(outcome));
        }
    }

    fn write_audit(&self, entry: &AuditEntry) {
        if let Some(audit) = &self.parts.audit
            && let Err(error) = audit.append(entry)
        {
            tracing::warn!(session = %self.parts.session_id, "the audit log cannot be written: {error}");
        }
    }

    fn store_rule(&mut self, rule: Rule) {
        if let Err(error) = self.parts.policies.add(rule) {
            tracing::warn!(session = %self.parts.session_id, "the rule could not be stored: {error}");
        }
    }

    fn inspect(&mut self, call: CheckedCall) {
        let Some(active) = self.active.as_ref() else { return };
        let context = self.tool_context(active, &call.call.id, INSPECT_TIMEOUT_MS);
        let Some(active) = self.active.as_mut() else { return };
        let stop = CancelSignal::new();
        active.stops.push((call.call.id.clone(), stop.clone()));
        let port = active.shelf.port(&call.spec.name);
        let span = active.spans.call(&call.call.id).clone();
        let work = async move {
            let call_id = call.call.id.clone();
            let result = match port {
                Some(port) => inspect_call(port, call, context, stop).await,
                None => Err(removed(&call.spec.name)),
            };
            WorkDone::Inspected { call_id, result }
        };
        active.work.push(Box::pin(work.instrument(span)));
    }

    pub(crate) fn run_tool(&mut self, call: ApprovedCall, timeout_ms: u64) {
        let call_id = call.call().id.clone();
        let Some(active) = self.active.as_ref() else { return };
        let context = self.tool_context(active, &call_id, timeout_ms);
        let clock = self.parts.clock.clone();
        let Some(active) = self.active.as_mut() else { return };
        if let Some(outcome) = active.given.remove(&call_id) {
            active.work.push(Box::pin(async move { WorkDone::Ended { call_id, outcome } }));
            return;
        }
        let stop = CancelSignal::new();
        active.stops.push((call_id.clone(), stop.clone()));
        if !call.spec().effects.is_read_only() {
            active.effectful.insert(call_id.clone());
        }
        let (port, registry) = (active.shelf.port(&call.spec().name), self.parts.registry.clone());
        let span = active.spans.call(&call_id).clone();
        let work = async move {
            let port = match port {
                None => tokio::select! {
                    port = await_executor(&registry, call.spec()) => port,
                    () = stop.cancelled() => None,
                },
                port => port,
            };
            let outcome = match port {
                Some(port) => run_call(port, call, context, timeout_ms, stop, clock).await,
                None if call.spec().executor.is_some() => ToolOutcome::failed(gone(call.spec(), true)),
                None => ToolOutcome::failed(removed(&call.spec().name)),
            };
            WorkDone::Ended { call_id, outcome }
        };
        active.work.push(Box::pin(work.instrument(span)));
    }

    /// Writes down what a call inside a call does, for the session that people see. One that was stopped meanwhile
    /// begins nothing more.
    pub(crate) async fn note_inside(&mut self, note: InnerNote) {
        let (Event::Durable(DurableEvent::InnerCallStarted { call_id, .. })
        | Event::Durable(DurableEvent::InnerCallEnded { call_id, .. })) = &note.event
        else {
            return;
        };
        let Some(active) = self.active.as_mut() else { return };
        if let Event::Durable(DurableEvent::InnerCallStarted { effects, .. }) = &note.event {
            if !active.stops.iter().any(|(id, _)| id == call_id) {
                return;
            }
            if effects.is_some_and(|effects| !effects.is_read_only()) {
                active.effectful.insert(call_id.clone());
            }
        }
        let cause = Arc::new(Cause::CalledInside { call_id: call_id.clone() });
        let record = self.record(self.parts.clock.now_ms(), note.event, Some(&cause));
        match self.publish(record.into_iter().collect()).await {
            // Whoever waited may be gone.
            Ok(()) => drop(note.done.send(())),
            Err(input) => Box::pin(self.feed(input)).await,
        }
    }

    fn stop_call(&mut self, call_id: &CallId) {
        let Some(active) = self.active.as_mut() else { return };
        // Taken out as well: that is how `note_inside` knows that the call may begin nothing more.
        for (_, stop) in active.stops.extract_if(.., |(id, _)| id == call_id) {
            stop.cancel();
        }
    }

    pub(crate) fn tool_context(&self, active: &ActiveRun, call_id: &CallId, timeout_ms: u64) -> ToolContext {
        let reached = ReachLog::default();
        let inside = Arc::clone(&active.inside);
        ToolContext {
            call_id: call_id.clone(),
            run_id: active.run_id.clone(),
            session_id: self.parts.session_id.clone(),
            root: self.parts.root.clone(),
            user_message: last_said(active.machine.transcript()),
            deadline_ms: self.parts.clock.now_ms().saturating_add(timeout_ms),
            waiting: WaitingTime::default(),
            reached: reached.clone(),
            output_bytes_max: self.parts.settings.profile.limits.output_bytes_max,
            targets: HeldTargets::default().without(self.permissions.closed_paths()),
            cancel: windlass_core::ports::CancelFlag::default(),
            progress: Arc::clone(&active.progress.0),
            results: Arc::clone(&self.results) as Arc<dyn ResultsPort>,
            tasks: Arc::clone(&self.tasks) as Arc<dyn TasksPort>,
            calls: Arc::new(InnerCalls {
                inside,
                call_id: call_id.clone(),
                reached,
                taint: active.machine.taint().clone(),
            }),
        }
    }
}

/// What the user said last.
fn last_said(transcript: &Transcript) -> Arc<str> {
    let is_users = |message: &&Arc<Message>| matches!(***message, Message::User { .. });
    transcript.iter().rev().find(is_users).map_or_else(|| "".into(), |message| message.text().into())
}

fn removed(name: &str) -> ToolFailure {
    ToolFailure::unavailable(format!("Tool '{name}' was removed while the run went on"))
        .hint("use another tool, or answer")
}

/// Progress of tools goes to the actor, which is the only writer of events; a flood is thinned out.
pub(crate) struct ProgressSender(pub(crate) mpsc::Sender<Box<(CallId, String)>>);

impl ProgressPort for ProgressSender {
    fn report(&self, call_id: &CallId, line: &str) {
        // A full channel drops the line: progress is for the eye, and the next line says more.
        let _ = self.0.try_send(Box::new((call_id.clone(), line.to_owned())));
    }
}
