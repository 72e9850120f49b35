//! Taking up a run again that stopped in the middle: it is rehearsed, and then goes on.
//!
//! Calls that were running when the program stopped: those that change nothing, or the same thing twice, and made no
//! calls themselves that change something, run again under the same idempotency key; of the others their tools may know whether they happened; what nobody
//! knows is told to the model and never repeated on its own. A run that cannot be rehearsed ends, with words
//! that say why.

use std::sync::Arc;

use windlass_core::permission::ApprovedCall;
use windlass_core::ports::{BoxFuture, Probed};
use windlass_core::protocol::cause::Cause;
use windlass_core::protocol::event::{DurableEvent, Event, Record, RunOutcome, StopReason};
use windlass_core::protocol::history::History;
use windlass_core::protocol::ids::{CallId, Millis};
use windlass_core::protocol::tool::{InnerCall, Label, ToolOutcome, Trust, inside_of};
use windlass_core::rehearse::{
    BegunCall, CheckedBy, Divergence, Rehearsed, abandon, interrupted_outcome, rehearse, start_of,
};
use windlass_core::run::{Effect, Finished, Input, World};

use crate::explain::Nobody;
use crate::form::formed;
use crate::limits::PROBE_TIMEOUT_MS;
use crate::session::actor::Actor;
use crate::session::{RunDone, SendError, Unfinished};
use crate::tool_run::probe_call;

/// What becomes of a call that was running.
enum Fate {
    Again(BegunCall),
    Over(CallId, Box<ToolOutcome>),
    /// Nobody knows whether it happened.
    Unknown(CallId, Box<ToolOutcome>),
}

impl Actor {
    /// Takes up a run again.
    pub(crate) async fn resume(&mut self, unfinished: Unfinished, done: RunDone) {
        let past = &self.parts.past;
        let start = start_of(&unfinished.records, Arc::clone(&past.transcript), past.next_call_number);
        let Some(start) = start else {
            tracing::error!(session = %self.parts.session_id, "a run without a beginning cannot be taken up again");
            let _ = done.send(Err(SendError::Closed));
            return;
        };
        self.open_run(&start.send, done);
        if let Some(mode) = unfinished.approve {
            self.permissions.set_mode(mode);
        }
        self.parts.renew(&mut self.permissions).await;
        let settings = formed(&self.parts.settings, &start.send.wishes);
        let shelf = self.parts.registry.snapshot_of(&settings.profile);
        let (records, permissions) = (&unfinished.records, &mut self.permissions);
        let rehearsed = rehearse(settings, start, records, &shelf.toolset, permissions, CheckedBy::Record);
        // What was granted in the run and taken back since is not granted again.
        self.parts.renew(&mut self.permissions).await;
        match rehearsed {
            Ok(rehearsed) => self.go_on(rehearsed, unfinished).await,
            Err(divergence) => self.give_up(&unfinished.records, &divergence).await,
        }
    }

    async fn go_on(&mut self, mut rehearsed: Rehearsed, mut unfinished: Unfinished) {
        let now = self.parts.clock.now_ms();
        rehearsed.go_on_at(now);
        let Rehearsed { run, mut live, begun, questions, work_at, final_at, finished, interruption, .. } =
            rehearsed;
        let Some(active) = self.active.as_mut() else { return };
        active.machine = run;
        (active.work_at, active.final_at) = (work_at, final_at);
        active.questions =
            questions.into_iter().map(|question| (question.call_id, question.digest)).collect();
        // All of it is on record, the end too: nobody was left to be told.
        if let Some(finished) = finished {
            return self.finish(*finished);
        }
        active.given = std::mem::take(&mut unfinished.given).into_iter().collect();
        active.inside.recall(&unfinished.records);
        // What calls inside calls did, and that the run was taken up before, is no input of the machine.
        let mut inputs = unfinished.records.iter().rev().filter(|record| record.event.is_of_machine());
        let last = inputs.find_map(|record| record.cause.clone());
        let cause = last.unwrap_or_else(|| Arc::new(Cause::ProgramStarted));
        if unfinished.is_cancelled {
            return self.cancel_resumed(begun, &unfinished.records, &cause, live).await;
        }
        let fates = self.decide_fates(begun, &unfinished).await;
        // On record before anything runs again, so that another crash finds it.
        if let Some(input) = self.tell_resumed(&fates).await {
            self.feed(input).await;
        }
        live.extend(self.go_on_with_calls());
        self.perform_fed(&cause, live).await;
        if let Some(interruption) = interruption {
            self.feed(interruption).await;
        }
        for fate in fates {
            match fate {
                Fate::Again(BegunCall { call, timeout_ms }) => self.run_tool(*call, timeout_ms),
                Fate::Over(call_id, outcome) | Fate::Unknown(call_id, outcome) => {
                    self.feed(Input::CallEnded { call_id, outcome: *outcome }).await;
                }
            }
        }
    }

