//! The input that led to the next record: decoded from its cause, and from what came of it.
//!
//! No text for people is read. Records without a cause are of the first release: `first_release` finds it.

use super::first_release::Guess;
use super::rebuild::{answered_call, non_calls, raw_call, rebuild_step};
use super::tape::Tape;
use crate::calls::toolset::Toolset;
use crate::permission::{BY_NOBODY, Inspection, PermissionAnswer};
use crate::profile::Profile;
use crate::protocol::cause::Cause;
use crate::protocol::event::DurableEvent;
use crate::protocol::ids::CallId;
use crate::protocol::message::{Message, Part, text_of};
use crate::protocol::model::{Finish, ModelFailure, ModelStep, Notice, Usage};
use crate::run::{CallPosition, Input, RUNTIME_WORDS, Run, RunPosition, Start};

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
        let record = self.tape.next()?;
        // An inspection that led to no record of its own is given when the next record of its call comes.
        if let Some(call_id) = self.tape.event(0).and_then(|event| self.uninspected(event)) {
            return self.inspected(call_id);
        }
        let guessed;
        let cause = match record.cause.as_deref() {
            Some(cause) => cause,
            None => {
                guessed = Guess { run: self.run, tape: self.tape }.cause()?;
                &guessed
            }
        };
        match cause {
            Cause::MessageSent => start.take().map(Box::new).map(Input::UserMessage),
            Cause::CallReady => self.call_ready(),
            Cause::ModelEnded { calls_left_out } => self.model_ended(*calls_left_out),
            Cause::ModelGaveNothing { parts, finish, usage } => {
                Some(gave_nothing(parts.clone(), finish.clone(), *usage))
            }
            Cause::ModelFailed { failure } => Some(self.model_failed(failure)),
            Cause::ModelNoticed => self.noticed(),
            Cause::CallInspected { call_id } => self.inspected(call_id),
            Cause::PermissionAnswered { call_id } => self.answered(call_id),
            Cause::ModeChanged { mode } => Some(Input::ModeChanged(*mode)),
            Cause::CallEnded { call_id } => self.call_ended(call_id),
            Cause::DeadlinePassed { deadline } => Some(Input::DeadlinePassed(*deadline)),
            Cause::Cancelled => Some(self.cancelled()),
            Cause::JournalFailed { message } => Some(Input::JournalFailed { message: message.clone() }),
            // None of these is an input of the machine.
            Cause::CalledInside { .. } | Cause::ProgramStarted | Cause::Abandoned => None,
        }
    }

    /// The call of an event, if it is waited for what it would touch.
    fn uninspected<'e>(&self, event: &'e DurableEvent) -> Option<&'e CallId> {
        let call_id = match event {
            DurableEvent::CallStarted { call_id, .. } => call_id,
            DurableEvent::PermissionRequested { question } => &question.call_id,
            other => return other.ignored(),
        };
        (self.run.call_place(call_id) == Some(CallPosition::Inspection)).then_some(call_id)
    }

    /// What a tool said of a call, as far as what came of it shows.
    fn inspected(&self, call_id: &CallId) -> Option<Input> {
        let result = self.tape.ahead().find_map(|event| match event {
            DurableEvent::CallStarted { call_id: own, .. } if own == call_id => {
                // Where nobody was asked it is not on record, and not needed: the verdict is recalled.
                Some(Ok(Inspection::default()))
            }
            DurableEvent::PermissionRequested { question } if question.call_id == *call_id => {
                Some(Ok(Inspection::of_question(question)))
            }
            DurableEvent::CallEnded { call_id: own, outcome, .. } if own == call_id => {
                match (&outcome.meta.proposal, outcome.failure()) {
                    (Some(proposal), _) => Some(Ok(Inspection::of_proposal(proposal))),
                    (None, failure) => failure.cloned().map(Err),
                }
            }
            other => other.ignored(),
        });
        // The record ends before anything came of it.
        let result = result.unwrap_or_else(|| Ok(Inspection::default()));
        Some(Input::CallInspected { call_id: call_id.clone(), result })
    }

    fn answered(&self, call_id: &CallId) -> Option<Input> {
        let answer = self.tape.ahead().find_map(|event| match event {
            DurableEvent::PermissionDecided { call_id: own, decision, by, message, .. } if own == call_id => {
                Some(PermissionAnswer {
                    message: message.as_deref().map(str::to_owned),
                    is_by_nobody: by == BY_NOBODY,
                    // The typed word is not on record; an answer that is recalled needs none.
                    ..PermissionAnswer::new(*decision)
                })
            }
            other => other.ignored(),
        })?;
        Some(Input::PermissionAnswered { call_id: call_id.clone(), answer })
    }

    fn call_ended(&self, call_id: &CallId) -> Option<Input> {
        let outcome = self.tape.outcome(call_id)?.clone();
        Some(Input::CallEnded { call_id: call_id.clone(), outcome })
    }

    fn call_ready(&self) -> Option<Input> {
        let call = self.tape.ahead().find_map(|event| match event {
            DurableEvent::CallRequested { call, .. } => Some(call),
            other => other.ignored(),
        })?;
        let call = raw_call(call, self.tape.parts_before(&call.id), self.tape, self.profile);
        Some(Input::CallReady(call))
    }

    fn noticed(&self) -> Option<Input> {
        match self.tape.event(0)? {
            DurableEvent::RequestAdjusted { kind, rule, message, .. } => {
                let notice = Notice { kind: *kind, rule: rule.clone(), message: message.clone() };
                Some(Input::ModelNoticed(notice))
            }
            other => other.ignored(),
        }
    }

    /// The step that ends before another one begins.
    fn step_end(&self) -> Option<(&[Part], &Finish, Option<Usage>)> {
        let same_step =
            self.tape.ahead().take_while(|event| !matches!(event, DurableEvent::StepStarted { .. }));
        same_step.into_iter().find_map(|event| match event {
            DurableEvent::StepEnded { message, finish, usage, .. } => match message.as_ref() {
                Message::Assistant { parts } => Some((parts.as_slice(), finish, *usage)),
                Message::User { .. } | Message::Tool(_) | Message::Note { .. } => None,
            },
            other => other.ignored(),
        })
    }

    fn model_ended(&self, calls_left_out: u64) -> Option<Input> {
        let (parts, finish, usage) = self.step_end()?;
        let mut step = rebuild_step(parts, finish, usage, self.tape, self.profile, self.tools);
        // All calls of a final step are looked at, and none is run.
        if self.run.place() != (RunPosition::Thinking { is_final: true }) {
            let left_out = usize::try_from(calls_left_out).unwrap_or(0);
            step.calls.extend(std::iter::repeat_with(answered_call).take(left_out));
        }
        Some(Input::ModelEnded(step))
    }

    fn model_failed(&self, failure: &ModelFailure) -> Input {
        let partial = match self.step_end() {
            // The words of that step are the runtime's: the model had said nothing.
            Some((_, Finish::Other(word), _)) if word == RUNTIME_WORDS => Vec::new(),
            Some((parts, _, _)) => non_calls(parts),
            None if self.tape.ahead().any(|event| matches!(event, DurableEvent::StepStarted { .. })) => {
                // Another try follows, so what was heard is in no step, only in the pieces of text.
                self.tape.heard()
            }
            // The run ends, and nothing was heard that was worth a step.
            None => Vec::new(),
        };
        Input::ModelFailed { failure: failure.clone(), partial }
    }

    fn cancelled(&self) -> Input {
        let is_step = matches!(self.run.place(), RunPosition::Thinking { .. });
        let partial = self.step_end().filter(|_| is_step).map(|(parts, _, _)| text_of(parts));
        Input::Cancel { partial: partial.unwrap_or_default() }
    }
}

/// A step without an answer, which was counted all the same.
fn gave_nothing(parts: Vec<Part>, finish: Finish, usage: Option<Usage>) -> Input {
    Input::ModelEnded(ModelStep { parts, calls: Vec::new(), usage, finish })
}
