//! Journals of the first release, whose records do not name their causes: the machine's place and what comes next tell
//! which it was. Kept for one release after it.
//!
//! The words that are compared here are those of the first release, and never change. A wrong guess cannot pass: the
//! machine must emit what is on record.

use super::rebuild::non_calls;
use super::tape::Tape;
use crate::protocol::cause::Cause;
use crate::protocol::event::{DurableEvent, StopReason, WarningCode};
use crate::protocol::ids::CallId;
use crate::protocol::message::{Message, Part, text_of};
use crate::protocol::model::{Finish, ModelFailure, ModelFailureKind, StepPurpose, Usage};
use crate::protocol::tool::{ErrorKind, ToolFailure, ToolOutcome};
use crate::run::{CallPosition, Deadline, Run, RunPosition};

/// What a warning about a last word that was cut begins with.
const CUT_ANSWER: &str = "The answer was cut: ";
/// What the runtime says when the model had no last word begins so.
const WORDLESS: &str = "Stopped before an answer";
/// What stands behind a failure when calls that had begun were kept.
const CUT_KEPT: &str = "; what it had said and the calls that had begun were kept";
/// What stands behind a failure when there is nothing more to leave out.
const TOO_LONG: &str = "; the history was shortened as far as it can be and the request still does not \
     fit: begin a new session, send less at once, offer fewer tools, or choose a model with a larger context";
/// The rule by which a step of a model that failed was closed with the calls that had begun.
const CUT_RULE: &str = "cut_step";
/// The word of a step without anything in it.
const EMPTY: &str = "empty";
/// The word of a failure that says that the request was too long.
const OVERFLOW: &str = "context_overflow";

/// Outcomes that the machine gave calls itself: kind and message.
const STOPS: [(ErrorKind, &str, MachineStop); 4] = [
    (ErrorKind::Cancelled, "The model's step came to nothing; the call was stopped", MachineStop::Discarded),
    (ErrorKind::Timeout, "The run is out of time; the call was stopped", MachineStop::OutOfTime),
    (ErrorKind::Cancelled, "Generation cancelled", MachineStop::Cancelled),
    (ErrorKind::Cancelled, "The journal failed; the call was stopped", MachineStop::JournalFailed),
];

/// Why the machine gave a call its outcome itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MachineStop {
    Discarded,
    OutOfTime,
    Cancelled,
    JournalFailed,
}

fn stop_of(outcome: &ToolOutcome) -> Option<MachineStop> {
    let ToolFailure { kind, message, .. } = outcome.failure()?;
    STOPS.iter().find(|(own, words, _)| own == kind && words == message).map(|(_, _, stop)| *stop)
}

/// Where a rehearsal stands.
pub(super) struct Guess<'a, 't> {
    pub(super) run: &'a Run,
    pub(super) tape: &'a Tape<'t>,
}

impl Guess<'_, '_> {
    /// What led to the next record, if anything could have.
    pub(super) fn cause(&self) -> Option<Cause> {
        let event = self.tape.event(0)?;
        match (self.run.place(), event) {
            (RunPosition::Ready, DurableEvent::RunStarted { .. }) => Some(Cause::MessageSent),
            (
                RunPosition::Thinking { .. } | RunPosition::Settling,
                DurableEvent::PermissionDecided { call_id, .. },
            ) => Some(Cause::PermissionAnswered { call_id: call_id.clone() }),
            (
                RunPosition::Thinking { .. } | RunPosition::Settling,
                DurableEvent::CallEnded { call_id, outcome, .. },
            ) => self.call_ended(call_id, outcome),
            (RunPosition::Thinking { is_final }, _) => self.thinking_ended(0, is_final),
            (RunPosition::Ready | RunPosition::Settling | RunPosition::Ended, _) => None,
        }
    }

