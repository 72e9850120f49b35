//! What was allowed, asked and denied in a run, for the permissions to recall.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::tape::Tape;
use crate::permission::{
    BY_NOBODY, BY_USER, Decision, Permissions, Recalled, RecalledAnswer, RecalledRefusal,
};
use crate::protocol::event::{DurableEvent, Event, Record};
use crate::protocol::ids::CallId;
use crate::protocol::tool::{ErrorKind, ToolOutcome};

/// Whether a decision was the answer to its question, and no rule's.
fn is_answer(by: &str) -> bool {
    by == BY_USER || by == BY_NOBODY
}

/// Puts the first verdict on every call back: that it was asked about, started, or refused.
pub(super) fn recall_all(records: &[Arc<Record>], permissions: &mut Permissions) {
    let mut verdicts: HashMap<&CallId, Recalled> = HashMap::new();
    for record in records {
        let Event::Durable(event) = &record.event else { continue };
        match event {
            DurableEvent::PermissionRequested { question } => {
                // Questions have their digests since they come in order.
                let (risk, is_unordered) = (question.risk, question.digest.is_empty());
                verdicts.entry(&question.call_id).or_insert(Recalled::Asked { risk, is_unordered });
            }
            DurableEvent::CallStarted { call_id, by, .. } => {
                verdicts.entry(call_id).or_insert_with(|| Recalled::Approved { by: by.clone() });
            }
            DurableEvent::CallEnded { call_id, outcome, .. } => {
                verdicts.entry(call_id).or_insert_with(|| match (unasked(outcome), &record.cause) {
                    // Told when its input comes.
                    (Recalled::Denied { .. } | Recalled::Staged { .. }, Some(_)) => Recalled::Unasked,
                    (verdict, _) => verdict,
                });
            }
            other => other.ignored(),
        }
    }
    permissions.begin_recalling();
    for (call_id, verdict) in verdicts {
        permissions.recall(call_id.clone(), verdict);
    }
}

/// A call that ended without having begun was staged, refused, or stopped while it waited for its place or for the
/// turn of its question.
fn unasked(outcome: &ToolOutcome) -> Recalled {
    if let Some(proposal) = &outcome.meta.proposal {
        return Recalled::Staged { risk: proposal.risk };
    }
    match (refusal(outcome), &outcome.meta.decision) {
        (Some(refusal), _) => Recalled::Denied { by: None, refusal },
        (None, Some(by)) => Recalled::Approved { by: Some(by.clone()) },
        (None, None) => Recalled::Unasked,
    }
}

/// What a refused call was told.
fn refusal(outcome: &ToolOutcome) -> Option<RecalledRefusal> {
    let failure = outcome.failure().filter(|failure| failure.kind == ErrorKind::PermissionDenied)?;
    let (message, hint) = (failure.message.clone(), failure.hint.clone().unwrap_or_default());
    Some(RecalledRefusal { message, hint, denied_by: failure.denied_by })
}

/// Puts back what the next input led to: the user's answer, what was settled with it or by a new mode, and refusals. One that
/// came later than its call was judged is not known to the judge before: rules and modes may change while a call waits.
pub(super) fn recall_input(tape: &Tape<'_>, permissions: &mut Permissions) {
    for (ahead, record) in tape.of_input().enumerate() {
        match &record.event {
            // Another answer is another input: without causes nothing else parts the records.
            Event::Durable(DurableEvent::PermissionDecided { by, .. }) if is_answer(by) && ahead > 0 => {
                return;
            }
            Event::Durable(DurableEvent::PermissionDecided {
                call_id,
                decision,
                by,
                rule,
                problem,
                message,
                ..
            }) => {
                let refusal = tape.outcome(call_id).and_then(refusal);
                if is_answer(by) {
                    let (decision, rule, problem) = (*decision, rule.clone(), problem.clone());
                    let message = message.as_deref().map(str::to_owned);
                    let answer = RecalledAnswer { decision, rule, problem, message, refusal };
                    permissions.recall_answer(call_id.clone(), answer);
                } else {
                    permissions.recall(call_id.clone(), settled(*decision, by, refusal));
                }
            }
            Event::Durable(DurableEvent::CallEnded { call_id, outcome, .. }) => {
                permissions.recall_late(call_id, || unasked(outcome));
            }
            Event::Durable(other) => other.ignored(),
            Event::Delta(_) => {}
        }
    }
}

/// The calls that the next input started, where records say what came of it.
pub(super) fn starts(tape: &Tape<'_>) -> Option<HashSet<CallId>> {
    // Without causes nobody knows where the records of an input end.
    tape.next()?.cause.as_ref()?;
    let started = tape.of_input().filter_map(|record| match &record.event {
        Event::Durable(DurableEvent::CallStarted { call_id, .. }) => Some(call_id.clone()),
        Event::Durable(other) => other.ignored(),
        Event::Delta(_) => None,
    });
    Some(started.collect())
}

/// What became of a question that was settled without its answer.
fn settled(decision: Decision, by: &str, refusal: Option<RecalledRefusal>) -> Recalled {
    let by = Some(by.to_owned());
    match decision {
        Decision::Deny => {
            let message = || "A rule denies this operation".to_owned();
            let unknown = || RecalledRefusal { message: message(), ..RecalledRefusal::default() };
            Recalled::Denied { by, refusal: refusal.unwrap_or_else(unknown) }
        }
        Decision::Once | Decision::Session | Decision::Remember => Recalled::Approved { by },
    }
}
