//! Which input led to the next record.
//!
//! Records do not name their causes; the machine's place and what comes next do. Where two causes lead to the
//! same records, either will do. A wrong guess cannot pass: the machine must emit what is on record.

use super::rebuild::{answered_call, non_calls, raw_call, rebuild_step};
use super::tape::Tape;
use crate::event::{Event, StopReason, WarningCode};
use crate::ids::CallId;
use crate::message::{Message, Part, text_of};
use crate::model::{Finish, ModelFailure, ModelStep, Notice, StepPurpose, Usage};
use crate::permission::{BY_NOBODY, Inspection, PermissionAnswer};
use crate::profile::Profile;
use crate::run::{
    CUT_KEPT, CUT_RULE, CallPlace, Deadline, EMPTY, Input, OVERFLOW, Place, Run, Start, Stop, TOO_LONG,
    WORDLESS,
};
use crate::tool::{ToolFailure, ToolOutcome};
use crate::toolset::Toolset;

/// What a warning about a last word that was cut begins with.
const CUT_ANSWER: &str = "The answer was cut: ";

/// Where a rehearsal stands.
pub(super) struct Cue<'a, 't> {
    pub(super) run: &'a Run,
    pub(super) tape: &'a Tape<'t>,
    pub(super) tools: &'a Toolset,
    pub(super) profile: &'a Profile,
}

impl Cue<'_, '_> {
    /// The input that led to the next record, if there is one that could have.
    pub(super) fn next_input(&self, start: &mut Option<Start>) -> Option<Input> {
        let event = self.tape.event(0)?;
        match (self.run.place(), event) {
            (Place::Ready, Event::RunStarted { .. }) => start.take().map(Box::new).map(Input::UserMessage),
            (Place::Thinking { .. } | Place::Settling, Event::CallStarted { call_id, .. }) => {
                self.inspected(call_id, Ok(Inspection::default()))
            }
            (Place::Thinking { .. } | Place::Settling, Event::PermissionRequested { question }) => self
                .inspected(
                    &question.call_id,
                    Ok(Inspection {
                        targets: question.targets.clone(),
                        preview: question.preview.clone(),
                        risk: Some(question.risk),
                        ..Inspection::default()
                    }),
                ),
            (
                Place::Thinking { .. } | Place::Settling,
                Event::PermissionDecided { call_id, decision, by, message, .. },
            ) => {
                let mut answer = PermissionAnswer::new(*decision);
                answer.message.clone_from(message);
                answer.is_by_nobody = by == BY_NOBODY;
                Some(Input::PermissionAnswered { call_id: call_id.clone(), answer })
            }
            (Place::Thinking { .. } | Place::Settling, Event::CallEnded { call_id, outcome, .. }) => {
                self.call_ended(call_id, outcome)
            }
            (Place::Thinking { is_final }, _) => self.thinking_ended(0, is_final),
            (Place::Ready | Place::Settling | Place::Ended, _) => None,
        }
    }

    fn inspected(&self, call_id: &CallId, result: Result<Inspection, ToolFailure>) -> Option<Input> {
        let is_waiting = self.run.call_place(call_id) == Some(CallPlace::Inspection);
        is_waiting.then(|| Input::CallInspected { call_id: call_id.clone(), result })
    }

    /// A call has its outcome: its own, or that of everything that was stopped at once.
    fn call_ended(&self, call_id: &CallId, outcome: &ToolOutcome) -> Option<Input> {
        match outcome.failure().and_then(Stop::of) {
            Some(Stop::OutOfTime) => return Some(Input::DeadlinePassed(Deadline::Work)),
            Some(Stop::Cancelled) => return Some(Input::Cancel { partial: String::new() }),
            Some(Stop::JournalFailed) => {
                let message = self.error_ahead(0).map(|(_, message)| message.to_owned());
                return Some(Input::JournalFailed { message: message.unwrap_or_default() });
            }
            Some(Stop::Discarded) => return self.step_discarded(),
            Some(Stop::ModelFailed) | None => {}
        }
        match self.run.call_place(call_id)? {
            CallPlace::Outcome => {
                Some(Input::CallEnded { call_id: call_id.clone(), outcome: outcome.clone() })
            }
            CallPlace::Inspection => {
                let result = match &outcome.meta.proposal {
                    Some(proposal) => Ok(Inspection::of_proposal(proposal)),
                    None => Err(outcome.failure()?.clone()),
                };
                self.inspected(call_id, result)
            }
            CallPlace::Turn | CallPlace::Answer | CallPlace::Nothing => None,
        }
    }

