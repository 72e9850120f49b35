//! Calls on their way to their outcomes: turn, guard, inspection, permission, running, settling.

use std::sync::Arc;

use super::batch::{Ahead, CallBatch, Settled, SlotState};
use super::guard::RepeatVerdict;
use super::{Effect, Pass, Run};
use crate::calls::envelope::render_for_model;
use crate::calls::phrase::phrase_clamp;
use crate::permission::{
    ApprovedCall, AuditEntry, Decision, Denied, Inspection, Judgement, PendingQuestion, PermissionAnswer,
    Question, Refusal,
};
use crate::profile::Profile;
use crate::protocol::event::{DurableEvent, StopReason, WarningCode};
use crate::protocol::ids::CallId;
use crate::protocol::message::{Message, ToolMessage};
use crate::protocol::tool::{CheckedCall, ErrorKind, ToolCall, ToolFailure, ToolOutcome, ToolSpec};

impl Run {
    /// Moves every call as far as it may go now, in call order.
    pub(super) fn advance(&mut self, pass: &mut Pass<'_, '_>, batch: &mut CallBatch) {
        let mut ahead = Ahead::default();
        let mut running = batch.running();
        for index in 0..batch.slots.len() {
            self.move_slot(pass, batch, index, ahead, &mut running);
            if let Some(slot) = batch.slots.get(index).filter(|slot| !slot.is_settled()) {
                ahead.has_unsettled = true;
                ahead.has_effectful |= slot.is_effectful;
                ahead.has_unjudged |= slot.is_unjudged();
            }
        }
        self.patience.note(pass.now, batch.is_asking());
    }

    fn move_slot(
        &mut self,
        pass: &mut Pass<'_, '_>,
        batch: &mut CallBatch,
        index: usize,
        ahead: Ahead,
        running: &mut usize,
    ) {
        let is_open = batch.is_open;
        let Some(slot) = batch.slots.get_mut(index) else { return };
        if matches!(slot.state, SlotState::Unresolved(_)) {
            self.resolve(pass, batch, index);
        }
        // Looked up anew behind each stage, so that one pass takes a call as far as it may go.
        let Some(slot) = batch.slots.get_mut(index) else { return };
        if matches!(slot.state, SlotState::Queued(_)) && ahead.allows(slot.is_effectful, is_open) {
            self.prepare(pass, batch, index);
        }
        let Some(slot) = batch.slots.get_mut(index) else { return };
        let is_its_turn = !ahead.has_unjudged || pass.world.permissions.was_asked_unordered(&slot.call.id);
        if matches!(slot.state, SlotState::Held(_)) && is_its_turn {
            self.raise(pass, batch, index);
        }
        let Some(slot) = batch.slots.get_mut(index) else { return };
        // An effect runs alone: no place among the reads has to be free for it.
        let has_place = slot.is_effectful || *running < self.settings.profile.limits.parallel_reads_max;
        let may_start = self.recorded.as_ref().is_none_or(|recorded| recorded.may_start(&slot.call.id));
        if matches!(slot.state, SlotState::Ready(_)) && has_place && may_start {
            *running = running.saturating_add(1);
            self.start(pass, batch, index);
        }
    }

