//! The model failed: its step is asked for again, with less history or after a wait; or it is closed with the
//! calls that had begun; or the run ends with what was received.

use std::sync::Arc;

use super::batch::CallBatch;
use super::{Goal, Pass, Phase, Run, RunError, StopCause, Thinking, Tries};
use crate::calls::dialect::read;
use crate::profile::Dialect;
use crate::protocol::event::{DurableEvent, RunOutcome, StopReason, WarningCode};
use crate::protocol::message::{Message, Part, text_of, weave_calls};
use crate::protocol::model::{Finish, ModelFailure, ModelFailureKind, ModelStep, NoticeKind};

/// The longest wait before another try.
const RETRY_DELAY_MS_MAX: u64 = 30_000;

/// How often the history is shortened for one step: what does not fit a quarter does not fit at all.
const SHRINKS_MAX: u32 = 2;

/// The rule by which the history is shortened when the request was too long.
pub(crate) const OVERFLOW: &str = "context_overflow";

/// What is said of it when there is nothing more to leave out.
const TOO_LONG: &str = "; the history was shortened as far as it can be and the request still does not \
     fit: begin a new session, send less at once, offer fewer tools, or choose a model with a larger context";

/// The rule by which a step of a model that failed is closed with the calls that had begun.
const CUT_RULE: &str = "cut_step";

/// What is said of that behind the failure.
const CUT_KEPT: &str = "; what it had said and the calls that had begun were kept";

impl Run {
    pub(super) fn model_failed(
        &mut self,
        pass: &mut Pass<'_, '_>,
        mut thinking: Thinking,
        failure: ModelFailure,
        partial: Vec<Part>,
    ) -> Phase {
        let (begun, waiting) = std::mem::take(&mut thinking.early).split_begun();
        // What had not begun is lost without harm: the model can ask for it again.
        self.discard_early(pass, waiting);
        // Asking for the step again would begin them twice.
        if !begun.slots.is_empty() {
            return self.close_cut_step(pass, begun, &failure, partial);
        }
        let Thinking { goal, mut tries, .. } = thinking;
        tries.hear(self.readable(partial));
        // Waiting cures nothing here, so none of the tries after passing failures is spent on it.
        if failure.kind == ModelFailureKind::ContextOverflow {
            return self.after_overflow(pass, goal, tries, failure);
        }
        let is_last = tries.retries >= self.settings.profile.limits.model_retries_max;
        match self.too_long_a_wait(pass, &goal, &failure) {
            Some(words) => {
                let message = [failure.message.as_str(), &words].concat();
                self.give_up(pass, goal, tries.heard, ModelFailure { message, ..failure })
            }
            None if failure.is_retryable && !is_last => self.try_again(pass, goal, tries, &failure),
            None => self.give_up(pass, goal, tries.heard, failure),
        }
    }

    /// What is said where a provider asks to wait longer than the run may still take: no try could come in time.
    fn too_long_a_wait(&self, pass: &Pass<'_, '_>, goal: &Goal, failure: &ModelFailure) -> Option<String> {
        // Time spent on questions is given back only when the deadline passes, but it is there already.
        let until = self.work_until.saturating_add(self.patience.waited_ms);
        let left_ms = until.saturating_sub(pass.now);
        let wait_ms = failure.retry_after_ms.filter(|wait_ms| *wait_ms > left_ms)?;
        // The final step has a deadline of its own, and what is not tried again waits for nothing.
        let is_meant = failure.is_retryable && !matches!(goal, Goal::Finalise(_));
        is_meant.then(|| {
            format!(
                "; it asks to wait {} s (Retry-After), and this run may go on for {} s at most (run_timeout_ms): try \
                 again later",
                wait_ms.div_ceil(1_000),
                left_ms / 1_000
            )
        })
    }

    /// Asks for the same step after a wait that everybody is told of.
    fn try_again(
        &mut self,
        pass: &mut Pass<'_, '_>,
        goal: Goal,
        mut tries: Tries,
        failure: &ModelFailure,
    ) -> Phase {
        let limits = &self.settings.profile.limits;
        // Bounded before the shift: a profile may set any number of retries.
        let doubled = limits.model_retry_delay_ms.saturating_mul(1 << tries.retries.min(16));
        let delay_ms = failure.retry_after_ms.unwrap_or(doubled).min(RETRY_DELAY_MS_MAX);
        tries.retries = tries.retries.saturating_add(1);
        tries.wait = Some((delay_ms, failure.retry_after_ms.is_some()));
        pass.emit(DurableEvent::StepDelayed {
            step: self.counters.steps,
            attempt: tries.attempt(),
            // Tries with less history are extra: no attempt has a number beyond the last one.
            attempts_max: limits.model_retries_max.saturating_add(tries.shrinks).saturating_add(1),
            delay_ms,
            code: failure.kind.word().to_owned(),
            message: failure.message.clone(),
            usage: self.uncounted.take(),
        });
        self.ask_model(pass, goal, tries)
    }

