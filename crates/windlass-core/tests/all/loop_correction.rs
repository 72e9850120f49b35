//! Bad calls: one more chance each, a few a run, then an answer without tools.

use serde_json::json;
use windlass_core::profile::Profile;
use windlass_core::protocol::event::{DurableEvent, Event, RunOutcome, StopReason};
use windlass_core::protocol::model::StepPurpose;
use windlass_core::protocol::tool::{ErrorKind, RawCall, ToolFailure};

use crate::sim::{Sim, call};

fn bad() -> Vec<RawCall> {
    vec![call("add", json!({"a": "one"}))]
}

fn good(a: u64) -> Vec<RawCall> {
    vec![call("add", json!({"a": a}))]
}

fn purposes(sim: &Sim) -> Vec<StepPurpose> {
    let purpose = |event: &Event| match event {
        Event::Durable(DurableEvent::StepStarted { purpose, .. }) => Some(*purpose),
        _ => None,
    };
    sim.events.iter().filter_map(purpose).collect()
}

#[test]
fn r_2_the_request_for_a_correction_has_message_history_schema_and_error() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Add one and one");
    sim.want(good(7));
    sim.ended(1, json!(8));
    sim.want(bad());
    let request = sim.request();
    assert_eq!(request.purpose, StepPurpose::Correction);
    assert_eq!(Sim::roles(&request.messages), "user assistant+1 tool assistant+1 tool");
    assert_eq!(request.messages[0].text(), "Add one and one");
    let told: serde_json::Value = serde_json::from_str(&request.messages[4].text()).unwrap();
    assert_eq!(told["error"]["message"], "a must be int");
    let spec = request.tools.iter().find(|spec| spec.name == "add").unwrap();
    let schema = format!("Send the call again with arguments that fit the schema of 'add': {}", spec.schema);
    assert_eq!(told["error"]["hint"], json!(schema));
    assert_eq!(
        request.trailer,
        [
            "The last call was not run: a must be int. Send it once more, corrected to the schema in its outcome, or answer."
        ]
    );
    assert_eq!(sim.story().matches("call-started").count(), 1, "the bad call did not run");
}

#[test]
fn a_corrected_call_runs_and_the_correction_is_no_step_of_the_limit() {
    let mut profile = Profile::default();
    profile.limits.steps_max = 2;
    let mut sim = Sim::of(profile);
    sim.start("Add");
    sim.want(bad());
    sim.want(good(1));
    sim.ended(2, json!(2));
    assert_eq!(purposes(&sim), [StepPurpose::Work, StepPurpose::Correction, StepPurpose::Work]);
    sim.say("2");
    assert_eq!(sim.finished().outcome, RunOutcome::Completed);
    assert_eq!(
        sim.story(),
        "run-started step-started step-ended call-requested call-ended step-started step-ended call-requested \
         call-started call-ended step-started step-ended run-ended"
    );
}

#[test]
fn a_call_that_stays_bad_leads_to_an_answer_without_tools() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Add");
    sim.want(bad());
    sim.want(bad());
    assert_eq!(purposes(&sim), [StepPurpose::Work, StepPurpose::Correction, StepPurpose::Finalise]);
    assert!(sim.request().trailer[0].starts_with("A bad call was not corrected. No more tools"));
    sim.say("I cannot.");
    let finished = sim.finished();
    assert_eq!(
        (finished.outcome, &finished.reason),
        (RunOutcome::LimitReached, &StopReason::CorrectionFailed)
    );
}

#[test]
fn of_several_bad_calls_the_first_is_named_and_the_good_ones_run() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Add");
    sim.want(vec![call("add", json!({"a": 1})), call("nope", json!({})), call("add", json!({}))]);
    assert_eq!(sim.running(), [1]);
    sim.ended(1, json!(2));
    assert_eq!(sim.failure(3), (ErrorKind::InvalidArgs, "Missing required arg 'a'"));
    assert!(sim.request().trailer[0].starts_with("The last call was not run: Unknown tool 'nope'. "));
}

#[test]
fn what_a_running_tool_finds_wrong_is_an_outcome_and_needs_no_correction() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Add");
    sim.want(good(1));
    sim.failed(1, ToolFailure::invalid_args("a is too large"));
    assert_eq!(purposes(&sim), [StepPurpose::Work, StepPurpose::Work]);
}

#[test]
fn a_refusal_by_inspection_may_be_corrected_too() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Write");
    sim.want(vec![call("write_file", json!({"path": ""}))]);
    sim.inspected(1, Err(ToolFailure::invalid_args("path is empty")));
    assert_eq!(sim.request().purpose, StepPurpose::Correction);
    sim.want(vec![call("write_file", json!({"path": "/etc/passwd"}))]);
    sim.inspected(2, Err(ToolFailure::denied("outside of the root")));
    assert_eq!(sim.request().purpose, StepPurpose::Work, "a denied call is not to be sent again");
}

#[test]
fn profiles_without_corrections_take_a_bad_call_for_an_ordinary_failure() {
    for profile in [Profile::studio(), Profile::ploke(), Profile::zodo()] {
        let name = profile.name;
        let mut sim = Sim::of(profile);
        sim.start("Add");
        sim.want(bad());
        sim.want(bad());
        assert_eq!(purposes(&sim), [StepPurpose::Work; 3], "{name}");
    }
}
