//! How a run ends: with an answer, at a limit, by the user, or because it cannot go on.
//!
//! Whatever the way, every call has its outcome first, the transcript is legal, and the last event is
//! exactly one `RunEnded`.

use super::batch::{CallBatch, SlotState};
use super::{Deadline, Effect, Finished, Goal, Pass, Phase, Run, RunError, StopCause, Thinking, Tries};
use crate::calls::dialect::StepReading;
use crate::calls::phrase::phrase_cancelled;
use crate::protocol::event::{DeltaEvent, DurableEvent, RunOutcome, StopReason, WarningCode};
use crate::protocol::message::{Part, text_of, weave_calls};
use crate::protocol::model::{Finish, Usage};

/// Why a step ended in which the runtime speaks, because the model had no last word.
pub(crate) const RUNTIME_WORDS: &str = "runtime";

impl Run {
    /// Adds the sources where the profile or whoever gave a context wants them (E-35), and the answer is text: a line
    /// behind an object would make it none. They are a part of the answer like any other, so that transcript, journal
    /// and screen all have them; a model that saw them in the transcript and wrote them itself is not repeated.
    pub(super) fn add_sources(&mut self, pass: &mut Pass<'_, '_>, parts: &mut Vec<Part>) {
        let asked = &self.wishes.asked;
        let is_wanted = self.settings.profile.has_sources_suffix || !asked.context_sources.is_empty();
        let is_text = self.settings.form.is_none() && asked.sampling.response_format.is_none();
        let suffix = self.sources.suffix(&asked.context_sources);
        let Some(suffix) = suffix.filter(|_| is_wanted && is_text) else { return };
        if !text_of(parts).ends_with(&suffix) {
            pass.emit(DeltaEvent::TextDelta { text: suffix.clone() });
            // It goes on with the last text, so that whatever came after that stays where it is.
            match parts.iter_mut().rev().find_map(as_text) {
                Some(text) => text.push_str(&suffix),
                None => parts.push(Part::text(suffix)),
            }
        }
    }

    /// One last step without tools.
    pub(super) fn finalise(&mut self, pass: &mut Pass<'_, '_>, reason: StopReason) -> Phase {
        // The time that the deadline for work has left over for it.
        let reserve_ms = self.settings.profile.limits.final_reserve_ms;
        pass.push(Effect::SetTimer { deadline: Deadline::Final, at_ms: pass.now.saturating_add(reserve_ms) });
        self.ask_model(pass, Goal::Finalise(reason), Tries::default())
    }

    /// The last step is there. Its calls are refused, each with its outcome.
    pub(super) fn final_step(
        &mut self,
        pass: &mut Pass<'_, '_>,
        reason: StopReason,
        reading: StepReading,
        finish: Finish,
        usage: Option<Usage>,
    ) -> Phase {
        let StepReading { mut parts, calls } = reading;
        // Asked before the sources are added: a line of sources alone is no answer.
        let is_silent = text_of(&parts).trim().is_empty();
        if !is_silent {
            self.add_sources(pass, &mut parts);
        }
        let text = text_of(&parts);
        if !calls.is_empty() {
            let message = "The model asked for calls in its final step; none was run";
            self.warn(pass, WarningCode::FinalizeRefusedCall, message);
        }
        // Identified before the step is put down: its message names the calls that the outcomes answer.
        let refused: Vec<_> =
            (0..).zip(calls).map(|(index, read)| self.identify(pass, index, read)).collect();
        let asked = refused.iter().map(|identified| (identified.after_parts, identified.call.clone()));
        let parts = weave_calls(parts, asked);
        self.end_step(pass, parts, finish, usage);
        let mut batch = CallBatch::default();
        for identified in refused {
            self.refuse(pass, &mut batch, identified.call);
        }
        self.take_in(pass, &batch);
        if is_silent {
            return self.end_without_words(pass, reason);
        }
        self.answer_begun.push_str(&text);
        let answer = std::mem::take(&mut self.answer_begun);
        self.end(pass, RunOutcome::LimitReached, reason, answer, None)
    }

