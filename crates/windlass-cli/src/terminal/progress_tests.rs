use std::sync::Arc;

use windlass_core::protocol::event::{DeltaEvent, DurableEvent, StopReason, WarningCode};
use windlass_core::protocol::ids::{MessageId, RunId, SessionId};
use windlass_core::protocol::message::{Reasoning, ToolMessage};
use windlass_core::protocol::model::{Finish, NoticeKind, Usage};
use windlass_core::protocol::tool::{Category, ErrorKind, ToolFailure, ToolOutput, Visibility};

use super::*;

fn see(progress: &mut RunProgress, event: Event) -> Vec<String> {
    let record = Record {
        seq: 1,
        ts_ms: 0,
        session_id: SessionId::from("s"),
        run_id: RunId::from("r"),
        parent_id: MessageId::from("m"),
        event,
        cause: None,
    };
    progress.see(&record).iter().map(|line| console::strip_ansi_codes(line).into_owned()).collect()
}

fn usual() -> RunProgress {
    RunProgress::new(Detail::Usual, false, true)
}

fn tool_call(arguments: &str) -> ToolCall {
    ToolCall {
        id: CallId::numbered(1),
        provider_id: None,
        step: 1,
        index: 0,
        name: "read_file".into(),
        arguments: arguments.into(),
        state: None,
    }
}

fn requested(arguments: &str) -> Event {
    Event::Durable(DurableEvent::CallRequested {
        call: tool_call(arguments),
        category: Category::Other,
        visibility: Visibility::Secondary,
        vendor: "".into(),
    })
}

fn started() -> Event {
    Event::Durable(DurableEvent::CallStarted {
        call_id: CallId::numbered(1),
        name: "read_file".into(),
        by: None,
        category: Category::Other,
        visibility: Visibility::Secondary,
    })
}

fn ended(outcome: ToolOutcome, visibility: Visibility) -> Event {
    let message = Message::Tool(ToolMessage {
        call_id: CallId::numbered(1),
        provider_id: None,
        name: "read_file".into(),
        content: String::new(),
        is_ok: true,
        is_valid_call: true,
        label: None,
    });
    Event::Durable(DurableEvent::CallEnded {
        call_id: CallId::numbered(1),
        name: "read_file".into(),
        outcome: Arc::new(outcome.timed(0, 3)),
        message: message.into(),
        category: Category::Other,
        visibility,
    })
}

