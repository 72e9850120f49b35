//! Models that fail in the middle of something: what was received is kept, what ran is never run again, and
//! whoever waits is told why.

use serde_json::json;
use windlass_core::permission::ApproveMode;
use windlass_core::profile::Profile;
use windlass_core::protocol::event::{DurableEvent, Event, RunOutcome, StopReason, WarningCode};
use windlass_core::protocol::message::{Part, Reasoning};
use windlass_core::protocol::model::{Finish, ModelFailure, ModelStep, Notice, NoticeKind, StepPurpose};
use windlass_core::protocol::tool::{ErrorKind, RawCall};
use windlass_core::run::{Deadline, Input, RunError};

use crate::sim::{Done, Sim, call, text_call};

fn cut() -> ModelFailure {
    ModelFailure::passing("cut", "the connection was lost")
}

fn streaming(mode: ApproveMode) -> Sim {
    let mut sim = Sim::new(Profile { executes_while_streaming: true, ..Profile::default() }, mode);
    sim.start("Go");
    sim
}

fn delays(sim: &Sim) -> Vec<(u32, u32, u32, u64, &str, &str)> {
    let mut delays = Vec::new();
    for event in &sim.events {
        if let Event::Durable(DurableEvent::StepDelayed {
            step,
            attempt,
            attempts_max,
            delay_ms,
            code,
            message,
            ..
        }) = event
        {
            delays.push((*step, *attempt, *attempts_max, *delay_ms, code.as_str(), message.as_str()));
        }
    }
    delays
}

#[test]
fn a_wait_for_another_try_is_told_with_its_reason() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Hi");
    let limited = ModelFailure {
        retry_after_ms: Some(2_000),
        ..ModelFailure::passing("rate_limit", "rate limit at openai")
    };
    sim.model_fails(limited);
    sim.model_fails(ModelFailure::passing("overloaded", "busy"));
    assert_eq!(
        delays(&sim),
        [(1, 2, 3, 2_000, "rate_limit", "rate limit at openai"), (1, 3, 3, 1_000, "overloaded", "busy")]
    );
    let waits: Vec<_> = sim.done.iter().filter(|done| matches!(done, Done::CallModel { .. })).collect();
    let wait = |delay_ms, is_exact| Done::CallModel { delay_ms, is_exact };
    assert_eq!(
        waits,
        [&wait(0, false), &wait(2_000, true), &wait(1_000, false)],
        "only a provider's wish is exact"
    );
    assert_eq!(sim.story(), "run-started step-started step-delayed step-started step-delayed step-started");
}

#[test]
fn r_41_a_model_without_tool_support_ends_the_run_with_that_error_and_is_not_asked_again() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Hi");
    let message = "ollama/gemma has no tool support; choose another model or the text dialect";
    sim.model_fails(ModelFailure::fatal("no_tool_support", message));
    assert_eq!(sim.story(), "run-started step-started error-raised run-ended");
    assert_eq!(sim.errors(), [("no_tool_support", message)]);
    assert_eq!(sim.requests.len(), 1);
    let finished = sim.finished();
    assert_eq!((finished.outcome, &finished.reason), (RunOutcome::Failed, &StopReason::ModelFailed));
    assert!(
        matches!(&finished.error, Some(RunError::Model(failure)) if failure.kind.word() == "no_tool_support")
    );
}

#[test]
fn what_was_received_is_kept_when_the_last_try_fails() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Tell");
    sim.model_fails_after("Once upon a time", cut());
    sim.model_fails(cut());
    sim.model_fails_after("  ", cut());
    let finished = sim.finished();
    assert_eq!((finished.outcome, finished.answer.as_str()), (RunOutcome::Failed, "Once upon a time"));
    assert_eq!(Sim::roles(&finished.transcript), "user assistant");
    assert_eq!(finished.transcript[1].text(), "Once upon a time");
    let last = sim.events.iter().rev().find_map(|event| match event {
        Event::Durable(DurableEvent::StepEnded { finish, .. }) => Some(finish.clone()),
        _ => None,
    });
    assert_eq!(last, Some(Finish::Other("cut".into())));
}

