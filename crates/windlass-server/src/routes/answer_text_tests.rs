use std::sync::Arc;

use windlass_core::protocol::event::{DeltaEvent, DurableEvent, StopReason};
use windlass_core::protocol::ids::CallId;
use windlass_core::protocol::message::{Message, Part};
use windlass_core::protocol::model::{Finish, Usage};
use windlass_core::protocol::tool::ToolCall;

use super::*;

fn started(profile: &str) -> Event {
    let message = Arc::new(Message::user("Go."));
    Event::Durable(DurableEvent::RunStarted {
        model: "m".into(),
        profile: profile.into(),
        message,
        wishes: Arc::default(),
    })
}

fn step(purpose: StepPurpose, attempt: u32) -> Event {
    Event::Durable(DurableEvent::StepStarted { step: 1, purpose, attempt })
}

fn said(text: &str) -> Event {
    Event::Delta(DeltaEvent::TextDelta { text: text.into() })
}

fn step_ended(message: Message) -> Event {
    Event::Durable(DurableEvent::StepEnded {
        step: 1,
        message: Arc::new(message),
        finish: Finish::Stop,
        usage: None,
    })
}

fn called() -> Event {
    let call = ToolCall {
        id: CallId::numbered(1),
        provider_id: None,
        step: 1,
        index: 0,
        name: "look".into(),
        arguments: "{}".into(),
        state: None,
    };
    step_ended(Message::Assistant { parts: vec![Part::Call(call)] })
}

fn ended(answer: &str, outcome: RunOutcome) -> Event {
    Event::Durable(DurableEvent::RunEnded {
        outcome,
        reason: StopReason::Answered,
        answer: answer.into(),
        usage: Usage::default(),
    })
}

fn shown(events: &[Event]) -> String {
    let mut text = AnswerText::default();
    let pieces = events.iter().filter_map(|event| match text.apply(event) {
        Some(ShownText::Text(piece)) => Some(piece),
        Some(ShownText::Reasoning(_)) | None => None,
    });
    pieces.collect()
}

const WORK: StepPurpose = StepPurpose::Work;

#[test]
fn texts_of_steps_stand_apart_and_the_answer_is_not_said_twice() {
    let events = [
        started("default"),
        step(WORK, 1),
        said("Let me look."),
        called(),
        step(WORK, 1),
        said("It is "),
        said("there.\n"),
        step_ended(Message::assistant("It is there.\n")),
        ended("It is there.", RunOutcome::Completed),
    ];
    assert_eq!(shown(&events), "Let me look.\n\nIt is there.\n");
}

#[test]
fn a_second_try_goes_on_where_the_first_was_cut() {
    let begin = [started("default"), step(WORK, 1), said("Once upon"), step(WORK, 2)];
    let same = [said("Once "), said("upon a time."), ended("Once upon a time.", RunOutcome::Completed)];
    assert_eq!(shown(&[&begin[..], &same].concat()), "Once upon a time.");
    let other = [said("Once, "), said("long ago."), ended("Once, long ago.", RunOutcome::Completed)];
    assert_eq!(shown(&[&begin[..], &other].concat()), "Once upon\n\nOnce, long ago.");
    let third = [said("On"), step(WORK, 3), said("Once upon a"), ended("Once upon a", RunOutcome::Completed)];
    assert_eq!(shown(&[&begin[..], &third].concat()), "Once upon a");
}

#[test]
fn a_continued_answer_is_one_text() {
    let events = [
        started("default"),
        step(WORK, 1),
        said("One "),
        step(StepPurpose::Continuation, 1),
        said("two."),
        ended("One two.", RunOutcome::Completed),
    ];
    assert_eq!(shown(&events), "One two.");
}

#[test]
fn the_words_of_a_cancel_come_last_and_a_failure_repeats_nothing() {
    let begin = [started("default"), step(WORK, 1), said("Once")];
    let cancelled = [ended("Generation cancelled", RunOutcome::Cancelled)];
    assert_eq!(shown(&[&begin[..], &cancelled].concat()), "Once\n\nGeneration cancelled");
    let kept = [ended("Once", RunOutcome::Cancelled)];
    assert_eq!(shown(&[&begin[..], &kept].concat()), "Once");
    let failed = [ended("the line is dead", RunOutcome::Failed)];
    assert_eq!(shown(&[&begin[..], &failed].concat()), "Once");
}