    /// The request was too long: asks again with less, a few times and never with nothing less.
    fn after_overflow(
        &mut self,
        pass: &mut Pass<'_, '_>,
        goal: Goal,
        mut tries: Tries,
        mut failure: ModelFailure,
    ) -> Phase {
        if tries.shrinks < SHRINKS_MAX && self.shrink_history(pass) {
            tries.shrinks = tries.shrinks.saturating_add(1);
            // A shorter request is no repetition: there is nothing to wait for.
            tries.wait = None;
            return self.ask_model(pass, goal, tries);
        }
        failure.message.push_str(TOO_LONG);
        self.give_up(pass, goal, tries.heard, failure)
    }

    /// The model failed after calls of its step had begun: nothing of them is lost or repeated. The step ends
    /// with what was said and with those calls, and the model goes on from their outcomes.
    fn close_cut_step(
        &mut self,
        pass: &mut Pass<'_, '_>,
        mut batch: CallBatch,
        failure: &ModelFailure,
        partial: Vec<Part>,
    ) -> Phase {
        // What stands before a call is whole; of the rest only the text is worth anything.
        let whole = batch.slots.last().map_or(0, |slot| slot.after_parts);
        let is_kept = |(index, part): &(usize, Part)| *index < whole || matches!(part, Part::Text { .. });
        let parts: Vec<Part> = (0..).zip(partial).filter(is_kept).map(|(_, part)| part).collect();
        let text = text_of(&parts);
        let calls = batch.slots.iter().map(|slot| (slot.after_parts, slot.call.clone()));
        let message = Arc::new(Message::Assistant { parts: weave_calls(parts, calls) });
        self.append(Arc::clone(&message));
        let finish = Finish::Other(failure.kind.word().to_owned());
        let usage = self.uncounted.take().map(|usage| *usage);
        pass.emit(DurableEvent::StepEnded { step: self.counters.steps, message, finish, usage });
        batch.is_open = false;
        // No step follows that could read what the calls give.
        if !failure.is_retryable {
            self.stop_calls(pass, &mut batch, StopCause::ModelFailed);
            self.take_in(pass, &batch);
            self.answer_begun.push_str(&text);
            return self.end_failed(pass, failure.clone());
        }
        let message = format!("{}{CUT_KEPT}", failure.message);
        // Told each time: nothing else on record says that the model did not end the step itself.
        pass.emit(DurableEvent::RequestAdjusted {
            step: self.counters.steps,
            kind: NoticeKind::Healed,
            rule: CUT_RULE.to_owned(),
            message,
        });
        self.advance(pass, &mut batch);
        self.close_if_settled(pass, batch)
    }

    /// No more tries. What was heard is kept.
    fn give_up(
        &mut self,
        pass: &mut Pass<'_, '_>,
        goal: Goal,
        heard: String,
        failure: ModelFailure,
    ) -> Phase {
        let usage = self.uncounted.take().map(|usage| *usage);
        if !heard.is_empty() {
            self.end_step(
                pass,
                vec![Part::text(heard.clone())],
                Finish::Other(failure.kind.word().to_owned()),
                usage,
            );
            self.answer_begun.push_str(&heard);
        }
        match goal {
            Goal::Finalise(reason) if heard.is_empty() => self.end_without_words(pass, reason),
            Goal::Finalise(reason) => {
                self.warn(pass, WarningCode::Truncated, format!("The answer was cut: {}", failure.message));
                let answer = std::mem::take(&mut self.answer_begun);
                self.end(pass, RunOutcome::LimitReached, reason, answer, None)
            }
            Goal::Work | Goal::Correction(_) | Goal::Reform(_) | Goal::Continuation | Goal::Resumption => {
                self.end_failed(pass, failure)
            }
        }
    }

    fn end_failed(&mut self, pass: &mut Pass<'_, '_>, failure: ModelFailure) -> Phase {
        let answer = std::mem::take(&mut self.answer_begun);
        pass.emit(DurableEvent::ErrorRaised {
            code: failure.kind.word().to_owned(),
            message: failure.message.clone(),
        });
        self.end(pass, RunOutcome::Failed, StopReason::ModelFailed, answer, Some(RunError::Model(failure)))
    }

    /// The text of a cut step, without what was going to be a call: nobody is shown half of one.
    fn readable(&self, partial: Vec<Part>) -> String {
        let dialect = self.settings.profile.dialect;
        let text = text_of(&partial);
        let is_call = match dialect {
            Dialect::Native => false,
            Dialect::Text | Dialect::Field => {
                let step = ModelStep { parts: partial, ..ModelStep::text("") };
                // Half a call cannot be read as one: its first brace has to be enough (U-34).
                text.trim_start().starts_with('{') || !read(dialect, step).calls.is_empty()
            }
        };
        if is_call || text.trim().is_empty() { String::new() } else { text }
    }
}
