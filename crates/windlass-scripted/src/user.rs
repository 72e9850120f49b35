//! The scripted user: sends the messages of a script and answers questions as the script says.
//!
//! Reads events and sends commands, as every front end does. Looks at no clock: a script's `cancel`
//! comes when everything before it has happened.

use std::collections::VecDeque;

use windlass_core::permission::{PermissionAnswer, Question};
use windlass_core::protocol::command::RunCommand;
use windlass_core::protocol::event::{DeltaEvent, DurableEvent, Event};
use windlass_core::protocol::ids::CallId;

use crate::beat::{Beat, BeatKind};
use crate::calls::CallBook;
use crate::script::{CallEnding, Script};
use crate::step::{ScriptedStep, StepEnding};

/// A user that does what a script says.
#[derive(Debug, Clone)]
pub struct ScriptedUser {
    messages: VecDeque<String>,
    calls: CallBook,
    answers: Vec<(u32, PermissionAnswer)>,
    /// For each run that is cancelled, what must have happened before.
    cancels: VecDeque<Option<Vec<EventMoment>>>,
    now: UserProgress,
}

/// Something that events show.
#[derive(Debug, Clone, PartialEq, Eq)]
enum EventMoment {
    /// That step of the run was begun.
    StepBegun(usize),
    /// So much of that step was said.
    StepSaid { number: usize, chars: usize },
    /// That step is complete.
    StepEnded(usize),
    /// One of these calls was asked about, or got further.
    CallReached(Vec<u32>),
    /// The question about the call was decided, or it got further.
    CallDecided(u32),
    /// The call was started, or got further.
    CallStarted(u32),
    /// The call has its outcome.
    CallEnded(u32),
}

/// How far the run is.
#[derive(Debug, Clone, Default)]
struct UserProgress {
    steps: usize,
    chars: usize,
    /// What must still happen before the run is cancelled.
    before_cancel: Option<Vec<EventMoment>>,
}

/// How far a call is, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reached {
    Asked,
    Decided,
    Started,
    Ended,
}

impl ScriptedUser {
    /// The user of a script, before the first message.
    pub fn new(script: &Script) -> Self {
        let beats = script.beats();
        let mut user = Self {
            messages: VecDeque::new(),
            calls: CallBook::new(script),
            answers: Vec::new(),
            cancels: VecDeque::new(),
            now: UserProgress::default(),
        };
        for section in beats.chunk_by(|_, next| !matches!(next.kind, BeatKind::User(_))) {
            user.cancels.push_back(moments_before_cancel(section));
            for beat in section {
                match &beat.kind {
                    BeatKind::User(text) => user.messages.push_back(text.clone()),
                    BeatKind::Answer { call, answer } => user.answers.push((*call, answer.clone())),
                    BeatKind::Step(_)
                    | BeatKind::Tool { .. }
                    | BeatKind::Cancel
                    | BeatKind::Deadline
                    | BeatKind::Expect(_) => {}
                }
            }
        }
        user
    }

    /// What the user says next, to begin a run.
    pub fn next_message(&mut self) -> Option<String> {
        self.messages.pop_front()
    }

    /// The script's answer to a question; each is given once. The call must have been seen.
    pub fn answer(&mut self, question: &Question) -> Option<PermissionAnswer> {
        let number = self.calls.number(&question.call_id)?;
        let place = self.answers.iter().position(|(call, _)| *call == number)?;
        Some(self.answers.remove(place).1)
    }

    /// Sees an event and does what the script says at that moment. Must see every event.
    pub fn react(&mut self, event: &Event) -> Option<RunCommand> {
        self.calls.see(event);
        match event {
            Event::Durable(event) => match event {
                DurableEvent::RunStarted { .. } => {
                    let before_cancel = self.cancels.pop_front().flatten();
                    self.now = UserProgress { before_cancel, ..UserProgress::default() };
                }
                DurableEvent::StepStarted { .. } => {
                    self.now.steps = self.now.steps.saturating_add(1);
                    self.now.chars = 0;
                    self.now.step_reached(false);
                }
                DurableEvent::StepEnded { .. } => self.now.step_reached(true),
                DurableEvent::PermissionRequested { question } => {
                    let call_id = question.call_id.clone();
                    self.call_reached(&call_id, Reached::Asked);
                    if let Some(answer) = self.answer(question) {
                        let digest = question.digest.clone();
                        return Some(RunCommand::PermissionAnswer { call_id, digest, answer });
                    }
                }
                DurableEvent::PermissionDecided { call_id, .. } => {
                    self.call_reached(call_id, Reached::Decided)
                }
                DurableEvent::CallStarted { call_id, .. } => self.call_reached(call_id, Reached::Started),
                DurableEvent::CallEnded { call_id, .. } => self.call_reached(call_id, Reached::Ended),
                other => return other.ignored(),
            },
            Event::Delta(delta) => match delta {
                DeltaEvent::TextDelta { text } | DeltaEvent::ReasoningDelta { text, .. } => {
                    self.now.chars = self.now.chars.saturating_add(text.chars().count());
                    self.now.step_reached(false);
                }
                DeltaEvent::CallDelta { .. }
                | DeltaEvent::StepProgressed { .. }
                | DeltaEvent::CallProgressed { .. } => return None,
            },
        }
        let is_time = self.now.before_cancel.as_ref().is_some_and(Vec::is_empty);
        if is_time {
            self.now.before_cancel = None;
        }
        is_time.then_some(RunCommand::RunCancel)
    }

