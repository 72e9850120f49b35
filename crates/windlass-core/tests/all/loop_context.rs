//! Histories that are too long: measured or refused, shortened by whole exchanges, never silently, never for ever.

use std::sync::Arc;

use serde_json::json;
use windlass_core::profile::Profile;
use windlass_core::protocol::event::{RunOutcome, StopReason};
use windlass_core::protocol::message::{Message, Transcript};
use windlass_core::protocol::model::{ModelFailure, ModelStep, NoticeKind, Usage};
use windlass_core::protocol::tool::ToolOutcome;
use windlass_core::protocol::tool::ToolOutput;
use windlass_core::run::Input;

use crate::sim::{Sim, call};

/// As many exchanges of about a hundred estimated tokens.
fn history(exchanges: usize) -> Transcript {
    let exchange = |number: usize| {
        [Message::user(format!("{number} {}", "q".repeat(180))), Message::assistant("a".repeat(184))]
    };
    Arc::new((0..exchanges).flat_map(exchange).map(Arc::new).collect())
}

fn overflow() -> ModelFailure {
    ModelFailure::fatal("context_overflow", "the request has more tokens than the model takes")
}

fn rules(sim: &Sim) -> Vec<&str> {
    sim.adjustments().iter().map(|(_, rule, _)| *rule).collect()
}

#[test]
fn a_refused_request_is_sent_again_without_the_oldest_exchanges() {
    let mut sim = Sim::of(Profile::default());
    sim.start_from("And now?", history(40), 1);
    assert_eq!(sim.request().messages.len(), 81);
    sim.model_fails(overflow());
    let shown = &sim.request().messages;
    assert!(shown.len() < 40, "{}", shown.len());
    let note = shown[0].text();
    assert!(note.contains("earlier messages were left out to fit the context. In short"), "{note}");
    assert!(note.chars().count() <= 2_000);
    assert!(matches!(shown[1].as_ref(), Message::User { .. }));
    let [(kind, rule, message)] = sim.adjustments()[..] else { panic!("{:?}", sim.adjustments()) };
    assert_eq!((kind, rule), (NoticeKind::Trimmed, "context_overflow"));
    assert!(message.starts_with("left out 27 earlier exchanges (54 messages), about 27"), "{message}");
    assert_eq!(sim.story(), "run-started step-started request-adjusted step-started");
    sim.say("Here.");
    assert_eq!(sim.finished().outcome, RunOutcome::Completed);
    assert_eq!(sim.finished().transcript.len(), 82, "the history itself is whole");
}

#[test]
fn a_request_that_never_fits_fails_after_two_more_tries_and_says_what_to_do() {
    let mut sim = Sim::of(Profile::default());
    sim.start_from("And now?", history(40), 1);
    for _ in 0..3 {
        assert!(sim.finished.is_none());
        sim.model_fails(overflow());
    }
    assert_eq!(rules(&sim), ["context_overflow", "context_overflow"]);
    assert_eq!(sim.requests.len(), 3);
    let finished = sim.finished();
    assert_eq!((finished.outcome, &finished.reason), (RunOutcome::Failed, &StopReason::ModelFailed));
    let (code, message) = sim.errors()[0];
    assert_eq!(code, "context_overflow");
    assert!(
        message.starts_with("the request has more tokens than the model takes; the history was shortened")
    );
    assert!(message.contains("begin a new session"), "{message}");
}

#[test]
fn a_request_that_cannot_be_shortened_is_not_sent_again() {
    let mut sim = Sim::of(Profile::default());
    sim.start(&"x".repeat(10_000));
    sim.model_fails(overflow());
    assert_eq!((sim.requests.len(), sim.adjustments().len()), (1, 0));
    assert_eq!(sim.errors()[0].0, "context_overflow");
}

