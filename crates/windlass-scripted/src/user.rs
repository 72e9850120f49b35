//! The scripted user: sends the messages of a script and answers questions as the script says.
//!
//! Reads events and sends commands, as every front end does. Looks at no clock: a script's `cancel`
//! comes when its run is as far as the script was at that line.

use std::collections::VecDeque;

use windlass_core::command::Command;
use windlass_core::event::Event;
use windlass_core::permission::{PermissionAnswer, Question};

use crate::beat::{Beat, BeatKind};
use crate::calls::CallBook;
use crate::script::{CallEnding, Script};
use crate::step::StepEnding;

/// A user that does what a script says.
#[derive(Debug, Clone)]
pub struct ScriptedUser {
    messages: VecDeque<String>,
    calls: CallBook,
    answers: Vec<(u32, PermissionAnswer)>,
    /// For each run, when it is cancelled.
    cancels: VecDeque<Option<Moment>>,
    now: Progress,
}

/// A place in a run, as events show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    /// So many characters of a step have come.
    Step { number: usize, chars: usize },
    /// A call was started, or asked about without an answer in the script.
    Call(u32),
}

/// How far the run is.
#[derive(Debug, Clone, Default)]
struct Progress {
    cancel: Option<Moment>,
    steps: usize,
    chars: usize,
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
            now: Progress::default(),
        };
        for section in beats.chunk_by(|_, next| !matches!(next.kind, BeatKind::User(_))) {
            user.cancels.push_back(moment_of_cancel(section));
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
    pub fn react(&mut self, event: &Event) -> Option<Command> {
        self.calls.see(event);
        let moment = match event {
            Event::RunStarted { .. } => {
                self.now = Progress { cancel: self.cancels.pop_front().flatten(), ..Progress::default() };
                return None;
            }
            Event::StepStarted { .. } => {
                self.now.steps = self.now.steps.saturating_add(1);
                self.now.chars = 0;
                Moment::Step { number: self.now.steps, chars: 0 }
            }
            Event::TextDelta { text } | Event::ReasoningDelta { text, .. } => {
                self.now.chars = self.now.chars.saturating_add(text.chars().count());
                Moment::Step { number: self.now.steps, chars: self.now.chars }
            }
            Event::PermissionRequested { question } => match self.answer(question) {
                Some(answer) => {
                    return Some(Command::PermissionAnswer { call_id: question.call_id.clone(), answer });
                }
                None => Moment::Call(self.calls.number(&question.call_id)?),
            },
            Event::CallStarted { call_id, .. } => Moment::Call(self.calls.number(call_id)?),
            Event::CallDelta { .. }
            | Event::StepEnded { .. }
            | Event::CallRequested { .. }
            | Event::PermissionDecided { .. }
            | Event::CallProgressed { .. }
            | Event::CallEnded { .. }
            | Event::NoteAdded { .. }
            | Event::WarningRaised { .. }
            | Event::ErrorRaised { .. }
            | Event::RunEnded { .. } => return None,
        };
        let cancel = self.now.cancel?;
        if moment.is_at(cancel) {
            self.now.cancel = None;
            return Some(Command::RunCancel);
        }
        None
    }
}

impl Moment {
    /// Whether this moment is the other one, or later in the same step.
    fn is_at(self, other: Moment) -> bool {
        match (self, other) {
            (Moment::Step { number, chars }, Moment::Step { number: wanted, chars: least }) => {
                number == wanted && chars >= least
            }
            (Moment::Call(number), Moment::Call(wanted)) => number == wanted,
            (Moment::Step { .. }, Moment::Call(_)) | (Moment::Call(_), Moment::Step { .. }) => false,
        }
    }
}

/// When the run of a section is cancelled: at what stands before its `cancel` line.
fn moment_of_cancel(section: &[Beat]) -> Option<Moment> {
    let mut steps = 0_usize;
    let mut moment = Moment::Step { number: 1, chars: 0 };
    for beat in section {
        match &beat.kind {
            BeatKind::Cancel => return Some(moment),
            BeatKind::Step(step) => {
                steps = steps.saturating_add(1);
                let last_call = step.calls().last().map(|call| Moment::Call(call.number));
                let said = Moment::Step { number: steps, chars: step.said_chars() };
                moment = match &step.ending {
                    StepEnding::Finish(_) => last_call.unwrap_or(said),
                    StepEnding::Hang => said,
                    StepEnding::Cut | StepEnding::Fail(_) => {
                        Moment::Step { number: steps.saturating_add(1), chars: 0 }
                    }
                };
            }
            BeatKind::Answer { call, .. } | BeatKind::Tool { call, ending: CallEnding::Hang } => {
                moment = Moment::Call(*call);
            }
            // The call is over, so the next thing that happens is another step.
            BeatKind::Tool { .. } => moment = Moment::Step { number: steps.saturating_add(1), chars: 0 },
            BeatKind::User(_) | BeatKind::Deadline | BeatKind::Expect(_) => {}
        }
    }
    None
}

#[cfg(test)]
#[path = "user_tests.rs"]
mod tests;
