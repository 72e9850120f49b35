use windlass_core::permission::Decision;
use windlass_core::protocol::event::DeltaEvent;
use windlass_core::protocol::ids::CallId;
use windlass_core::protocol::tool::{ToolOutcome, ToolOutput};

use super::*;
use crate::sample::*;

fn user(text: &str) -> ScriptedUser {
    ScriptedUser::new(&Script::parse("t", text).unwrap())
}

/// Which of the events the user reacts to, and how.
fn reactions(user: &mut ScriptedUser, events: &[Event]) -> Vec<(usize, RunCommand)> {
    let react = |(place, event)| user.react(event).map(|command| (place, command));
    events.iter().enumerate().filter_map(react).collect()
}

fn text(text: &str) -> Event {
    Event::Delta(DeltaEvent::TextDelta { text: text.into() })
}

#[test]
fn messages_come_in_order() {
    let mut user = user("user a\nmodel text x\nuser b");
    assert_eq!(user.next_message().as_deref(), Some("a"));
    assert_eq!(user.next_message().as_deref(), Some("b"));
    assert_eq!(user.next_message(), None);
}

#[test]
fn questions_are_answered_by_the_number_of_their_call() {
    let mut user = user("user a\nmodel call 1 a\nmodel call 2 a\ndeny 2\napprove 1 session");
    let events = [
        run_started(),
        step_started(1),
        call_requested(1, 0),
        call_requested(2, 1),
        permission_requested(1),
        permission_requested(2),
        permission_requested(2),
    ];
    let answer = |id, decision| RunCommand::PermissionAnswer {
        call_id: CallId::numbered(id),
        digest: String::new(),
        answer: PermissionAnswer::new(decision),
    };
    assert_eq!(
        reactions(&mut user, &events),
        [(4, answer(1, Decision::Session)), (5, answer(2, Decision::Deny))]
    );
}

#[test]
fn a_question_without_an_answer_is_left_open() {
    let mut user = user("user a\nmodel call 1 a");
    let events = [run_started(), step_started(1), call_requested(1, 0), permission_requested(1)];
    assert_eq!(reactions(&mut user, &events), []);
}

#[test]
fn a_cancel_after_a_message_comes_with_the_first_step() {
    let mut user = user("user a\ncancel");
    assert_eq!(reactions(&mut user, &[run_started(), step_started(1)]), [(1, RunCommand::RunCancel)]);
}

#[test]
fn a_cancel_after_an_open_step_comes_when_all_of_it_was_said() {
    let mut user = user("user a\nmodel text x\nmodel end\nmodel text ab cd\nmodel hang\ncancel");
    let events = [
        run_started(),
        step_started(1),
        text("ab cd"),
        step_ended(1),
        step_started(2),
        text("ab "),
        text("cd"),
        text("e"),
    ];
    assert_eq!(reactions(&mut user, &events), [(6, RunCommand::RunCancel)]);
}

/// A step with one call, up to where the call is announced.
fn called() -> Vec<Event> {
    vec![run_started(), step_started(1), step_ended(1), call_requested(1, 0)]
}

fn ended(id: u64) -> Event {
    call_ended(id, ToolOutcome::ok(ToolOutput::text("")), "")
}

/// The places of a user's reactions after `called`.
fn places_after(script: &str, events: Vec<Event>) -> Vec<usize> {
    let events: Vec<Event> = called().into_iter().chain(events).collect();
    reactions(&mut user(script), &events).into_iter().map(|(place, _)| place).collect()
}

#[test]
fn a_cancel_after_a_call_comes_when_it_is_asked_about_or_started() {
    let script = "user a\nmodel call 1 a\nexpect ...\ncancel";
    assert_eq!(places_after(script, vec![permission_requested(1), call_started(1)]), [4]);
    assert_eq!(places_after(script, vec![call_started(1)]), [4]);
    assert_eq!(places_after(script, vec![ended(1)]), [4]);
}

#[test]
fn a_cancel_after_an_answer_comes_when_the_call_is_started() {
    for script in [
        "user a\nmodel call 1 a\napprove 1\ncancel",
        "user a\nmodel call 1 a\napprove 1\ntool 1 hang\ncancel",
    ] {
        assert_eq!(places_after(script, vec![permission_requested(1), call_started(1)]), [4, 5]);
    }
    let denied = "user a\nmodel call 1 a\ndeny 1\ncancel";
    assert_eq!(places_after(denied, vec![permission_requested(1), ended(1)]), [4, 5]);
}

#[test]
fn a_cancel_waits_for_everything_that_stands_before_it() {
    let script = "user a\nmodel call 1 a\nmodel call 2 a\ntool 1 ok 1\ntool 2 hang\ncancel";
    let events = vec![call_requested(2, 1), call_started(1), call_started(2), ended(1)];
    assert_eq!(places_after(script, events), [7]);
    let other_order = vec![call_requested(2, 1), call_started(1), ended(1), call_started(2)];
    assert_eq!(places_after(script, other_order), [7]);
}

#[test]
fn a_cancel_after_an_outcome_comes_with_it() {
    let script = "user a\nmodel call 1 a\ntool 1 ok 1\ncancel";
    assert_eq!(places_after(script, vec![call_started(1), ended(1), step_started(2)]), [5]);
}

#[test]
fn a_cancel_after_a_lost_step_comes_with_the_next_try() {
    let events = [run_started(), step_started(1), step_started(1)];
    for script in ["user a\nmodel cut\ncancel", "user a\nmodel fail busy x\ncancel"] {
        assert_eq!(reactions(&mut user(script), &events), [(2, RunCommand::RunCancel)]);
    }
}

#[test]
fn each_run_has_its_own_cancel() {
    let mut user = user("user a\nmodel text x\nuser b\ncancel");
    let events =
        [run_started(), step_started(1), run_ended(""), run_started(), step_started(1), step_started(2)];
    assert_eq!(reactions(&mut user, &events), [(4, RunCommand::RunCancel)]);
}