    /// The model had no last word: the runtime says what happened.
    pub(super) fn end_without_words(&mut self, pass: &mut Pass<'_, '_>, reason: StopReason) -> Phase {
        let ran = self.outcomes.iter().filter(|(_, _, outcome)| outcome.is_ok()).count();
        let text = format!(
            "Stopped before an answer: {}. {ran} of {} calls worked; their outcomes are in the trace.",
            self.why(&reason),
            self.outcomes.len()
        );
        // Whoever only follows the stream would see no answer otherwise.
        pass.emit(DeltaEvent::TextDelta { text: text.clone() });
        self.end_step(pass, vec![Part::text(text.clone())], Finish::Other(RUNTIME_WORDS.to_owned()), None);
        self.end(pass, RunOutcome::LimitReached, reason, text, None)
    }

    pub(super) fn end(
        &mut self,
        pass: &mut Pass<'_, '_>,
        outcome: RunOutcome,
        reason: StopReason,
        answer: String,
        error: Option<RunError>,
    ) -> Phase {
        pass.emit(DurableEvent::RunEnded {
            outcome,
            reason: reason.clone(),
            answer: answer.clone(),
            usage: self.usage,
        });
        pass.push(Effect::Finish(Box::new(Finished {
            outcome,
            reason,
            answer,
            error,
            usage: self.usage,
            transcript: std::mem::take(&mut self.transcript),
            next_call_number: self.counters.next_call_number,
        })));
        Phase::Ended
    }

    pub(super) fn deadline_while_thinking(
        &mut self,
        pass: &mut Pass<'_, '_>,
        thinking: Thinking,
        deadline: Deadline,
    ) -> Phase {
        match (deadline, &thinking.goal) {
            (
                Deadline::Work,
                Goal::Work | Goal::Correction(_) | Goal::Reform(_) | Goal::Continuation | Goal::Resumption,
            ) => {
                if self.wait_longer(pass) {
                    return Phase::Thinking(thinking);
                }
                pass.push(Effect::StopModel);
                self.discard_early(pass, thinking.early);
                self.finalise(pass, StopReason::Deadline)
            }
            (Deadline::Final, Goal::Finalise(reason)) => {
                let reason = reason.clone();
                pass.push(Effect::StopModel);
                self.end_without_words(pass, reason)
            }
            // Timers are never taken back: one for what is over goes off and changes nothing.
            (Deadline::Work, Goal::Finalise(_))
            | (
                Deadline::Final,
                Goal::Work | Goal::Correction(_) | Goal::Reform(_) | Goal::Continuation | Goal::Resumption,
            ) => Phase::Thinking(thinking),
        }
    }

    pub(super) fn deadline_while_settling(
        &mut self,
        pass: &mut Pass<'_, '_>,
        mut batch: CallBatch,
        deadline: Deadline,
    ) -> Phase {
        match deadline {
            Deadline::Work => {
                if self.wait_longer(pass) {
                    return Phase::Settling(batch);
                }
                self.stop_calls(pass, &mut batch, StopCause::OutOfTime);
                self.take_in(pass, &batch);
                self.finalise(pass, StopReason::Deadline)
            }
            Deadline::Final => Phase::Settling(batch),
        }
    }

    /// Gives the run the time back in which it waited for the user.
    fn wait_longer(&mut self, pass: &mut Pass<'_, '_>) -> bool {
        let waited_ms = self.patience.take(pass.now);
        if waited_ms > 0 {
            self.work_until = pass.now.saturating_add(waited_ms);
            pass.push(Effect::SetTimer { deadline: Deadline::Work, at_ms: self.work_until });
        }
        waited_ms > 0
    }

    pub(super) fn cancel_while_thinking(
        &mut self,
        pass: &mut Pass<'_, '_>,
        thinking: Thinking,
        partial: String,
    ) -> Phase {
        pass.push(Effect::StopModel);
        self.discard_early(pass, thinking.early);
        if !partial.trim().is_empty() {
            self.end_step(
                pass,
                vec![Part::text(partial.clone())],
                Finish::Other("cancelled".to_owned()),
                None,
            );
            self.answer_begun.push_str(&partial);
        }
        self.end_cancelled(pass)
    }

    pub(super) fn cancel_while_settling(&mut self, pass: &mut Pass<'_, '_>, mut batch: CallBatch) -> Phase {
        self.stop_calls(pass, &mut batch, StopCause::Cancelled);
        self.take_in(pass, &batch);
        self.end_cancelled(pass)
    }

