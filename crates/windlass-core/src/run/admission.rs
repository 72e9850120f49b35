//! A call comes in: it gets its identity, is read, resolved and validated, and takes its place in the batch.
//!
//! The order is that of requirements §6.5: limits, gates 1 to 3, arguments, schema. What comes after
//! (guard, inspection, rules, the user) waits for the call's turn in `settling`.

use serde_json::Value;

use super::batch::{CallBatch, CallSlot, SlotState};
use super::{Pass, Run};
use crate::calls::args::read_args;
use crate::calls::chain::{RefTarget, collect_refs, resolve_refs};
use crate::calls::dialect::ReadCall;
use crate::calls::json::clip::clip_chars;
use crate::calls::phrase::phrase_calls_max;
use crate::limits::SNIPPET_CHARS_MAX;
use crate::permission::AuditEntry;
use crate::protocol::event::{DurableEvent, StopReason, WarningCode};
use crate::protocol::ids::CallId;
use crate::protocol::tool::{Category, ErrorKind, RawArgs, ToolCall, ToolFailure, ToolSpec, Visibility};

/// A call with its identity, and what was read of it.
pub(super) struct Identified {
    pub(super) call: ToolCall,
    pub(super) after_parts: usize,
    args: Result<RawArgs, ToolFailure>,
}

impl Identified {
    /// The step was cut by its length. A call whose arguments cannot be read, or that came last and has none
    /// yet, was cut with it: it must not run, and the model is told why.
    pub(super) fn mark_cut(&mut self, is_last: bool, bytes_max: usize) {
        let is_cut = match &self.args {
            // Nothing means `{}` elsewhere; here the arguments may just not have come yet.
            Ok(RawArgs::Text(text)) if is_last && text.trim().is_empty() => true,
            Ok(args) => {
                read_args(args, bytes_max).is_err_and(|failure| failure.kind == ErrorKind::ParseError)
            }
            Err(failure) => failure.kind == ErrorKind::ParseError,
        };
        if is_cut {
            let message =
                "Your output was cut by the length limit in the middle of this call; it was not run";
            self.args = Err(ToolFailure::new(ErrorKind::ParseError, message)
                .at("arguments", "one whole JSON object", clip_chars(&self.call.arguments, SNIPPET_CHARS_MAX))
                .hint("send a smaller call: less text at once, the rest in further calls"));
        }
    }
}

impl Run {
    /// Takes in a call that is complete while the model still speaks.
    pub(super) fn admit(&mut self, pass: &mut Pass<'_, '_>, batch: &mut CallBatch, read: ReadCall) {
        let identified = self.identify(pass, batch.slots.len(), read);
        self.admit_identified(pass, batch, identified);
    }

    /// Gives a call its identity. A provider's id that came before is not used again.
    pub(super) fn identify(&mut self, pass: &Pass<'_, '_>, index: usize, read: ReadCall) -> Identified {
        // A call that was read out of text stands behind everything that was said.
        let after_parts = match &read {
            ReadCall::Raw(raw) => raw.after_parts,
            ReadCall::Bad { .. } => usize::MAX,
        };
        let (name, provider_id, state, arguments, args) = match read {
            ReadCall::Raw(raw) => (raw.name, raw.provider_id, raw.state, raw.args.to_text(), Ok(raw.args)),
            ReadCall::Bad { name, raw, failure } => (name, None, None, raw, Err(failure)),
        };
        let provider_id = provider_id.filter(|id| !id.is_empty() && self.provider_ids.insert(id.clone()));
        let number = self.counters.next_call_number;
        self.counters.next_call_number = number.saturating_add(1);
        let id = CallId::numbered(number);
        // The canonical name from the first event on: an alias is the tool that it stands for.
        let name = self.name_of(pass.world.tools, &id, name);
        let call = ToolCall {
            id,
            provider_id,
            step: self.counters.steps,
            index: u32::try_from(index).unwrap_or(u32::MAX),
            name,
            arguments,
            state,
        };
        Identified { call, after_parts, args }
    }

    /// Announces a call and puts it into the batch.
    pub(super) fn admit_identified(
        &mut self,
        pass: &mut Pass<'_, '_>,
        batch: &mut CallBatch,
        identified: Identified,
    ) {
        let Identified { call, after_parts, args } = identified;
        let spec = self.spec_of(pass.world.tools, &call);
        let slot = CallSlot { after_parts, ..slot_for(call, spec.as_deref()) };
        // Before anything can refuse it: everybody sees a call requested before it ends.
        let index = self.announce(pass, batch, slot);
        let failure = match self.find_obstacle(pass, batch, spec.as_deref()) {
            Some(failure) => Err(failure),
            None => args.and_then(|args| read_args(&args, self.settings.profile.limits.args_bytes_max)),
        };
        match failure {
            Err(failure) => self.settle_failed(pass, batch, index, failure),
            Ok(read) => {
                if let Some(slot) = batch.slots.get_mut(index) {
                    slot.repairs = read.repairs;
                    slot.state = SlotState::Unresolved(read.value);
                }
                self.resolve(pass, batch, index);
            }
        }
    }

    /// Tells of a call and gives it its place in the batch.
    fn announce(&self, pass: &mut Pass<'_, '_>, batch: &mut CallBatch, slot: CallSlot) -> usize {
        pass.emit(DurableEvent::CallRequested {
            call: slot.call.clone(),
            category: slot.category,
            visibility: slot.visibility,
            vendor: self.settings.vendor(),
        });
        batch.slots.push(slot);
        batch.slots.len().saturating_sub(1)
    }

