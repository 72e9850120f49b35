//! How runs are stopped from outside: by the user, by the clock, by a journal that fails.

use serde_json::json;
use windlass_core::permission::{ApproveMode, Decision};
use windlass_core::profile::Profile;
use windlass_core::protocol::event::{DurableEvent, Event, RunOutcome, StopReason};
use windlass_core::protocol::model::{Finish, StepPurpose};
use windlass_core::protocol::tool::ErrorKind;
use windlass_core::run::{Deadline, Input, RunError};

use crate::sim::{Done, Sim, call};

/// A step with calls in every state: settled, running, asking, inspecting, queued.
fn busy() -> Sim {
    let mut sim = Sim::new(Profile::default(), ApproveMode::Ask);
    sim.start("Go");
    sim.want(vec![
        call("nope", json!({})),
        call("look", json!({})),
        call("read_file", json!({"path": "a"})),
        call("touch", json!({"path": "b"})),
        call("add", json!({"a": {"$ref": "call_2", "path": ""}})),
    ]);
    assert_eq!(sim.running(), [2]);
    sim
}

/// What every unsettled call of `busy` is told, and what was stopped for it.
fn assert_stopped(sim: &Sim, kind: ErrorKind, message: &str) {
    assert_eq!(sim.failure(1).0, ErrorKind::UnknownTool, "what was settled stays settled");
    for number in 2..=5 {
        assert_eq!(sim.failure(number), (kind, message));
    }
    let stopped: Vec<_> =
        sim.done.iter().filter(|done| matches!(done, Done::StopCall(_) | Done::Withdraw(_))).collect();
    assert_eq!(stopped, [&Done::StopCall("call_2".into()), &Done::Withdraw("call_3".into())]);
}

#[test]
fn r_7_cancel_during_calls_stops_them_and_ends_the_run_as_cancelled() {
    let mut sim = busy();
    sim.cancel("ignored: no model speaks");
    assert_stopped(&sim, ErrorKind::Cancelled, "Generation cancelled");
    let finished = sim.finished();
    assert_eq!((finished.outcome, &finished.reason), (RunOutcome::Cancelled, &StopReason::Cancelled));
    assert_eq!((finished.answer.as_str(), &finished.error), ("Generation cancelled", &None));
    assert_eq!(Sim::roles(&finished.transcript), "user assistant+5 tool tool tool tool tool");
    assert!(sim.story().ends_with("call-ended call-ended call-ended call-ended run-ended"));
}

#[test]
fn r_7_e_37_cancel_between_steps_ends_the_run_and_keeps_the_text() {
    let mut sim = Sim::of(Profile::edison());
    sim.start("Go");
    sim.say(r#"{"tool":"look","args":{}}"#);
    sim.ended(1, json!("seen"));
    sim.cancel("");
    assert_eq!(sim.story().split(' ').next_back(), Some("run-ended"));
    assert_eq!(sim.done[sim.done.len() - 2..], [Done::StopModel, Done::Finish]);
    assert_eq!((sim.answer(), sim.finished().outcome), ("Generation cancelled", RunOutcome::Cancelled));
    // Nothing that comes later changes the text.
    sim.say("Too late");
    assert_eq!(sim.answer(), "Generation cancelled");
    assert_eq!(Sim::roles(&sim.finished().transcript), "user assistant+1 tool");
}

#[test]
fn r_7_cancel_keeps_what_the_model_had_said() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Tell");
    sim.cancel("Once upon");
    assert_eq!(sim.story(), "run-started step-started step-ended run-ended");
    let Event::Durable(DurableEvent::StepEnded { finish, message, usage, .. }) = &sim.events[2] else {
        panic!("no step")
    };
    assert_eq!(
        (finish, message.text().as_str(), usage),
        (&Finish::Other("cancelled".into()), "Once upon", &None)
    );
    assert_eq!((sim.answer(), sim.finished().outcome), ("Once upon", RunOutcome::Cancelled));

    let mut sim = Sim::of(Profile::default());
    sim.start("Tell");
    sim.cancel(" \n");
    assert_eq!(sim.story(), "run-started step-started run-ended", "nothing said is nothing kept");
    assert_eq!(sim.answer(), "Generation cancelled");
}