#[test]
fn a_call_that_worked_is_one_line() {
    let mut progress = usual();
    assert!(see(&mut progress, requested(r#"{"path":"README.md","start_line":1}"#)).is_empty());
    assert!(see(&mut progress, started()).is_empty());
    assert_eq!(progress.activity(), "read_file README.md");
    see(
        &mut progress,
        Event::Delta(DeltaEvent::CallProgressed { call_id: CallId::numbered(1), line: "half way".into() }),
    );
    assert_eq!(progress.activity(), "read_file: half way");
    let lines =
        see(&mut progress, ended(ToolOutcome::ok(ToolOutput::text("one\ntwo")), Visibility::Secondary));
    assert_eq!(lines, ["✓ read_file README.md  3 ms  2 lines"]);
    assert_eq!(progress.activity(), "");
}

#[test]
fn what_a_call_gave_is_said_in_a_few_words() {
    let line = |output: ToolOutput| {
        let mut progress = usual();
        see(&mut progress, ended(ToolOutcome::ok(output), Visibility::Secondary)).remove(0)
    };
    assert_eq!(line(ToolOutput::text("514")), "✓ read_file  3 ms  514");
    assert_eq!(line(ToolOutput::json(serde_json::json!(["a", "b"]))), "✓ read_file  3 ms  2 items");
    assert_eq!(line(ToolOutput::json(serde_json::json!(["a"]))), "✓ read_file  3 ms  1 item");
    assert!(line(ToolOutput::text("x".repeat(500))).chars().count() < 140);
}

#[test]
fn calls_that_failed_were_denied_or_repeated_are_told_apart() {
    let mut progress = usual();
    let failed = ToolOutcome::failed(ToolFailure::not_found("File not found: a"));
    assert_eq!(
        see(&mut progress, ended(failed, Visibility::Hidden)),
        ["✗ read_file  3 ms  File not found: a"]
    );
    let denied = ToolOutcome::failed(ToolFailure::denied("no"));
    assert_eq!(see(&mut progress, ended(denied, Visibility::Secondary)), ["⊘ read_file  3 ms  no"]);
    let cancelled = ToolOutcome::failed(ToolFailure::new(ErrorKind::Cancelled, "stopped"));
    assert_eq!(see(&mut progress, ended(cancelled, Visibility::Secondary)), ["✗ read_file  3 ms  stopped"]);
    let mut again = ToolOutcome::ok(ToolOutput::text("5"));
    again.meta.is_cached = true;
    assert_eq!(see(&mut progress, ended(again, Visibility::Secondary)), ["✓ read_file  3 ms  5  (again)"]);
}

#[test]
fn every_call_is_told_however_quiet_its_tool_and_in_full_with_its_arguments() {
    let outcome = || ToolOutcome::ok(ToolOutput::text("4"));
    assert_eq!(see(&mut usual(), ended(outcome(), Visibility::Hidden)), ["✓ read_file  3 ms  4"]);
    let mut full = RunProgress::new(Detail::Full, false, true);
    see(&mut full, requested(r#"{"path":"a"}"#));
    assert_eq!(
        see(&mut full, ended(outcome(), Visibility::Hidden)),
        ["✓ read_file a  3 ms  4", r#"  {"path":"a"}"#]
    );
}

#[test]
fn the_subject_of_a_call_is_its_first_argument() {
    for (arguments, expected) in [
        (r#"{"command":["git","status"]}"#, "git status"),
        (r#"{"limit":3,"path":"a"}"#, r#"{"limit":3,"path":"a"}"#),
        ("{}", ""),
        ("{broken", "{broken"),
        ("{\"path\":\"a\\u001b[2J\\nb\"}", "a\\u{1b}[2J b"),
    ] {
        assert_eq!(subject(arguments), expected, "{arguments}");
    }
}

#[test]
fn thinking_is_told_in_full_and_remarks_before_calls_always() {
    let message = |has_call: bool| {
        let mut parts = vec![
            Part::Reasoning(Reasoning { text: "hmm".into(), ..Reasoning::default() }),
            Part::text("Let me look."),
        ];
        if has_call {
            parts.push(Part::Call(tool_call("{}")));
        }
        Event::Durable(DurableEvent::StepEnded {
            step: 1,
            message: Message::Assistant { parts }.into(),
            finish: Finish::Stop,
            usage: None,
        })
    };
    assert_eq!(see(&mut usual(), message(true)), ["· Let me look."]);
    assert!(see(&mut usual(), message(false)).is_empty(), "the answer is not progress");
    assert_eq!(
        see(&mut RunProgress::new(Detail::Full, false, true), message(true)),
        ["  hmm", "· Let me look."]
    );
    assert!(
        see(&mut RunProgress::new(Detail::Usual, false, false), message(true)).is_empty(),
        "it was streamed"
    );
}

#[test]
fn messages_of_a_script_decisions_and_warnings_are_told() {
    let start = || {
        Event::Durable(DurableEvent::RunStarted {
            model: "m".into(),
            profile: "default".into(),
            message: Message::user("Hello\nyou").into(),
            wishes: Default::default(),
        })
    };
    assert!(see(&mut usual(), start()).is_empty());
    assert_eq!(see(&mut RunProgress::new(Detail::Usual, true, true), start()), ["» Hello\nyou"]);
    let warning = Event::Durable(DurableEvent::WarningRaised {
        code: WarningCode::MaxSteps,
        message: "Reached the limit".into(),
    });
    assert_eq!(see(&mut usual(), warning), ["! Reached the limit (MAX_STEPS)"]);
    let decided = |decision: Decision| {
        Event::Durable(DurableEvent::PermissionDecided {
            call_id: CallId::numbered(1),
            decision,
            by: "user".into(),
            rule: Some("read_file(a)".into()),
            problem: Some("not stored".into()),
            denied_by: None,
            message: None,
        })
    };
    assert_eq!(
        see(&mut usual(), decided(Decision::Remember)),
        ["  remembered: read_file(a)", "! not stored"]
    );
    assert_eq!(see(&mut usual(), decided(Decision::Session)), ["! not stored"]);
}

#[test]
fn what_goes_on_is_said_for_every_purpose_and_nothing_after_the_end() {
    let mut progress = usual();
    for purpose in
        [StepPurpose::Work, StepPurpose::Correction, StepPurpose::Continuation, StepPurpose::Finalise]
    {
        see(&mut progress, Event::Durable(DurableEvent::StepStarted { step: 1, purpose, attempt: 1 }));
        assert!(progress.activity().starts_with("waiting for"), "{purpose:?}");
    }
    see(&mut progress, Event::Delta(DeltaEvent::ReasoningDelta { phase: 0, text: "x".into() }));
    assert_eq!(progress.activity(), "thinking");
    see(
        &mut progress,
        Event::Delta(DeltaEvent::CallDelta { index: 0, name: Some("read_file".into()), chars: 8 }),
    );
    assert_eq!(progress.activity(), "writing a call read_file (8 characters)");
    let end = Event::Durable(DurableEvent::RunEnded {
        outcome: RunOutcome::Completed,
        reason: StopReason::Answered,
        answer: "a".into(),
        usage: Usage::default(),
    });
    see(&mut progress, end);
    assert_eq!(progress.activity(), "");
}

#[test]
fn a_wait_for_another_try_is_told_and_shown_until_something_comes() {
    let mut progress = usual();
    let step =
        |attempt| Event::Durable(DurableEvent::StepStarted { step: 1, purpose: StepPurpose::Work, attempt });
    let delayed = Event::Durable(DurableEvent::StepDelayed {
        step: 1,
        attempt: 2,
        attempts_max: 3,
        delay_ms: 2_000,
        code: "rate_limit".into(),
        message: "rate limit at\nopenai\u{1b}[31m".into(),
        usage: None,
    });
    assert!(see(&mut progress, step(1)).is_empty());
    let told = see(&mut progress, delayed);
    assert_eq!(told.len(), 1);
    assert!(told[0].starts_with("! waiting 2.0 s: rate limit at openai"), "{told:?}");
    assert!(told[0].ends_with("(try 2 of 3)") && !told[0].contains('\u{1b}'), "{told:?}");
    assert!(see(&mut progress, step(2)).is_empty());
    assert!(progress.activity().starts_with("waiting 2.0 s: rate limit"));
    see(&mut progress, Event::Delta(DeltaEvent::ReasoningDelta { phase: 0, text: "hm".into() }));
    assert_eq!(progress.activity(), "thinking");
    see(&mut progress, step(3));
    assert_eq!(progress.activity(), "waiting for the model");
}

#[test]
fn what_is_left_out_of_a_request_is_told_and_other_changes_on_demand() {
    let adjusted = |kind| {
        Event::Durable(DurableEvent::RequestAdjusted {
            step: 1,
            kind,
            rule: "r".into(),
            message: "left out 2 earlier exchanges".into(),
        })
    };
    let full = || RunProgress::new(Detail::Full, false, true);
    let told = ["  trimmed: left out 2 earlier exchanges"];
    assert_eq!(see(&mut usual(), adjusted(NoticeKind::Trimmed)), told);
    for kind in [NoticeKind::Healed, NoticeKind::Lowered, NoticeKind::Emulated] {
        assert!(see(&mut usual(), adjusted(kind)).is_empty());
        assert_eq!(see(&mut full(), adjusted(kind)).len(), 1);
    }
}

#[test]
fn reading_a_long_prompt_is_shown_and_told_once_where_it_takes_long() {
    let mut progress = usual();
    let read = |tokens_read: u64, remaining_ms: Option<u64>| {
        Event::Delta(DeltaEvent::StepProgressed { tokens_read, tokens_total: 4_096, remaining_ms })
    };
    assert_eq!(see(&mut progress, read(128, None)), Vec::<String>::new());
    assert_eq!(progress.activity(), "reading the prompt: 128 of 4096 tokens");
    assert_eq!(
        see(&mut progress, read(256, Some(31_000))),
        ["  reading the prompt: 256 of 4096 tokens, about 31 s left"]
    );
    assert_eq!(see(&mut progress, read(384, Some(30_000))), Vec::<String>::new());
    assert_eq!(progress.activity(), "reading the prompt: 384 of 4096 tokens, about 30 s left");
}