    /// Calls that may start by what counts now, and had not on record.
    fn go_on_with_calls(&mut self) -> Vec<Effect> {
        let Some(active) = self.active.as_mut() else { return Vec::new() };
        active.shelf = self.parts.registry.snapshot();
        let is_audited = self.parts.audit.is_some();
        let mut world =
            World { tools: &active.shelf.toolset, permissions: &mut self.permissions, is_audited };
        active.machine.go_on(self.parts.clock.now_ms(), &mut world)
    }

    /// Ends a run that nobody wants any more. What the machine still has to tell is told; nothing is done.
    async fn cancel_resumed(
        &mut self,
        begun: Vec<BegunCall>,
        records: &[Arc<Record>],
        cause: &Arc<Cause>,
        live: Vec<Effect>,
    ) {
        let now = self.parts.clock.now_ms();
        let calls = begun.into_iter().map(|begun| (inside_begun(&begun, records), begun));
        let unknown = calls.filter(|(inside, begun)| !may_repeat(begun, inside));
        let fates: Vec<Fate> =
            unknown.map(|(inside, begun)| fate_of(begun, &inside, Probed::Unknown, now)).collect();
        if let Some(input) = self.tell_resumed(&fates).await {
            self.feed(input).await;
        }
        let told = live.into_iter().filter(|effect| matches!(effect, Effect::Emit(_))).collect();
        self.perform_fed(cause, told).await;
        self.feed(Input::Cancel { partial: String::new() }).await;
    }

    /// Does what came of the last input on record beyond the record.
    async fn perform_fed(&mut self, cause: &Arc<Cause>, live: Vec<Effect>) {
        if let Some(input) = self.perform(self.parts.clock.now_ms(), cause, live).await {
            self.feed(input).await;
        }
    }

    /// Puts on record that the run goes on, and what becomes of the calls that ran.
    async fn tell_resumed(&mut self, fates: &[Fate]) -> Option<Input> {
        let (mut interrupted, mut repeated) = (Vec::new(), Vec::new());
        for fate in fates {
            match fate {
                Fate::Again(begun) => repeated.push(begun.call.call().id.clone()),
                Fate::Unknown(call_id, _) => interrupted.push(call_id.clone()),
                Fate::Over(..) => {}
            }
        }
        let cause = Arc::new(Cause::ProgramStarted);
        let grants = self.permissions.grants().rules().iter().map(ToString::to_string).collect();
        let resumed = Event::Durable(DurableEvent::RunResumed { interrupted, repeated, grants });
        let record = self.record(self.parts.clock.now_ms(), resumed, Some(&cause))?;
        self.publish(vec![record]).await.err()
    }

    /// Finds out what becomes of calls that were running. A user may say that one runs again, and a fork what
    /// another gave.
    async fn decide_fates(&mut self, begun: Vec<BegunCall>, unfinished: &Unfinished) -> Vec<Fate> {
        let mut fates = Vec::new();
        for begun in begun {
            let call_id = begun.call.call().id.clone();
            let given = self.active.as_mut().and_then(|active| active.given.remove(&call_id));
            let inside = inside_begun(&begun, &unfinished.records);
            let may_repeat = may_repeat(&begun, &inside) || unfinished.retry.contains(&call_id);
            fates.push(match given {
                Some(outcome) => Fate::Over(call_id, Box::new(outcome)),
                None if may_repeat => Fate::Again(begun),
                None => {
                    let probed = self.probe(&begun.call).await;
                    fate_of(begun, &inside, probed, self.parts.clock.now_ms())
                }
            });
        }
        fates
    }