#[test]
fn inside_a_run_the_oldest_outcomes_become_handles_and_stay_paired() {
    let mut sim = Sim::of(Profile::default());
    sim.start_from("Read them", history(2), 1);
    for number in 1..=4 {
        sim.want(vec![call("read_file", json!({"path": format!("f{number}")}))]);
        sim.ended_with(number, ToolOutcome::ok(ToolOutput::text("x".repeat(8_000))));
    }
    sim.model_fails(overflow());
    let shown = &sim.request().messages;
    assert_eq!(
        Sim::roles(shown),
        "note user assistant+1 tool assistant+1 tool assistant+1 tool assistant+1 tool"
    );
    let is_stub = |message: &Arc<Message>| match message.as_ref() {
        Message::Tool(tool) => {
            let handle = format!("read_result with ref \"{}\"", tool.call_id);
            Some(tool.content.contains(&handle) && tool.content.len() < 200)
        }
        _ => None,
    };
    assert_eq!(shown.iter().filter_map(is_stub).collect::<Vec<_>>(), [true, true, true, false]);
    let [(_, _, message)] = sim.adjustments()[..] else { panic!("{:?}", sim.adjustments()) };
    assert!(
        message.contains("2 earlier exchanges (4 messages) and the contents of 3 outcomes of this run"),
        "{message}"
    );
    sim.say("Done");
    let whole = sim.finished().transcript.iter().filter(|message| message.text().len() > 8_000).count();
    assert_eq!(whole, 4, "the transcript itself is whole");
}

#[test]
fn each_step_has_its_own_tries_to_fit() {
    let mut sim = Sim::of(Profile::default());
    sim.start_from("Go", history(200), 1);
    sim.model_fails(overflow());
    sim.model_fails(overflow());
    sim.want(vec![call("look", json!({}))]);
    sim.ended(1, json!(1));
    sim.model_fails(overflow());
    assert_eq!(rules(&sim), ["context_overflow"; 3]);
    sim.say("Done");
    assert_eq!(sim.finished().outcome, RunOutcome::Completed);
}

#[test]
fn tries_to_fit_do_not_use_up_the_tries_of_passing_failures() {
    let mut sim = Sim::of(Profile::default());
    sim.start_from("Go", history(200), 1);
    sim.model_fails(overflow());
    sim.model_fails(ModelFailure::passing("overloaded", "later"));
    sim.model_fails(overflow());
    sim.model_fails(ModelFailure::passing("overloaded", "later"));
    assert!(sim.finished.is_none());
    assert_eq!(sim.requests.len(), 5);
    sim.say("Done");
    assert_eq!(sim.finished().outcome, RunOutcome::Completed);
}

#[test]
fn a_known_context_is_kept_before_the_provider_has_to_refuse() {
    let mut sim = Sim::of(Profile::default()).with_context(8_192);
    sim.start_from("And now?", history(200), 1);
    assert_eq!(rules(&sim), ["history_budget"]);
    let bytes: usize = sim.request().messages.iter().map(|message| message.text().len()).sum();
    // A quarter is kept for the answer, some for the tools and the note, and the window is moved to 70 percent.
    assert!((10_000..24_000).contains(&bytes), "{bytes}");
    let mut large = Sim::of(Profile::default()).with_context(200_000);
    large.start_from("And now?", history(200), 1);
    assert_eq!(large.adjustments(), []);
}

#[test]
fn a_wish_for_a_long_answer_leaves_less_for_the_history() {
    let shown = |output_tokens_max| {
        let mut sim = Sim::of(Profile::default()).with_context(16_000);
        let mut send =
            windlass_core::protocol::command::MessageSend::text("run_1".into(), "message_1".into(), "Go");
        send.wishes.sampling.output_tokens_max = output_tokens_max;
        sim.send(send, history(200), 1);
        sim.request().messages.len()
    };
    assert!(shown(Some(100)) > shown(None));
    assert!(shown(None) > shown(Some(7_000)));
    assert_eq!(shown(Some(8_000)), shown(Some(4_000_000)), "an answer never takes more than half");
}

#[test]
fn a_provider_that_counts_more_tokens_than_estimated_is_believed() {
    let counted = |input| {
        let mut profile = Profile::default();
        profile.limits.history_tokens_max = 6_000;
        let mut sim = Sim::of(profile);
        sim.start_from("Go", history(40), 1);
        let usage = Some(Usage { input, ..Usage::default() });
        let step = ModelStep { usage, ..ModelStep::calls(vec![call("look", json!({}))]) };
        sim.input(Input::ModelEnded(step));
        sim.ended(1, json!(1));
        rules(&sim).len()
    };
    assert_eq!(counted(4_000), 0, "as estimated");
    assert_eq!(counted(9_000), 1, "every token is about two");
}
