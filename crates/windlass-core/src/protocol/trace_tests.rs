use std::sync::Arc;

use serde_json::json;

use super::*;
use crate::protocol::ids::CallId;
use crate::protocol::message::Reasoning;
use crate::protocol::model::Finish;
use crate::protocol::tool::{ErrorKind, OutcomeMeta, ToolCall, ToolFailure, ToolOutcome, ToolOutput};

fn record(ts_ms: u64, event: Event) -> Record {
    Record {
        seq: 1,
        ts_ms,
        session_id: "s".into(),
        run_id: "run_1".into(),
        parent_id: "m".into(),
        event,
        cause: None,
    }
}

fn requested(name: &str, arguments: &str) -> Event {
    let call = ToolCall {
        id: CallId::numbered(1),
        provider_id: None,
        step: 1,
        index: 0,
        name: name.into(),
        arguments: arguments.into(),
        state: None,
    };
    Event::Durable(DurableEvent::CallRequested {
        call,
        category: Category::Search,
        visibility: Visibility::Hidden,
        vendor: "".into(),
    })
}

fn started_call() -> Event {
    Event::Durable(DurableEvent::CallStarted {
        call_id: CallId::numbered(1),
        name: "web_search".into(),
        by: None,
        category: Category::Search,
        visibility: Visibility::Hidden,
    })
}

fn ended(outcome: ToolOutcome) -> Event {
    Event::Durable(DurableEvent::CallEnded {
        call_id: CallId::numbered(1),
        name: "web_search".into(),
        outcome: Arc::new(outcome),
        message: Message::note("").into(),
        category: Category::Search,
        visibility: Visibility::Hidden,
    })
}

fn found() -> ToolOutcome {
    let link = Link { title: "T".into(), url: "https://t".into(), snippet: "s".into() };
    let output =
        ToolOutput { links: vec![link], ..ToolOutput::json(json!({"n": 1})).with_text("first line\nsecond") };
    let meta = OutcomeMeta {
        duration_ms: 250,
        is_cached: true,
        dropped_args: vec!["x".into()],
        decision: Some("user".into()),
        ..OutcomeMeta::default()
    };
    ToolOutcome { body: Ok(output), meta }
}

fn delayed() -> Event {
    Event::Durable(DurableEvent::StepDelayed {
        step: 2,
        attempt: 2,
        attempts_max: 3,
        delay_ms: 500,
        code: "rate_limit".into(),
        message: "slow down".into(),
        usage: None,
    })
}

fn adjusted() -> Event {
    Event::Durable(DurableEvent::RequestAdjusted {
        step: 2,
        kind: NoticeKind::Healed,
        rule: "orphan_outcome".into(),
        message: "left out".into(),
    })
}

