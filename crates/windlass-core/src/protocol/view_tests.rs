use serde_json::json;

use super::*;
use crate::permission::Decision;
use crate::protocol::message::{Reasoning, ToolMessage};
use crate::protocol::model::{Finish, StepPurpose};
use crate::protocol::tool::{Risk, ToolOutput};

fn record(seq: u64, event: Event) -> Record {
    Record {
        seq,
        ts_ms: seq,
        session_id: "s".into(),
        run_id: "r".into(),
        parent_id: "m".into(),
        event,
        cause: None,
    }
}

fn started() -> Event {
    Event::Durable(DurableEvent::RunStarted {
        model: "m".into(),
        profile: "default".into(),
        message: Message::user("Hi").into(),
        wishes: Default::default(),
    })
}

fn step(step: u32, attempt: u32) -> Event {
    Event::Durable(DurableEvent::StepStarted { step, purpose: StepPurpose::Work, attempt })
}

fn text(text: &str) -> Event {
    Event::Delta(DeltaEvent::TextDelta { text: text.into() })
}

fn thought(phase: u32, text: &str) -> Event {
    Event::Delta(DeltaEvent::ReasoningDelta { phase, text: text.into() })
}

fn call(number: u64) -> ToolCall {
    ToolCall {
        id: CallId::numbered(number),
        provider_id: None,
        step: 1,
        index: 0,
        name: "look".into(),
        arguments: "{}".into(),
        state: None,
    }
}

fn requested(number: u64) -> Event {
    Event::Durable(DurableEvent::CallRequested {
        call: call(number),
        category: Category::Search,
        visibility: Visibility::Primary,
        vendor: "".into(),
    })
}

fn outcome() -> Arc<ToolOutcome> {
    Arc::new(ToolOutcome::ok(ToolOutput::json(json!(1))))
}

fn ended(number: u64) -> Event {
    let message = Message::Tool(ToolMessage {
        call_id: CallId::numbered(number),
        provider_id: None,
        name: "look".into(),
        content: "1".into(),
        is_ok: true,
        is_valid_call: true,
        label: None,
    });
    Event::Durable(DurableEvent::CallEnded {
        call_id: CallId::numbered(number),
        name: "look".into(),
        outcome: outcome(),
        message: message.into(),
        category: Category::Search,
        visibility: Visibility::Primary,
    })
}

fn step_ended(parts: Vec<Part>) -> Event {
    let usage = Some(Usage { input: 5, output: 1, ..Usage::default() });
    Event::Durable(DurableEvent::StepEnded {
        step: 1,
        message: Message::Assistant { parts }.into(),
        finish: Finish::Stop,
        usage,
    })
}

fn run_ended(answer: &str) -> Event {
    Event::Durable(DurableEvent::RunEnded {
        outcome: RunOutcome::Completed,
        reason: StopReason::Answered,
        answer: answer.into(),
        usage: Usage { input: 9, ..Usage::default() },
    })
}

fn thinking(text: &str) -> Part {
    Part::Reasoning(Reasoning { text: text.into(), ..Reasoning::default() })
}

fn fold(events: Vec<Event>) -> RunView {
    let records: Vec<_> = (1..).zip(events).map(|(seq, event)| record(seq, event)).collect();
    let live = SessionView::fold(&records);
    let late = SessionView::fold(records.iter().filter(|record| record.event.is_durable()));
    if matches!(
        records.last().map(|record| &record.event),
        Some(Event::Durable(DurableEvent::RunEnded { .. }))
    ) {
        assert_eq!(live.runs, late.runs, "a screen that joined late sees the same");
    }
    live.runs.into_iter().next().unwrap()
}

/// Entries in short.
fn shown(run: &RunView) -> Vec<String> {
    run.entries
        .iter()
        .map(|entry| match entry {
            Entry::Reasoning { phase, text } => format!("thought {phase}: {text}"),
            Entry::Text(text) => format!("text: {text}"),
            Entry::Call(call) => format!("{} {}", call.call.id, state_word(&call.state)),
        })
        .collect()
}

fn state_word(state: &CallState) -> &'static str {
    match state {
        CallState::Requested => "requested",
        CallState::Asking => "asking",
        CallState::Running => "running",
        CallState::Ended(_) => "ended",
    }
}

#[test]
fn s_32_thinking_calls_and_text_stand_in_the_order_in_which_they_happened() {
    let run = fold(vec![
        started(),
        step(1, 1),
        thought(0, "a"),
        thought(0, "b"),
        text("Let me "),
        text("look."),
        step_ended(vec![thinking("ab"), Part::text("Let me look."), Part::Call(call(1))]),
        requested(1),
        ended(1),
        step(2, 1),
        thought(1, "c"),
        text("Done."),
        step_ended(vec![thinking("c"), Part::text("Done.")]),
        run_ended("Done."),
    ]);
    assert_eq!(
        shown(&run),
        ["thought 0: ab", "text: Let me look.", "call_1 ended", "thought 1: c", "text: Done."]
    );
    assert_eq!((run.user.as_str(), run.answer.as_str()), ("Hi", "Done."));
    assert_eq!(run.ended, Some((RunOutcome::Completed, StopReason::Answered)));
    assert_eq!(run.usage.input, 9, "the run's own sum replaces what was counted");
}