#[test]
fn of_a_failed_step_only_the_text_is_kept() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Tell");
    let thought = Reasoning { text: "hm".into(), opaque: Some(json!("half a signature")), model: None };
    let partial = vec![Part::Reasoning(thought), Part::text("One "), Part::text("two")];
    sim.input(Input::ModelFailed { failure: ModelFailure::fatal("auth", "no"), partial });
    assert_eq!(
        *sim.finished().transcript[1],
        windlass_core::protocol::message::Message::assistant("One two")
    );
    assert_eq!(sim.answer(), "One two");
}

#[test]
fn nobody_is_shown_half_a_call_of_a_text_dialect() {
    for (profile, text) in [
        (Profile::edison(), "{\"tool\": \"add\", \"ar"),
        (Profile::edison(), "```json\n{\"tool\": \"add\""),
        (Profile::edison(), " {\"to"),
        (Profile::dspy(), "{\"response\": \"x"),
    ] {
        let mut sim = Sim::of(profile);
        sim.start("Go");
        sim.model_fails_after(text, ModelFailure::fatal("network", "gone"));
        assert_eq!(sim.answer(), "", "{text}");
        assert_eq!(Sim::roles(&sim.finished().transcript), "user");
    }
    let mut sim = Sim::of(Profile::edison());
    sim.start("Go");
    sim.model_fails_after("Half an answer", ModelFailure::fatal("network", "gone"));
    assert_eq!(sim.answer(), "Half an answer");
}

#[test]
fn the_final_answer_is_kept_as_far_as_it_came() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Tell");
    sim.deadline(Deadline::Work);
    for _ in 0..3 {
        sim.model_fails_after("All I know", cut());
    }
    let finished = sim.finished();
    assert_eq!((finished.outcome, &finished.reason), (RunOutcome::LimitReached, &StopReason::Deadline));
    assert_eq!(finished.answer, "All I know");
    assert_eq!(sim.warnings(), [(WarningCode::Truncated, "The answer was cut: the connection was lost")]);
}

#[test]
fn a_step_is_never_asked_for_again_after_a_call_of_it_ran() {
    let mut sim = streaming(ApproveMode::Ask);
    let first = RawCall { after_parts: 1, ..call("add", json!({"a": 1})) };
    sim.input(Input::CallReady(first));
    sim.input(Input::CallReady(call("look", json!({}))));
    sim.input(Input::CallReady(call("read_file", json!({"path": "a"}))));
    sim.input(Input::CallReady(call("touch", json!({"path": "x"}))));
    sim.ended(1, json!(2));
    assert_eq!((sim.running(), sim.asking.len()), (vec![2], 1));
    sim.model_fails_after("Let me see.", cut());
    // What had begun goes on; what had not is dropped.
    assert_eq!(sim.running(), [2]);
    assert!(sim.done.contains(&Done::Withdraw("call_3".into())));
    for number in [3, 4] {
        assert_eq!(sim.failure(number).0, ErrorKind::Cancelled);
    }
    assert_eq!(sim.requests.len(), 1);
    sim.ended(2, json!("seen"));
    let request = sim.request();
    assert_eq!((request.step, request.purpose), (2, StepPurpose::Work));
    assert_eq!(Sim::roles(&request.messages), "user assistant+2 tool tool");
    assert_eq!(request.messages[1].text(), "Let me see.");
    assert_eq!(sim.ran().len(), 2, "nothing ran twice");
    let told = "the connection was lost; what it had said and the calls that had begun were kept";
    assert_eq!(sim.adjustments(), [(NoticeKind::Healed, "cut_step", told)]);
    sim.say("Done");
    assert_eq!(sim.finished().outcome, RunOutcome::Completed);
}

#[test]
fn a_cut_step_keeps_the_thinking_before_its_calls_and_only_text_behind_them() {
    let mut sim = streaming(ApproveMode::All);
    let thought = |text: &str, state| {
        Part::Reasoning(Reasoning { text: text.into(), opaque: state, model: Some("scripted/test".into()) })
    };
    sim.input(Input::CallReady(RawCall { after_parts: 1, ..call("add", json!({"a": 1})) }));
    let partial = vec![thought("why", Some(json!("sig"))), Part::text("so"), thought("and th", None)];
    sim.input(Input::ModelFailed { failure: cut(), partial });
    sim.ended(1, json!(2));
    let windlass_core::protocol::message::Message::Assistant { parts } = sim.request().messages[1].as_ref()
    else {
        panic!("no assistant message")
    };
    assert_eq!(parts[0], thought("why", Some(json!("sig"))));
    assert!(matches!(&parts[1], Part::Call(call) if call.name == "add"));
    assert_eq!(parts[2..], [Part::text("so")]);
}

