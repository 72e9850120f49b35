use std::sync::Arc;

use windlass_core::protocol::event::{DurableEvent, RunOutcome, StopReason};
use windlass_core::protocol::message::Message;
use windlass_core::protocol::tool::{Category, ErrorKind, ToolFailure, ToolOutcome, ToolOutput, Visibility};

use super::*;

fn record(ts_ms: Millis, event: Event) -> Record {
    Record {
        seq: 1,
        ts_ms,
        session_id: "s".into(),
        run_id: "r".into(),
        parent_id: "m".into(),
        event,
        cause: None,
    }
}

fn ended(name: &str, outcome: ToolOutcome) -> Event {
    Event::Durable(DurableEvent::CallEnded {
        call_id: CallId::numbered(1),
        name: name.into(),
        outcome: Arc::new(outcome.timed(0, 30)),
        message: Message::note("").into(),
        category: Category::Other,
        visibility: Visibility::Primary,
    })
}

fn run_started() -> Event {
    Event::Durable(DurableEvent::RunStarted {
        model: "m".into(),
        profile: "default".into(),
        message: Message::user("hi").into(),
        wishes: Arc::default(),
    })
}

#[test]
fn a_question_waits_until_it_is_decided_or_its_call_has_ended() {
    let mut ledger = MetricCounts::default();
    let open = |ledger: &MetricCounts| {
        let mut text = String::new();
        ledger.write(&mut text);
        text.lines().find(|line| line.starts_with("windlass_open_questions ")).unwrap().to_owned()
    };
    ledger.apply(&record(1, run_started()));
    let question = serde_json::from_value(serde_json::json!({
        "call_id": CallId::numbered(1), "tool": "read_file", "arguments": "{}", "risk": "low", "rule": "read_file",
        "digest": "", "position": 1, "total": 1,
    }));
    let asked = DurableEvent::PermissionRequested { question: Box::new(question.unwrap()) };
    ledger.apply(&record(2, Event::Durable(asked)));
    assert_eq!(open(&ledger), "windlass_open_questions 1");
    ledger.apply(&record(3, ended("read_file", ToolOutcome::ok(ToolOutput::text("x")))));
    assert_eq!(open(&ledger), "windlass_open_questions 0");
}

#[test]
fn runs_calls_tokens_and_durations_are_counted() {
    let mut ledger = MetricCounts::default();
    ledger.apply(&record(1_000, run_started()));
    ledger.apply(&record(1_000, ended("read_file", ToolOutcome::ok(ToolOutput::text("x")))));
    let failure = ToolFailure::new(ErrorKind::Timeout, "slow");
    ledger.apply(&record(1_000, ended("odd\"tool", ToolOutcome::failed(failure))));
    let mut open = String::new();
    ledger.write(&mut open);
    assert!(open.contains("windlass_open_runs 1\n"), "{open}");
    ledger.apply(&record(
        1_700,
        Event::Durable(DurableEvent::RunEnded {
            outcome: RunOutcome::Completed,
            reason: StopReason::Answered,
            answer: "yes".into(),
            usage: Usage { input: 7, output: 3, ..Usage::default() },
        }),
    ));
    let mut text = String::new();
    ledger.write(&mut text);
    for line in [
        "# TYPE windlass_runs_started_total counter",
        "windlass_runs_started_total 1",
        "windlass_runs_ended_total{outcome=\"completed\"} 1",
        "windlass_calls_total{tool=\"read_file\",error=\"none\"} 1",
        "windlass_calls_total{tool=\"odd\\\"tool\",error=\"timeout\"} 1",
        "windlass_call_duration_seconds_bucket{tool=\"read_file\",le=\"0.01\"} 0",
        "windlass_call_duration_seconds_bucket{tool=\"read_file\",le=\"0.05\"} 1",
        "windlass_call_duration_seconds_sum{tool=\"read_file\"} 0.03",
        "windlass_run_duration_seconds_bucket{le=\"0.5\"} 0",
        "windlass_run_duration_seconds_bucket{le=\"1\"} 1",
        "windlass_run_duration_seconds_count 1",
        "windlass_tokens_total{kind=\"input\"} 7",
        "windlass_open_runs 0",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} is missing in\n{text}");
    }
}

#[test]
fn invented_tool_names_do_not_grow_the_counts_without_end() {
    let mut ledger = MetricCounts::default();
    for number in 0..1_000 {
        ledger.apply(&record(1, ended(&format!("tool_{number}"), ToolOutcome::ok(ToolOutput::text("x")))));
    }
    assert_eq!((ledger.calls.len(), ledger.call_durations.len()), (LABELS_MAX, LABELS_MAX));
}