    /// A call has its outcome: its own, or that of everything that was stopped at once.
    fn call_ended(&self, call_id: &CallId, outcome: &ToolOutcome) -> Option<Cause> {
        match stop_of(outcome) {
            Some(MachineStop::OutOfTime) => return Some(Cause::DeadlinePassed { deadline: Deadline::Work }),
            Some(MachineStop::Cancelled) => return Some(Cause::Cancelled),
            Some(MachineStop::JournalFailed) => {
                let message = self.error_ahead(0).map(|(_, message)| message.to_owned());
                return Some(Cause::JournalFailed { message: message.unwrap_or_default() });
            }
            Some(MachineStop::Discarded) => return self.step_discarded(),
            None => {}
        }
        match self.run.call_place(call_id)? {
            CallPosition::Outcome => Some(Cause::CallEnded { call_id: call_id.clone() }),
            CallPosition::Inspection => Some(Cause::CallInspected { call_id: call_id.clone() }),
            CallPosition::Turn | CallPosition::Answer | CallPosition::Nothing => None,
        }
    }

    /// Calls were thrown away with their step: what comes behind them says why.
    fn step_discarded(&self) -> Option<Cause> {
        let RunPosition::Thinking { is_final } = self.run.place() else { return None };
        let ahead = self.tape.count_while(0, |event| match event {
            DurableEvent::CallEnded { outcome, .. } => stop_of(outcome) == Some(MachineStop::Discarded),
            DurableEvent::WarningRaised { .. } => true,
            other => other.ignored(),
        });
        match self.tape.event(ahead) {
            Some(_) => self.thinking_ended(ahead, is_final),
            None => Some(failed(ModelFailure::passing(
                ModelFailureKind::Interrupted,
                "the program stopped while the model spoke",
            ))),
        }
    }

    /// The model spoke; now something else is the case. `ahead` is the first event that tells.
    fn thinking_ended(&self, ahead: usize, is_final: bool) -> Option<Cause> {
        match self.tape.event(ahead)? {
            DurableEvent::CallRequested { .. } => Some(Cause::CallReady),
            DurableEvent::RequestAdjusted { rule, step, .. } => {
                let is_overflow = rule == OVERFLOW
                    && match self.tape.event(ahead.saturating_add(1)) {
                        Some(DurableEvent::StepStarted { step: next, attempt, .. }) => {
                            next == step && *attempt > 1
                        }
                        Some(_) => false,
                        // No notice throws calls away: those before it went with the step that was too long.
                        None => ahead > 0,
                    };
                Some(match is_overflow {
                    true => failed(ModelFailure::fatal(
                        ModelFailureKind::ContextOverflow,
                        "the request was too long",
                    )),
                    false => Cause::ModelNoticed,
                })
            }
            // A failure has no token counts: it was a step with nothing in it.
            DurableEvent::StepDelayed { usage: Some(usage), .. } => Some(empty(Vec::new(), Some(**usage))),
            DurableEvent::StepDelayed { delay_ms, code, message, .. } => Some(failed(ModelFailure {
                // So that the same wait comes out, whatever the profile's is today.
                retry_after_ms: Some(*delay_ms),
                ..ModelFailure::passing(code.clone(), message.clone())
            })),
            DurableEvent::WarningRaised { .. } => {
                let step =
                    self.tape.count_while(ahead, |event| matches!(event, DurableEvent::WarningRaised { .. }));
                matches!(self.tape.event(step), Some(DurableEvent::StepEnded { .. }))
                    .then(|| self.step_ended(step, is_final))
                    .flatten()
            }
            DurableEvent::StepEnded { .. } => self.step_ended(ahead, is_final),
            DurableEvent::StepStarted { purpose: StepPurpose::Finalise, .. } => {
                Some(Cause::DeadlinePassed { deadline: Deadline::Work })
            }
            DurableEvent::ErrorRaised { .. } => self.run_failed(ahead, &[]),
            DurableEvent::RunEnded { reason: StopReason::Cancelled, .. } => Some(Cause::Cancelled),
            other => other.ignored(),
        }
    }

    /// A step is on record: the model ended, or it failed, or somebody ended it.
    fn step_ended(&self, ahead: usize, is_final: bool) -> Option<Cause> {
        let DurableEvent::StepEnded { message, finish, usage, .. } = self.tape.event(ahead)? else {
            return None;
        };
        let Message::Assistant { parts } = message.as_ref() else { return None };
        if let Finish::Other(code) = finish
            && let Some(cause) = self.step_cut(ahead, code, parts, is_final)
        {
            // Only a step that ended has token counts.
            return match (code.as_str(), usage) {
                (EMPTY, Some(usage)) => Some(empty(blank_parts(parts), Some(*usage))),
                _ => Some(cause),
            };
        }
        Some(Cause::ModelEnded { calls_left_out: self.left_out(ahead) })
    }