    /// The call's turn has come: guard, then inspection, then permission.
    fn prepare(&mut self, pass: &mut Pass<'_, '_>, batch: &mut CallBatch, index: usize) {
        let Some(slot) = batch.slots.get_mut(index) else { return };
        let SlotState::Queued(checked) = slot.take() else { return };
        let limits = &self.settings.profile.limits;
        let repeats_max = self.settings.profile.caches_repeats.then_some(limits.repeats_max);
        // First the guard: what is answered from the run is neither inspected nor asked about.
        match self.guard.judge(&checked, repeats_max, limits.search_calls_max) {
            RepeatVerdict::Wait => slot.state = SlotState::Queued(checked),
            RepeatVerdict::Run(ticket) => {
                slot.ticket = Some(ticket);
                if checked.spec.inspected {
                    pass.push(Effect::InspectCall(checked.clone()));
                    slot.state = SlotState::Inspecting(checked);
                } else {
                    self.judge(pass, batch, index, *checked, Inspection::default());
                }
            }
            RepeatVerdict::Cached { outcome, is_last } => {
                self.settle_cached(pass, batch, index, &outcome, is_last)
            }
            RepeatVerdict::Refuse => {
                batch.stop = Some(StopReason::RepeatedCall);
                let message = "The same call gave the same outcome before; it was not run again";
                self.warn(pass, WarningCode::RepeatCall, message);
                let failure =
                    ToolFailure::new(ErrorKind::LimitExceeded, message).hint("answer from what you have");
                self.settle_failed(pass, batch, index, failure);
            }
            RepeatVerdict::OverQuota(quota) => {
                self.warn(pass, WarningCode::ToolClamp, format!("Trimmed tool calls to {quota}"));
                let failure = ToolFailure::new(ErrorKind::LimitExceeded, phrase_clamp(quota));
                self.settle_failed(pass, batch, index, failure);
            }
        }
    }

    fn settle_cached(
        &mut self,
        pass: &mut Pass<'_, '_>,
        batch: &mut CallBatch,
        index: usize,
        earlier: &ToolOutcome,
        is_last: bool,
    ) {
        let message = "The same call came again and was answered from its earlier outcome";
        self.warn(pass, WarningCode::RepeatCall, message);
        if is_last {
            batch.stop = Some(StopReason::RepeatedCall);
        }
        let mut outcome = earlier.clone().timed(pass.now, pass.now);
        outcome.meta.is_cached = true;
        self.settle(pass, batch, index, outcome);
    }

    /// The last gates, with what the call would touch.
    fn judge(
        &mut self,
        pass: &mut Pass<'_, '_>,
        batch: &mut CallBatch,
        index: usize,
        call: CheckedCall,
        inspection: Inspection,
    ) {
        let mut inspection = inspection;
        inspection.taint = self.taint.look_at(&call, &inspection).map(Box::new);
        // Before all rules: one that allows would write behind the staged edit, too.
        if let Some(staged) = self.staged_edit(&inspection) {
            let refusal = Refusal::behind_staged(staged);
            return self.deny(pass, batch, index, &Denied { call, refusal });
        }
        match pass.world.permissions.judge(call, inspection) {
            Judgement::Ask(pending) => {
                if let Some(slot) = batch.slots.get_mut(index) {
                    slot.state = SlotState::Held(Box::new(pending));
                }
            }
            judgement @ (Judgement::Approved(_) | Judgement::Stage(_) | Judgement::Denied(_)) => {
                self.conclude(pass, batch, index, judgement);
            }
        }
    }

    /// A question's turn has come. An answer to one before it may have settled it.
    fn raise(&mut self, pass: &mut Pass<'_, '_>, batch: &mut CallBatch, index: usize) {
        let Some(slot) = batch.slots.get_mut(index) else { return };
        match slot.take() {
            SlotState::Held(pending) => {
                let judgement = pending.reconsider(pass.world.permissions);
                self.conclude(pass, batch, index, judgement);
            }
            other => slot.state = other,
        }
    }

    fn conclude(
        &mut self,
        pass: &mut Pass<'_, '_>,
        batch: &mut CallBatch,
        index: usize,
        judgement: Judgement,
    ) {
        match judgement {
            Judgement::Approved(approved) => self.approve(pass, batch, index, approved),
            Judgement::Ask(pending) => self.ask(pass, batch, index, pending),
            Judgement::Stage(pending) => {
                let staged = pending.put_off();
                pass.audit(|now| staged.audit(now));
                self.settle(pass, batch, index, staged.into_outcome().timed(pass.now, pass.now));
            }
            Judgement::Denied(denied) => self.deny(pass, batch, index, &denied),
        }
    }