    /// Asks the tool of a call whether it happened.
    fn probe(&self, call: &ApprovedCall) -> BoxFuture<'static, Probed> {
        let Some(active) = self.active.as_ref() else { return Box::pin(async { Probed::Unknown }) };
        let mut context = self.tool_context(active, &call.call().id, PROBE_TIMEOUT_MS);
        // A probe looks and does nothing, so it may call nothing either.
        context.calls = Arc::new(Nobody);
        match active.shelf.port(&call.spec().name) {
            Some(port) => Box::pin(probe_call(port, call.checked().clone(), context)),
            None => Box::pin(async { Probed::Unknown }),
        }
    }

    /// The run cannot be rehearsed: tools or limits are others now. It ends with what is on record.
    async fn give_up(&mut self, records: &[Arc<Record>], divergence: &Divergence) {
        let now = self.parts.clock.now_ms();
        tracing::warn!(session = %self.parts.session_id, "a run cannot be taken up again: {divergence}");
        let (mut written, cause) = (Vec::new(), Arc::new(Cause::Abandoned));
        for event in abandon(&self.parts.settings, records, &divergence.to_string(), now) {
            self.write_down(now, event, &cause, &mut written);
        }
        let base = Arc::clone(&self.parts.past.transcript);
        let history = History::fold(&base, records.iter().chain(&written));
        let (mut answer, mut usage) = (String::new(), Default::default());
        if let Some(Event::Durable(DurableEvent::RunEnded { answer: said, usage: counted, .. })) =
            written.last().map(|record| &record.event)
        {
            (answer, usage) = (said.clone(), *counted);
        }
        // A number that was given to a call is never given again, whatever became of the run.
        let next_call_number = history.next_call_number.max(self.parts.past.next_call_number);
        // An end that cannot be written is told all the same.
        let _ = self.publish(written).await;
        self.finish(Finished {
            outcome: RunOutcome::Failed,
            reason: StopReason::Interrupted,
            answer,
            error: None,
            usage,
            transcript: history.transcript,
            next_call_number,
        });
    }
}

/// The calls that a call had made when the program stopped.
fn inside_begun(begun: &BegunCall, records: &[Arc<Record>]) -> Vec<InnerCall> {
    inside_of(records.iter().map(AsRef::as_ref), &begun.call.call().id)
}

/// Whether a call changes nothing, or the same thing twice. What its tool says of itself does not count for the calls
/// that it made.
fn may_repeat(begun: &BegunCall, inside: &[InnerCall]) -> bool {
    let spec = begun.call.spec();
    (spec.effects.is_read_only() || spec.idempotent) && !inside.iter().any(InnerCall::may_have_changed)
}

/// What becomes of a call that must not happen twice.
fn fate_of(begun: BegunCall, inside: &[InnerCall], probed: Probed, now: Millis) -> Fate {
    let (call_id, spec) = (begun.call.call().id.clone(), begun.call.spec());
    match probed {
        // A probe speaks for its own call, not for those that it made.
        Probed::NotHappened if !inside.iter().any(InnerCall::may_have_changed) => Fate::Again(begun),
        Probed::NotHappened | Probed::Unknown => {
            Fate::Unknown(call_id, Box::new(interrupted_outcome(&spec.name, inside, now)))
        }
        Probed::Happened(output) => {
            let mut outcome = ToolOutcome::ok(*output).timed(now, now);
            outcome.meta.trust = if spec.untrusted_output { Trust::Untrusted } else { Trust::Own };
            outcome.meta.label = Label::of(spec, &[]).map(Box::new);
            Fate::Over(call_id, Box::new(outcome))
        }
    }
}