    /// Calls were thrown away with their step: what comes behind them says why.
    fn step_discarded(&self) -> Option<Input> {
        let Place::Thinking { is_final } = self.run.place() else { return None };
        let ahead = self.tape.count_while(0, |event| match event {
            Event::CallEnded { outcome, .. } => outcome.failure().and_then(Stop::of) == Some(Stop::Discarded),
            Event::WarningRaised { .. } => true,
            _ => false,
        });
        match self.tape.event(ahead) {
            Some(_) => self.thinking_ended(ahead, is_final),
            None => {
                let failure =
                    ModelFailure::passing("interrupted", "the program stopped while the model spoke");
                Some(Input::ModelFailed { failure, partial: self.tape.heard() })
            }
        }
    }

    /// The model spoke; now something else is the case. `ahead` is the first event that tells.
    fn thinking_ended(&self, ahead: usize, is_final: bool) -> Option<Input> {
        match self.tape.event(ahead)? {
            Event::CallRequested { call, .. } => {
                let call = raw_call(call, self.tape.parts_before(&call.id), self.tape, self.profile);
                Some(Input::CallReady(call))
            }
            Event::RequestAdjusted { kind, rule, message, step } => {
                let again = Some(*step);
                let is_overflow = rule == OVERFLOW
                    && match self.tape.event(ahead.saturating_add(1)) {
                        Some(Event::StepStarted { step, attempt, .. }) => {
                            Some(*step) == again && *attempt > 1
                        }
                        Some(_) => false,
                        // No notice throws calls away: those before it went with the step that was too long.
                        None => ahead > 0,
                    };
                if is_overflow {
                    let failure = ModelFailure::fatal(OVERFLOW, "the request was too long");
                    return Some(Input::ModelFailed { failure, partial: self.tape.heard() });
                }
                let notice = Notice { kind: *kind, rule: rule.clone(), message: message.clone() };
                Some(Input::ModelNoticed(notice))
            }
            Event::StepDelayed { usage: Some(usage), .. } => Some(empty_step(Vec::new(), Some(**usage))),
            Event::StepDelayed { delay_ms, code, message, .. } => {
                let retry_after_ms = Some(*delay_ms);
                let failure =
                    ModelFailure { retry_after_ms, ..ModelFailure::passing(code.clone(), message.clone()) };
                Some(Input::ModelFailed { failure, partial: self.tape.heard() })
            }
            Event::WarningRaised { .. } => {
                let step = self.tape.count_while(ahead, |event| matches!(event, Event::WarningRaised { .. }));
                matches!(self.tape.event(step), Some(Event::StepEnded { .. }))
                    .then(|| self.step_ended(step, is_final))
                    .flatten()
            }
            Event::StepEnded { .. } => self.step_ended(ahead, is_final),
            Event::StepStarted { purpose: StepPurpose::Finalise, .. } => {
                Some(Input::DeadlinePassed(Deadline::Work))
            }
            Event::ErrorRaised { .. } => self.failed(ahead, Vec::new()),
            Event::RunEnded { reason: StopReason::Cancelled, .. } => {
                Some(Input::Cancel { partial: String::new() })
            }
            _ => None,
        }
    }

    /// A step is on record: the model ended, or it failed, or somebody ended it.
    fn step_ended(&self, ahead: usize, is_final: bool) -> Option<Input> {
        let Event::StepEnded { message, finish, usage, .. } = self.tape.event(ahead)? else { return None };
        let Message::Assistant { parts } = message.as_ref() else { return None };
        if let Finish::Other(code) = finish
            && let Some(input) = self.step_cut(ahead, code, parts, is_final)
        {
            // Only a step that ended has token counts.
            return match (code.as_str(), usage) {
                (EMPTY, Some(usage)) => Some(empty_step(blank_parts(parts), Some(*usage))),
                _ => Some(input),
            };
        }
        let mut step = rebuild_step(parts, finish, *usage, self.tape, self.profile, self.tools);
        step.calls.extend(self.left_out(ahead));
        Some(Input::ModelEnded(step))
    }