    fn ask(
        &mut self,
        pass: &mut Pass<'_, '_>,
        batch: &mut CallBatch,
        index: usize,
        pending: PendingQuestion,
    ) {
        let expects = |spec: &ToolSpec| pass.world.permissions.expects_question(spec);
        let (position, total) = batch.count_question(index, expects);
        let pending = pending.numbered(&self.wishes.run_id, position, total);
        // On record before anybody is asked: after a crash the question still waits.
        pass.emit(DurableEvent::PermissionRequested { question: Box::new(pending.question().clone()) });
        pass.push(Effect::AskPermission(Box::new(pending.question().clone())));
        if let Some(slot) = batch.slots.get_mut(index) {
            slot.state = SlotState::Asking(Box::new(pending));
        }
    }

    /// The edit of the same file that awaits the user's approval: it holds to the file as it is, so that no other is
    /// made behind it. Edits of other files are staged beside it.
    fn staged_edit(&self, inspection: &Inspection) -> Option<&CallId> {
        let is_same = |proposal: &Question| {
            inspection.is_edit() && proposal.targets.iter().any(|target| inspection.targets.contains(target))
        };
        let is_staged = |outcome: &ToolOutcome| outcome.meta.proposal.as_deref().is_some_and(is_same);
        self.outcomes.iter().find(|(_, _, outcome)| is_staged(outcome)).map(|(call_id, _, _)| call_id)
    }

    fn deny(&mut self, pass: &mut Pass<'_, '_>, batch: &mut CallBatch, index: usize, denied: &Denied) {
        pass.audit(|now| denied.audit(now));
        self.settle_failed(pass, batch, index, denied.refusal.to_failure());
    }

    fn approve(
        &mut self,
        pass: &mut Pass<'_, '_>,
        batch: &mut CallBatch,
        index: usize,
        approved: ApprovedCall,
    ) {
        pass.audit(|now| approved.audit(now));
        if let Some(slot) = batch.slots.get_mut(index) {
            slot.decision = Some(approved.decision_word().to_owned());
            slot.state = SlotState::Ready(Box::new(approved));
        }
    }

    /// Starts a call: its intent is an event, and so durable, before it runs.
    fn start(&mut self, pass: &mut Pass<'_, '_>, batch: &mut CallBatch, index: usize) {
        let Some(slot) = batch.slots.get_mut(index) else { return };
        let SlotState::Ready(approved) = slot.take() else { return };
        slot.state = SlotState::Running;
        pass.emit(DurableEvent::CallStarted {
            call_id: slot.call.id.clone(),
            name: slot.call.name.clone(),
            by: slot.decision.clone(),
            category: slot.category,
            visibility: slot.visibility,
        });
        let timeout_ms = self.settings.profile.timeout_ms(approved.spec());
        pass.push(Effect::RunTool { call: approved, timeout_ms });
    }

    pub(super) fn call_inspected(
        &mut self,
        pass: &mut Pass<'_, '_>,
        batch: &mut CallBatch,
        call_id: &CallId,
        result: Result<Inspection, ToolFailure>,
    ) {
        let Some(index) = batch.find(call_id) else { return };
        let Some(slot) = batch.slots.get_mut(index) else { return };
        match slot.take() {
            SlotState::Inspecting(checked) => match result {
                Ok(inspection) => self.judge(pass, batch, index, *checked, inspection),
                Err(failure) => self.settle_failed(pass, batch, index, failure),
            },
            other => slot.state = other,
        }
        self.advance(pass, batch);
    }

    pub(super) fn permission_answered(
        &mut self,
        pass: &mut Pass<'_, '_>,
        batch: &mut CallBatch,
        call_id: &CallId,
        answer: &PermissionAnswer,
    ) {
        let Some(index) = batch.find(call_id) else { return };
        let Some(slot) = batch.slots.get_mut(index) else { return };
        match slot.take() {
            SlotState::Asking(pending) => self.answer_question(pass, batch, index, *pending, answer),
            other => slot.state = other,
        }
        self.advance(pass, batch);
    }

