//! From the user's message to a model step, and what a step means.

use std::sync::Arc;

use super::admission::Identified;
use super::batch::CallBatch;
use super::taint::{CONTEXT_NOTE, Taint};
use super::window::HistoryWindow;
use super::{
    Counters, Deadline, Effect, Goal, Pass, Phase, Run, RunError, SettledWishes, Start, Thinking, Tries,
};
use crate::calls::dialect::{ReadCall, StepReading, read};
use crate::calls::json::clip::clip_chars;
use crate::limits::{PAUSES_MAX, REFORMS_MAX};
use crate::protocol::event::{DurableEvent, RunOutcome, StopReason, WarningCode};
use crate::protocol::message::{Message, Part, text_of, weave_calls};
use crate::protocol::model::{Finish, ModelFailure, ModelFailureKind, ModelStep, Usage};
use crate::protocol::tool::RawCall;

/// Calls of one step that are looked at at all; what is beyond is not even put into the transcript.
pub(crate) const STEP_CALLS_READ_MAX: usize = 256;

/// What becomes of an answer.
enum AnswerEnding {
    Whole,
    /// The model is asked for more.
    GoOn(Goal),
    /// No more is asked for; why, for the user.
    Cut(&'static str),
}

impl Run {
    pub(super) fn begin(&mut self, pass: &mut Pass<'_, '_>, start: Start) -> Phase {
        let Start { send, transcript, next_call_number, outer } = start;
        self.counters = Counters { next_call_number, ..Counters::default() };
        self.window = HistoryWindow::of(&transcript);
        self.provider_ids = transcript
            .iter()
            .flat_map(|message| message.calls())
            .filter_map(|call| call.provider_id.clone())
            .collect();
        self.taint = outer.map_or_else(Taint::default, |outer| *outer);
        self.taint.take_past(&transcript);
        self.transcript = transcript;
        let wishes = Arc::new(send.wishes);
        // Before the first event: what it says of model and profile is what the run really has.
        self.settings = self.settings.wished(&wishes);
        self.wishes = SettledWishes { run_id: send.run_id, asked: Arc::clone(&wishes) };
        let message = Arc::new(send.message);
        pass.emit(DurableEvent::RunStarted {
            model: self.settings.model.clone(),
            profile: self.settings.profile.name.word().to_owned(),
            message: Arc::clone(&message),
            wishes: Arc::clone(&wishes),
        });
        self.append(message);
        if let Some(context) = &wishes.context {
            let chars_max = self.settings.profile.limits.context_chars_max;
            self.add_note(pass, format!("{CONTEXT_NOTE}{}", clip_chars(context, chars_max)));
        }
        let limits = &self.settings.profile.limits;
        // The final answer is part of the promised time: work has to leave room for it.
        let work_ms = limits.run_timeout_ms.saturating_sub(limits.final_reserve_ms);
        self.work_until = pass.now.saturating_add(work_ms);
        pass.push(Effect::SetTimer { deadline: Deadline::Work, at_ms: self.work_until });
        self.ask_model(pass, Goal::Work, Tries::default())
    }

    /// Asks the model for a step.
    pub(super) fn ask_model(&mut self, pass: &mut Pass<'_, '_>, goal: Goal, tries: Tries) -> Phase {
        let attempt = tries.attempt();
        // A further try is the same step: it keeps its number and uses up no limit.
        if attempt == 1 {
            self.counters.steps = self.counters.steps.saturating_add(1);
            if goal == Goal::Work {
                self.counters.work_steps = self.counters.work_steps.saturating_add(1);
            }
        }
        pass.emit(DurableEvent::StepStarted { step: self.counters.steps, purpose: goal.purpose(), attempt });
        self.offer_tools(pass);
        // Behind the tools: their place in the request is not free for the history.
        self.fit_history(pass);
        let request = Box::new(self.build_request(&goal));
        let (delay_ms, is_exact) = tries.wait.unwrap_or_default();
        pass.push(Effect::CallModel { request, delay_ms, is_exact });
        Phase::Thinking(Thinking { goal, tries, early: CallBatch::open() })
    }

    pub(super) fn call_ready(
        &mut self,
        pass: &mut Pass<'_, '_>,
        mut thinking: Thinking,
        raw: RawCall,
    ) -> Phase {
        // Calls of the final step are refused together when it ends.
        let is_final = matches!(thinking.goal, Goal::Finalise(_));
        if self.settings.profile.executes_while_streaming && !is_final {
            self.admit(pass, &mut thinking.early, ReadCall::Raw(raw));
            self.advance(pass, &mut thinking.early);
        }
        Phase::Thinking(thinking)
    }

