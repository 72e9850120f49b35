//! What was allowed, asked and denied in a run, for the permissions to recall.

use std::collections::HashMap;
use std::sync::Arc;

use super::tape::Tape;
use crate::event::{Event, Record};
use crate::ids::CallId;
use crate::permission::{
    BY_NOBODY, BY_USER, Decision, Permissions, Recalled, RecalledAnswer, RecalledRefusal,
};
use crate::tool::{ErrorKind, ToolOutcome};

/// Whether a decision was the answer to its question, and no rule's.
fn is_answer(by: &str) -> bool {
    by == BY_USER || by == BY_NOBODY
}

/// Puts the first verdict on every call back: that it was asked about, started, or refused.
pub(super) fn recall_all(records: &[Arc<Record>], permissions: &mut Permissions) {
    let mut verdicts: HashMap<&CallId, Recalled> = HashMap::new();
    for record in records {
        match &record.event {
            Event::PermissionRequested { question } => {
                // Questions have their digests since they come in order.
                let (risk, is_unordered) = (question.risk, question.digest.is_empty());
                verdicts.entry(&question.call_id).or_insert(Recalled::Asked { risk, is_unordered });
            }
            Event::CallStarted { call_id, by, .. } => {
                verdicts.entry(call_id).or_insert_with(|| Recalled::Approved { by: by.clone() });
            }
            Event::CallEnded { call_id, outcome, .. } => {
                verdicts.entry(call_id).or_insert_with(|| unasked(outcome));
            }
            _ => {}
        }
    }
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

/// If the next record is an answer of the user, or what a new mode decided, puts back what it led to: for the call itself,
/// and for others that were settled with it.
pub(super) fn recall_answers(tape: &Tape<'_>, permissions: &mut Permissions) {
    let Some(first) = tape.next() else { return };
    let Event::PermissionDecided { call_id, decision, by, rule, problem, message, .. } = &first.event else {
        return;
    };
    let refusal_of = |call_id: &CallId| tape.outcome(call_id).and_then(refusal);
    if is_answer(by) {
        let answer = RecalledAnswer {
            decision: *decision,
            rule: rule.clone(),
            problem: problem.clone(),
            message: message.as_deref().map(str::to_owned),
            refusal: refusal_of(call_id),
        };
        permissions.recall_answer(call_id.clone(), answer);
    }
    // What comes of one input has one cause. Records of the first release have none, and end with the next answer.
    let with_it = (0..).map_while(|ahead| tape.record(ahead)).take_while(|record| record.cause == first.cause);
    for (ahead, record) in with_it.enumerate() {
        let Event::PermissionDecided { call_id, decision, by, .. } = &record.event else { continue };
        match is_answer(by) {
            true if ahead == 0 => continue,
            true => return,
            false => {}
        }
        let by = Some(by.clone());
        let verdict = match (decision, refusal_of(call_id)) {
            (Decision::Deny, Some(refusal)) => Recalled::Denied { by, refusal },
            (Decision::Deny, None) => {
                let message = "A rule denies this operation".to_owned();
                let refusal = RecalledRefusal { message, ..RecalledRefusal::default() };
                Recalled::Denied { by, refusal }
            }
            (Decision::Once | Decision::Session | Decision::Remember, _) => Recalled::Approved { by },
        };
        permissions.recall(call_id.clone(), verdict);
    }
}