    /// What a step that the model did not end itself came from.
    fn step_cut(&self, ahead: usize, code: &str, parts: &[Part], is_final: bool) -> Option<Input> {
        let partial = non_calls(parts);
        let behind = ahead.saturating_add(1);
        match self.tape.event(behind) {
            Some(Event::RunEnded { reason: StopReason::Cancelled, .. }) if code == "cancelled" => {
                return Some(Input::Cancel { partial: text_of(&partial) });
            }
            Some(Event::RunEnded { .. }) | None
                if is_final && code == "runtime" && text_of(&partial).starts_with(WORDLESS) =>
            {
                return Some(Input::DeadlinePassed(Deadline::Final));
            }
            Some(Event::RequestAdjusted { rule, message, .. }) if rule == CUT_RULE => {
                let message = message.strip_suffix(CUT_KEPT).unwrap_or(message);
                let failure = ModelFailure::passing(code, message);
                return Some(Input::ModelFailed { failure, partial });
            }
            Some(Event::WarningRaised { code: WarningCode::Truncated, message }) if is_final => {
                let message = message.strip_prefix(CUT_ANSWER)?;
                let message = message.strip_suffix(TOO_LONG).unwrap_or(message);
                return Some(Input::ModelFailed { failure: ModelFailure::fatal(code, message), partial });
            }
            _ => {}
        }
        let (error, _) = self.error_ahead(behind)?;
        (error == code).then(|| self.failed(behind, partial)).flatten()
    }

    /// The run failed: the model did, or the journal.
    fn failed(&self, ahead: usize, partial: Vec<Part>) -> Option<Input> {
        let (code, message) = self.error_ahead(ahead)?;
        let Event::RunEnded { reason, usage, .. } =
            self.tape.event(self.behind_outcomes(ahead).saturating_add(1))?
        else {
            return None;
        };
        match reason {
            // What the last, empty try has cost is only in the sum.
            StopReason::ModelFailed if code == EMPTY => {
                Some(empty_step(blank_parts(&partial), self.run.usage_since(usage)))
            }
            StopReason::JournalFailed => Some(Input::JournalFailed { message: message.to_owned() }),
            StopReason::ModelFailed => {
                let message = message.strip_suffix(TOO_LONG).unwrap_or(message);
                Some(Input::ModelFailed { failure: ModelFailure::fatal(code, message), partial })
            }
            _ => None,
        }
    }

    /// The error with which the run ends, behind the outcomes of what was stopped.
    fn error_ahead(&self, ahead: usize) -> Option<(&str, &str)> {
        match self.tape.event(self.behind_outcomes(ahead))? {
            Event::ErrorRaised { code, message } => Some((code, message)),
            _ => None,
        }
    }

    fn behind_outcomes(&self, ahead: usize) -> usize {
        self.tape.count_while(ahead, |event| {
            matches!(event, Event::CallEnded { .. } | Event::NoteAdded { .. } | Event::WarningRaised { .. })
        })
    }

    /// Calls that were too many to be put into the transcript: only their number is on record, in a warning
    /// before the step.
    fn left_out(&self, ahead: usize) -> Vec<crate::tool::RawCall> {
        let warned = ahead.checked_sub(1).and_then(|before| self.tape.event(before));
        let Some(Event::WarningRaised { code: WarningCode::MaxCalls, message }) = warned else {
            return Vec::new();
        };
        let digits: String = message.chars().filter(char::is_ascii_digit).collect();
        std::iter::repeat_with(answered_call).take(digits.parse().unwrap_or(0)).collect()
    }
}

/// A step without an answer, which was counted all the same.
fn empty_step(parts: Vec<Part>, usage: Option<Usage>) -> Input {
    Input::ModelEnded(ModelStep { parts, calls: Vec::new(), usage, finish: Finish::Stop })
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
