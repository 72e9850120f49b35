//! Events and requests for the tests of this crate.

use std::sync::Arc;

use windlass_core::permission::Question;
use windlass_core::protocol::event::{DurableEvent, Event, RunOutcome, StopReason};
use windlass_core::protocol::ids::{CallId, RunId};
use windlass_core::protocol::message::{Message, ToolMessage};
use windlass_core::protocol::model::{Finish, ModelRequest, Sampling, StepPurpose, ToolChoice, Usage};
use windlass_core::protocol::tool::{Category, Risk, ToolCall, ToolOutcome, Visibility};

pub(crate) fn request(run_id: &str) -> ModelRequest {
    request_after(run_id, &[], 0)
}

/// A request after these messages of the user, the last of them with so many steps behind it.
pub(crate) fn request_after(run_id: &str, users: &[&str], steps: u32) -> ModelRequest {
    let said = users.iter().map(|text| Arc::new(Message::user(*text)));
    let answered = (0..steps).map(|_| Arc::new(Message::assistant("a")));
    ModelRequest {
        run_id: RunId::new(run_id),
        step: steps + 1,
        purpose: StepPurpose::Work,
        system: "".into(),
        examples: 0,
        messages: Arc::new(said.chain(answered).collect()),
        trailer: Vec::new(),
        live: Arc::default(),
        tools: Arc::new([]),
        tool_choice: ToolChoice::Auto,
        sampling: Sampling::default(),
        kept: windlass_core::protocol::model::Kept::default(),
    }
}

pub(crate) fn run_started() -> Event {
    Event::Durable(DurableEvent::RunStarted {
        model: "m".into(),
        profile: "default".into(),
        message: Message::user("Hi").into(),
        wishes: Default::default(),
    })
}

pub(crate) fn step_started(step: u32) -> Event {
    Event::Durable(DurableEvent::StepStarted { step, purpose: StepPurpose::Work, attempt: 1 })
}

pub(crate) fn step_ended(step: u32) -> Event {
    Event::Durable(DurableEvent::StepEnded {
        step,
        message: Message::assistant("a").into(),
        finish: Finish::Stop,
        usage: None,
    })
}

pub(crate) fn call_requested(id: u64, index: u32) -> Event {
    let call = ToolCall {
        id: CallId::numbered(id),
        provider_id: None,
        step: 1,
        index,
        name: "a".into(),
        arguments: "{}".into(),
        state: None,
    };
    Event::Durable(DurableEvent::CallRequested {
        call,
        category: Category::Other,
        visibility: Visibility::Secondary,
        vendor: "".into(),
    })
}

pub(crate) fn permission_requested(id: u64) -> Event {
    let question = Question {
        call_id: CallId::numbered(id),
        tool: "a".into(),
        arguments: "{}".into(),
        risk: Risk::Medium,
        targets: Vec::new(),
        preview: None,
        folder: None,
        caution: None,
        sandbox: None,
        rule: "a".into(),
        confirm_word: None,
        digest: String::new(),
        position: 1,
        total: 1,
        hidden_chars: 0,
    };
    Event::Durable(DurableEvent::PermissionRequested { question: Box::new(question) })
}

pub(crate) fn call_started(id: u64) -> Event {
    Event::Durable(DurableEvent::CallStarted {
        call_id: CallId::numbered(id),
        name: "a".into(),
        by: None,
        category: Category::Other,
        visibility: Visibility::Secondary,
    })
}

pub(crate) fn call_ended(id: u64, outcome: ToolOutcome, content: &str) -> Event {
    let message = ToolMessage {
        call_id: CallId::numbered(id),
        provider_id: None,
        name: "a".into(),
        content: content.into(),
        is_ok: outcome.is_ok(),
        is_valid_call: true,
        label: None,
    };
    Event::Durable(DurableEvent::CallEnded {
        call_id: CallId::numbered(id),
        name: "a".into(),
        outcome: Arc::new(outcome),
        message: Message::Tool(message).into(),
        category: Category::Other,
        visibility: Visibility::Secondary,
    })
}

pub(crate) fn run_ended(answer: &str) -> Event {
    Event::Durable(DurableEvent::RunEnded {
        outcome: RunOutcome::Completed,
        reason: StopReason::Answered,
        answer: answer.into(),
        usage: Usage::default(),
    })
}