#[test]
fn deltas_make_the_view_live_and_a_new_phase_begins_a_new_block() {
    let run = fold(vec![
        started(),
        step(1, 1),
        thought(0, "a"),
        thought(0, "b"),
        thought(1, "c"),
        text("x"),
        text("y"),
        thought(1, "d"),
    ]);
    assert_eq!(shown(&run), ["thought 0: ab", "thought 1: c", "text: xy", "thought 1: d"]);
    assert_eq!(run.ended, None);
}

#[test]
fn what_a_step_says_durably_replaces_its_deltas_and_early_calls_stay_after_it() {
    let run = fold(vec![
        started(),
        step(1, 1),
        text("Hal"),
        requested(1),
        text("f"),
        step_ended(vec![Part::text("Half"), Part::text(""), thinking(""), Part::Call(call(1))]),
        ended(1),
    ]);
    assert_eq!(shown(&run), ["text: Half", "call_1 ended"]);
    assert_eq!(run.usage.input, 5);
}

/// An answer that was cut by its length goes on in a step of its own (R-63).
#[test]
fn pieces_of_a_step_are_not_added_to_what_was_kept_of_the_one_before() {
    let run = fold(vec![
        started(),
        step(1, 1),
        thought(0, "a"),
        step_ended(vec![thinking("a")]),
        step(2, 1),
        thought(0, "b"),
        text("One "),
        step_ended(vec![thinking("b"), Part::text("One ")]),
        step(3, 1),
        text("two."),
        step_ended(vec![Part::text("two.")]),
        run_ended("One two."),
    ]);
    assert_eq!(shown(&run), ["thought 0: a", "thought 0: b", "text: One ", "text: two."]);
}

#[test]
fn another_try_of_a_step_throws_the_first_away() {
    let run = fold(vec![
        started(),
        step(1, 1),
        step_ended(vec![Part::text("kept"), Part::Call(call(1))]),
        requested(1),
        ended(1),
        step(2, 1),
        text("half"),
        requested(2),
        ended(2),
        step(2, 2),
        text("again"),
    ]);
    assert_eq!(shown(&run), ["text: kept", "call_1 ended", "text: again"]);
}

#[test]
fn what_no_durable_event_kept_is_gone_when_the_next_step_or_the_end_comes() {
    let run =
        fold(vec![started(), step(1, 1), text("half"), requested(1), ended(1), step(2, 1), text("whole")]);
    assert_eq!(shown(&run), ["call_1 ended", "text: whole"]);
    let run =
        fold(vec![started(), step(1, 1), thought(0, "hm"), text("half"), run_ended("Generation cancelled")]);
    assert_eq!(shown(&run), Vec::<String>::new());
    assert_eq!(run.answer, "Generation cancelled");
}

fn question() -> Question {
    Question {
        call_id: CallId::numbered(1),
        tool: "look".into(),
        arguments: "{}".into(),
        risk: Risk::Medium,
        targets: Vec::new(),
        preview: None,
        folder: None,
        caution: None,
        sandbox: None,
        rule: "look".into(),
        confirm_word: None,
        digest: String::new(),
        position: 1,
        total: 1,
        hidden_chars: 0,
    }
}

fn decided() -> Event {
    Event::Durable(DurableEvent::PermissionDecided {
        call_id: CallId::numbered(1),
        decision: Decision::Once,
        by: "user".into(),
        rule: None,
        problem: None,
        denied_by: None,
        message: None,
    })
}

#[test]
fn a_call_goes_through_its_states() {
    let call_started = Event::Durable(DurableEvent::CallStarted {
        call_id: CallId::numbered(1),
        name: "look".into(),
        by: None,
        category: Category::Search,
        visibility: Visibility::Primary,
    });
    let progressed =
        Event::Delta(DeltaEvent::CallProgressed { call_id: CallId::numbered(1), line: "half".into() });
    let all = [
        started(),
        requested(1),
        Event::Durable(DurableEvent::PermissionRequested { question: Box::new(question()) }),
        decided(),
        call_started,
        progressed,
        ended(1),
    ];
    let late =
        Event::Delta(DeltaEvent::CallProgressed { call_id: CallId::numbered(1), line: "whole".into() });
    let upto = |count: usize| fold(all[..count].to_vec());
    assert_eq!(shown(&upto(2)), ["call_1 requested"]);
    assert_eq!((shown(&upto(3)), upto(3).questions.len()), (vec!["call_1 asking".to_owned()], 1));
    assert_eq!(upto(4).questions, []);
    assert_eq!(shown(&upto(5)), ["call_1 running"]);
    let Entry::Call(call) = &upto(6).entries[0] else { panic!("no call") };
    assert_eq!(call.progress.as_deref(), Some("half"));
    assert_eq!((call.category, call.visibility), (Category::Search, Visibility::Primary));
    assert_eq!(shown(&upto(7)), ["call_1 ended"]);
    for over in [upto(7), fold(all.into_iter().chain([late]).collect())] {
        let Entry::Call(call) = &over.entries[0] else { panic!("no call") };
        assert_eq!(call.progress, None, "a screen that joins now has not seen it either");
    }
}

