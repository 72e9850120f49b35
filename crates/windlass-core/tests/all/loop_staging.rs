//! Staged edits: nothing is written, the next request says that the edit awaits approval, and no other edit of the file
//! is made behind it (R-39). Edits of other files are staged beside it.

use std::sync::Arc;

use serde_json::json;
use windlass_core::permission::{
    ApproveMode, Decision, GateSettings, Inspection, Permissions, PolicySet, Preview, Target,
};
use windlass_core::profile::Profile;
use windlass_core::protocol::event::{DurableEvent, Event, Record, RunOutcome};
use windlass_core::protocol::message::{Message, Transcript};
use windlass_core::protocol::tool::{ErrorKind, OutcomeStatus, RawCall};
use windlass_core::rehearse::{CheckedBy, rehearse, start_of};
use windlass_core::run::Effect;

use crate::sim::{Sim, call};

const STAGED: &str = "The edit is staged as proposal call_1 and awaits the user's approval; nothing was written. \
                      Leave this file alone until you are told that the edit was applied; other files can be edited";
const BEHIND: &str = "Edit call_1 of this file awaits the user's approval already; this edit was neither made nor staged. \
                      Leave this file alone until you are told that the edit was applied; other files can be edited";

fn write(path: &str) -> RawCall {
    call("write_file", json!({ "path": path }))
}

