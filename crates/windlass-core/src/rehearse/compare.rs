//! Whether an event came out as it is on record: what happened counts, the words in which people are told of it do
//! not. Words that the model reads are those on record: the machine took them from there.

use crate::event::{Event, RunOutcome};
use crate::model::Finish;
use crate::run::RUNTIME_WORDS;

/// Whether the two say the same. A run may go on with another model than it began with.
pub(super) fn is_same(recorded: &Event, replayed: &Event) -> bool {
    match (recorded, replayed) {
        (
            Event::RunStarted { message, wishes, profile, .. },
            Event::RunStarted { message: said, wishes: wished, profile: now, .. },
        ) => message == said && wishes == wished && profile == now,
        (
            Event::StepDelayed { step, attempt, attempts_max, delay_ms, code, usage, message: _ },
            Event::StepDelayed {
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
            Event::RequestAdjusted { step, kind, rule, message: _ },
            Event::RequestAdjusted { step: own_step, kind: own_kind, rule: own_rule, message: _ },
        ) => (step, kind, rule) == (own_step, own_kind, own_rule),
        (
            Event::StepEnded { step, finish: Finish::Other(word), .. },
            Event::StepEnded { step: own_step, finish: Finish::Other(own_word), .. },
        ) if word == RUNTIME_WORDS => step == own_step && word == own_word,
        (Event::CallRequested { call, .. }, Event::CallRequested { call: own_call, .. }) => call == own_call,
        (Event::PermissionRequested { question }, Event::PermissionRequested { question: own }) => {
            (&question.call_id, &question.tool, &question.arguments)
                == (&own.call_id, &own.tool, &own.arguments)
        }
        (
            Event::PermissionDecided { call_id, decision, by, rule, .. },
            Event::PermissionDecided { call_id: own_id, decision: own, by: own_by, rule: own_rule, .. },
        ) => (call_id, decision, by, rule) == (own_id, own, own_by, own_rule),
        (
            Event::CallStarted { call_id, name, by, .. },
            Event::CallStarted { call_id: own_id, name: own_name, by: own_by, .. },
        ) => (call_id, name, by) == (own_id, own_name, own_by),
        (
            Event::CallEnded { call_id, name, outcome, message, .. },
            Event::CallEnded { call_id: own_id, name: own_name, outcome: own, message: own_message, .. },
        ) => (call_id, name, outcome, message) == (own_id, own_name, own, own_message),
        (Event::WarningRaised { code, .. }, Event::WarningRaised { code: own, .. }) => code == own,
        (Event::ErrorRaised { code, .. }, Event::ErrorRaised { code: own, .. }) => code == own,
        (
            Event::RunEnded { outcome, reason, answer, usage },
            Event::RunEnded {
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
