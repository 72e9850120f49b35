//! Models that fail, say nothing, or are cut short.

use serde_json::json;
use windlass_core::limits::PAUSES_MAX;
use windlass_core::profile::Profile;
use windlass_core::protocol::event::{DurableEvent, Event, RunOutcome, StopReason, WarningCode};
use windlass_core::protocol::frame;
use windlass_core::protocol::message::{Message, Part, Reasoning};
use windlass_core::protocol::model::{Finish, ModelFailure, ModelStep, StepPurpose};
use windlass_core::run::{Deadline, Input, RunError};

use crate::sim::{Done, Sim, call};

fn delays(sim: &Sim) -> Vec<u64> {
    let delay = |done: &Done| match done {
        Done::CallModel { delay_ms, .. } => Some(*delay_ms),
        _ => None,
    };
    sim.done.iter().filter_map(delay).collect()
}

fn attempts(sim: &Sim) -> Vec<(u32, StepPurpose, u32)> {
    let started = |event: &Event| match event {
        Event::Durable(DurableEvent::StepStarted { step, purpose, attempt }) => {
            Some((*step, *purpose, *attempt))
        }
        _ => None,
    };
    sim.events.iter().filter_map(started).collect()
}

#[test]
fn a_passing_failure_is_tried_again_twice_with_a_doubled_wait() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Hi");
    let failure = ModelFailure::passing("overloaded", "The model is busy.");
    sim.model_fails(failure.clone());
    sim.model_fails(failure.clone());
    assert_eq!(delays(&sim), [0, 500, 1_000]);
    let work = StepPurpose::Work;
    assert_eq!(attempts(&sim), [(1, work, 1), (1, work, 2), (1, work, 3)]);
    sim.model_fails(failure.clone());
    assert_eq!(
        sim.story(),
        "run-started step-started step-delayed step-started step-delayed step-started error-raised run-ended"
    );
    assert_eq!(sim.errors(), [("overloaded", "The model is busy.")]);
    let finished = sim.finished();
    assert_eq!((finished.outcome, &finished.reason), (RunOutcome::Failed, &StopReason::ModelFailed));
    assert_eq!(finished.error, Some(RunError::Model(failure)));
    assert_eq!(finished.error.as_ref().unwrap().to_string(), "The model is busy.");
    assert_eq!(finished.answer, "");
}

#[test]
fn tries_do_not_count_as_steps_and_a_good_one_goes_on() {
    let mut profile = Profile::default();
    profile.limits.steps_max = 2;
    let mut sim = Sim::of(profile);
    sim.start("Hi");
    sim.model_fails(ModelFailure::passing("network", "gone"));
    sim.want(vec![call("add", json!({"a": 1}))]);
    sim.ended(1, json!(1));
    assert_eq!((sim.request().step, sim.request().purpose), (2, StepPurpose::Work));
    sim.model_fails(ModelFailure::passing("network", "gone"));
    sim.model_fails(ModelFailure::passing("network", "gone"));
    assert_eq!(delays(&sim), [0, 500, 0, 500, 1_000], "each step has its own tries");
    sim.say("One.");
    assert_eq!(sim.finished().outcome, RunOutcome::Completed);
}

#[test]
fn a_provider_may_say_how_long_to_wait_up_to_a_limit() {
    for (asked, waited) in [(7, 7), (30_000, 30_000), (30_001, 30_000)] {
        let mut sim = Sim::of(Profile::default());
        sim.start("Hi");
        let failure =
            ModelFailure { retry_after_ms: Some(asked), ..ModelFailure::passing("rate_limit", "slow") };
        sim.model_fails(failure);
        assert_eq!(delays(&sim), [0, waited]);
    }
}

#[test]
fn the_doubled_wait_has_a_limit_too() {
    let mut profile = Profile::default();
    profile.limits.model_retries_max = 70;
    let mut sim = Sim::of(profile);
    sim.start("Hi");
    for _ in 0..70 {
        sim.model_fails(ModelFailure::passing("overloaded", "later"));
    }
    let waits = delays(&sim);
    assert_eq!(waits[..9], [0, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    assert!(waits[8..].iter().all(|wait| *wait == 30_000));
}

#[test]
fn a_lasting_failure_is_not_tried_again() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Hi");
    sim.model_fails(ModelFailure::fatal("auth", "The key is wrong."));
    assert_eq!(sim.story(), "run-started step-started error-raised run-ended");
    assert_eq!(sim.errors(), [("auth", "The key is wrong.")]);
}

#[test]
fn an_empty_answer_is_a_failure_that_may_pass() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Hi");
    sim.say("");
    sim.say(" \n");
    assert_eq!(delays(&sim), [0, 500, 1_000]);
    sim.say("Hello");
    assert_eq!(sim.answer(), "Hello");

    let mut sim = Sim::of(Profile::default());
    sim.start("Hi");
    for _ in 0..3 {
        sim.say("");
    }
    assert_eq!(sim.errors(), [("empty", "the model gave an empty answer")]);
    assert_eq!(sim.finished().reason, StopReason::ModelFailed);
}

fn cut(text: &str) -> Input {
    Input::ModelEnded(ModelStep { finish: Finish::Length, ..ModelStep::text(text) })
}

#[test]
fn r_63_an_answer_cut_by_its_length_is_continued_once() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Tell");
    sim.input(cut("Once upon "));
    let request = sim.request();
    assert_eq!((request.step, request.purpose), (2, StepPurpose::Continuation));
    assert_eq!(request.trailer, ["Continue from where you left off. Do not repeat prior text."]);
    assert_eq!(Sim::roles(&request.messages), "user assistant");
    sim.say("a time.");
    assert_eq!(sim.story(), "run-started step-started step-ended step-started step-ended run-ended");
    assert_eq!(sim.answer(), "Once upon a time.");
    assert_eq!(sim.finished().reason, StopReason::Answered);
    assert_eq!(sim.warnings(), []);
}