#[test]
fn cancel_while_a_call_is_inspected_stops_the_inspection() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Write");
    sim.want(vec![call("write_file", json!({"path": "a"})), call("write_file", json!({"path": "b"}))]);
    assert_eq!(sim.done.last(), Some(&Done::Inspect("call_1".into())));
    sim.cancel("");
    assert_eq!(sim.done[sim.done.len() - 2..], [Done::StopCall("call_1".into()), Done::Finish]);
    assert_eq!(sim.failure(2), (ErrorKind::Cancelled, "Generation cancelled"));
}

#[test]
fn the_deadline_stops_calls_and_leads_to_an_answer() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Go");
    sim.want(vec![call("look", json!({})), call("touch", json!({"path": "x"}))]);
    sim.deadline(Deadline::Final);
    assert_eq!(sim.running(), [1], "that deadline is not set yet");
    sim.deadline(Deadline::Work);
    for number in 1..=2 {
        assert_eq!(sim.failure(number), (ErrorKind::Timeout, "The run is out of time; the call was stopped"));
        assert_eq!(sim.outcome(number).failure().unwrap().hint.as_deref(), Some("answer from what you have"));
    }
    let last = sim.done[sim.done.len() - 3..].to_vec();
    let timer = Done::Timer { deadline: Deadline::Final, at_ms: sim.now + 30_000 };
    assert_eq!(
        last,
        [Done::StopCall("call_1".into()), timer, Done::CallModel { delay_ms: 0, is_exact: false }]
    );
    assert_eq!(sim.request().purpose, StepPurpose::Finalise);
    assert_eq!(Sim::roles(&sim.request().messages), "user assistant+2 tool tool");
    assert!(sim.request().trailer[0].starts_with("The run is out of time. "));
    sim.say("So far nothing.");
    let finished = sim.finished();
    assert_eq!((finished.outcome, &finished.reason), (RunOutcome::LimitReached, &StopReason::Deadline));
}

#[test]
fn the_deadline_stops_a_model_that_thinks_too_long() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Go");
    sim.deadline(Deadline::Final);
    assert!(sim.is_thinking && sim.requests.len() == 1, "that deadline is not set yet");
    sim.deadline(Deadline::Work);
    let timer = Done::Timer { deadline: Deadline::Final, at_ms: sim.now + 30_000 };
    assert_eq!(sim.done[2..], [Done::StopModel, timer, Done::CallModel { delay_ms: 0, is_exact: false }]);
    assert_eq!(sim.request().purpose, StepPurpose::Finalise);
    sim.deadline(Deadline::Final);
    assert_eq!(
        sim.answer(),
        "Stopped before an answer: the run is out of time. 0 of 0 calls worked; their outcomes are in the trace."
    );
}

#[test]
fn time_in_which_the_user_thinks_does_not_count() {
    let mut sim = Sim::new(Profile::default(), ApproveMode::Ask);
    sim.start("Read");
    sim.want(vec![call("read_file", json!({"path": "a"}))]);
    let asked_at = sim.now;
    sim.now += 100_000;
    sim.deadline(Deadline::Work);
    let waited = sim.now - asked_at;
    assert_eq!(waited, 100_001);
    assert_eq!(sim.done.last(), Some(&Done::Timer { deadline: Deadline::Work, at_ms: sim.now + waited }));
    assert!(sim.asking.len() == 1, "the question stays open");
    // Only what came since then is given back the next time.
    sim.now += 49;
    sim.decide(1, Decision::Once);
    sim.now += 1_000;
    sim.ended(1, json!("A"));
    sim.now += 50_000;
    sim.deadline(Deadline::Work);
    assert_eq!(sim.done.last(), Some(&Done::Timer { deadline: Deadline::Work, at_ms: sim.now + 50 }));
    sim.deadline(Deadline::Work);
    assert_eq!(sim.request().purpose, StepPurpose::Finalise, "nothing is left to give back");
}