    pub(super) fn model_ended(
        &mut self,
        pass: &mut Pass<'_, '_>,
        thinking: Thinking,
        step: ModelStep,
    ) -> Phase {
        if let Some(usage) = &step.usage {
            // Counted first: tokens were used whatever becomes of the step.
            self.usage.add(usage);
            self.calibrate(usage.input);
        }
        self.tell_unknown_cost(pass, step.usage.as_ref());
        let finish = step.finish.clone();
        let usage = step.usage;
        let mut reading = read(self.settings.profile.dialect, step);
        if let Goal::Finalise(reason) = thinking.goal {
            return self.final_step(pass, reason, reading, finish, usage);
        }
        let unread = reading.calls.len().saturating_sub(STEP_CALLS_READ_MAX);
        reading.calls.truncate(STEP_CALLS_READ_MAX);
        if unread > 0 {
            let message =
                format!("The model asked for {unread} calls too many in one step; they were left out");
            self.warn(pass, WarningCode::MaxCalls, message);
        }
        let unreadable = self.take_unreadable(&mut reading);
        if reading.calls.is_empty() {
            return self.answered(pass, thinking, reading, finish, usage, unreadable);
        }
        self.step_with_calls(pass, thinking.early, reading, finish, usage)
    }

    fn step_with_calls(
        &mut self,
        pass: &mut Pass<'_, '_>,
        mut batch: CallBatch,
        reading: StepReading,
        finish: Finish,
        usage: Option<Usage>,
    ) -> Phase {
        let StepReading { parts, calls } = reading;
        // Those came while the model spoke, in the same order: only the rest is new.
        let known = batch.slots.len();
        let mut fresh: Vec<Identified> = (known..)
            .zip(calls.into_iter().skip(known))
            .map(|(index, read)| self.identify(pass, index, read))
            .collect();
        if finish == Finish::Length {
            let bytes_max = self.settings.profile.limits.args_bytes_max;
            let last = fresh.len().saturating_sub(1);
            (0..).zip(&mut fresh).for_each(|(at, identified)| identified.mark_cut(at == last, bytes_max));
        }
        let early = batch.slots.iter().map(|slot| (slot.after_parts, slot.call.clone()));
        let rest = fresh.iter().map(|identified| (identified.after_parts, identified.call.clone()));
        let message = Arc::new(Message::Assistant { parts: weave_calls(parts, early.chain(rest)) });
        // The step goes before its calls: admitting one may settle it at once.
        self.append(Arc::clone(&message));
        pass.emit(DurableEvent::StepEnded { step: self.counters.steps, message, finish, usage });
        for identified in fresh {
            self.admit_identified(pass, &mut batch, identified);
        }
        batch.is_open = false;
        if let Some(reason) = self.used_up(usage.as_ref()) {
            // Its calls still get their outcomes; the reserve is for the final step behind them.
            batch.stop = Some(reason);
        }
        self.advance(pass, &mut batch);
        self.close_if_settled(pass, batch)
    }

    /// The budget of which nothing is left but what the final answer needs, after a step that used this.
    fn used_up(&self, last: Option<&Usage>) -> Option<StopReason> {
        let limits = &self.settings.profile.limits;
        let tokens = self.usage.total().saturating_add(limits.final_reserve_tokens);
        if limits.tokens_max.is_some_and(|max| tokens > max) {
            return Some(StopReason::TokensMax);
        }
        // The final step reads what this one read and a little more.
        let reserve_usd = last.and_then(|usage| usage.cost_usd).unwrap_or(0.0);
        let cost_usd = self.usage.cost_usd.unwrap_or(0.0) + reserve_usd;
        limits.cost_usd_max.filter(|max| cost_usd > *max).map(|_| StopReason::CostMax)
    }

    /// A budget of money counts only what is known to have been spent: nothing is guessed, and the user is told.
    fn tell_unknown_cost(&mut self, pass: &mut Pass<'_, '_>, used: Option<&Usage>) {
        let is_known = used.is_some_and(|usage| usage.cost_usd.is_some());
        if let (Some(max), false) = (self.settings.profile.limits.cost_usd_max, is_known) {
            let message = format!(
                "What a step of {} cost is not known, so it does not count towards the limit of {max} US dollars",
                self.settings.model
            );
            self.warn(pass, WarningCode::CostUnknown, message);
        }
    }