#[test]
fn a_question_is_gone_when_its_call_or_the_run_ends() {
    let asked = || {
        vec![
            started(),
            requested(1),
            Event::Durable(DurableEvent::PermissionRequested { question: Box::new(question()) }),
        ]
    };
    let with = |event: Event| fold(asked().into_iter().chain([event]).collect());
    assert_eq!(with(ended(1)).questions, []);
    assert_eq!(with(ended(2)).questions.len(), 1, "another call");
    assert_eq!(with(run_ended("x")).questions, []);
}

#[test]
fn warnings_and_errors_are_kept_once_each() {
    let warning = Event::Durable(DurableEvent::WarningRaised {
        code: WarningCode::ToolClamp,
        message: "Trimmed tool calls to 6".into(),
    });
    let error = Event::Durable(DurableEvent::ErrorRaised { code: "auth".into(), message: "no key".into() });
    let run = fold(vec![started(), warning, error]);
    assert_eq!(run.warnings, [(WarningCode::ToolClamp, "Trimmed tool calls to 6".to_owned())]);
    assert_eq!(run.error.as_deref(), Some("no key"));
}

#[test]
fn a_record_is_folded_in_once_and_finds_its_own_run() {
    let mut view = SessionView::default();
    view.apply(&record(1, started()));
    view.apply(&record(2, text("a")));
    view.apply(&record(2, text("a")));
    view.apply(&record(1, text("a")));
    assert_eq!((shown(&view.runs[0]), view.seq), (vec!["text: a".to_owned()], 2));
    let other = |seq, event| Record { run_id: "other".into(), ..record(seq, event) };
    view.apply(&other(3, text("lost")));
    view.apply(&other(4, started()));
    view.apply(&other(5, text("b")));
    view.apply(&record(6, text("c")));
    assert_eq!(shown(&view.runs[0]), ["text: ac"]);
    assert_eq!(shown(&view.runs[1]), ["text: b"]);
}

fn delayed(attempt: u32) -> Event {
    Event::Durable(DurableEvent::StepDelayed {
        step: 1,
        attempt,
        attempts_max: 3,
        delay_ms: 500,
        code: "rate_limit".into(),
        message: "slow down".into(),
        usage: None,
    })
}

#[test]
fn a_step_that_waits_is_shown_until_something_comes() {
    let waiting = fold(vec![started(), step(1, 1), delayed(2), step(1, 2)]).waiting;
    let expected = Waiting { attempt: 2, attempts_max: 3, delay_ms: 500, message: "slow down".into() };
    assert_eq!(waiting, Some(expected));
    let call_delta = Event::Delta(DeltaEvent::CallDelta { index: 0, name: None, chars: 1 });
    for next in [text("x"), thought(0, "x"), call_delta, step_ended(vec![Part::text("x")]), run_ended("x")] {
        let name = next.name();
        assert_eq!(fold(vec![started(), step(1, 1), delayed(2), step(1, 2), next]).waiting, None, "{name}");
    }
}

#[test]
fn changes_of_requests_are_kept() {
    let adjusted = Event::Durable(DurableEvent::RequestAdjusted {
        step: 1,
        kind: NoticeKind::Trimmed,
        rule: "r".into(),
        message: "m".into(),
    });
    let run = fold(vec![started(), step(1, 1), adjusted]);
    assert_eq!(run.adjustments, [(NoticeKind::Trimmed, "m".to_owned())]);
}

#[test]
fn s_34_a_call_stands_where_its_step_has_it_and_is_filed_when_it_is_announced() {
    let parts = vec![Part::text("a"), Part::Call(call(1)), Part::text("b"), Part::Call(call(2))];
    let run = fold(vec![started(), step(1, 1), requested(1), step_ended(parts), requested(2)]);
    let places: Vec<_> = run
        .entries
        .iter()
        .map(|entry| match entry {
            Entry::Text(text) => text.clone(),
            Entry::Reasoning { text, .. } => text.clone(),
            Entry::Call(call) => format!("{} {:?}", call.call.id, call.category),
        })
        .collect();
    assert_eq!(places, ["a", "call_1 Search", "b", "call_2 Search"]);
}

#[test]
fn r_63_a_text_that_goes_on_in_the_next_step_is_an_entry_of_its_own_and_shown_once() {
    let step =
        |step| Event::Durable(DurableEvent::StepStarted { step, purpose: StepPurpose::Work, attempt: 1 });
    let first =
        vec![started(), step(1), text("Once upon"), step_ended(vec![Part::text("Once upon")]), step(2)];
    let speaking = fold(first.iter().cloned().chain([text(" a"), text(" time.")]).collect());
    assert_eq!(shown(&speaking), ["text: Once upon", "text:  a time."]);
    let rest = [text(" a time."), step_ended(vec![Part::text(" a time.")]), run_ended("Once upon a time.")];
    let over = fold(first.into_iter().chain(rest).collect());
    assert_eq!(shown(&over), ["text: Once upon", "text:  a time."]);
}
