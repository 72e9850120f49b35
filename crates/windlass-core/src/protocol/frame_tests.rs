use std::sync::Arc;

use serde_json::json;

use super::*;
use crate::permission::{Decision, Preview, Question, Target};
use crate::protocol::event::{DeltaEvent, DurableEvent, RunOutcome, StopReason, WarningCode};
use crate::protocol::ids::CallId;
use crate::protocol::message::Message;
use crate::protocol::model::{Finish, NoticeKind, StepPurpose, Usage};
use crate::protocol::tool::{Category, ErrorKind, Link, Risk, ToolCall, ToolFailure, ToolOutput, Visibility};

fn record(event: Event) -> Record {
    Record {
        seq: 7,
        ts_ms: 1_234,
        session_id: "s".into(),
        run_id: "r".into(),
        parent_id: "m".into(),
        event,
        cause: None,
    }
}

fn line(event: Event) -> String {
    payload(&record(event)).unwrap().to_string()
}

fn id() -> CallId {
    CallId::numbered(1)
}

fn ended(outcome: ToolOutcome) -> Event {
    Event::Durable(DurableEvent::CallEnded {
        call_id: id(),
        name: "search_web".into(),
        outcome: Arc::new(outcome),
        message: Message::note("").into(),
        category: Category::Search,
        visibility: Visibility::Primary,
    })
}

#[test]
fn s_4_a_frame_is_one_data_line_of_json_with_a_type_and_an_empty_line() {
    let delta = sse(&record(Event::Delta(DeltaEvent::TextDelta { text: "a\nb".into() }))).unwrap();
    assert_eq!(delta, "data: {\"type\":\"content\",\"content\":\"a\\nb\",\"ts\":1234}\n\n");
    let durable =
        sse(&record(Event::Durable(DurableEvent::ErrorRaised { code: "auth".into(), message: "no".into() })))
            .unwrap();
    assert_eq!(
        durable,
        "id: 7\ndata: {\"type\":\"error\",\"message\":\"no\",\"code\":\"auth\",\"ts\":1234}\n\n"
    );
    assert!(!durable.contains("event:"));
    assert_eq!(sse(&record(Event::Durable(DurableEvent::NoteAdded { text: "x".into() }))), None);
}

