//! Records to fill a journal or a bus with: one of every durable kind, with awkward content.

use std::sync::Arc;

use serde_json::json;
use windlass_core::permission::{Decision, Preview, Question, Target};
use windlass_core::protocol::command::RunWishes;
use windlass_core::protocol::event::{DurableEvent, Event, Record, RunOutcome, StopReason, WarningCode};
use windlass_core::protocol::ids::{CallId, SessionId};
use windlass_core::protocol::message::{Message, Part, Reasoning, ToolMessage};
use windlass_core::protocol::model::{Finish, NoticeKind, StepPurpose, Usage};
use windlass_core::protocol::task::{Task, TaskStatus};
use windlass_core::protocol::tool::{
    Category, Effects, ErrorKind, OutcomeStatus, Risk, ToolCall, ToolFailure, ToolOutcome, ToolOutput,
    Visibility,
};

/// A record of a session at a place.
pub fn record(session_id: &SessionId, seq: u64, event: Event) -> Arc<Record> {
    Arc::new(Record {
        seq,
        ts_ms: 1_700_000_000_000 + seq,
        session_id: session_id.clone(),
        run_id: "run_1".into(),
        parent_id: "message_1".into(),
        event,
        cause: None,
    })
}

/// One event of every durable kind.
pub fn sample_events() -> Vec<Event> {
    let mut events = opening_events();
    events.extend(call_events(&call()));
    events.extend(inner_events());
    events.extend(closing_events());
    events
}

fn call() -> ToolCall {
    ToolCall {
        id: CallId::numbered(1),
        provider_id: Some("toolu_\u{1F980}".into()),
        step: 1,
        index: 0,
        name: "read_file".into(),
        arguments: r#"{"path":"a b\\c\"d\u0000","n":18446744073709551615,"x":0.1}"#.into(),
        state: None,
    }
}

fn opening_events() -> Vec<Event> {
    let call = call();
    let parts = vec![
        Part::Reasoning(Reasoning {
            text: "hm".into(),
            opaque: Some(json!({"signature": "c2ln", "deep": [[[1.5, null]]]})),
            model: Some("m".into()),
        }),
        Part::text("Zeile 1\nline 2\t\u{0}\u{7f} 漢字"),
        Part::Call(call),
    ];
    vec![
        Event::Durable(DurableEvent::RunStarted {
            model: "m/1".into(),
            profile: "default".into(),
            message: Message::user("hi").into(),
            wishes: Arc::new(RunWishes { tools: Some(vec!["read_file".into()]), ..RunWishes::default() }),
        }),
        Event::Durable(DurableEvent::RunResumed {
            interrupted: vec![CallId::numbered(1)],
            repeated: vec![CallId::numbered(2)],
            grants: vec!["write_file(a.txt)".to_owned()],
        }),
        Event::Durable(DurableEvent::TasksChanged {
            tasks: Arc::new([Task {
                task_id: "task_1".into(),
                status: TaskStatus::Pending,
                content: "look".into(),
            }]),
        }),
        Event::Durable(DurableEvent::StepStarted { step: 1, purpose: StepPurpose::Work, attempt: 1 }),
        Event::Durable(DurableEvent::StepDelayed {
            step: 1,
            attempt: 2,
            attempts_max: 3,
            delay_ms: 500,
            code: "rate_limit".into(),
            message: "slow down".into(),
            usage: None,
        }),
        Event::Durable(DurableEvent::RequestAdjusted {
            step: 1,
            kind: NoticeKind::Healed,
            rule: "orphan_outcome".into(),
            message: "an outcome without its call was left out".into(),
        }),
        Event::Durable(DurableEvent::StepEnded {
            step: 1,
            message: Message::Assistant { parts }.into(),
            finish: Finish::Calls,
            usage: Some(Usage::default()),
        }),
    ]
}

fn call_events(call: &ToolCall) -> Vec<Event> {
    let (category, visibility) = (Category::Other, Visibility::Primary);
    let question = Question {
        call_id: call.id.clone(),
        tool: call.name.clone(),
        arguments: call.arguments.clone(),
        risk: Risk::High,
        targets: vec![Target::Path("src/é.rs".into()), Target::Host("example.org".into())],
        preview: Some(Preview::Diff("-a\n+b\n".into())),
        folder: None,
        caution: None,
        sandbox: None,
        rule: "read_file(src/é.rs)".into(),
        confirm_word: None,
        digest: "1f".repeat(32),
        position: 1,
        total: 1,
        hidden_chars: 0,
    };
    let ended = |outcome: ToolOutcome, content: &str| {
        Event::Durable(DurableEvent::CallEnded {
            call_id: call.id.clone(),
            name: call.name.clone(),
            message: Message::Tool(ToolMessage {
                call_id: call.id.clone(),
                provider_id: call.provider_id.clone(),
                name: call.name.clone(),
                content: content.into(),
                is_ok: outcome.is_ok(),
                is_valid_call: true,
                label: None,
            })
            .into(),
            outcome: Arc::new(outcome),
            category,
            visibility,
        })
    };
    let failure = ToolFailure::new(ErrorKind::NotFound, "File not found: x").hint("look for it first");
    vec![
        Event::Durable(DurableEvent::CallRequested {
            call: call.clone(),
            category,
            visibility,
            vendor: "".into(),
        }),
        Event::Durable(DurableEvent::PermissionRequested { question: Box::new(question) }),
        Event::Durable(DurableEvent::PermissionDecided {
            call_id: call.id.clone(),
            decision: Decision::Remember,
            by: "user".into(),
            rule: Some("read_file(src/**)".into()),
            problem: None,
            denied_by: None,
            message: None,
        }),
        Event::Durable(DurableEvent::CallStarted {
            call_id: call.id.clone(),
            name: call.name.clone(),
            by: Some("risk".to_owned()),
            category,
            visibility,
        }),
        ended(ToolOutcome::ok(ToolOutput::json(json!({"a": [1, 2.5, "\u{0}", null]}))), "whole"),
        ended(ToolOutcome::failed(failure), "not there"),
    ]
}

fn inner_events() -> Vec<Event> {
    vec![
        Event::Durable(DurableEvent::InnerCallStarted {
            call_id: call().id,
            path: vec![1, 2],
            name: "calculate".into(),
            arguments: "{}".into(),
            effects: Some(Effects::Pure),
        }),
        Event::Durable(DurableEvent::InnerCallEnded {
            call_id: call().id,
            path: vec![1, 2],
            status: OutcomeStatus::Failed,
            said: "no expression".into(),
            duration_ms: 3,
            decision: Some("mode".into()),
        }),
    ]
}

fn closing_events() -> Vec<Event> {
    vec![
        Event::Durable(DurableEvent::NoteAdded { text: "a note".into() }),
        Event::Durable(DurableEvent::WarningRaised { code: WarningCode::Truncated, message: "cut".into() }),
        Event::Durable(DurableEvent::ErrorRaised {
            code: "model_failed".into(),
            message: "no answer".into(),
        }),
        Event::Durable(DurableEvent::RunEnded {
            outcome: RunOutcome::Completed,
            reason: StopReason::Answered,
            answer: "done".into(),
            usage: Usage::default(),
        }),
    ]
}