    /// What a step that the model did not end itself came from.
    fn step_cut(&self, ahead: usize, code: &str, parts: &[Part], is_final: bool) -> Option<Cause> {
        let partial = non_calls(parts);
        let behind = ahead.saturating_add(1);
        match self.tape.event(behind) {
            Some(DurableEvent::RunEnded { reason: StopReason::Cancelled, .. }) if code == "cancelled" => {
                return Some(Cause::Cancelled);
            }
            Some(DurableEvent::RunEnded { .. }) | None
                if is_final && code == "runtime" && text_of(&partial).starts_with(WORDLESS) =>
            {
                return Some(Cause::DeadlinePassed { deadline: Deadline::Final });
            }
            Some(DurableEvent::RequestAdjusted { rule, message, .. }) if rule == CUT_RULE => {
                let message = message.strip_suffix(CUT_KEPT).unwrap_or(message);
                return Some(failed(ModelFailure::passing(code, message)));
            }
            Some(DurableEvent::WarningRaised { code: WarningCode::Truncated, message }) if is_final => {
                let message = message.strip_prefix(CUT_ANSWER)?;
                let message = message.strip_suffix(TOO_LONG).unwrap_or(message);
                return Some(failed(ModelFailure::fatal(code, message)));
            }
            Some(other) => other.ignored(),
            None => {}
        }
        let (error, _) = self.error_ahead(behind)?;
        (error == code).then(|| self.run_failed(behind, &partial)).flatten()
    }

    /// The run failed: the model did, or the journal.
    fn run_failed(&self, ahead: usize, partial: &[Part]) -> Option<Cause> {
        let (code, message) = self.error_ahead(ahead)?;
        let DurableEvent::RunEnded { reason, usage, .. } =
            self.tape.event(self.behind_outcomes(ahead).saturating_add(1))?
        else {
            return None;
        };
        match reason {
            // What the last, empty try has cost is only in the sum.
            StopReason::ModelFailed if code == EMPTY => {
                Some(empty(blank_parts(partial), self.run.usage_since(usage)))
            }
            StopReason::JournalFailed => Some(Cause::JournalFailed { message: message.to_owned() }),
            StopReason::ModelFailed => {
                let message = message.strip_suffix(TOO_LONG).unwrap_or(message);
                Some(failed(ModelFailure::fatal(code, message)))
            }
            _ => None,
        }
    }

    /// The error with which the run ends, behind the outcomes of what was stopped.
    fn error_ahead(&self, ahead: usize) -> Option<(&str, &str)> {
        match self.tape.event(self.behind_outcomes(ahead))? {
            DurableEvent::ErrorRaised { code, message } => Some((code, message)),
            other => other.ignored(),
        }
    }

    fn behind_outcomes(&self, ahead: usize) -> usize {
        self.tape.count_while(ahead, |event| {
            matches!(
                event,
                DurableEvent::CallEnded { .. }
                    | DurableEvent::NoteAdded { .. }
                    | DurableEvent::WarningRaised { .. }
            )
        })
    }

    /// Calls that were too many to be put into the transcript: only their number is on record, in a warning
    /// before the step.
    fn left_out(&self, ahead: usize) -> u64 {
        let warned = ahead.checked_sub(1).and_then(|before| self.tape.event(before));
        let Some(DurableEvent::WarningRaised { code: WarningCode::MaxCalls, message }) = warned else {
            return 0;
        };
        let digits: String = message.chars().filter(char::is_ascii_digit).collect();
        digits.parse().unwrap_or(0)
    }
}

fn failed(failure: ModelFailure) -> Cause {
    Cause::ModelFailed { failure }
}

/// A step without an answer, which was counted all the same.
fn empty(parts: Vec<Part>, usage: Option<Usage>) -> Cause {
    Cause::ModelGaveNothing { parts, finish: Finish::Stop, usage }
}

/// What an empty step may hold: no words.
fn blank_parts(parts: &[Part]) -> Vec<Part> {
    let is_blank = |part: &Part| match part {
        Part::Text { text } => text.trim().is_empty(),
        Part::Call(_) => false,
        Part::Reasoning(_) | Part::Image { .. } => true,
    };
    parts.iter().filter(|part| is_blank(part)).cloned().collect()
}
