use windlass_core::protocol::event::{DeltaEvent, DurableEvent, RunOutcome, StopReason};
use windlass_core::protocol::ids::CallId;
use windlass_core::protocol::message::{Message, Part};
use windlass_core::protocol::model::{Finish, StepPurpose, Usage};
use windlass_core::protocol::tool::ToolCall;

use super::*;

fn start(attempt: u32) -> Event {
    Event::Durable(DurableEvent::StepStarted { step: 1, purpose: StepPurpose::Work, attempt })
}

fn delta(text: &str) -> Event {
    Event::Delta(DeltaEvent::TextDelta { text: text.into() })
}

fn step(text: &str, has_call: bool) -> Event {
    let mut parts = vec![Part::text(text)];
    if has_call {
        parts.push(Part::Call(ToolCall {
            id: CallId::numbered(1),
            provider_id: None,
            step: 1,
            index: 0,
            name: "calculate".into(),
            arguments: "{}".into(),
            state: None,
        }));
    }
    Event::Durable(DurableEvent::StepEnded {
        step: 1,
        message: Message::Assistant { parts }.into(),
        finish: Finish::Stop,
        usage: None,
    })
}

fn end(answer: &str) -> Event {
    Event::Durable(DurableEvent::RunEnded {
        outcome: RunOutcome::Completed,
        reason: StopReason::Answered,
        answer: answer.into(),
        usage: Usage::default(),
    })
}

fn play(events: &[Event]) -> String {
    let mut live = LiveAnswer::default();
    events.iter().map(|event| live.see(event, 80)).collect()
}

#[test]
fn a_streamed_answer_stands_there_once() {
    let shown = play(&[start(1), delta("Hello "), delta("you"), step("Hello you", false), end("Hello you")]);
    assert_eq!(shown, "  Hello you\n");
    let shown = play(&[start(1), delta("Hello\n"), step("Hello\n", false), end("Hello\n")]);
    assert_eq!(shown, "  Hello\n");
}

#[test]
fn an_answer_that_never_streamed_is_printed_whole() {
    assert_eq!(play(&[start(1), end("Hello")]), "  Hello\n");
    assert_eq!(play(&[start(1), end("")]), "");
}

#[test]
fn text_before_a_call_ends_its_line() {
    let shown = play(&[
        start(1),
        delta("Look."),
        step("Look.", true),
        start(1),
        delta("Two."),
        step("Two.", false),
        end("Two."),
    ]);
    assert_eq!(shown, "  Look.\n  Two.\n");
}

#[test]
fn a_step_that_is_asked_again_begins_on_a_new_line() {
    let shown = play(&[
        start(1),
        delta("Hal"),
        start(2),
        delta("Half done"),
        step("Half done", false),
        end("Half done"),
    ]);
    assert_eq!(shown, "  Hal\n  Half done\n");
}

#[test]
fn a_continued_answer_goes_on_where_it_was() {
    let shown = play(&[
        start(1),
        delta("one "),
        step("one ", false),
        start(1),
        delta("two"),
        step("two", false),
        end("one two"),
    ]);
    assert_eq!(shown, "  one two\n");
}

#[test]
fn what_the_machine_adds_or_changes_is_printed_too() {
    assert_eq!(
        play(&[start(1), delta("A"), step("A", false), end("A\n\nSources: x")]),
        "  A\n\n  Sources: x\n"
    );
    assert_eq!(play(&[start(1), delta("A"), step("A", false), end("other")]), "  A\n  other\n");
    assert_eq!(play(&[start(1), delta(" A "), step(" A ", false), end("A")]), "   A \n");
}

#[test]
fn escape_sequences_do_not_reach_the_terminal() {
    assert_eq!(
        play(&[start(1), delta("\u{1b}[2J"), step("\u{1b}[2J", false), end("\u{1b}[2J")]),
        "  \\u{1b}[2J\n"
    );
}