    /// Questions that wait are judged by the new mode: what it allows runs, what it forbids is denied, the rest waits on.
    pub(super) fn mode_changed(&mut self, pass: &mut Pass<'_, '_>, batch: &mut CallBatch) {
        self.reconsider(pass, batch);
        self.advance(pass, batch);
    }

    fn answer_question(
        &mut self,
        pass: &mut Pass<'_, '_>,
        batch: &mut CallBatch,
        index: usize,
        pending: PendingQuestion,
        answer: &PermissionAnswer,
    ) {
        let call_id = pending.question().call_id.clone();
        let answered = pending.answer(pass.world.permissions, answer);
        let decision = answered.verdict.as_ref().map_or(Decision::Deny, ApprovedCall::decision);
        let refusal = answered.verdict.as_ref().err().map(|denied| &denied.refusal);
        pass.emit(DurableEvent::PermissionDecided {
            call_id,
            decision,
            by: answer.by().to_owned(),
            rule: answered.rule,
            problem: answered.problem,
            denied_by: refusal.and_then(|refusal| refusal.denied_by),
            // Words count only where the call stays denied: they are its outcome then (U-9).
            message: refusal.and(answer.message.as_deref()).map(Box::from),
        });
        // Behind the decision on record: a rule that a crash loses still holds in its session.
        if let Some(rule) = answered.stored {
            pass.push(Effect::StoreRule(Box::new(rule.stamped(pass.now))));
        }
        match answered.verdict {
            Ok(approved) => self.approve(pass, batch, index, approved),
            Err(denied) => self.deny(pass, batch, index, &denied),
        }
        self.reconsider(pass, batch);
    }

    /// An answer or another mode may settle questions: nobody is asked twice for the same thing, or in vain.
    fn reconsider(&mut self, pass: &mut Pass<'_, '_>, batch: &mut CallBatch) {
        for index in 0..batch.slots.len() {
            let Some(slot) = batch.slots.get_mut(index) else { continue };
            let pending = match slot.take() {
                SlotState::Asking(pending) => pending,
                other => {
                    slot.state = other;
                    continue;
                }
            };
            let call_id = slot.call.id.clone();
            match pending.reconsider(pass.world.permissions) {
                // What the user is being asked is not put off behind their back.
                Judgement::Ask(pending) | Judgement::Stage(pending) => {
                    slot.state = SlotState::Asking(Box::new(pending));
                }
                Judgement::Approved(approved) => {
                    self.decide_by_rule(pass, call_id, Ok(approved.decision_word()));
                    self.approve(pass, batch, index, approved);
                }
                Judgement::Denied(denied) => {
                    self.decide_by_rule(pass, call_id, Err(&denied.refusal));
                    self.deny(pass, batch, index, &denied);
                }
            }
        }
    }

    /// A question is settled without its answer: by this gate or rule, or refused.
    fn decide_by_rule(&mut self, pass: &mut Pass<'_, '_>, call_id: CallId, verdict: Result<&str, &Refusal>) {
        pass.push(Effect::WithdrawQuestion(call_id.clone()));
        let (decision, by, denied_by) = match verdict {
            Ok(by) => (Decision::Session, by.to_owned(), None),
            Err(refusal) => (Decision::Deny, refusal.by(), refusal.denied_by),
        };
        pass.emit(DurableEvent::PermissionDecided {
            call_id,
            decision,
            by,
            rule: None,
            problem: None,
            denied_by,
            message: None,
        });
    }

    pub(super) fn call_ended(
        &mut self,
        pass: &mut Pass<'_, '_>,
        batch: &mut CallBatch,
        call_id: &CallId,
        outcome: ToolOutcome,
    ) {
        let Some(index) = batch.find(call_id) else { return };
        // A second outcome, or that of a call which was stopped, is nobody's.
        if batch.slots.get(index).is_some_and(|slot| matches!(slot.state, SlotState::Running)) {
            self.settle(pass, batch, index, outcome);
            self.advance(pass, batch);
        }
    }