    fn end_cancelled(&mut self, pass: &mut Pass<'_, '_>) -> Phase {
        let mut answer = std::mem::take(&mut self.answer_begun);
        if answer.is_empty() {
            answer.push_str(phrase_cancelled());
        }
        self.end(pass, RunOutcome::Cancelled, StopReason::Cancelled, answer, None)
    }

    /// The journal is gone: nothing more may start, because it could not be remembered.
    pub(super) fn journal_failed_while_thinking(
        &mut self,
        pass: &mut Pass<'_, '_>,
        thinking: Thinking,
        message: String,
    ) -> Phase {
        pass.push(Effect::StopModel);
        self.discard_early(pass, thinking.early);
        self.end_unwritten(pass, message)
    }

    pub(super) fn journal_failed_while_settling(
        &mut self,
        pass: &mut Pass<'_, '_>,
        mut batch: CallBatch,
        message: String,
    ) -> Phase {
        self.stop_calls(pass, &mut batch, StopCause::JournalFailed);
        self.take_in(pass, &batch);
        self.end_unwritten(pass, message)
    }

    fn end_unwritten(&mut self, pass: &mut Pass<'_, '_>, message: String) -> Phase {
        pass.emit(DurableEvent::ErrorRaised { code: "journal".to_owned(), message: message.clone() });
        let error = RunError::Journal(message.clone());
        self.end(pass, RunOutcome::Failed, StopReason::JournalFailed, message, Some(error))
    }

    /// Stops calls that were started while the model spoke and whose step came to nothing: they get their
    /// outcomes, but never enter the transcript.
    pub(super) fn discard_early(&mut self, pass: &mut Pass<'_, '_>, mut early: CallBatch) {
        self.stop_calls(pass, &mut early, StopCause::Discarded);
    }

    /// Gives every unsettled call of a batch the same failure, and really stops what runs.
    pub(super) fn stop_calls(&mut self, pass: &mut Pass<'_, '_>, batch: &mut CallBatch, stop: StopCause) {
        for index in 0..batch.slots.len() {
            let Some(slot) = batch.slots.get(index) else { continue };
            let call_id = slot.call.id.clone();
            match &slot.state {
                SlotState::Settled(_) => continue,
                // An inspection is work of the tool, too.
                SlotState::Running | SlotState::Inspecting(_) => pass.push(Effect::StopCall(call_id)),
                SlotState::Asking(_) => pass.push(Effect::WithdrawQuestion(call_id)),
                SlotState::Unresolved(_)
                | SlotState::Queued(_)
                | SlotState::Held(_)
                | SlotState::Ready(_)
                | SlotState::Moving => {}
            }
            self.settle_failed(pass, batch, index, stop.failure());
        }
        // No question is left: with them the time of waiting for the user ends.
        self.patience.note(pass.now, false);
    }

    /// The limit in words.
    pub(super) fn why(&self, reason: &StopReason) -> String {
        let limits = &self.settings.profile.limits;
        match reason {
            StopReason::StepsMax => format!("the limit of {} steps was reached", limits.steps_max),
            StopReason::CallsMax => format!("the limit of {} calls was reached", limits.calls_per_run_max),
            StopReason::TokensMax => "the token budget is used up".to_owned(),
            StopReason::CostMax => {
                format!("the budget of {} US dollars is used up", limits.cost_usd_max.unwrap_or_default())
            }
            StopReason::BytesMax => "the calls gave more output than a run may hold".to_owned(),
            StopReason::Deadline => "the run is out of time".to_owned(),
            StopReason::RepeatedCall => "the same call came again and again".to_owned(),
            StopReason::CorrectionFailed => "a bad call was not corrected".to_owned(),
            StopReason::AnswerCut => "the answer was cut".to_owned(),
            StopReason::Answered => "the run answered".to_owned(),
            StopReason::Cancelled => "the run was cancelled".to_owned(),
            StopReason::ModelFailed => "the model failed".to_owned(),
            StopReason::ToolFailed => "a tool failed".to_owned(),
            StopReason::JournalFailed => "the journal failed".to_owned(),
            StopReason::Interrupted => "the program stopped".to_owned(),
        }
    }
}

fn as_text(part: &mut Part) -> Option<&mut String> {
    match part {
        Part::Text { text } => Some(text),
        Part::Reasoning(_) | Part::Call(_) | Part::Image { .. } => None,
    }
}
