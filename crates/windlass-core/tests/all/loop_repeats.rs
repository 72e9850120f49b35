//! The same call again: answered from the run itself, then brought to an end.

use serde_json::json;
use windlass_core::profile::Profile;
use windlass_core::protocol::event::{StopReason, WarningCode};
use windlass_core::protocol::model::StepPurpose;
use windlass_core::protocol::tool::{ErrorKind, ToolFailure};

use crate::sim::{Sim, call};

const ANSWERED: &str = "The same call came again and was answered from its earlier outcome";
const NOT_RUN: &str = "The same call gave the same outcome before; it was not run again";

fn started() -> Sim {
    let mut sim = Sim::of(Profile::default());
    sim.start("Go");
    sim
}

#[test]
fn a_repeated_read_is_answered_from_its_earlier_outcome_and_the_third_ends_in_the_answer() {
    let mut sim = started();
    sim.want(vec![call("add", json!({"a": 1, "b": 2}))]);
    sim.ended(1, json!(3));
    // The same arguments in another order are the same call.
    sim.want(vec![call("add", json!({"b": 2, "a": 1}))]);
    assert_eq!(sim.content(2), r#"{"ok":true,"cached":true,"output":3}"#);
    assert_eq!((sim.outcome(2).meta.is_cached, sim.outcome(2).meta.duration_ms), (true, 0));
    assert_eq!(sim.outcome(2).meta.started_ms, sim.now);
    assert_eq!(sim.request().purpose, StepPurpose::Work);
    sim.want(vec![call("add", json!({"a": 1, "b": 2}))]);
    assert_eq!(sim.request().purpose, StepPurpose::Finalise);
    sim.say("3");
    assert_eq!(sim.finished().reason, StopReason::RepeatedCall);
    assert_eq!(sim.ran().len(), 1);
    assert_eq!(sim.warnings(), [(WarningCode::RepeatCall, ANSWERED)]);
    assert!(!sim.outcome(1).meta.is_cached);
}

#[test]
fn another_call_in_between_does_not_matter_but_a_change_of_the_world_does() {
    let mut sim = started();
    sim.want(vec![call("look", json!({}))]);
    sim.ended(1, json!("before"));
    sim.want(vec![call("add", json!({"a": 1})), call("look", json!({}))]);
    sim.ended(2, json!(1));
    assert!(sim.outcome(3).meta.is_cached);
    sim.want(vec![call("touch", json!({"path": "x"})), call("look", json!({}))]);
    sim.ended(4, json!("done"));
    assert_eq!(sim.running(), [5], "the world may have changed");
    sim.ended(5, json!("after"));
    assert_eq!(sim.request().purpose, StepPurpose::Work);
}

#[test]
fn the_same_read_twice_in_one_step_runs_once() {
    let mut sim = started();
    sim.want(vec![call("look", json!({})), call("look", json!({}))]);
    assert_eq!(sim.running(), [1]);
    sim.ended(1, json!("seen"));
    assert_eq!(sim.content_json(2), json!({"ok": true, "cached": true, "output": "seen"}));
}

#[test]
fn a_failed_read_runs_again_and_is_refused_the_third_time() {
    let mut sim = started();
    for number in 1..=2 {
        sim.want(vec![call("look", json!({}))]);
        assert_eq!(sim.running(), [number]);
        sim.failed(number, ToolFailure::unavailable("down"));
    }
    sim.want(vec![call("look", json!({}))]);
    assert_eq!(sim.failure(3), (ErrorKind::LimitExceeded, NOT_RUN));
    assert_eq!(sim.outcome(3).failure().unwrap().hint.as_deref(), Some("answer from what you have"));
    assert_eq!(sim.warnings(), [(WarningCode::RepeatCall, NOT_RUN)]);
    assert_eq!(sim.request().purpose, StepPurpose::Finalise);
    assert!(sim.request().trailer[0].starts_with("The same call came again and again. "));
}

#[test]
fn a_failure_that_changes_is_no_repetition() {
    let mut sim = started();
    for number in 1..=4 {
        sim.want(vec![call("look", json!({}))]);
        sim.failed(number, ToolFailure::unavailable(format!("down, try {number}")));
    }
    assert_eq!(sim.ran().len(), 4);
    assert_eq!(sim.request().purpose, StepPurpose::Work);
}

#[test]
fn a_repeated_effect_is_never_answered_from_memory_but_refused_the_third_time() {
    let mut sim = started();
    for number in 1..=2 {
        sim.want(vec![call("touch", json!({"path": "x"}))]);
        assert_eq!(sim.running(), [number]);
        sim.ended(number, json!("done"));
    }
    sim.want(vec![call("touch", json!({"path": "x"}))]);
    assert_eq!(sim.failure(3), (ErrorKind::LimitExceeded, NOT_RUN));
}

#[test]
fn a_call_that_was_denied_says_nothing_about_the_next_one() {
    use windlass_core::permission::{ApproveMode, Decision};
    let mut sim = Sim::new(Profile::default(), ApproveMode::Ask);
    sim.start("Read");
    for number in 1..=4 {
        sim.want(vec![call("read_file", json!({"path": "a"}))]);
        sim.decide(number, Decision::Deny);
    }
    assert_eq!(sim.request().purpose, StepPurpose::Work);
    // Of two equal calls in one step the second gets its turn when the first was denied.
    sim.want(vec![call("read_file", json!({"path": "a"})), call("read_file", json!({"path": "a"}))]);
    sim.decide(5, Decision::Deny);
    sim.decide(6, Decision::Once);
    assert_eq!(sim.running(), [6]);
}

#[test]
fn fresh_and_repeatable_calls_are_left_alone() {
    let mut specs = crate::sim::specs();
    for spec in specs.iter_mut().filter(|spec| spec.name == "look") {
        spec.repeatable = true;
    }
    let mut sim = Sim::of(Profile::default()).with_tools(specs);
    sim.start("Go");
    for number in (1..=8).step_by(2) {
        sim.want(vec![call("look", json!({})), call("add", json!({"a": 1, "fresh": true}))]);
        assert_eq!(sim.running(), [number, number + 1]);
        sim.ended(number, json!("same"));
        sim.ended(number + 1, json!("same"));
    }
    assert_eq!(sim.warnings(), []);
}

#[test]
fn a_profile_that_does_not_cache_runs_every_call() {
    let mut sim = Sim::of(Profile { caches_repeats: false, ..Profile::default() });
    sim.start("Go");
    for number in 1..=5 {
        sim.want(vec![call("look", json!({}))]);
        assert_eq!(sim.running(), [number]);
        sim.ended(number, json!("same"));
    }
    assert_eq!(sim.warnings(), []);
    sim.want(vec![call("look", json!({})), call("look", json!({}))]);
    assert_eq!(sim.running(), [6, 7], "also side by side");
}
