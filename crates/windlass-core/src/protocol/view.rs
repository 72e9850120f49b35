//! What a screen shows of a session: a fold over its events (wall 3).
//!
//! Deltas make the view live; the durable event that follows replaces what they made, so a screen that
//! missed deltas, or joined late, ends up with the same view.

use std::sync::Arc;

use crate::permission::Question;
use crate::protocol::command::RunSetup;
use crate::protocol::event::{DeltaEvent, DurableEvent, Event, Record, RunOutcome, StopReason, WarningCode};
use crate::protocol::ids::{CallId, RunId};
use crate::protocol::message::{Message, Part};
use crate::protocol::model::{NoticeKind, ReadingProgress, Usage};
use crate::protocol::questions;
use crate::protocol::task::Task;
use crate::protocol::tool::{Category, ToolCall, ToolOutcome, Visibility};

/// A session as a screen shows it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SessionView {
    /// Its runs, oldest first.
    pub runs: Vec<RunView>,
    /// The last event that was folded in.
    pub seq: u64,
}

/// A run as a screen shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct RunView {
    /// The run.
    pub run_id: RunId,
    /// What the user said.
    pub user: String,
    /// What happened, in the order in which it happened (S-34).
    pub entries: Vec<Entry>,
    /// Warnings, each once (S-30).
    pub warnings: Vec<(WarningCode, String)>,
    /// What had to be changed, imitated or left out of requests: what was done, and why.
    pub adjustments: Vec<(NoticeKind, String)>,
    /// Set while a failed step waits for its next try.
    pub waiting: Option<Waiting>,
    /// Set while a model in the process reads a long prompt.
    pub reading: Option<ReadingProgress>,
    /// Questions that wait for the user.
    pub questions: Vec<Question>,
    /// The error, if there was one.
    pub error: Option<String>,
    /// How it ended; `None` while it goes on.
    pub ended: Option<(RunOutcome, StopReason)>,
    /// The answer.
    pub answer: String,
    /// Token counts so far.
    pub usage: Usage,
    /// The task list, as the run last changed it.
    pub tasks: Vec<Task>,
    /// What it began with, where that is on record.
    pub setup: Option<Arc<RunSetup>>,
    /// Where the entries of the current step begin.
    step_start: usize,
    /// The phase of reasoning of the current step: how many steps before it had calls (S-32).
    phase: u32,
}

/// A step that waits for its next try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// The try that is waited for.
    pub attempt: u32,
    /// The last try there will be.
    pub attempts_max: u32,
    /// How long about.
    pub delay_ms: u64,
    /// What happened.
    pub message: String,
}

/// One thing on the screen.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// A block of thinking, one a phase (S-32).
    Reasoning {
        /// Which phase.
        phase: u32,
        /// What was thought.
        text: String,
    },
    /// Text.
    Text(String),
    /// A call.
    Call(Box<CallView>),
}

/// A call as a screen shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct CallView {
    /// The call.
    pub call: ToolCall,
    /// Where it is filed.
    pub category: Category,
    /// How prominently it is shown.
    pub visibility: Visibility,
    /// How far it is.
    pub state: CallState,
    /// The last line of progress, while it runs.
    pub progress: Option<String>,
    /// Whether it was staged and then made.
    pub is_applied: bool,
}

/// How far a call is.
#[derive(Debug, Clone, PartialEq)]
pub enum CallState {
    /// Asked for by the model.
    Requested,
    /// Waits for the user.
    Asking,
    /// Runs.
    Running,
    /// Has its outcome.
    Ended(Arc<ToolOutcome>),
}

impl CallState {
    /// Whether the call has its outcome.
    pub fn is_ended(&self) -> bool {
        match self {
            CallState::Requested | CallState::Asking | CallState::Running => false,
            CallState::Ended(_) => true,
        }
    }
}

impl SessionView {
    /// Folds records in order.
    pub fn fold<'a>(records: impl IntoIterator<Item = &'a Record>) -> Self {
        let mut view = Self::default();
        for record in records {
            view.apply(record);
        }
        view
    }

    /// Folds in one record; one that was folded in before changes nothing.
    pub fn apply(&mut self, record: &Record) {
        if record.seq <= self.seq {
            return;
        }
        self.seq = record.seq;
        if let Event::Durable(DurableEvent::RunStarted { message, wishes, .. }) = &record.event {
            let run = RunView::new(record.run_id.clone(), message.text());
            self.runs.push(RunView { setup: wishes.setup.clone(), ..run });
            return;
        }
        if let Some(run) = self.runs.iter_mut().rev().find(|run| run.run_id == record.run_id) {
            run.apply(&record.event);
        }
    }
}