    /// Takes in what happened before: messages that were said are behind the user, and what should have been
    /// done and was not is to be done now.
    pub fn recall<'a>(&mut self, events: impl IntoIterator<Item = &'a Event>) -> Vec<RunCommand> {
        let mut undone: Vec<RunCommand> = Vec::new();
        for event in events {
            match event {
                Event::Durable(DurableEvent::RunStarted { .. }) => drop(self.next_message()),
                Event::Durable(DurableEvent::RunEnded { .. }) => undone.clear(),
                Event::Durable(DurableEvent::PermissionDecided { call_id: settled, .. })
                | Event::Durable(DurableEvent::CallEnded { call_id: settled, .. }) => {
                    undone.retain(|command| match command {
                        RunCommand::PermissionAnswer { call_id, .. } => call_id != settled,
                        RunCommand::RunCancel => true,
                    })
                }
                Event::Durable(other) => other.ignored(),
                Event::Delta(_) => {}
            }
            undone.extend(self.react(event));
        }
        undone
    }

    /// A call got as far as this.
    fn call_reached(&mut self, call_id: &CallId, reached: Reached) {
        let Some(number) = self.calls.number(call_id) else { return };
        self.now.strike(|moment| match moment {
            EventMoment::CallReached(numbers) => numbers.contains(&number),
            EventMoment::CallDecided(wanted) => *wanted == number && reached >= Reached::Decided,
            EventMoment::CallStarted(wanted) => *wanted == number && reached >= Reached::Started,
            EventMoment::CallEnded(wanted) => *wanted == number && reached >= Reached::Ended,
            EventMoment::StepBegun(_) | EventMoment::StepSaid { .. } | EventMoment::StepEnded(_) => false,
        });
    }
}

impl UserProgress {
    /// The current step got further.
    fn step_reached(&mut self, is_ended: bool) {
        let (steps, said) = (self.steps, self.chars);
        self.strike(|moment| match moment {
            EventMoment::StepBegun(number) => *number <= steps,
            EventMoment::StepSaid { number, chars } => *number == steps && *chars <= said,
            EventMoment::StepEnded(number) => *number == steps && is_ended,
            EventMoment::CallReached(_)
            | EventMoment::CallDecided(_)
            | EventMoment::CallStarted(_)
            | EventMoment::CallEnded(_) => false,
        });
    }

    /// Takes out what has happened now.
    fn strike(&mut self, has_happened: impl Fn(&EventMoment) -> bool) {
        if let Some(moments) = &mut self.before_cancel {
            moments.retain(|moment| !has_happened(moment));
        }
    }
}

/// What must have happened before the run of a section is cancelled; `None` when it is not.
fn moments_before_cancel(section: &[Beat]) -> Option<Vec<EventMoment>> {
    let mut steps = 0_usize;
    let mut moments = vec![EventMoment::StepBegun(1)];
    // Calls of the last step that no line after it speaks of.
    let mut calls = Vec::new();
    for beat in section {
        match &beat.kind {
            BeatKind::Cancel => {
                moments.extend((!calls.is_empty()).then_some(EventMoment::CallReached(calls)));
                return Some(moments);
            }
            BeatKind::Step(step) => {
                steps = steps.saturating_add(1);
                moments.push(moment_of_step(step, steps));
                calls = match &step.ending {
                    StepEnding::Finish(_) => step.calls().map(|call| call.number).collect(),
                    StepEnding::Hang | StepEnding::Cut | StepEnding::Fail(_) => Vec::new(),
                };
            }
            BeatKind::Answer { call, .. } => {
                calls.clear();
                moments.push(EventMoment::CallDecided(*call));
                moments.push(EventMoment::CallStarted(*call));
            }
            BeatKind::Tool { call, ending } => {
                calls.clear();
                moments.push(match ending {
                    CallEnding::Hang => EventMoment::CallStarted(*call),
                    CallEnding::Ok(_)
                    | CallEnding::Text(_)
                    | CallEnding::Fill { .. }
                    | CallEnding::Fail { .. }
                    | CallEnding::Timeout => EventMoment::CallEnded(*call),
                });
            }
            BeatKind::User(_) | BeatKind::Deadline | BeatKind::Expect(_) => {}
        }
    }
    None
}

/// What shows that a step was played.
fn moment_of_step(step: &ScriptedStep, number: usize) -> EventMoment {
    match &step.ending {
        StepEnding::Finish(_) => EventMoment::StepEnded(number),
        StepEnding::Hang => EventMoment::StepSaid { number, chars: step.said_chars() },
        // The step itself leaves no trace; another try does.
        StepEnding::Cut | StepEnding::Fail(_) => EventMoment::StepBegun(number.saturating_add(1)),
    }
}

#[cfg(test)]
#[path = "user_tests.rs"]
mod tests;