#[test]
fn a_lasting_failure_after_a_call_began_ends_the_run_with_a_legal_transcript() {
    let mut sim = streaming(ApproveMode::All);
    sim.input(Input::CallReady(call("look", json!({}))));
    sim.input(Input::CallReady(call("add", json!({"a": 1}))));
    sim.ended(2, json!(2));
    sim.model_fails_after("Let me", ModelFailure::fatal("auth", "The key was revoked."));
    assert!(sim.done.contains(&Done::StopCall("call_1".into())));
    assert_eq!(sim.failure(1), (ErrorKind::Cancelled, "The model failed; the call was stopped"));
    let finished = sim.finished();
    assert_eq!(Sim::roles(&finished.transcript), "user assistant+2 tool tool");
    assert_eq!((finished.outcome, finished.answer.as_str()), (RunOutcome::Failed, "Let me"));
    assert_eq!(sim.errors(), [("auth", "The key was revoked.")]);
}

#[test]
fn a_call_cut_by_the_length_limit_is_never_run_and_the_model_is_told_why() {
    let cut = |calls| Input::ModelEnded(ModelStep { finish: Finish::Length, ..ModelStep::calls(calls) });
    for args in ["{\"path\": \"a\", \"text\": \"half", "{\"path\"", ""] {
        let mut sim = Sim::of(Profile::default());
        sim.start("Go");
        sim.input(cut(vec![text_call("look", "{}"), text_call("look", args)]));
        assert_eq!(sim.running(), [1], "a call with whole arguments runs");
        let told = "Your output was cut by the length limit in the middle of this call; it was not run";
        assert_eq!(sim.failure(2), (ErrorKind::ParseError, told), "{args}");
        let content = sim.content(2);
        assert!(content.contains("send a smaller call"), "{content}");
        sim.ended(1, json!(1));
        assert_eq!(sim.request().purpose, StepPurpose::Correction);
    }
    // Without the limit, empty arguments are none (R-22) and broken ones are just broken.
    let mut sim = Sim::of(Profile::default());
    sim.start("Go");
    sim.want(vec![text_call("look", ""), text_call("look", "{\"a\"")]);
    assert_eq!(sim.running(), [1]);
    assert!(sim.failure(2).1.starts_with("Invalid JSON arguments"));
}

#[test]
fn a_notice_of_the_adapter_is_told_once_and_an_imitation_warns() {
    let notice = |kind, rule: &str, message: &str| {
        Input::ModelNoticed(Notice { kind, rule: rule.into(), message: message.into() })
    };
    let mut sim = Sim::of(Profile::default());
    sim.start("Hi");
    for _ in 0..2 {
        sim.input(notice(NoticeKind::Healed, "orphan_outcome", "an outcome without its call was left out"));
        sim.input(notice(NoticeKind::Emulated, "tool_choice_required", "the provider cannot force calls"));
        sim.input(notice(NoticeKind::Emulated, "seed", "the provider takes no seed"));
    }
    sim.say("Hello");
    assert_eq!(
        sim.story(),
        "run-started step-started request-adjusted request-adjusted warning-raised request-adjusted step-ended run-ended"
    );
    assert_eq!(sim.warnings(), [(WarningCode::Emulated, "the provider cannot force calls")]);
    assert_eq!(
        sim.adjustments()[2],
        (NoticeKind::Emulated, "seed", "the provider takes no seed"),
        "told although the warning is raised only once"
    );
}

#[test]
fn a_flood_of_notices_is_bounded() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Hi");
    for number in 0..300 {
        let (rule, message) = ("r".to_owned(), format!("change {number}"));
        sim.input(Input::ModelNoticed(Notice { kind: NoticeKind::Lowered, rule, message }));
    }
    assert_eq!(sim.adjustments().len(), 256);
}