impl RunView {
    fn new(run_id: RunId, user: String) -> Self {
        Self {
            run_id,
            user,
            entries: Vec::new(),
            warnings: Vec::new(),
            adjustments: Vec::new(),
            waiting: None,
            reading: None,
            questions: Vec::new(),
            error: None,
            ended: None,
            answer: String::new(),
            usage: Usage::default(),
            tasks: Vec::new(),
            setup: None,
            step_start: 0,
            phase: 0,
        }
    }

    fn apply(&mut self, event: &Event) {
        self.reading = None;
        match event {
            Event::Durable(event) => self.apply_durable(event),
            Event::Delta(delta) => self.apply_delta(delta),
        }
    }

    fn apply_durable(&mut self, event: &DurableEvent) {
        questions::follow(&mut self.questions, event);
        match event {
            // Pieces of a step that the stop cut off are not on record.
            DurableEvent::RunResumed { .. } => self.drop_unkept(),
            DurableEvent::EditApplied { call_id, .. } => {
                if let Some(call) = self.call_mut(call_id) {
                    call.is_applied = true;
                }
            }
            DurableEvent::TasksChanged { tasks } => self.tasks = tasks.to_vec(),
            DurableEvent::StepDelayed { attempt, attempts_max, delay_ms, message, .. } => {
                self.waiting = Some(Waiting {
                    attempt: *attempt,
                    attempts_max: *attempts_max,
                    delay_ms: *delay_ms,
                    message: message.clone(),
                });
            }
            DurableEvent::RequestAdjusted { kind, message, .. } => {
                self.adjustments.push((*kind, message.clone()))
            }
            DurableEvent::StepStarted { attempt, .. } => {
                if *attempt > 1 {
                    self.entries.truncate(self.step_start);
                }
                self.drop_unkept();
                self.step_start = self.entries.len();
            }
            DurableEvent::StepEnded { message, usage, .. } => {
                self.waiting = None;
                self.replace_step(message);
                if let Some(usage) = usage {
                    self.usage.add(usage);
                }
            }
            DurableEvent::CallRequested { call, category, visibility, .. } => {
                self.announce(call, *category, *visibility);
            }
            DurableEvent::PermissionRequested { question } => {
                self.set_state(&question.call_id, CallState::Asking);
            }
            DurableEvent::CallStarted { call_id, .. } => self.set_state(call_id, CallState::Running),
            DurableEvent::CallEnded { call_id, outcome, .. } => self.end_call(call_id, outcome),
            DurableEvent::WarningRaised { code, message } => self.warnings.push((*code, message.clone())),
            DurableEvent::ErrorRaised { message, .. } => self.error = Some(message.clone()),
            DurableEvent::RunEnded { outcome, reason, answer, usage } => {
                self.drop_unkept();
                self.ended = Some((*outcome, reason.clone()));
                self.answer = answer.clone();
                self.usage = *usage;
                self.waiting = None;
            }
            DurableEvent::RunStarted { .. }
            | DurableEvent::PermissionDecided { .. }
            | DurableEvent::NoteAdded { .. }
            | DurableEvent::InnerCallStarted { .. }
            | DurableEvent::InnerCallEnded { .. } => {}
        }
    }

    fn apply_delta(&mut self, delta: &DeltaEvent) {
        match delta {
            &DeltaEvent::StepProgressed { tokens_read, tokens_total, remaining_ms } => {
                self.waiting = None;
                self.reading = Some(ReadingProgress { tokens_read, tokens_total, remaining_ms });
            }
            DeltaEvent::CallDelta { .. } => self.waiting = None,
            DeltaEvent::ReasoningDelta { phase, text } => self.add_reasoning(*phase, text),
            DeltaEvent::TextDelta { text } => self.add_text(text),
            DeltaEvent::CallProgressed { call_id, line } => self.note_progress(call_id, line),
        }
    }

    fn note_progress(&mut self, call_id: &CallId, line: &str) {
        // The last line of a call may come after its end.
        if let Some(call) = self.call_mut(call_id).filter(|call| !call.state.is_ended()) {
            call.progress = Some(line.to_owned());
        }
    }