/// What a tool says of an edit of the file.
fn looked(path: &str) -> Inspection {
    let mut inspection = Inspection {
        targets: vec![Target::Path(path.into())],
        preview: Some(Preview::Diff(format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-1\n+2\n"))),
        ..Inspection::default()
    };
    inspection.pins.insert("expected_sha256".into(), json!("0123"));
    inspection
}

fn staging(profile: Profile, calls: Vec<RawCall>) -> Sim {
    let mut sim = Sim::new(profile, ApproveMode::Stage);
    sim.start("Make it so.");
    sim.want(calls);
    sim
}

#[test]
fn r_39_the_next_request_tells_the_model_that_the_edit_awaits_approval() {
    let mut sim = staging(Profile::default(), vec![write("a")]);
    sim.inspected(1, Ok(looked("a")));
    assert!(sim.ran().is_empty() && sim.asking.is_empty(), "nothing runs, nobody is waited for");
    assert_eq!(sim.outcome(1).status(), OutcomeStatus::Staged);
    assert_eq!(sim.failure(1), (ErrorKind::PermissionDenied, STAGED));
    let Some(Message::Tool(tool)) = sim.request().messages.last().map(AsRef::as_ref) else {
        panic!("the request ends with the outcome")
    };
    assert_eq!((tool.call_id.as_str(), tool.is_ok, tool.is_valid_call), ("call_1", false, true));
    let content: serde_json::Value = serde_json::from_str(&tool.content).unwrap();
    assert_eq!((&content["ok"], &content["error"]["message"]), (&json!(false), &json!(STAGED)));
    assert!(!tool.content.contains("expected_sha256"), "the proposal is the user's business");
    sim.say("The edit of a awaits your approval.");
    assert_eq!(sim.finished().outcome, RunOutcome::Completed);
    assert_eq!(
        sim.story(),
        "run-started step-started step-ended call-requested call-ended step-started step-ended run-ended"
    );
    assert!(sim.audit[0].contains("staged, awaits approval"), "{:?}", sim.audit);
}

#[test]
fn r_39_no_further_edit_of_the_file_is_executed_in_the_same_step_or_later() {
    let mut sim = staging(Profile::default(), vec![write("a"), write("a"), call("look", json!({}))]);
    sim.inspected(1, Ok(looked("a")));
    sim.inspected(2, Ok(looked("a")));
    assert_eq!(sim.running(), [3], "what is no edit goes on");
    sim.ended(3, json!("seen"));
    assert_eq!(sim.failure(2), (ErrorKind::PermissionDenied, BEHIND));
    assert_eq!(sim.outcome(2).status(), OutcomeStatus::Denied);
    sim.want(vec![write("a"), write("c")]);
    for number in [4, 5] {
        sim.inspected(number, Ok(looked(if number == 4 { "a" } else { "c" })));
    }
    assert_eq!(sim.failure(4).1, BEHIND);
    assert_eq!(sim.outcome(5).status(), OutcomeStatus::Staged, "another file");
    assert_eq!(sim.ran().len(), 1, "the look");
    sim.say("Done.");
    let staged = sim
        .events
        .iter()
        .filter(|event| matches!(event, Event::Durable(DurableEvent::CallEnded { outcome, .. }) if outcome.meta.proposal.is_some()));
    assert_eq!(staged.count(), 2, "one proposal a file");
}

#[test]
fn r_39_a_rule_that_allows_runs_an_edit_but_not_behind_a_staged_one() {
    let rules = r#"{"version":1,"rules":[{"id":"r1","effect":"allow","rule":"write_file(docs/**)"}]}"#;
    let rules = PolicySet::from_json(rules).unwrap();
    let mut sim = Sim::with_rules(Profile::default(), ApproveMode::Stage, rules);
    sim.start("Go");
    sim.want(vec![write("docs/a"), write("src/b"), write("docs/c"), write("src/b")]);
    sim.inspected(1, Ok(looked("docs/a")));
    sim.ended(1, json!("written"));
    sim.inspected(2, Ok(looked("src/b")));
    assert_eq!(sim.outcome(2).status(), OutcomeStatus::Staged);
    sim.inspected(3, Ok(looked("docs/c")));
    sim.ended(3, json!("written"));
    sim.inspected(4, Ok(looked("src/b")));
    assert_eq!(sim.outcome(4).status(), OutcomeStatus::Denied);
    assert_eq!(sim.ran().iter().map(|(id, _)| *id).collect::<Vec<_>>(), ["call_1", "call_3"]);
}

#[test]
fn what_is_no_edit_is_asked_about_while_edits_are_staged() {
    let mut sim = staging(Profile::default(), vec![call("read_file", json!({"path": "a"})), write("a")]);
    sim.decide(1, Decision::Once);
    sim.ended(1, json!("1"));
    sim.inspected(2, Ok(looked("a")));
    assert_eq!(sim.outcome(2).status(), OutcomeStatus::Staged);
}

#[test]
fn r_39_every_profile_tells_it_and_none_takes_it_for_a_failure() {
    for (profile, key) in [
        (Profile::ploke(), "error"),
        (Profile::zodo(), "error_message"),
        (Profile::studio(), "error"),
        (Profile::dspy(), "error"),
    ] {
        let name = profile.name;
        let dialect = profile.dialect;
        let mut sim = Sim::new(
            Profile { dialect: windlass_core::profile::Dialect::Native, ..profile },
            ApproveMode::Stage,
        );
        sim.start("Go");
        sim.want(vec![write("a")]);
        sim.inspected(1, Ok(looked("a")));
        assert!(sim.is_thinking, "{name:?} ({dialect:?}) goes on");
        let said = sim.content_json(1)[key].as_str().unwrap().to_owned();
        assert!(said.contains("awaits the user's approval") && said.contains("call_1"), "{name:?}: {said}");
        if sim.content_json(1).get("error_type").is_some() {
            assert_eq!(sim.content_json(1)["error_type"], "permission_denied", "Z-10");
        }
        assert_eq!(
            Sim::roles(&sim.request().messages),
            "user assistant+1 tool",
            "{name:?}: no note of a failure"
        );
    }
}

/// The records of a run, as a store gives them back, each with the time at which it was made.
fn stored(sim: &Sim) -> Vec<Arc<Record>> {
    let mut records = sim.records();
    for record in &mut records {
        if let Event::Durable(DurableEvent::CallEnded { outcome, .. }) = &record.event {
            record.ts_ms = outcome.meta.started_ms;
        }
    }
    let text = serde_json::to_string(&records).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn r_39_a_run_that_is_taken_up_again_still_knows_its_staged_edit() {
    let mut sim = staging(Profile::default(), vec![write("a")]);
    sim.inspected(1, Ok(looked("a")));
    let records = stored(&sim);
    // Whatever the rules are now: what was staged stays staged.
    for mode in ApproveMode::ALL {
        let mut permissions = Permissions::new(Arc::default(), mode);
        permissions.begin_run(GateSettings::default());
        let start = start_of(&records, Transcript::default(), 1).unwrap();
        let settings = Arc::new(sim.settings());
        let rehearsed =
            rehearse(settings, start, &records, &sim.tools, &mut permissions, CheckedBy::Record).unwrap();
        assert_eq!(rehearsed.same as usize, records.len(), "{mode:?}");
        assert!(matches!(rehearsed.live.as_slice(), [Effect::CallModel { .. }]), "{:?}", rehearsed.live);
        let mut again = Sim::new(Profile::default(), mode);
        (again.run, again.permissions, again.is_thinking) = (rehearsed.run, permissions, true);
        again.want(vec![write("a")]);
        again.inspected(2, Ok(looked("a")));
        assert_eq!(again.failure(2).1, BEHIND, "{mode:?}");
        assert!(again.ran().is_empty());
    }
}