#[test]
fn s_5_a_reasoning_frame_has_content_time_and_phase() {
    let event = Event::Delta(DeltaEvent::ReasoningDelta { phase: 2, text: "hm".into() });
    assert_eq!(line(event), r#"{"type":"reasoning","content":"hm","phase":2,"ts":1234}"#);
}

#[test]
fn s_6_a_tool_calls_frame_has_the_arguments_as_text() {
    let call = ToolCall {
        id: id(),
        provider_id: Some("p".into()),
        step: 1,
        index: 0,
        name: "search_web".into(),
        arguments: r#"{"query":"q"}"#.into(),
        state: None,
    };
    let event = Event::Durable(DurableEvent::CallRequested {
        call,
        category: Category::Search,
        visibility: Visibility::Primary,
        vendor: "".into(),
    });
    assert_eq!(
        line(event),
        r#"{"type":"tool_calls","calls":[{"id":"call_1","name":"search_web","arguments":"{\"query\":\"q\"}"}],"ts":1234}"#
    );
}

#[test]
fn s_7_s_12_a_tool_executing_frame_has_id_name_time_category_and_visibility() {
    let words = [
        (Category::Search, Visibility::Primary, "search", "primary"),
        (Category::Utility, Visibility::Hidden, "utility", "hidden"),
        (Category::Other, Visibility::Secondary, "other", "secondary"),
    ];
    for (category, visibility, filed, shown) in words {
        let event = Event::Durable(DurableEvent::CallStarted {
            call_id: id(),
            name: "x".into(),
            by: None,
            category,
            visibility,
        });
        assert_eq!(
            line(event),
            format!(
                r#"{{"type":"tool_executing","id":"call_1","name":"x","category":"{filed}","visibility":"{shown}","ts":1234}}"#
            )
        );
    }
}

#[test]
fn s_8_a_tool_result_frame_says_success_with_result_or_error() {
    let ok = ToolOutcome::ok(ToolOutput::json(json!({"n": 1}))).timed(0, 5);
    assert_eq!(
        line(ended(ok)),
        r#"{"type":"tool_result","id":"call_1","name":"search_web","result":{"success":true,"result":{"n":1}},"duration_ms":5,"cached":false,"category":"search","visibility":"primary","ts":1234}"#
    );
    let failed = ToolOutcome::failed(ToolFailure::new(ErrorKind::Timeout, "too slow").hint("less"));
    assert_eq!(
        payload(&record(ended(failed))).unwrap()["result"].to_string(),
        r#"{"success":false,"error":"too slow","error_type":"timeout","hint":"less"}"#
    );
    let link = Link { title: "T".into(), url: "u".into(), snippet: String::new() };
    let linked = ToolOutcome::ok(ToolOutput { links: vec![link], ..ToolOutput::json(json!(1)) });
    assert_eq!(
        payload(&record(ended(linked))).unwrap()["result"].to_string(),
        r#"{"success":true,"result":1,"links":[{"title":"T","url":"u"}]}"#
    );
    let mut cached = ToolOutcome::ok(ToolOutput::json(json!(1)));
    cached.meta.is_cached = true;
    assert_eq!(payload(&record(ended(cached))).unwrap()["cached"], true);
}

#[test]
fn s_9_a_content_frame_has_the_piece_as_it_is() {
    assert_eq!(
        line(Event::Delta(DeltaEvent::TextDelta { text: "**a**\n".into() })),
        r#"{"type":"content","content":"**a**\n","ts":1234}"#
    );
}

#[test]
fn s_10_a_warning_frame_has_message_and_code() {
    let event = Event::Durable(DurableEvent::WarningRaised {
        code: WarningCode::ToolClamp,
        message: "Trimmed tool calls to 3".into(),
    });
    assert_eq!(
        line(event),
        r#"{"type":"warning","message":"Trimmed tool calls to 3","code":"TOOL_CLAMP","ts":1234}"#
    );
}

#[test]
fn codes_are_written_alike_in_frames_and_elsewhere() {
    let codes = [
        WarningCode::ToolClamp,
        WarningCode::MaxSteps,
        WarningCode::MaxCalls,
        WarningCode::RepeatCall,
        WarningCode::Truncated,
        WarningCode::DroppedArgs,
        WarningCode::NoToolSupport,
        WarningCode::FinalizeRefusedCall,
    ];
    for code in codes {
        assert_eq!(serde_json::to_value(code).unwrap(), code.word());
    }
}

#[test]
fn s_11_a_done_frame_says_how_it_ended() {
    for (outcome, word) in [
        (RunOutcome::Completed, "completed"),
        (RunOutcome::LimitReached, "limit_reached"),
        (RunOutcome::Cancelled, "cancelled"),
        (RunOutcome::Failed, "failed"),
    ] {
        let event = Event::Durable(DurableEvent::RunEnded {
            outcome,
            reason: StopReason::StepsMax,
            answer: "a".into(),
            usage: Usage::default(),
        });
        assert_eq!(
            line(event),
            format!(
                r#"{{"type":"done","done":true,"outcome":"{word}","reason":"steps_max","run_id":"r","ts":1234}}"#
            )
        );
        assert_eq!(outcome.word(), word);
    }
}

#[test]
fn additions_are_types_and_fields_a_client_may_ignore() {
    let started = Event::Durable(DurableEvent::RunStarted {
        model: "m".into(),
        profile: "studio".into(),
        message: Message::user("Hi").into(),
        wishes: Default::default(),
    });
    assert_eq!(
        line(started),
        r#"{"type":"run_started","run_id":"r","v":"1.1","session_id":"s","parent_id":"m","model":"m","profile":"studio","ts":1234}"#
    );
    let grew = |name: Option<&str>| {
        Event::Delta(DeltaEvent::CallDelta { index: 1, name: name.map(str::to_owned), chars: 9 })
    };
    assert_eq!(
        line(grew(Some("add"))),
        r#"{"type":"tool_call_delta","index":1,"name":"add","chars":9,"ts":1234}"#
    );
    assert_eq!(line(grew(None)), r#"{"type":"tool_call_delta","index":1,"chars":9,"ts":1234}"#, "no nulls");
    let progressed = Event::Delta(DeltaEvent::CallProgressed { call_id: id(), line: "half".into() });
    assert_eq!(line(progressed), r#"{"type":"tool_progress","id":"call_1","line":"half","ts":1234}"#);
}

#[test]
fn questions_and_decisions_have_frames_of_their_own() {
    let question = Question {
        call_id: id(),
        tool: "write_file".into(),
        arguments: r#"{"path":"a"}"#.into(),
        risk: Risk::High,
        targets: vec![Target::Path("a".into())],
        preview: Some(Preview::Diff("+1".into())),
        folder: None,
        caution: None,
        sandbox: None,
        rule: "write_file(a)".into(),
        confirm_word: None,
        digest: "abc".into(),
        position: 2,
        total: 4,
        hidden_chars: 0,
    };
    assert_eq!(
        line(Event::Durable(DurableEvent::PermissionRequested { question: Box::new(question) })),
        r#"{"type":"permission_request","id":"call_1","name":"write_file","arguments":"{\"path\":\"a\"}","risk":"high","preview":{"kind":"diff","text":"+1"},"targets":[{"path":"a"}],"rule":"write_file(a)","digest":"abc","position":2,"total":4,"hidden_chars":0,"ts":1234}"#
    );
    let decided = Event::Durable(DurableEvent::PermissionDecided {
        call_id: id(),
        decision: Decision::Remember,
        by: "user".into(),
        rule: Some("write_file(a)".into()),
        problem: None,
        denied_by: None,
        message: None,
    });
    assert_eq!(
        line(decided),
        r#"{"type":"permission_decision","id":"call_1","decision":"remember","by":"user","rule":"write_file(a)","ts":1234}"#
    );
}

#[test]
fn steps_have_a_frame_only_for_their_token_counts() {
    let step = |usage| {
        Event::Durable(DurableEvent::StepEnded {
            step: 2,
            message: Message::assistant("x").into(),
            finish: Finish::Stop,
            usage,
        })
    };
    let usage = Usage { input: 5, output: 2, cached: 1, reasoning: 1, cost_usd: None };
    assert_eq!(
        line(step(Some(usage))),
        r#"{"type":"usage","step":2,"input":5,"output":2,"total":7,"cached":1,"reasoning":1,"ts":1234}"#
    );
    assert_eq!(payload(&record(step(None))), None);
    assert_eq!(
        payload(&record(Event::Durable(DurableEvent::StepStarted {
            step: 1,
            purpose: StepPurpose::Work,
            attempt: 1
        }))),
        None
    );
}

#[test]
fn a_wait_and_a_changed_request_have_frames_of_their_own() {
    let delayed = Event::Durable(DurableEvent::StepDelayed {
        step: 2,
        attempt: 2,
        attempts_max: 3,
        delay_ms: 500,
        code: "rate_limit".into(),
        message: "slow down".into(),
        usage: None,
    });
    assert_eq!(
        line(delayed),
        r#"{"type":"waiting","step":2,"attempt":2,"attempts_max":3,"delay_ms":500,"code":"rate_limit","message":"slow down","ts":1234}"#
    );
    for kind in [NoticeKind::Healed, NoticeKind::Lowered, NoticeKind::Emulated, NoticeKind::Trimmed] {
        let adjusted = Event::Durable(DurableEvent::RequestAdjusted {
            step: 1,
            kind,
            rule: "r".into(),
            message: "m".into(),
        });
        let expected = format!(
            r#"{{"type":"request_adjusted","step":1,"kind":"{}","rule":"r","message":"m","ts":1234}}"#,
            kind.word()
        );
        assert_eq!(line(adjusted), expected);
    }
    let warning =
        Event::Durable(DurableEvent::WarningRaised { code: WarningCode::Emulated, message: "m".into() });
    assert_eq!(line(warning), r#"{"type":"warning","message":"m","code":"EMULATED","ts":1234}"#);
}

#[test]
fn s_1_frames_that_are_written_straight_are_those_of_the_payload() {
    let redactor = Redactor::default();
    let samples = [
        Event::Delta(DeltaEvent::TextDelta { text: "a \"b\" \u{1}\n\u{2028}ü".into() }),
        Event::Delta(DeltaEvent::ReasoningDelta { phase: 3, text: "hm\\".into() }),
        Event::Delta(DeltaEvent::CallDelta { index: 1, name: None, chars: 3 }),
        Event::Durable(DurableEvent::ErrorRaised { code: "auth".into(), message: "no".into() }),
        Event::Durable(DurableEvent::NoteAdded { text: "x".into() }),
    ];
    for event in samples {
        let record = record(event);
        let mut out = Vec::new();
        write_sse(&record, &redactor, &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), sse(&record).unwrap_or_default());
    }
}

#[test]
fn secrets_do_not_leave_in_frames() {
    let redactor = Redactor::new(["planted-secret".into()]);
    let events = [
        Event::Delta(DeltaEvent::TextDelta { text: "it is planted-secret".into() }),
        Event::Durable(DurableEvent::ErrorRaised {
            code: "auth".into(),
            message: "planted-secret is wrong".into(),
        }),
    ];
    for event in events {
        let mut out = Vec::new();
        write_sse(&record(event), &redactor, &mut out);
        let frame = String::from_utf8(out).unwrap();
        assert!(frame.contains("***") && !frame.contains("planted"), "{frame}");
    }
}
