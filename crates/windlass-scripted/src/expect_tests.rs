use windlass_core::protocol::event::{DeltaEvent, DurableEvent, WarningCode};
use windlass_core::protocol::tool::{ErrorKind, ToolFailure, ToolOutcome, ToolOutput};

use super::*;
use crate::sample::*;
use crate::script::ScriptHappening;

fn expectation(line: &str) -> Expectation {
    let script = Script::parse("t", &format!("user Hi\nmodel call 1 a\n{line}")).unwrap();
    match script.lines.into_iter().nth(2).unwrap().happening {
        ScriptHappening::Expect(expectation) => expectation,
        other => panic!("{other:?}"),
    }
}

fn check(line: &str, events: &[Event]) -> Result<(), String> {
    let script = Script::parse("t", "user Hi\nmodel call 1 a").unwrap();
    let mut calls = CallBook::new(&script);
    [run_started(), step_started(1)].iter().chain(events).for_each(|event| calls.see(event));
    let events: Vec<&Event> = events.iter().collect();
    expectation(line).check(SeenRun { since: &events, run: &events, calls: &calls })
}

fn short_run() -> Vec<Event> {
    let delta = Event::Delta(DeltaEvent::TextDelta { text: "a".into() });
    vec![run_started(), step_started(1), delta, step_ended(1), run_ended("It is done.")]
}

#[test]
fn durable_events_must_match_exactly() {
    check("expect run-started step-started step-ended run-ended", &short_run()).unwrap();
    assert_eq!(
        check("expect run-started step-started run-ended", &short_run()).unwrap_err(),
        "expected run-started step-started run-ended; happened: run-started step-started step-ended run-ended \
         (alike up to event 2)"
    );
    assert_eq!(
        check("expect run-started", &[]).unwrap_err(),
        "expected run-started; happened: nothing (alike up to event 0)"
    );
    check("expect run-started", &short_run()).unwrap_err();
    check("expect run-started step-started step-ended run-ended run-ended", &short_run()).unwrap_err();
}

#[test]
fn dots_stand_for_any_events_or_none() {
    for line in [
        "expect ...",
        "expect ... run-ended",
        "expect run-started ...",
        "expect run-started ... run-ended",
        "expect run-started ... step-started ... step-ended ... run-ended ...",
        "expect ... ... step-ended run-ended",
    ] {
        check(line, &short_run()).unwrap();
    }
    check("expect ... call-started ...", &short_run()).unwrap_err();
    check("expect ... step-started", &short_run()).unwrap_err();
    check("expect ...", &[]).unwrap();
}

#[test]
fn a_name_can_be_asked_for_many_times() {
    let events: Vec<Event> = (1..=3).map(step_started).collect();
    check("expect step-started*3", &events).unwrap();
    check("expect step-started*2 ... step-started", &events).unwrap();
    check("expect step-started*4", &events).unwrap_err();
    check("expect step-started*2", &events).unwrap_err();
}

#[test]
fn the_end_of_a_run_is_compared() {
    check("expect-outcome completed", &short_run()).unwrap();
    check("expect-outcome completed answered", &short_run()).unwrap();
    assert_eq!(
        check("expect-outcome failed", &short_run()).unwrap_err(),
        "expected the run to end as failed; it ended as completed answered"
    );
    assert_eq!(
        check("expect-outcome completed steps_max", &short_run()).unwrap_err(),
        "expected the run to end as completed steps_max; it ended as completed answered"
    );
    check("expect-outcome completed", &[run_started()]).unwrap_err();
    check("expect-answer is done", &short_run()).unwrap();
    assert_eq!(
        check("expect-answer was done", &short_run()).unwrap_err(),
        "expected an answer with 'was done'; it is 'It is done.'"
    );
    check("expect-answer x", &[run_started()]).unwrap_err();
}