    fn end_call(&mut self, call_id: &CallId, outcome: &Arc<ToolOutcome>) {
        if let Some(call) = self.call_mut(call_id) {
            call.state = CallState::Ended(Arc::clone(outcome));
            // How far it was is not on record, and a screen that joins late does not know it.
            call.progress = None;
        }
    }

    fn add_reasoning(&mut self, phase: u32, piece: &str) {
        self.waiting = None;
        match self.last_of_step() {
            Some(Entry::Reasoning { phase: last, text }) if *last == phase => text.push_str(piece),
            Some(Entry::Reasoning { .. } | Entry::Text(_) | Entry::Call(_)) | None => {
                self.entries.push(Entry::Reasoning { phase, text: piece.to_owned() });
            }
        }
    }

    fn add_text(&mut self, piece: &str) {
        self.waiting = None;
        match self.last_of_step() {
            Some(Entry::Text(text)) => text.push_str(piece),
            Some(Entry::Reasoning { .. } | Entry::Call(_)) | None => {
                self.entries.push(Entry::Text(piece.to_owned()))
            }
        }
    }

    /// What was made last in the current step. What the steps before it made is kept as it is: a text that goes
    /// on where its length cut it is an entry of its own.
    fn last_of_step(&mut self) -> Option<&mut Entry> {
        self.entries.get_mut(self.step_start..)?.last_mut()
    }

    /// A call that its step has put in its place already only gets where it is filed.
    fn announce(&mut self, call: &ToolCall, category: Category, visibility: Visibility) {
        match self.call_mut(&call.id) {
            Some(known) => (known.category, known.visibility) = (category, visibility),
            None => self.entries.push(requested(call, category, visibility)),
        }
    }

    /// Puts the durable parts of a step, in their order, in the place of what its deltas made; calls that were
    /// announced meanwhile and are not among them stay after them.
    fn replace_step(&mut self, message: &Message) {
        let Message::Assistant { parts } = message else { return };
        let mut made = self.entries.split_off(self.step_start.min(self.entries.len()));
        for part in parts {
            match part {
                Part::Text { text } if !text.is_empty() => self.entries.push(Entry::Text(text.clone())),
                Part::Reasoning(reasoning) if !reasoning.text.is_empty() => {
                    self.entries.push(Entry::Reasoning { phase: self.phase, text: reasoning.text.clone() });
                }
                Part::Call(call) => {
                    let is_it = |entry: &Entry| matches!(entry, Entry::Call(made) if made.call.id == call.id);
                    let announced = made.iter().position(is_it).map(|at| made.remove(at));
                    let place = || requested(call, Category::default(), Visibility::default());
                    self.entries.push(announced.unwrap_or_else(place));
                }
                Part::Text { .. } | Part::Reasoning(_) | Part::Image { .. } => {}
            }
        }
        self.entries.extend(made.into_iter().filter(|entry| matches!(entry, Entry::Call(_))));
        self.step_start = self.entries.len();
        if message.calls().next().is_some() {
            self.phase = self.phase.saturating_add(1);
        }
    }

    /// Takes out what deltas made and no durable event kept: a screen that joined late has not got it.
    fn drop_unkept(&mut self) {
        let made = self.entries.split_off(self.step_start.min(self.entries.len()));
        self.entries.extend(made.into_iter().filter(|entry| matches!(entry, Entry::Call(_))));
    }

    fn call_mut(&mut self, call_id: &CallId) -> Option<&mut CallView> {
        self.entries.iter_mut().rev().find_map(|entry| match entry {
            Entry::Call(call) if call.call.id == *call_id => Some(call.as_mut()),
            Entry::Call(_) | Entry::Reasoning { .. } | Entry::Text(_) => None,
        })
    }

    fn set_state(&mut self, call_id: &CallId, state: CallState) {
        if let Some(call) = self.call_mut(call_id) {
            call.state = state;
        }
    }
}

fn requested(call: &ToolCall, category: Category, visibility: Visibility) -> Entry {
    let (call, state) = (call.clone(), CallState::Requested);
    Entry::Call(Box::new(CallView { call, category, visibility, state, progress: None, is_applied: false }))
}

#[cfg(test)]
#[path = "view_tests.rs"]
mod tests;
