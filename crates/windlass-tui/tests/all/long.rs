//! Sessions of any length: runs with thinking, calls and answers in Markdown.

use std::sync::Arc;

use windlass_core::protocol::event::{DurableEvent, Event, Record, RunOutcome, StopReason};
use windlass_core::protocol::ids::CallId;
use windlass_core::protocol::message::{Message, Part, Reasoning, ToolMessage};
use windlass_core::protocol::model::{Finish, StepPurpose, Usage};
use windlass_core::protocol::tool::{Category, ToolCall, ToolFailure, ToolOutcome, ToolOutput, Visibility};

/// Records that are written one after the other, half a second apart.
#[derive(Default)]
pub(crate) struct Records {
    pub(crate) list: Vec<Arc<Record>>,
    run: usize,
}

impl Records {
    /// The next record of the run that goes on.
    pub(crate) fn push(&mut self, event: Event) -> Arc<Record> {
        let seq = self.list.last().map_or(0, |record| record.seq) + 1;
        let record = Arc::new(Record {
            seq,
            ts_ms: 1_700_000_000_000 + seq * 500,
            session_id: "session".into(),
            run_id: format!("run_{}", self.run).into(),
            parent_id: "message".into(),
            event,
            cause: None,
        });
        self.list.push(Arc::clone(&record));
        record
    }

    pub(crate) fn begin(&mut self, message: &str) {
        self.run += 1;
        self.push(Event::Durable(DurableEvent::RunStarted {
            model: "ollama/qwen3".into(),
            profile: "default".into(),
            message: Arc::new(Message::user(message)),
            wishes: Arc::default(),
        }));
    }

    pub(crate) fn begin_step(&mut self, step: u32) -> Arc<Record> {
        self.push(Event::Durable(DurableEvent::StepStarted { step, purpose: StepPurpose::Work, attempt: 1 }))
    }

    pub(crate) fn end_step(&mut self, step: u32, parts: Vec<Part>) -> Arc<Record> {
        let message = Arc::new(Message::Assistant { parts });
        let usage = Usage { input: 1_200, output: 80, ..Usage::default() };
        self.push(Event::Durable(DurableEvent::StepEnded {
            step,
            message,
            finish: Finish::Stop,
            usage: Some(usage),
        }))
    }

    /// A call from the wish to its outcome.
    pub(crate) fn call(&mut self, call: &ToolCall, outcome: Result<ToolOutput, ToolFailure>) {
        let (category, visibility) = (Category::Other, Visibility::Primary);
        self.push(Event::Durable(DurableEvent::CallRequested {
            call: call.clone(),
            category,
            visibility,
            vendor: "".into(),
        }));
        let (call_id, name) = (call.id.clone(), call.name.clone());
        self.push(Event::Durable(DurableEvent::CallStarted {
            call_id,
            name,
            by: Some("risk".into()),
            category,
            visibility,
        }));
        let outcome = match outcome {
            Ok(output) => ToolOutcome::ok(output),
            Err(failure) => ToolOutcome::failed(failure),
        };
        let message = Message::Tool(ToolMessage {
            call_id: call.id.clone(),
            provider_id: None,
            name: call.name.clone(),
            content: "seen by the model".into(),
            is_ok: outcome.is_ok(),
            is_valid_call: true,
            label: None,
        });
        self.push(Event::Durable(DurableEvent::CallEnded {
            call_id: call.id.clone(),
            name: call.name.clone(),
            outcome: Arc::new(outcome),
            message: Arc::new(message),
            category,
            visibility,
        }));
    }

    pub(crate) fn end(&mut self, answer: &str) -> Arc<Record> {
        self.push(Event::Durable(DurableEvent::RunEnded {
            outcome: RunOutcome::Completed,
            reason: StopReason::Answered,
            answer: answer.into(),
            usage: Usage { input: 2_400, output: 160, ..Usage::default() },
        }))
    }

    /// A whole run: thinking, a call, an answer of some lines.
    pub(crate) fn whole_run(&mut self, number: usize) {
        let call = call(number as u64, "read_file", r#"{"path":"src/lib.rs"}"#);
        let answer = format!("Answer {number}\n\n- one\n- two\n\nThat is **all** of answer {number}.");
        self.begin(&format!("Question {number}"));
        self.begin_step(1);
        let thought = Reasoning { text: format!("Thought {number}"), ..Reasoning::default() };
        self.end_step(1, vec![Part::Reasoning(thought), Part::Call(call.clone())]);
        self.call(&call, Ok(ToolOutput::text("fn main() {}\n".repeat(20))));
        self.begin_step(2);
        self.end_step(2, vec![Part::text(&answer)]);
        self.end(&answer);
    }
}

pub(crate) fn call(number: u64, name: &str, arguments: &str) -> ToolCall {
    ToolCall {
        id: CallId::numbered(number),
        provider_id: None,
        step: 1,
        index: 0,
        name: name.into(),
        arguments: arguments.into(),
        state: None,
    }
}

/// A session of whole runs.
pub(crate) fn session(runs: usize) -> Records {
    let mut records = Records::default();
    (1..=runs).for_each(|number| records.whole_run(number));
    records
}