#[test]
fn warnings_are_looked_for() {
    let mut events = short_run();
    check("expect-warning none", &events).unwrap();
    assert_eq!(
        check("expect-warning MAX_STEPS", &events).unwrap_err(),
        "expected the warning MAX_STEPS; the run has: nothing"
    );
    events.push(Event::Durable(DurableEvent::WarningRaised {
        code: WarningCode::MaxSteps,
        message: "m".into(),
    }));
    check("expect-warning MAX_STEPS", &events).unwrap();
    check("expect-warning none", &events).unwrap_err();
    check("expect-warning TOOL_CLAMP", &events).unwrap_err();
}

#[test]
fn the_outcome_of_a_call_is_compared() {
    let failed = ToolOutcome::failed(ToolFailure::not_found("File not found: x"));
    let events = [call_requested(1, 0), call_ended(1, failed, "File not found: x")];
    check("expect-call 1 failed", &events).unwrap();
    check("expect-call 1 failed not_found says not found", &events).unwrap();
    assert_eq!(
        check("expect-call 1 ok", &events).unwrap_err(),
        "expected call 1 to be ok; it is failed: 'File not found: x'"
    );
    assert_eq!(
        check("expect-call 1 io_error", &events).unwrap_err(),
        "expected call 1 to give io_error; it gave not_found: 'File not found: x'"
    );
    assert_eq!(
        check("expect-call 1 says hello", &events).unwrap_err(),
        "expected the outcome of call 1 to say 'hello'; it says 'File not found: x'"
    );
    check("expect-call 1 cached", &events).unwrap_err();
    check("expect-call 1 truncated", &events).unwrap_err();

    let mut outcome = ToolOutcome::ok(ToolOutput::text("x"));
    outcome.meta.is_cached = true;
    outcome.meta.is_truncated = true;
    let events = [call_requested(1, 0), call_ended(1, outcome, "x")];
    check("expect-call 1 ok cached truncated says x", &events).unwrap();
    check(&format!("expect-call 1 {}", ErrorKind::NotFound.word()), &events).unwrap_err();
}

#[test]
fn a_call_without_outcome_is_a_mismatch() {
    let never = check("expect-call 1 ok", &[]).unwrap_err();
    assert_eq!(never, "expected an outcome of call 1; it was never requested");
    let open = check("expect-call 1 ok", &[call_requested(1, 0)]).unwrap_err();
    assert_eq!(open, "expected an outcome of call 1; it has none in this run");
}

const TWO_RUNS: &str = "user a
model text x
expect run-started step-started
expect step-ended run-ended
expect-outcome completed
user b
model text y
expect run-started
expect-answer done";

#[test]
fn a_session_is_checked_run_by_run_after_it_is_over() {
    let script = Script::parse("t", TWO_RUNS).unwrap();
    let events: Vec<Event> = short_run().into_iter().chain(short_run()).collect();
    let events: Vec<&Event> = events.iter().collect();
    assert_eq!(script.check_session(&events), []);
}

#[test]
fn every_mismatch_of_a_session_is_told() {
    let script = Script::parse("t", TWO_RUNS).unwrap();
    let events = [run_started(), step_started(1), run_ended("x"), run_started(), run_ended("y")];
    let events: Vec<&Event> = events.iter().collect();
    let mismatches = script.check_session(&events);
    assert_eq!(mismatches.iter().map(|mismatch| mismatch.line).collect::<Vec<_>>(), [3, 9]);
    assert_eq!(mismatches[1].to_string(), "t:9: expected an answer with 'done'; it is 'y'");
    assert_eq!(script.check_session(&[]).len(), 4);
}

#[test]
fn all_durable_events_can_be_expected_and_no_others() {
    let events =
        [run_started(), step_started(1), step_ended(1), call_requested(1, 0), permission_requested(1)];
    let more = [call_started(1), call_ended(1, ToolOutcome::ok(ToolOutput::text("")), ""), run_ended("")];
    for event in events.iter().chain(&more) {
        assert!(event.is_durable() && crate::words::EVENTS.contains(&event.name()));
    }
    let delta = Event::Delta(DeltaEvent::TextDelta { text: String::new() });
    assert!(crate::words::DELTAS.contains(&delta.name()));
}
