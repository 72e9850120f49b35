//! Verdicts that are on record: a run that is rehearsed is judged as it was, whatever the rules are now.
//!
//! Only this module turns a recorded verdict into an approved call (wall 4), and only for the call whose id
//! it was recorded with.

use std::borrow::Cow;
use std::collections::HashMap;

use super::approved::{ApprovedCall, Denied, PendingQuestion};
use super::gate::{Gate, Refusal};
use super::held::Held;
use super::judge::{Judgement, Permissions};
use super::question::{Decision, DeniedBy, Inspection};
use super::rule::Rule;
use crate::protocol::ids::CallId;
use crate::protocol::tool::{CheckedCall, Risk};
use crate::text::redact::Redactor;

/// Who let a call run that is on record as started, when neither the record nor today's rules say.
const BY_RECORD: &str = "record";

/// What became of a call at its judgement.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Recalled {
    /// It was let run, by this gate or rule if that is known.
    Approved {
        by: Option<String>,
    },
    /// The user was asked, about this risk; by an older release before the calls in front of it were judged.
    Asked {
        risk: Risk,
        is_unordered: bool,
    },
    /// It was stopped before the turn of its question came.
    Unasked,
    /// It was staged, with this risk.
    Staged {
        risk: Risk,
    },
    Denied {
        by: Option<String>,
        refusal: RecalledRefusal,
    },
}

/// What a refused call was told.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct RecalledRefusal {
    pub(crate) message: String,
    pub(crate) hint: String,
    pub(crate) denied_by: Option<DeniedBy>,
}

impl RecalledRefusal {
    pub(super) fn into_refusal(self, gate: Gate) -> Refusal {
        Refusal { denied_by: self.denied_by, ..Refusal::new(gate, self.message, self.hint) }
    }
}

/// How a question was answered.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RecalledAnswer {
    pub(crate) decision: Decision,
    /// The rule that was granted or stored.
    pub(crate) rule: Option<String>,
    pub(crate) problem: Option<String>,
    /// What the user said to a denied call.
    pub(crate) message: Option<String>,
    /// What the model was told of a denied call.
    pub(crate) refusal: Option<RecalledRefusal>,
}

/// What is on record, by call. Empty but while a run is rehearsed.
#[derive(Debug, Clone, Default)]
pub(super) struct RecalledCalls {
    verdicts: HashMap<CallId, Recalled>,
    answers: HashMap<CallId, RecalledAnswer>,
    /// Whether a run is rehearsed.
    is_on: bool,
}

impl Permissions {
    /// Puts back what a session was granted, and which tools it was asked about.
    pub fn restore(&mut self, grants: &[Rule], asked: &[String]) {
        grants.iter().for_each(|rule| self.grant(&rule.pattern));
        asked.iter().for_each(|tool| self.note_asked(tool));
    }

    /// A run is rehearsed: a call of which nothing is on record has not been refused so far, whatever rules and modes say now.
    pub(crate) fn begin_recalling(&mut self) {
        self.recollection.is_on = true;
    }

    /// From now on the call is judged so.
    pub(crate) fn recall(&mut self, call_id: CallId, recalled: Recalled) {
        self.recollection.verdicts.insert(call_id, recalled);
    }

    /// The same for a call of which nothing else is known.
    pub(crate) fn recall_late(&mut self, call_id: &CallId, recalled: impl FnOnce() -> Recalled) {
        if let Some(verdict @ Recalled::Unasked) = self.recollection.verdicts.get_mut(call_id) {
            *verdict = recalled();
        }
    }

    /// The question of the call is answered so.
    pub(crate) fn recall_answer(&mut self, call_id: CallId, answer: RecalledAnswer) {
        self.recollection.answers.insert(call_id, answer);
    }

    /// From now on rules, grants and the user judge again.
    pub(crate) fn forget_recalled(&mut self) {
        self.recollection = RecalledCalls::default();
    }

    /// Whether it is on record that the call was asked about out of its turn.
    pub(crate) fn was_asked_unordered(&self, call_id: &CallId) -> bool {
        matches!(self.recollection.verdicts.get(call_id), Some(Recalled::Asked { is_unordered: true, .. }))
    }

    pub(super) fn recalled_answer(&mut self, call_id: &CallId) -> Option<RecalledAnswer> {
        self.recollection.answers.remove(call_id)
    }

    /// Passes a call through the gates, or through the record of them.
    pub fn judge(&self, call: CheckedCall, inspection: Inspection) -> Judgement {
        match self.recollection.verdicts.get(&call.call.id) {
            None if self.recollection.is_on => match self.judge_now(call.clone(), inspection.clone()) {
                // Neither is on record, so neither happened: as a question the call waits as it did.
                Judgement::Denied(_) | Judgement::Stage(_) => {
                    let risk = call.spec.risk;
                    Judgement::Ask(question_of(call, inspection, risk))
                }
                judgement @ (Judgement::Approved(_) | Judgement::Ask(_)) => judgement,
            },
            None => self.judge_now(call, inspection),
            Some(Recalled::Asked { risk, .. }) => Judgement::Ask(question_of(call, inspection, *risk)),
            Some(Recalled::Unasked) => {
                let risk = call.spec.risk;
                Judgement::Ask(question_of(call, inspection, risk))
            }
            Some(Recalled::Staged { risk }) => Judgement::Stage(question_of(call, inspection, *risk)),
            Some(Recalled::Denied { by, refusal }) => {
                Judgement::Denied(Denied { call, refusal: refusal_by(by.as_deref(), refusal.clone()) })
            }
            Some(Recalled::Approved { by: Some(by) }) => {
                // It may have begun, and what was looked at is not on record: it is held to nothing.
                Judgement::Approved(ApprovedCall::by_gate(call, Cow::Owned(by.clone()), Held::default()))
            }
            // Older records do not say by whom: today's gates are asked for that, not for their verdict.
            Some(Recalled::Approved { by: None }) => match self.judge_now(call, inspection) {
                Judgement::Approved(approved) => Judgement::Approved(approved.unheld()),
                Judgement::Ask(pending) | Judgement::Stage(pending) => by_record(pending.withdraw()),
                Judgement::Denied(denied) => by_record(denied.call),
            },
        }
    }
}

/// The risk on record counts secrets already, as they were known then.
fn question_of(call: CheckedCall, inspection: Inspection, risk: Risk) -> PendingQuestion {
    PendingQuestion::new(call, inspection, risk, &Redactor::default().known_values())
}

fn by_record(call: CheckedCall) -> Judgement {
    Judgement::Approved(ApprovedCall::by_gate(call, Cow::Borrowed(BY_RECORD), Held::default()))
}

fn refusal_by(by: Option<&str>, recalled: RecalledRefusal) -> Refusal {
    let by = by.unwrap_or_default();
    let gate = Gate::ALL.into_iter().find(|gate| gate.word() == by).unwrap_or(Gate::DenyRule);
    let rule = by.strip_prefix("rule:").map(str::to_owned);
    Refusal { rule, ..recalled.into_refusal(gate) }
}

#[cfg(test)]
#[path = "recall_tests.rs"]
mod tests;
