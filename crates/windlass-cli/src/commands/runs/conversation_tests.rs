use std::sync::Arc;

use windlass_core::protocol::ids::{MessageId, SessionId};
use windlass_core::protocol::message::ToolMessage;
use windlass_core::protocol::model::{Finish, StepPurpose, Usage};
use windlass_core::protocol::tool::{Category, ToolFailure, ToolOutput, Visibility};

use super::*;

fn records(events: Vec<Event>) -> Vec<Record> {
    let record = |(seq, event)| Record {
        seq,
        ts_ms: seq * 10,
        session_id: SessionId::from("s"),
        run_id: RunId::from("r"),
        parent_id: MessageId::from("m"),
        event,
        cause: None,
    };
    (1..).zip(events).map(record).collect()
}

fn started() -> Event {
    Event::Durable(DurableEvent::RunStarted {
        model: "scripted/x".into(),
        profile: "default".into(),
        message: Message::user("Hello").into(),
        wishes: Arc::default(),
    })
}

fn call(id: &str) -> Event {
    let call = ToolCall {
        id: CallId::from(id),
        provider_id: None,
        step: 1,
        index: 0,
        name: "read_file".into(),
        arguments: r#"{"path":"a.txt"}"#.into(),
        state: None,
    };
    Event::Durable(DurableEvent::CallRequested {
        call,
        category: Category::Other,
        visibility: Visibility::Primary,
        vendor: "".into(),
    })
}

fn ended(id: &str, outcome: ToolOutcome) -> Event {
    let message = Message::Tool(ToolMessage {
        call_id: CallId::from(id),
        provider_id: None,
        name: "read_file".into(),
        content: "what the model sees".into(),
        is_ok: outcome.is_ok(),
        is_valid_call: true,
        label: None,
    });
    Event::Durable(DurableEvent::CallEnded {
        call_id: CallId::from(id),
        name: "read_file".into(),
        outcome: Arc::new(outcome),
        message: Arc::new(message),
        category: Category::Other,
        visibility: Visibility::Primary,
    })
}

fn text(events: Vec<Event>, is_full: bool) -> String {
    let stories = tell(&records(events));
    console::strip_ansi_codes(&stories[0].text(is_full)).into_owned()
}

#[test]
fn a_run_is_told_step_by_step_with_its_calls() {
    let events = vec![
        started(),
        Event::Durable(DurableEvent::StepStarted { step: 1, purpose: StepPurpose::Work, attempt: 1 }),
        Event::Durable(DurableEvent::StepEnded {
            step: 1,
            message: Message::assistant("Let me look.").into(),
            finish: Finish::Calls,
            usage: None,
        }),
        call("call_1"),
        call("call_2"),
        ended("call_1", ToolOutcome::ok(ToolOutput::text("hello"))),
        ended("call_2", ToolOutcome::failed(ToolFailure::not_found("File not found: a.txt"))),
        Event::Durable(DurableEvent::StepEnded {
            step: 2,
            message: Message::assistant("There it is.").into(),
            finish: Finish::Stop,
            usage: None,
        }),
        Event::Durable(DurableEvent::RunEnded {
            outcome: RunOutcome::Completed,
            reason: windlass_core::protocol::event::StopReason::Answered,
            answer: "There it is.".into(),
            usage: Usage::default(),
        }),
    ];
    assert_eq!(
        text(events.clone(), false),
        "run r · scripted/x · completed\n» Hello\nstep 1\nLet me look.\n\
         ✓ call_1 read_file a.txt  0 ms  hello\n✗ call_2 read_file a.txt  0 ms  File not found: a.txt\n\
         step 2\nThere it is.\n"
    );
    let full = text(events, true);
    assert!(full.contains("  {\"path\":\"a.txt\"}\n  what the model sees\n"), "{full}");
}

#[test]
fn an_unfinished_run_shows_how_far_each_call_is_and_how_to_go_on() {
    let started_call = Event::Durable(DurableEvent::CallStarted {
        call_id: CallId::from("call_1"),
        name: "read_file".into(),
        by: None,
        category: Category::Other,
        visibility: Visibility::Primary,
    });
    let told = text(vec![started(), call("call_1"), started_call, call("call_2")], false);
    assert!(
        told.contains("… call_1 read_file a.txt  running\n… call_2 read_file a.txt  requested\n"),
        "{told}"
    );
    assert!(told.ends_with("to continue: windlass runs resume r\n"), "{told}");
}

#[test]
fn records_of_several_runs_are_several_stories_and_nothing_steers_the_terminal() {
    let mut rows = records(vec![started(), started()]);
    rows[1].run_id = RunId::from("r2");
    rows[1].event = Event::Durable(DurableEvent::RunStarted {
        model: "m".into(),
        profile: "default".into(),
        message: Message::user("\u{1b}[2J").into(),
        wishes: Arc::default(),
    });
    let stories = tell(&rows);
    assert_eq!(stories.len(), 2);
    assert!(stories[1].text(false).contains("\\u{1b}[2J"));
}
