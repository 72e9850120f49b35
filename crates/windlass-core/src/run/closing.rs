//! All calls of a step have their outcomes: the transcript takes them in, and the run goes on or ends.

use std::sync::Arc;

use super::batch::{CallBatch, CallSlot, Settled};
use super::{Goal, Pass, Phase, Run, RunError, Tries};
use crate::calls::phrase::{phrase_failure, phrase_steps_max};
use crate::profile::{AtCap, OnToolError, Uncorrected};
use crate::protocol::event::{DurableEvent, RunOutcome, StopReason, WarningCode};
use crate::protocol::tool::OutcomeStatus;

impl Run {
    /// Goes on once every call of the batch is settled.
    pub(super) fn close_if_settled(&mut self, pass: &mut Pass<'_, '_>, batch: CallBatch) -> Phase {
        if !batch.is_settled() {
            return Phase::Settling(batch);
        }
        // First of all: whatever comes next, the transcript has an outcome for each call.
        self.take_in(pass, &batch);
        if let Some(phase) = self.abort_on_failure(pass, &batch) {
            return phase;
        }
        // Before a correction: at a limit no corrected call could run.
        if let Some(reason) = batch.stop {
            return self.finalise(pass, reason);
        }
        match batch.bad_call {
            Some(error) => self.after_bad_call(pass, error),
            None => {
                // A step without a bad call gives the next one a correction of its own (E-33).
                self.counters.corrections_in_a_row = 0;
                self.next_step(pass)
            }
        }
    }

    /// Appends the outcomes: one tool message a call, in call order, directly after the assistant's
    /// message; notes come after all of them (wall 5, R-33).
    pub(super) fn take_in(&mut self, pass: &mut Pass<'_, '_>, batch: &CallBatch) {
        for (_, settled) in batch.outcomes() {
            self.append(Arc::clone(&settled.message));
        }
        self.counters.batches = self.counters.batches.saturating_add(1);
        if self.settings.profile.has_failure_notes {
            let notes: Vec<String> =
                batch.outcomes().filter_map(|(slot, settled)| self.failure_note(slot, settled)).collect();
            for text in notes {
                self.add_note(pass, text);
            }
        }
    }

    /// ploke's note about a failed call (P-18, Appendix A.4).
    fn failure_note(&self, slot: &CallSlot, settled: &Settled) -> Option<String> {
        let failure = settled.outcome.failure().filter(|_| is_failed(settled))?;
        let error = phrase_failure(&self.settings.profile, &slot.call.name, failure);
        Some(format!("Tool call '{}' failed: {error}.", slot.call.name))
    }

    /// A failed call ends the run in profiles that do not go on (D-18).
    fn abort_on_failure(&mut self, pass: &mut Pass<'_, '_>, batch: &CallBatch) -> Option<Phase> {
        if self.settings.profile.on_tool_error == OnToolError::Continue {
            return None;
        }
        let (slot, settled) = batch.outcomes().find(|(_, settled)| is_failed(settled))?;
        let failure = settled.outcome.failure()?;
        let error = RunError::Tool {
            message: phrase_failure(&self.settings.profile, &slot.call.name, failure),
            failure: Arc::clone(&settled.outcome),
        };
        let answer = error.to_string();
        pass.emit(DurableEvent::ErrorRaised {
            code: failure.kind.word().to_owned(),
            message: answer.clone(),
        });
        Some(self.end(pass, RunOutcome::Failed, StopReason::ToolFailed, answer, Some(error)))
    }

    /// One more chance for a bad call: one a call, a few a run (requirements §6.1 row 13).
    fn after_bad_call(&mut self, pass: &mut Pass<'_, '_>, error: String) -> Phase {
        let limits = &self.settings.profile.limits;
        let may_correct = self.counters.corrections_in_a_row < limits.corrections_per_call_max
            && self.counters.corrections < limits.corrections_per_run_max;
        match (self.settings.profile.uncorrected, may_correct) {
            // What was wrong stands in the outcome, which is here a failure like any other.
            (Uncorrected::Ignore, _) => self.next_step(pass),
            (Uncorrected::Finalise | Uncorrected::Reject, true) => {
                self.counters.corrections_in_a_row = self.counters.corrections_in_a_row.saturating_add(1);
                self.counters.corrections = self.counters.corrections.saturating_add(1);
                self.ask_model(pass, Goal::Correction(error), Tries::default())
            }
            (Uncorrected::Finalise, false) => self.finalise(pass, StopReason::CorrectionFailed),
            (Uncorrected::Reject, false) => {
                let rejected = RunError::Rejected(error);
                let answer = rejected.to_string();
                pass.emit(DurableEvent::ErrorRaised { code: "rejected".to_owned(), message: answer.clone() });
                self.end(pass, RunOutcome::Failed, StopReason::CorrectionFailed, answer, Some(rejected))
            }
        }
    }

    fn next_step(&mut self, pass: &mut Pass<'_, '_>) -> Phase {
        let steps_max = self.settings.profile.limits.steps_max;
        // Corrections, continuations and further tries are no work steps: they use up nothing of the limit.
        if self.counters.work_steps < steps_max {
            return self.ask_model(pass, Goal::Work, Tries::default());
        }
        let message = phrase_steps_max(&self.settings.profile);
        self.warn(pass, WarningCode::MaxSteps, message.clone());
        match self.settings.profile.at_cap {
            AtCap::Finalise => self.finalise(pass, StopReason::StepsMax),
            AtCap::Fail => {
                pass.emit(DurableEvent::ErrorRaised {
                    code: "max_steps".to_owned(),
                    message: message.clone(),
                });
                self.end(
                    pass,
                    RunOutcome::Failed,
                    StopReason::StepsMax,
                    message,
                    Some(RunError::StepsMax(steps_max)),
                )
            }
        }
    }
}

/// Whether a call came to nothing; an edit that awaits approval has not failed.
fn is_failed(settled: &Settled) -> bool {
    match settled.outcome.status() {
        OutcomeStatus::Ok | OutcomeStatus::Staged => false,
        OutcomeStatus::Failed
        | OutcomeStatus::Denied
        | OutcomeStatus::Cancelled
        | OutcomeStatus::Interrupted => true,
    }
}