    /// What was meant as fields and cannot be read is an answer out of its form, where there is one: the model may
    /// give it again. Without a form it stays a bad call.
    fn take_unreadable(&self, reading: &mut StepReading) -> Option<String> {
        self.settings.form.as_ref()?;
        match reading.calls.as_slice() {
            [ReadCall::Bad { name, failure, .. }] if name.is_empty() => {
                let wrong = failure.message.clone();
                reading.calls.clear();
                Some(wrong)
            }
            _ => None,
        }
    }

    /// A step without calls: the answer, or a part of it.
    fn answered(
        &mut self,
        pass: &mut Pass<'_, '_>,
        thinking: Thinking,
        reading: StepReading,
        finish: Finish,
        usage: Option<Usage>,
        unreadable: Option<String>,
    ) -> Phase {
        let text = text_of(&reading.parts);
        // A model may pause before its first word, with thinking or calls that its provider answers.
        let has_begun =
            finish == Finish::Paused && self.counters.pauses < PAUSES_MAX && !reading.parts.is_empty();
        if text.trim().is_empty() && self.answer_begun.is_empty() && !has_begun {
            let failure = ModelFailure::passing(ModelFailureKind::Empty, "the model gave an empty answer");
            self.uncounted = usage.map(Box::new);
            return self.model_failed(pass, thinking, failure, reading.parts);
        }
        self.discard_early(pass, thinking.early);
        let ending = self.ending_of(&finish);
        let mut parts = reading.parts;
        // Once, behind the last piece of an answer that goes on (E-35).
        if !matches!(ending, AnswerEnding::GoOn(_)) {
            self.add_sources(pass, &mut parts);
        }
        // Blanks alone do not begin an answer.
        if !self.answer_begun.is_empty() || !text.trim().is_empty() {
            self.answer_begun.push_str(&text_of(&parts));
        }
        self.end_step(pass, parts, finish, usage);
        let why = match ending {
            AnswerEnding::GoOn(goal) => return self.ask_model(pass, goal, Tries::default()),
            AnswerEnding::Whole => return self.whole_answer(pass, unreadable),
            AnswerEnding::Cut(why) => why,
        };
        let answer = std::mem::take(&mut self.answer_begun);
        self.warn(pass, WarningCode::Truncated, why);
        self.end(pass, RunOutcome::LimitReached, StopReason::AnswerCut, answer, None)
    }

    /// The answer is whole. One that is not what it must be is asked for once more.
    fn whole_answer(&mut self, pass: &mut Pass<'_, '_>, unreadable: Option<String>) -> Phase {
        let answer = std::mem::take(&mut self.answer_begun);
        let checked = self.settings.form.as_ref().map_or(Ok(()), |form| form.check(&answer));
        let Some(wrong) = unreadable.or_else(|| checked.err()) else {
            return self.end(pass, RunOutcome::Completed, StopReason::Answered, answer, None);
        };
        if self.counters.reforms < REFORMS_MAX {
            self.counters.reforms = self.counters.reforms.saturating_add(1);
            return self.ask_model(pass, Goal::Reform(wrong), Tries::default());
        }
        let malformed = RunError::Malformed(wrong);
        pass.emit(DurableEvent::ErrorRaised { code: "malformed".to_owned(), message: malformed.to_string() });
        self.end(pass, RunOutcome::Failed, StopReason::CorrectionFailed, answer, Some(malformed))
    }

    /// What an answer that stopped so is, counted if it goes on.
    fn ending_of(&mut self, finish: &Finish) -> AnswerEnding {
        let (counter, max, goal, why) = match finish {
            Finish::Length => (
                &mut self.counters.continuations,
                self.settings.profile.limits.continuations_max,
                Goal::Continuation,
                "The answer was cut by the model's length limit",
            ),
            Finish::Paused => (
                &mut self.counters.pauses,
                PAUSES_MAX,
                Goal::Resumption,
                "The model paused again and again; the answer may not be whole",
            ),
            Finish::Stop | Finish::Calls | Finish::Filtered | Finish::Other(_) => return AnswerEnding::Whole,
        };
        if *counter >= max {
            return AnswerEnding::Cut(why);
        }
        *counter = counter.saturating_add(1);
        AnswerEnding::GoOn(goal)
    }

    /// Puts a step without calls into the transcript.
    pub(super) fn end_step(
        &mut self,
        pass: &mut Pass<'_, '_>,
        parts: Vec<Part>,
        finish: Finish,
        usage: Option<Usage>,
    ) {
        let message = Arc::new(Message::Assistant { parts });
        self.append(Arc::clone(&message));
        pass.emit(DurableEvent::StepEnded { step: self.counters.steps, message, finish, usage });
    }
}
