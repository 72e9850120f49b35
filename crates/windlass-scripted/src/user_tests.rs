use windlass_core::ids::CallId;
use windlass_core::permission::Decision;
use windlass_core::tool::{ToolOutcome, ToolOutput};

use super::*;
use crate::sample::*;

fn user(text: &str) -> ScriptedUser {
    ScriptedUser::new(&Script::parse("t", text).unwrap())
}

/// Which of the events the user reacts to, and how.
fn reactions(user: &mut ScriptedUser, events: &[Event]) -> Vec<(usize, Command)> {
    let react = |(place, event)| user.react(event).map(|command| (place, command));
    events.iter().enumerate().filter_map(react).collect()
}

fn text(text: &str) -> Event {
    Event::TextDelta { text: text.into() }
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
    let answer = |id, decision| Command::PermissionAnswer {
        call_id: CallId::numbered(id),
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
    assert_eq!(reactions(&mut user, &[run_started(), step_started(1)]), [(1, Command::RunCancel)]);
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
    assert_eq!(reactions(&mut user, &events), [(6, Command::RunCancel)]);
}

#[test]
fn a_cancel_after_a_call_comes_when_it_is_asked_about_or_started() {
    let script = "user a\nmodel call 1 a\nexpect ...\ncancel";
    let asked =
        [run_started(), step_started(1), call_requested(1, 0), permission_requested(1), call_started(1)];
    assert_eq!(reactions(&mut user(script), &asked), [(3, Command::RunCancel)]);
    let started = [run_started(), step_started(1), call_requested(1, 0), call_started(1)];
    assert_eq!(reactions(&mut user(script), &started), [(3, Command::RunCancel)]);
}

#[test]
fn a_cancel_after_an_answer_comes_when_the_call_is_started() {
    for script in [
        "user a\nmodel call 1 a\napprove 1\ncancel",
        "user a\nmodel call 1 a\napprove 1\ntool 1 hang\ncancel",
    ] {
        let events =
            [run_started(), step_started(1), call_requested(1, 0), permission_requested(1), call_started(1)];
        let places: Vec<usize> =
            reactions(&mut user(script), &events).into_iter().map(|(place, _)| place).collect();
        assert_eq!(places, [3, 4]);
    }
}

#[test]
fn a_cancel_after_an_outcome_or_a_lost_step_comes_with_the_next_step() {
    let ended = call_ended(1, ToolOutcome::ok(ToolOutput::text("")), "");
    let events =
        [run_started(), step_started(1), call_requested(1, 0), call_started(1), ended, step_started(2)];
    let mut after_outcome = user("user a\nmodel call 1 a\ntool 1 ok 1\ncancel");
    assert_eq!(reactions(&mut after_outcome, &events), [(5, Command::RunCancel)]);
    let mut after_cut = user("user a\nmodel cut\ncancel");
    assert_eq!(
        reactions(&mut after_cut, &[run_started(), step_started(1), step_started(1)]),
        [(2, Command::RunCancel)]
    );
}

#[test]
fn each_run_has_its_own_cancel() {
    let mut user = user("user a\nmodel text x\nuser b\ncancel");
    let events =
        [run_started(), step_started(1), run_ended(""), run_started(), step_started(1), step_started(2)];
    assert_eq!(reactions(&mut user, &events), [(4, Command::RunCancel)]);
}