#[test]
fn r_63_an_answer_that_is_cut_again_stops_with_what_there_is() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Tell");
    sim.input(cut("Once "));
    sim.input(cut("upon"));
    assert_eq!(
        sim.story(),
        "run-started step-started step-ended step-started step-ended warning-raised run-ended"
    );
    assert_eq!(sim.warnings(), [(WarningCode::Truncated, "The answer was cut by the model's length limit")]);
    let finished = sim.finished();
    assert_eq!((finished.outcome, &finished.reason), (RunOutcome::LimitReached, &StopReason::AnswerCut));
    assert_eq!(finished.answer, "Once upon");
}

fn paused(parts: Vec<Part>) -> Input {
    Input::ModelEnded(ModelStep { parts, finish: Finish::Paused, ..ModelStep::text("") })
}

#[test]
fn anthropic_3_a_paused_model_is_asked_again_with_what_it_said_so_far() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Look it up");
    // Before its first word: calls that the provider answers itself are provider state.
    let opaque = Some(json!({"type": "server_tool_use", "id": "srvtoolu_1"}));
    let begun = Part::Reasoning(Reasoning { text: String::new(), opaque, model: Some("acme/one".into()) });
    sim.input(paused(vec![begun.clone()]));
    let request = sim.request();
    assert_eq!((request.step, request.purpose), (2, StepPurpose::Continuation));
    assert_eq!(request.trailer, [""; 0]);
    assert_eq!(request.messages[1].as_ref(), &Message::Assistant { parts: vec![begun] });
    sim.input(paused(vec![Part::text("Once ")]));
    // The length of the answer has its own count.
    sim.input(cut("upon "));
    sim.say("a time.");
    assert_eq!(sim.answer(), "Once upon a time.");
    assert_eq!((&sim.finished().reason, sim.warnings()), (&StopReason::Answered, vec![]));
}

#[test]
fn a_model_that_only_pauses_is_not_asked_for_ever() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Tell");
    for _ in 0..=PAUSES_MAX {
        sim.input(paused(vec![Part::text("and ")]));
    }
    let finished = sim.finished();
    assert_eq!((finished.outcome, &finished.reason), (RunOutcome::LimitReached, &StopReason::AnswerCut));
    assert_eq!(finished.answer, "and and and and and ");
    let why = "The model paused again and again; the answer may not be whole";
    assert_eq!(sim.warnings(), [(WarningCode::Truncated, why)]);
    // Pauses with nothing said are an empty answer like any other.
    for parts in [vec![], vec![Part::text(" ")]] {
        let mut sim = Sim::of(Profile::default());
        sim.start("Hi");
        for _ in 0..=PAUSES_MAX {
            sim.input(paused(parts.clone()));
        }
        let delays = delays(&sim);
        assert!(delays.contains(&500), "{delays:?}");
    }
}

#[test]
fn a_continuation_does_not_count_as_a_step_and_may_end_with_nothing_more() {
    let mut profile = Profile::default();
    profile.limits.steps_max = 1;
    let mut sim = Sim::of(profile);
    sim.start("Tell");
    sim.input(cut("That was all."));
    assert_eq!(sim.request().purpose, StepPurpose::Continuation);
    sim.say("");
    assert_eq!(sim.answer(), "That was all.");
    assert_eq!(sim.finished().outcome, RunOutcome::Completed);
}

#[test]
fn a_begun_answer_is_kept_when_the_continuation_fails() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Tell");
    sim.input(cut("Half"));
    sim.model_fails(ModelFailure::fatal("network", "gone"));
    assert_eq!((sim.answer(), sim.finished().outcome), ("Half", RunOutcome::Failed));
}

/// Every way to end: name, run.
fn endings() -> Vec<(&'static str, Sim)> {
    let begun = || {
        let mut sim = Sim::of(Profile::default());
        sim.start("Hi");
        sim
    };
    let mut answered = begun();
    answered.say("Hello");
    let mut no_key = begun();
    no_key.model_fails(ModelFailure::fatal("auth", "Set OPENROUTER_API_KEY to enable streaming."));
    let mut bad_request = begun();
    bad_request.model_fails(ModelFailure::fatal("bad_request", "The provider refused the request."));
    let mut cancelled = begun();
    cancelled.cancel("");
    let mut unwritten = begun();
    unwritten.input(Input::JournalFailed { message: "disk full".into() });
    let mut late = begun();
    late.deadline(Deadline::Work);
    late.deadline(Deadline::Final);
    let mut aborted = Sim::of(Profile::dspy());
    aborted.start("Hi");
    aborted.want(vec![call("nope", json!({}))]);
    vec![
        ("answered", answered),
        ("no key", no_key),
        ("bad request", bad_request),
        ("cancelled", cancelled),
        ("unwritten", unwritten),
        ("late", late),
        ("aborted", aborted),
    ]
}

#[test]
fn r_25_every_stream_ends_with_exactly_one_done() {
    for (name, sim) in endings() {
        let frames: Vec<_> = sim.records().iter().filter_map(frame::payload).collect();
        let done = frames.iter().filter(|frame| frame["type"] == "done").count();
        assert_eq!(done, 1, "{name}");
        let last = frames.last().unwrap();
        assert_eq!((&last["type"], &last["done"]), (&json!("done"), &json!(true)), "{name}");
        assert_eq!(last["outcome"], sim.finished().outcome.word(), "{name}");
    }
}
