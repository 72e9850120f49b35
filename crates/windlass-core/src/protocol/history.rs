//! A session's past, folded from its journal: what ended runs left behind, and the run that did not end.
//!
//! The transcript comes out as the run machine left it: assistant messages as they are, outcomes in call
//! order directly after them, notes behind (wall 5). Knows no store; what drives an unfinished run on is
//! `rehearse`.

use std::collections::HashMap;
use std::sync::Arc;

use crate::permission::Decision;
use crate::protocol::event::{DurableEvent, Event, Record};
use crate::protocol::ids::{CallId, RunId};
use crate::protocol::message::{Message, ToolMessage, Transcript};
use crate::protocol::task::Task;
use crate::protocol::tool::{Risk, ToolCall, ToolOutcome};

/// What the model is told of a call whose outcome is nowhere on record.
const LOST: &str = "The outcome of this call was lost; it may or may not have happened";

/// What a journal says of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    /// The history of its ended runs.
    pub transcript: Transcript,
    /// The number of the next call after the ended runs.
    pub next_call_number: u64,
    /// What its calls gave, oldest first; also those of the run that did not end.
    pub outcomes: Vec<PastOutcome>,
    /// Its task list.
    pub tasks: Arc<[Task]>,
    /// Tools of low risk that the user was asked about and let run.
    pub asked: Vec<String>,
    /// The number of its newest record.
    pub last_seq: u64,
    /// The records of the run that has not ended, deltas and all.
    pub unfinished: Option<Vec<Arc<Record>>>,
}

/// What one call gave, and by which ids it is known.
#[derive(Debug, Clone, PartialEq)]
pub struct PastOutcome {
    /// The call.
    pub call_id: CallId,
    /// The provider's id of it.
    pub provider_id: Option<String>,
    /// What it gave.
    pub outcome: Arc<ToolOutcome>,
}

impl History {
    /// Folds the records of a session, in order. `base` is what was said before its first run.
    pub fn fold<'a>(base: &[Arc<Message>], records: impl IntoIterator<Item = &'a Arc<Record>>) -> Self {
        let mut fold = HistoryFold {
            said: base.to_vec(),
            step: StepCalls::default(),
            call_number: 1,
            low_questions: HashMap::new(),
            run: None,
            history: History {
                transcript: Arc::new(base.to_vec()),
                next_call_number: 1,
                outcomes: Vec::new(),
                tasks: Arc::new([]),
                asked: Vec::new(),
                last_seq: 0,
                unfinished: None,
            },
        };
        for record in records {
            fold.take(record);
        }
        fold.history.unfinished = fold.run.map(|(_, records)| records);
        fold.history
    }
}

/// A fold on its way.
struct HistoryFold {
    /// The transcript, with the run that goes on.
    said: Vec<Arc<Message>>,
    step: StepCalls,
    call_number: u64,
    /// Tools of questions of low risk, by call.
    low_questions: HashMap<CallId, String>,
    /// The run that has not ended so far.
    run: Option<(RunId, Vec<Arc<Record>>)>,
    history: History,
}

/// The newest step: its calls, and which of them have their outcome.
#[derive(Default)]
struct StepCalls {
    calls: Vec<ToolCall>,
    outcomes: HashMap<CallId, Arc<Message>>,
}

impl HistoryFold {
    fn take(&mut self, record: &Arc<Record>) {
        self.history.last_seq = self.history.last_seq.max(record.seq);
        if matches!(record.event, Event::Durable(DurableEvent::RunStarted { .. })) {
            // A run that another one followed has ended, whatever became of its end.
            self.end_run();
            self.run = Some((record.run_id.clone(), Vec::new()));
        }
        if let Event::Durable(DurableEvent::EditApplied { note, .. }) = &record.event {
            return self.tell_applied(note);
        }
        match &mut self.run {
            Some((run_id, records)) if *run_id == record.run_id => records.push(Arc::clone(record)),
            // Nothing of an ended run is told after its end.
            Some(_) | None => return,
        }
        if let Event::Durable(event) = &record.event {
            self.apply(event);
        }
    }

