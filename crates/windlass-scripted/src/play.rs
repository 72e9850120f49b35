//! Plays a script against a run machine, without a runtime: the director says what happens next, the
//! stage makes it happen.
//!
//! Knows the order of happenings and checks expectations on the way. Does not know the machine: a
//! [`ScriptStage`] is a few lines around it.

use std::sync::Arc;

use windlass_core::permission::PermissionAnswer;
use windlass_core::protocol::event::{DurableEvent, Event};
use windlass_core::protocol::ids::CallId;
use windlass_core::protocol::model::ModelRequest;
use windlass_core::protocol::tool::ToolOutcome;

use crate::beat::{Beat, BeatKind};
use crate::calls::CallBook;
use crate::expect::{Mismatch, SeenRun};
use crate::script::{Expectation, Script};
use crate::step::ScriptedStep;

/// What a run waits for.
#[derive(Debug, Clone, Default)]
pub struct PendingRun {
    /// The request that the model has not answered.
    pub request: Option<ModelRequest>,
    /// Calls whose question has no answer.
    pub questions: Vec<CallId>,
    pub running: Vec<CallId>,
}

impl PendingRun {
    fn is_empty(&self) -> bool {
        self.request.is_none() && self.questions.is_empty() && self.running.is_empty()
    }

    fn describe(&self, calls: &CallBook) -> String {
        let listed = |ids: &[CallId]| {
            let numbers = ids
                .iter()
                .map(|id| calls.number(id).map_or_else(|| id.to_string(), |number| number.to_string()));
            numbers.collect::<Vec<_>>().join(", ")
        };
        let mut waits = Vec::new();
        if self.request.is_some() {
            waits.push("the model".to_owned());
        }
        if !self.questions.is_empty() {
            waits.push(format!("an answer about call {}", listed(&self.questions)));
        }
        if !self.running.is_empty() {
            waits.push(format!("the end of call {}", listed(&self.running)));
        }
        if waits.is_empty() { "nothing".to_owned() } else { waits.join(" and ") }
    }
}