fn run() -> Vec<Record> {
    let usage = |input, cost_usd| Usage { input, output: 2, cost_usd, ..Usage::default() };
    let thought = |text: &str| Part::Reasoning(Reasoning { text: text.into(), ..Reasoning::default() });
    let step_ended = |parts, usage| {
        Event::Durable(DurableEvent::StepEnded {
            step: 1,
            message: Message::Assistant { parts }.into(),
            finish: Finish::Stop,
            usage,
        })
    };
    vec![
        record(
            1_000,
            Event::Durable(DurableEvent::RunStarted {
                model: "openai/x".into(),
                profile: "studio".into(),
                message: Message::user("Hi").into(),
                wishes: Default::default(),
            }),
        ),
        record(
            2_000,
            step_ended(vec![thought("why"), Part::text("t"), thought("how")], Some(usage(10, Some(0.5)))),
        ),
        record(2_500, delayed()),
        record(2_600, adjusted()),
        record(3_000, requested("web_search", r#"{"query":"q"}"#)),
        record(4_000, started_call()),
        record(5_000, ended(found())),
        record(
            6_000,
            Event::Durable(DurableEvent::WarningRaised {
                code: WarningCode::ToolClamp,
                message: "Trimmed".into(),
            }),
        ),
        record(7_000, step_ended(vec![Part::text("Done")], Some(usage(20, None)))),
        record(
            8_500,
            Event::Durable(DurableEvent::RunEnded {
                outcome: RunOutcome::Completed,
                reason: StopReason::Answered,
                answer: "Done".into(),
                usage: usage(30, Some(0.75)),
            }),
        ),
    ]
}

#[test]
fn s_31_r_29_the_trace_has_a_stable_shape_with_times_states_and_durations() {
    let trace = RunTrace::fold(&run());
    let expected = json!({
        "runId": "run_1",
        "model": "openai/x",
        "startedAt": "1970-01-01T00:00:01.000Z",
        "endedAt": "1970-01-01T00:00:08.500Z",
        "totalDurationMs": 7500,
        "tokens": {"input": 30, "output": 2, "total": 32, "costUsd": 0.75},
        "tools": [{
            "id": "call_1", "name": "web_search", "displayName": "Web search", "status": "completed",
            "startedAt": "1970-01-01T00:00:04.000Z", "endedAt": "1970-01-01T00:00:05.000Z", "durationMs": 250,
            "parameters": {"query": "q"}, "outputSummary": "first line",
            "links": [{"title": "T", "url": "https://t", "snippet": "s"}], "outputRaw": {"n": 1}, "error": null,
            "category": "search", "visibility": "hidden", "cached": true, "droppedArgs": ["x"], "repairs": [], "decision": "user",
        }],
        "reasoning": [
            {"id": "reasoning_0", "content": "why", "timestamp": "1970-01-01T00:00:02.000Z"},
            {"id": "reasoning_1", "content": "how", "timestamp": "1970-01-01T00:00:02.000Z"},
        ],
        "warnings": [{"code": "TOOL_CLAMP", "message": "Trimmed"}],
        "adjustments": [{"step": 2, "kind": "healed", "rule": "orphan_outcome", "message": "left out"}],
        "delays": [{
            "step": 2, "attempt": 2, "delayMs": 500, "code": "rate_limit", "message": "slow down",
            "timestamp": "1970-01-01T00:00:02.500Z",
        }],
        "outcome": "completed",
        "stopReason": "answered",
        "answer": "Done",
    });
    assert_eq!(serde_json::to_value(&trace).unwrap(), expected);
    assert_eq!(serde_json::from_value::<RunTrace>(expected).unwrap(), trace);
}

#[test]
fn s_31_a_call_is_queued_then_running_then_completed_or_failed() {
    let states: Vec<_> = (4..=7)
        .map(|count| {
            let trace = RunTrace::fold(&run()[..count]);
            trace.tools.first().map(|tool| (tool.status, tool.started_at.clone()))
        })
        .collect();
    let at = |text: &str| text.to_owned();
    assert_eq!(
        states,
        [
            None,
            Some((ToolStatus::Queued, at("1970-01-01T00:00:03.000Z"))),
            Some((ToolStatus::Running, at("1970-01-01T00:00:04.000Z"))),
            Some((ToolStatus::Completed, at("1970-01-01T00:00:04.000Z"))),
        ]
    );
    for kind in ErrorKind::ALL {
        let failed = ToolOutcome::failed(ToolFailure::new(kind, "it broke"));
        let trace = RunTrace::fold(&[record(1, requested("look", "{oops")), record(2, ended(failed))]);
        let tool = &trace.tools[0];
        assert_eq!((tool.status, tool.output_summary.as_str()), (ToolStatus::Failed, "it broke"));
        assert_eq!(tool.error, Some(TraceError { message: "it broke".into(), code: kind.word().into() }));
        assert_eq!(tool.parameters, json!("{oops"), "arguments that are no JSON are kept as text");
    }
}

#[test]
fn tokens_are_counted_while_the_run_goes_on_and_replaced_at_its_end() {
    let counted = |count: usize| RunTrace::fold(&run()[..count]).tokens;
    assert_eq!(counted(2), TraceTokens { input: 10, output: 2, total: 12, cost_usd: Some(0.5) });
    assert_eq!(counted(9), TraceTokens { input: 30, output: 4, total: 34, cost_usd: Some(0.5) });
    assert_eq!(counted(10), TraceTokens { input: 30, output: 2, total: 32, cost_usd: Some(0.75) });
    let unfinished = RunTrace::fold(&run()[..9]);
    assert_eq!(
        (unfinished.ended_at.as_str(), unfinished.total_duration_ms, unfinished.outcome),
        ("", 0, None)
    );
}

#[test]
fn names_for_people_begin_with_a_capital() {
    assert_eq!(display_name("read_file"), "Read file");
    assert_eq!(display_name("look"), "Look");
    assert_eq!(display_name(""), "");
}
