//! Whether an event came out as it is on record: what happened counts, the words in which people are told of it do
//! not. Words that the model reads are those on record: the machine took them from there.

use crate::protocol::event::{DurableEvent, RunOutcome};
use crate::protocol::model::Finish;
use crate::run::RUNTIME_WORDS;

/// Whether the two say the same. A run may go on with another model than it began with.
pub(super) fn is_same(recorded: &DurableEvent, replayed: &DurableEvent) -> bool {
    match (recorded, replayed) {
        (
            DurableEvent::RunStarted { message, wishes, profile, .. },
            DurableEvent::RunStarted { message: said, wishes: wished, profile: now, .. },
        ) => message == said && wishes == wished && profile == now,
        (
            DurableEvent::StepDelayed { step, attempt, attempts_max, delay_ms, code, usage, message: _ },
            DurableEvent::StepDelayed {
                step: own_step,
                attempt: own_attempt,
                attempts_max: own_max,
                delay_ms: own_ms,
                code: own_code,
                usage: own_usage,
                message: _,
            },
        ) => {
            (step, attempt, attempts_max, delay_ms) == (own_step, own_attempt, own_max, own_ms)
                && (code, usage) == (own_code, own_usage)
        }
        (
            DurableEvent::RequestAdjusted { step, kind, rule, message: _ },
            DurableEvent::RequestAdjusted { step: own_step, kind: own_kind, rule: own_rule, message: _ },
        ) => (step, kind, rule) == (own_step, own_kind, own_rule),
        // The words of the runtime may be others today (U-27).
        (
            DurableEvent::StepEnded { step, finish: Finish::Other(word), .. },
            DurableEvent::StepEnded { step: own_step, finish: Finish::Other(own_word), .. },
        ) if word == RUNTIME_WORDS => step == own_step && word == own_word,
        // Where front ends file a call is a matter of its tool, which may have changed.
        (DurableEvent::CallRequested { call, .. }, DurableEvent::CallRequested { call: own_call, .. }) => {
            call == own_call
        }
        (
            // Risk, preview and rule are those of today; whoever answers is shown the question on record.
            DurableEvent::PermissionRequested { question },
            DurableEvent::PermissionRequested { question: own },
        ) => {
            (&question.call_id, &question.tool, &question.arguments)
                == (&own.call_id, &own.tool, &own.arguments)
        }
        (
            DurableEvent::PermissionDecided { call_id, decision, by, rule, .. },
            DurableEvent::PermissionDecided {
                call_id: own_id,
                decision: own,
                by: own_by,
                rule: own_rule,
                ..
            },
        ) => (call_id, decision, by, rule) == (own_id, own, own_by, own_rule),
        (recorded, replayed) => is_same_end(recorded, replayed),
    }
}

/// The same for what happens to a call that runs, and behind it.
fn is_same_end(recorded: &DurableEvent, replayed: &DurableEvent) -> bool {
    match (recorded, replayed) {
        (
            DurableEvent::CallStarted { call_id, name, by, .. },
            DurableEvent::CallStarted { call_id: own_id, name: own_name, by: own_by, .. },
        ) => (call_id, name, by) == (own_id, own_name, own_by),
        (
            DurableEvent::CallEnded { call_id, name, outcome, message, .. },
            DurableEvent::CallEnded {
                call_id: own_id,
                name: own_name,
                outcome: own,
                message: own_message,
                ..
            },
        ) => (call_id, name, outcome, message) == (own_id, own_name, own, own_message),
        (DurableEvent::WarningRaised { code, .. }, DurableEvent::WarningRaised { code: own, .. }) => {
            code == own
        }
        (DurableEvent::ErrorRaised { code, .. }, DurableEvent::ErrorRaised { code: own, .. }) => code == own,
        (
            DurableEvent::RunEnded { outcome, reason, answer, usage },
            DurableEvent::RunEnded {
                outcome: own_outcome,
                reason: own_reason,
                answer: own_answer,
                usage: own_usage,
            },
        ) => {
            // Only a model that answered wrote the answer itself.
            (outcome, reason, usage) == (own_outcome, own_reason, own_usage)
                && (*outcome != RunOutcome::Completed || answer == own_answer)
        }
        (recorded, replayed) => recorded == replayed,
    }
}