/// Something that happens to a run from outside.
#[derive(Debug, Clone)]
pub enum Move<'a> {
    /// The user says something.
    User(&'a str),
    /// The model answers the waiting request: `complete`, `failure` and `pieces` say how. A step that
    /// hangs streams its pieces and nothing more.
    Step(&'a ScriptedStep),
    /// The user answers a question.
    Answer {
        call_id: CallId,
        answer: PermissionAnswer,
    },
    CallEnded {
        call_id: CallId,
        outcome: Arc<ToolOutcome>,
    },
    /// The user stops the run.
    Cancel,
    /// The run is out of time.
    Deadline,
}

/// A machine that a script can be played on. Timers (waits before another try) pass at once.
pub trait ScriptStage {
    /// What the run waits for.
    fn pending(&self) -> PendingRun;
    /// Makes something happen, and gives all events that came of it.
    fn perform(&mut self, happening: Move<'_>) -> Vec<Event>;
}

/// Plays a whole script; gives all events, or the first thing that is not as expected.
pub fn play(script: &Script, stage: &mut impl ScriptStage) -> Result<Vec<Event>, Mismatch> {
    let beats = script.beats();
    let mut director = Director::new(script);
    for beat in &beats {
        if let Some(happening) = director.next(beat, &stage.pending())? {
            for event in stage.perform(happening) {
                director.see(event);
            }
        }
    }
    director.finish(&stage.pending())?;
    Ok(director.events)
}

/// Says what happens next, and checks what happened.
#[derive(Debug)]
pub struct Director {
    script: String,
    calls: CallBook,
    events: Vec<Event>,
    /// Where the events since the last `expect` line begin.
    since: usize,
    /// Where the events of the run begin.
    run: usize,
    last_request: Option<ModelRequest>,
    last_line: u32,
}

impl Director {
    /// A director at the beginning of a script.
    pub fn new(script: &Script) -> Self {
        Self {
            script: script.name.clone(),
            calls: CallBook::new(script),
            events: Vec::new(),
            since: 0,
            run: 0,
            last_request: None,
            last_line: 1,
        }
    }

    /// Takes note of an event.
    pub fn see(&mut self, event: Event) {
        self.calls.see(&event);
        if matches!(event, Event::Durable(DurableEvent::RunStarted { .. })) {
            self.run = self.events.len();
        }
        self.events.push(event);
    }

    /// The next happening: `None` when the beat is an expectation, which is checked here, or a call
    /// that hangs. A happening that the run does not wait for is a mismatch.
    pub fn next<'a>(&mut self, beat: &'a Beat, pending: &PendingRun) -> Result<Option<Move<'a>>, Mismatch> {
        self.last_line = beat.line;
        match &beat.kind {
            BeatKind::User(text) => {
                self.need(pending.is_empty(), "the user speaks while a run goes on", pending)?;
                Ok(Some(Move::User(text)))
            }
            BeatKind::Step(step) => self.next_step(step, pending).map(Some),
            BeatKind::Answer { call, answer } => {
                let call_id = self.call_id(*call, pending)?;
                let is_asked = pending.questions.contains(&call_id);
                self.need(is_asked, &format!("nobody asks about call {call}"), pending)?;
                Ok(Some(Move::Answer { call_id, answer: answer.clone() }))
            }
            BeatKind::Tool { call, ending } => {
                let call_id = self.call_id(*call, pending)?;
                let is_running = pending.running.contains(&call_id);
                self.need(is_running, &format!("call {call} does not run"), pending)?;
                Ok(ending.outcome().map(|outcome| Move::CallEnded { call_id, outcome: Arc::new(outcome) }))
            }
            BeatKind::Cancel => {
                self.need(!pending.is_empty(), "there is nothing to cancel", pending)?;
                Ok(Some(Move::Cancel))
            }
            BeatKind::Deadline => {
                self.need(!pending.is_empty(), "there is nothing that could be late", pending)?;
                Ok(Some(Move::Deadline))
            }
            BeatKind::Expect(expectation) => {
                let checked = self.check(expectation);
                if matches!(expectation, Expectation::Events(_)) {
                    self.since = self.events.len();
                }
                checked.map(|()| None)
            }
        }
    }

    fn next_step<'a>(&mut self, step: &'a ScriptedStep, pending: &PendingRun) -> Result<Move<'a>, Mismatch> {
        let Some(request) = &pending.request else {
            return Err(self.stray("nobody asks the model", pending));
        };
        let checked = step.check_request(&self.script, request, self.last_request.as_ref());
        self.last_request = Some(request.clone());
        checked.map(|()| Move::Step(step))
    }

    /// Checks an expectation against what was seen so far.
    pub fn check(&self, expectation: &Expectation) -> Result<(), Mismatch> {
        let run: Vec<&Event> = self.events.iter().skip(self.run).collect();
        let since: Vec<&Event> = self.events.iter().skip(self.since).collect();
        let seen = SeenRun { since: &since, run: &run, calls: &self.calls };
        expectation.check(seen).map_err(|message| self.mismatch(self.last_line, message))
    }

    /// The script is over: nothing may be waiting.
    pub fn finish(&self, pending: &PendingRun) -> Result<(), Mismatch> {
        self.need(pending.is_empty(), "the script ends here while a run goes on", pending)
    }

    fn call_id(&self, number: u32, pending: &PendingRun) -> Result<CallId, Mismatch> {
        match self.calls.id(number) {
            Some(id) => Ok(id.clone()),
            None => Err(self.stray(&format!("call {number} was never requested"), pending)),
        }
    }

    fn need(&self, is_so: bool, otherwise: &str, pending: &PendingRun) -> Result<(), Mismatch> {
        if is_so { Ok(()) } else { Err(self.stray(otherwise, pending)) }
    }

    fn stray(&self, message: &str, pending: &PendingRun) -> Mismatch {
        let waits = pending.describe(&self.calls);
        self.mismatch(self.last_line, format!("{message}; the run waits for {waits}"))
    }

    fn mismatch(&self, line: u32, message: impl Into<String>) -> Mismatch {
        Mismatch { script: self.script.clone(), line, message: message.into() }
    }
}

#[cfg(test)]
#[path = "play_tests.rs"]
mod tests;