    /// The model is told with its next message: a run that goes on was told nothing of it.
    fn tell_applied(&mut self, note: &str) {
        let note = Arc::new(Message::note(note.to_owned()));
        Arc::make_mut(&mut self.history.transcript).push(Arc::clone(&note));
        self.said.push(note);
    }

    fn apply(&mut self, event: &DurableEvent) {
        match event {
            DurableEvent::RunStarted { message, .. } => self.said.push(Arc::clone(message)),
            DurableEvent::NoteAdded { text } => self.said.push(Arc::new(Message::note(text.clone()))),
            DurableEvent::StepStarted { .. } => self.step = StepCalls::default(),
            DurableEvent::StepEnded { message, .. } => {
                self.said.push(Arc::clone(message));
                self.step.calls = message.calls().cloned().collect();
                self.take_in();
            }
            DurableEvent::CallRequested { call, .. } => {
                let number = call.id.number().map_or(0, |number| number.saturating_add(1));
                self.call_number = self.call_number.max(number);
            }
            DurableEvent::CallEnded { call_id, outcome, message, .. } => {
                self.keep_outcome(call_id, outcome, message);
                self.step.outcomes.insert(call_id.clone(), ToolMessage::labelled(message, outcome));
                self.take_in();
            }
            DurableEvent::PermissionRequested { question } if question.risk == Risk::Low => {
                self.low_questions.insert(question.call_id.clone(), question.tool.clone());
            }
            DurableEvent::PermissionDecided { call_id, decision, by, .. } => {
                self.take_decision(call_id, *decision, by);
            }
            DurableEvent::TasksChanged { tasks } => self.history.tasks = Arc::clone(tasks),
            DurableEvent::RunEnded { .. } => self.end_run(),
            other => other.ignored(),
        }
    }

    /// Once every call of the step has its outcome, they stand behind its message in call order.
    fn take_in(&mut self) {
        let is_whole = self.step.calls.iter().all(|call| self.step.outcomes.contains_key(&call.id));
        if is_whole {
            let StepCalls { calls, outcomes } = &mut self.step;
            self.said.extend(calls.drain(..).filter_map(|call| outcomes.remove(&call.id)));
        }
    }

    fn keep_outcome(&mut self, call_id: &CallId, outcome: &Arc<ToolOutcome>, message: &Message) {
        let provider_id = match message {
            Message::Tool(tool) => tool.provider_id.clone(),
            Message::User { .. } | Message::Assistant { .. } | Message::Note { .. } => None,
        };
        let outcome = Arc::clone(outcome);
        self.history.outcomes.push(PastOutcome { call_id: call_id.clone(), provider_id, outcome });
    }

    fn take_decision(&mut self, call_id: &CallId, decision: Decision, by: &str) {
        let tool = self.low_questions.remove(call_id);
        if decision != Decision::Deny && by == "user" {
            let asked = &mut self.history.asked;
            asked.extend(tool.filter(|tool| !asked.contains(tool)));
        }
    }

    /// The run is over. If its end came without the outcome of a call, the transcript is made legal again.
    fn end_run(&mut self) {
        if self.run.take().is_none() {
            return;
        }
        let StepCalls { calls, mut outcomes } = std::mem::take(&mut self.step);
        self.said
            .extend(calls.into_iter().map(|call| outcomes.remove(&call.id).unwrap_or_else(|| lost(call))));
        self.history.transcript = Arc::new(self.said.clone());
        self.history.next_call_number = self.call_number;
    }
}

fn lost(call: ToolCall) -> Arc<Message> {
    Arc::new(Message::Tool(ToolMessage {
        call_id: call.id,
        provider_id: call.provider_id,
        name: call.name,
        content: LOST.to_owned(),
        is_ok: false,
        is_valid_call: true,
        label: None,
    }))
}

#[cfg(test)]
#[path = "history_tests.rs"]
mod tests;