    /// Limits and gates 1 to 3 for the newest call of the batch.
    fn find_obstacle(
        &mut self,
        pass: &mut Pass<'_, '_>,
        batch: &mut CallBatch,
        spec: Option<&ToolSpec>,
    ) -> Option<ToolFailure> {
        let limits = self.settings.profile.limits.clone();
        // The call is in the batch already and counts itself.
        if batch.slots.len() > limits.calls_per_step_max as usize {
            let message = phrase_calls_max(&self.settings.profile);
            self.warn(pass, WarningCode::MaxCalls, message.clone());
            return Some(
                ToolFailure::new(ErrorKind::LimitExceeded, message).hint("send fewer calls in one step"),
            );
        }
        if self.counters.calls >= limits.calls_per_run_max {
            batch.stop = Some(StopReason::CallsMax);
            let message = format!("Reached the limit of {} calls in one run", limits.calls_per_run_max);
            self.warn(pass, WarningCode::MaxCalls, message.clone());
            return Some(ToolFailure::new(ErrorKind::LimitExceeded, message).hint("answer now"));
        }
        // Behind the limits: a call that one of them refused uses up nothing.
        self.counters.calls = self.counters.calls.saturating_add(1);
        // An unknown tool passes here and fails its check, which names the tools that there are (E-10).
        let refusal = pass.world.permissions.admit(spec?).err()?;
        if let Some(slot) = batch.slots.last() {
            pass.audit(|now| AuditEntry::refused(now, &slot.call.name, &refusal, &slot.call.arguments));
        }
        Some(refusal.to_failure())
    }

    /// Resolves references to earlier outcomes, then validates. Stays where it is while a reference has
    /// no outcome yet.
    pub(super) fn resolve(&mut self, pass: &mut Pass<'_, '_>, batch: &mut CallBatch, index: usize) {
        let Some(slot) = batch.slots.get_mut(index) else { return };
        let SlotState::Unresolved(args) = slot.take() else { return };
        let call = slot.call.clone();
        let refs = collect_refs(&args);
        if refs.iter().any(|reference| self.is_pending(batch, index, reference)) {
            if let Some(slot) = batch.slots.get_mut(index) {
                slot.state = SlotState::Unresolved(args);
            }
            return;
        }
        // Before check and judgement: what is approved is what runs, never a reference to it.
        let resolved = if refs.is_empty() { Ok(args) } else { self.resolve_args(&args) };
        let checked = resolved.and_then(|args| self.check(pass.world.tools, call, args));
        match checked {
            Err(failure) => self.settle_failed(pass, batch, index, failure),
            Ok(checked) => {
                if !checked.dropped_args.is_empty() {
                    let message = format!(
                        "{} does not have these arguments, they were dropped: {}",
                        checked.spec.name,
                        checked.dropped_args.join(", ")
                    );
                    self.warn(pass, WarningCode::DroppedArgs, message);
                }
                if let Some(slot) = batch.slots.get_mut(index) {
                    slot.dropped_args = checked.dropped_args.clone();
                    slot.state = SlotState::Queued(Box::new(checked));
                }
            }
        }
    }

    /// Whether a reference points to an earlier call of the batch that has no outcome yet.
    fn is_pending(&self, batch: &CallBatch, index: usize, reference: &str) -> bool {
        let is_meant = |slot: &CallSlot| {
            slot.call.id.as_str() == reference || slot.call.provider_id.as_deref() == Some(reference)
        };
        // Earlier calls only: two that refer to each other would wait for ever.
        batch.slots.iter().take(index).any(|slot| is_meant(slot) && !slot.is_settled())
    }

    fn resolve_args(&self, args: &Value) -> Result<Value, ToolFailure> {
        let lookup = |reference: &str| {
            let found = self.outcomes.iter().rev().find(|(id, provider_id, _)| {
                id.as_str() == reference || provider_id.as_deref() == Some(reference)
            });
            match found {
                None => RefTarget::Unknown,
                Some((_, _, outcome)) => match &outcome.body {
                    Ok(output) => RefTarget::Output(&output.json),
                    Err(failure) => RefTarget::Failed(failure.message.clone()),
                },
            }
        };
        resolve_refs(args, self.settings.profile.limits.args_bytes_max, lookup).map_err(|failure| {
            ToolFailure::invalid_args(failure.to_string())
                .hint("a reference is {\"$ref\":\"call_N\",\"path\":\"/json/pointer\"} to an earlier call that worked")
        })
    }

    /// Refuses a call of the final step.
    pub(super) fn refuse(&mut self, pass: &mut Pass<'_, '_>, batch: &mut CallBatch, call: ToolCall) {
        let spec = self.spec_of(pass.world.tools, &call);
        let index = self.announce(pass, batch, slot_for(call, spec.as_deref()));
        let failure = ToolFailure::new(ErrorKind::LimitExceeded, "No tools can be used in the final step");
        self.settle_failed(pass, batch, index, failure.hint("answer now"));
    }
}

/// The slot of a call whose tool may be unknown.
fn slot_for(call: ToolCall, spec: Option<&ToolSpec>) -> CallSlot {
    CallSlot {
        call,
        after_parts: 0,
        category: spec.map_or(Category::Other, |spec| spec.category),
        visibility: spec.map_or(Visibility::Secondary, |spec| spec.visibility),
        result_chars_max: spec.and_then(|spec| spec.result_chars_max),
        // A call of an unknown tool never runs, so it holds nobody up.
        is_effectful: spec.is_some_and(|spec| !spec.effects.is_read_only()),
        ticket: None,
        dropped_args: Vec::new(),
        repairs: Vec::new(),
        decision: None,
        state: SlotState::Moving,
    }
}