    /// Settles a call that did not run.
    pub(super) fn settle_failed(
        &mut self,
        pass: &mut Pass<'_, '_>,
        batch: &mut CallBatch,
        index: usize,
        failure: ToolFailure,
    ) {
        let Some(call) = batch.slots.get(index).map(|slot| &slot.call) else { return };
        let failure = self.worded(&call.id, failure);
        if failure.kind.is_correctable() {
            pass.audit(|now| {
                AuditEntry::failed_validation(now, &call.name, &failure.message, &call.arguments)
            });
            // The correction names the first one; the others have what was wrong in their outcomes.
            batch.bad_call.get_or_insert_with(|| failure.message.clone());
        }
        self.settle(pass, batch, index, ToolOutcome::failed(failure).timed(pass.now, pass.now));
    }

    /// Gives a call its one outcome.
    pub(super) fn settle(
        &mut self,
        pass: &mut Pass<'_, '_>,
        batch: &mut CallBatch,
        index: usize,
        mut outcome: ToolOutcome,
    ) {
        let Some(slot) = batch.slots.get_mut(index) else { return };
        // Only a call that ran teaches the guard something, and is never one to be corrected.
        let was_running = matches!(slot.state, SlotState::Running);
        let chars_max = slot.result_chars_max.unwrap_or(self.settings.profile.limits.result_chars_max);
        outcome.meta.dropped_args = std::mem::take(&mut slot.dropped_args);
        outcome.meta.repairs = std::mem::take(&mut slot.repairs);
        outcome.meta.decision = slot.decision.take();
        let told = self.recorded.as_ref().and_then(|recorded| recorded.end_of(&slot.call.id, &outcome));
        let (outcome, message) = told.unwrap_or_else(|| {
            tell_model(&self.settings.profile, &slot.call, outcome, chars_max, was_running)
        });
        let is_cut = outcome.meta.result_ref.as_deref() == Some(slot.call.id.as_str());
        if let Some(ticket) = slot.ticket.take() {
            self.guard.record(ticket, &outcome, was_running);
        }
        pass.emit(DurableEvent::CallEnded {
            call_id: slot.call.id.clone(),
            name: slot.call.name.clone(),
            outcome: Arc::clone(&outcome),
            message: Arc::clone(&message),
            category: slot.category,
            visibility: slot.visibility,
        });
        self.sources.take(&slot.call.name, &outcome);
        self.outcomes.push((slot.call.id.clone(), slot.call.provider_id.clone(), Arc::clone(&outcome)));
        self.counters.output_bytes = self.counters.output_bytes.saturating_add(outcome.meta.output_bytes);
        let message = ToolMessage::labelled(&message, &outcome);
        self.taint.take(&message, Some(self.counters.steps));
        slot.state = SlotState::Settled(Box::new(Settled { outcome, message }));
        if self.counters.output_bytes > self.settings.profile.limits.run_output_bytes_max {
            batch.stop = Some(StopReason::BytesMax);
        }
        if is_cut {
            self.warn(pass, WarningCode::Truncated, "Output shortened for the model; it can read the rest");
        }
    }
}

/// An outcome, with where the rest of it can be read, and the message that the model gets.
fn tell_model(
    profile: &Profile,
    call: &ToolCall,
    mut outcome: ToolOutcome,
    chars_max: usize,
    was_running: bool,
) -> (Arc<ToolOutcome>, Arc<Message>) {
    let rendered = render_for_model(profile, &call.id, &call.name, &outcome, chars_max);
    if rendered.is_truncated {
        outcome.meta.is_truncated = true;
        outcome.meta.result_ref = Some(call.id.as_str().to_owned());
    }
    let message = Message::Tool(ToolMessage {
        call_id: call.id.clone(),
        provider_id: call.provider_id.clone(),
        name: call.name.clone(),
        content: rendered.content,
        is_ok: outcome.is_ok(),
        // What a running tool says of its arguments is an outcome like any other: no correction is asked.
        is_valid_call: was_running || !outcome.failure().is_some_and(|failure| failure.kind.is_correctable()),
        label: outcome.label(&call.name),
    });
    (Arc::new(outcome), Arc::new(message))
}