#[test]
fn the_waiting_time_lasts_from_the_first_question_to_the_last_answer() {
    let mut sim = Sim::new(Profile::default(), ApproveMode::Ask);
    sim.start("Read");
    sim.want(vec![call("read_file", json!({"path": "a"})), call("read_file", json!({"path": "b"}))]);
    sim.now += 99;
    sim.decide(1, Decision::Once);
    sim.now += 99;
    sim.decide(2, Decision::Once);
    sim.now += 500;
    sim.deadline(Deadline::Work);
    assert_eq!(sim.done.last(), Some(&Done::Timer { deadline: Deadline::Work, at_ms: sim.now + 200 }));
    assert_eq!(sim.running(), [1, 2]);
}

#[test]
fn a_journal_that_fails_ends_the_run_at_once() {
    let mut thinking = Sim::of(Profile::default());
    thinking.start("Go");
    thinking.input(Input::JournalFailed { message: "disk full".into() });
    assert_eq!(thinking.story(), "run-started step-started error-raised run-ended");
    assert_eq!(thinking.done[2..], [Done::StopModel, Done::Finish]);
    let mut settling = busy();
    settling.input(Input::JournalFailed { message: "disk full".into() });
    assert_stopped(&settling, ErrorKind::Cancelled, "The journal failed; the call was stopped");
    for sim in [&thinking, &settling] {
        assert_eq!(sim.errors(), [("journal", "disk full")]);
        let finished = sim.finished();
        assert_eq!((finished.outcome, &finished.reason), (RunOutcome::Failed, &StopReason::JournalFailed));
        assert_eq!(finished.error, Some(RunError::Journal("disk full".into())));
        assert_eq!(finished.error.as_ref().unwrap().to_string(), "disk full");
        assert_eq!(finished.answer, "disk full");
    }
}

fn streaming() -> Sim {
    let mut sim =
        Sim::new(Profile { executes_while_streaming: true, ..Profile::default() }, ApproveMode::Ask);
    sim.start("Go");
    sim.input(Input::CallReady(call("look", json!({}))));
    sim.input(Input::CallReady(call("read_file", json!({"path": "a"}))));
    assert_eq!((sim.running(), sim.asking.len()), (vec![1], 1));
    sim
}

#[test]
fn calls_that_began_while_the_model_spoke_are_stopped_whatever_ends_it() {
    let mut unwritten = streaming();
    unwritten.input(Input::JournalFailed { message: "disk full".into() });
    let mut cancelled = streaming();
    cancelled.cancel("half");
    for (sim, name) in [(unwritten, "journal"), (cancelled, "cancel")] {
        for number in 1..=2 {
            assert_eq!(sim.failure(number).0, ErrorKind::Cancelled, "{name}");
        }
        assert!(sim.done.contains(&Done::StopCall("call_1".into())), "{name}");
        assert!(sim.done.contains(&Done::Withdraw("call_2".into())), "{name}");
        assert!(!sim.finished().transcript.iter().any(|message| message.calls().count() > 0), "{name}");
    }
}

#[test]
fn the_deadline_stops_calls_that_began_while_the_model_spoke() {
    let mut sim = Sim::of(Profile { executes_while_streaming: true, ..Profile::default() });
    sim.start("Go");
    sim.input(Input::CallReady(call("look", json!({}))));
    sim.deadline(Deadline::Work);
    assert_eq!(sim.failure(1).0, ErrorKind::Cancelled);
    assert_eq!(sim.done[3..5], [Done::StopModel, Done::StopCall("call_1".into())]);
    assert_eq!(Sim::roles(&sim.request().messages), "user");
    assert_eq!(sim.request().purpose, StepPurpose::Finalise);
}

#[test]
fn a_withdrawn_question_stops_the_waiting_time() {
    let mut sim = streaming();
    sim.now += 99;
    sim.model_fails(windlass_core::protocol::model::ModelFailure::passing("cut", "gone"));
    sim.now += 5_000;
    sim.deadline(Deadline::Work);
    assert_eq!(sim.done.last(), Some(&Done::Timer { deadline: Deadline::Work, at_ms: sim.now + 100 }));
    sim.deadline(Deadline::Work);
    assert_eq!(sim.request().purpose, StepPurpose::Finalise);
}
