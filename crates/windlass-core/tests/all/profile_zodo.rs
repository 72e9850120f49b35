//! ZodoLlama's loop, literally: questions, structured results, two limits (requirements §4, A.5).

use serde_json::json;
use windlass_core::permission::{ApproveMode, Decision, PolicySet};
use windlass_core::profile::Profile;
use windlass_core::protocol::display;
use windlass_core::protocol::event::{DurableEvent, Event, StopReason, WarningCode};
use windlass_core::protocol::message::Message;
use windlass_core::protocol::model::StepPurpose;
use windlass_core::protocol::tool::{ErrorKind, ToolFailure, ToolOutcome, ToolOutput};

use crate::sim::{Sim, call, text_call};

fn zodo(mode: ApproveMode) -> Sim {
    let mut sim = Sim::new(Profile::zodo(), mode);
    sim.start("What is in a.txt?");
    sim
}

#[test]
fn z_2_z_16_z_18_query_permission_execution_result_history_and_continuation() {
    let mut sim = zodo(ApproveMode::Ask);
    sim.want(vec![call("read_file", json!({"path": "a.txt"}))]);
    sim.decide(1, Decision::Once);
    sim.ended(1, json!("hello"));
    assert!(sim.is_thinking, "the next response comes by itself");
    sim.say("It says hello.");
    assert_eq!(
        sim.story(),
        "run-started step-started step-ended call-requested permission-requested permission-decided \
         call-started call-ended step-started step-ended run-ended"
    );
    let transcript = &sim.finished().transcript;
    assert_eq!(Sim::roles(transcript), "user assistant+1 tool assistant");
    let kept: Vec<_> =
        transcript[1].calls().map(|call| (call.name.as_str(), call.arguments.as_str())).collect();
    assert_eq!(kept, [("read_file", r#"{"path":"a.txt"}"#)]);
    // The screen's item stands between the call and the answer, and is no message at all.
    let view = windlass_core::protocol::view::SessionView::fold(&sim.records());
    use windlass_core::protocol::view::Entry;
    assert!(
        matches!(&view.runs[0].entries[..], [Entry::Call(_), Entry::Text(answer)] if answer == "It says hello.")
    );
}

#[test]
fn z_9_z_11_r_55_the_model_gets_one_envelope_and_the_screen_its_own_block() {
    let mut sim = zodo(ApproveMode::All);
    sim.want(vec![
        call("read_file", json!({"path": "a.txt"})),
        call("read_file", json!({"path": "config.txt"})),
    ]);
    sim.ended_with(1, ToolOutcome::ok(ToolOutput::text("hello")).timed(1_000, 1_005));
    sim.ended_with(
        2,
        ToolOutcome::failed(ToolFailure::not_found("File not found: config.txt")).timed(2_000, 2_003),
    );
    assert_eq!(
        sim.content(1),
        r#"{"success":true,"data":"hello","error_message":null,"error_type":"none","metadata":{"execution_time_ms":5,"data_size_bytes":5,"timestamp":1005}}"#
    );
    assert_eq!(
        sim.content(2),
        r#"{"success":false,"data":null,"error_message":"File not found: config.txt","error_type":"not_found","metadata":{"execution_time_ms":3,"data_size_bytes":0,"timestamp":2003}}"#
    );
    let calls: Vec<_> = sim.run.transcript()[1].calls().cloned().collect();
    let block = display::call_block(&sim.profile, &calls[0], sim.outcome(1));
    assert_eq!(
        block,
        "[Tool: read_file]\nStatus: ✅ SUCCESS\nResult: hello\nExecution Time: 5ms\nData Size: 5 bytes\nArguments: {\"path\":\"a.txt\"}"
    );
    let request = format!("{:?}", sim.request());
    assert!(!request.contains("[Tool: ") && !request.contains("✅"), "the block is never sent to the model");
    assert_eq!(Sim::roles(&sim.request().messages), "user assistant+2 tool tool");
}

#[test]
fn r_47_denied_unknown_invalid_and_forbidden_calls_each_give_a_message_with_the_right_type() {
    let rules = r#"{"policies":[{"tool_name":"touch","decision":"always_deny","created_at":1}]}"#;
    let mut sim = Sim::with_rules(Profile::zodo(), ApproveMode::Ask, PolicySet::from_json(rules).unwrap());
    sim.start("Go");
    sim.want(vec![
        call("read_file", json!({"path": "a"})),
        call("nope", json!({})),
        call("read_file", json!({})),
        text_call("read_file", "{oops"),
        call("touch", json!({"path": "x"})),
        call("look", json!({})),
    ]);
    sim.decide(1, Decision::Deny);
    sim.failed(6, ToolFailure::internal("out of memory"));
    let told: Vec<_> = (1..=6)
        .map(|number| {
            let content = sim.content_json(number);
            assert_eq!((&content["success"], &content["data"]), (&json!(false), &json!(null)));
            format!(
                "{}: {}",
                content["error_type"].as_str().unwrap(),
                content["error_message"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(told[0], "permission_denied: User denied permission for this operation");
    assert_eq!(told[1], "not_found: Unknown tool: nope");
    assert_eq!(told[2], "validation_failed: read_file requires a 'path' argument");
    assert_eq!(told[3], "parse_error: Invalid JSON arguments");
    assert!(told[4].starts_with("permission_denied: A rule denies this operation: "), "{}", told[4]);
    assert_eq!(told[5], "internal_error: Runtime error: out of memory");
    assert_eq!(Sim::roles(&sim.request().messages), "user assistant+6 tool tool tool tool tool tool");
}

fn end_all(sim: &mut Sim) {
    while let Some(number) = sim.running().first().copied() {
        sim.ended(number, json!(number));
    }
}

#[test]
fn z_20_at_most_15_calls_run_in_an_iteration_and_the_count_begins_anew() {
    let mut sim = zodo(ApproveMode::All);
    for round in 0..2 {
        let before = sim.ran().len();
        sim.want((0..16).map(|a| call("add", json!({"a": round * 100 + a}))).collect());
        end_all(&mut sim);
        assert_eq!(sim.ran().len() - before, 15);
        let content = sim.content_json((round + 1) * 16);
        assert_eq!(
            content["error_message"],
            "Error: Maximum tool call depth reached. Stopping to prevent infinite loop."
        );
        assert_eq!(content["error_type"], "validation_failed");
    }
}

#[test]
fn z_21_at_most_10_iterations_for_a_message_and_the_count_begins_anew() {
    let mut transcript = Default::default();
    let mut first = 1;
    for _ in 0..2 {
        let mut sim = Sim::new(Profile::zodo(), ApproveMode::All);
        sim.start_from("Go", transcript, first);
        for number in first..first + 10 {
            assert_eq!(sim.request().purpose, StepPurpose::Work);
            sim.want(vec![call("add", json!({"a": number}))]);
            sim.ended(number, json!(number));
        }
        let message =
            "⚠️  Reached maximum iteration limit (10). Stopping master loop to prevent infinite execution.";
        assert_eq!(sim.warnings(), [(WarningCode::MaxSteps, message)]);
        assert_eq!(sim.request().purpose, StepPurpose::Finalise);
        sim.say("That is what I have.");
        assert_eq!(sim.finished().reason, StopReason::StepsMax);
        transcript = sim.finished().transcript.clone();
        first = sim.finished().next_call_number;
    }
}

#[test]
fn z_10_every_kind_of_failure_has_one_of_the_seven_types() {
    let types: std::collections::BTreeSet<_> = ErrorKind::ALL.iter().map(|kind| kind.zodo_word()).collect();
    let failures: Vec<_> = types.into_iter().collect();
    assert_eq!(
        failures,
        ["internal_error", "io_error", "not_found", "parse_error", "permission_denied", "validation_failed"]
    );
    let mut sim = zodo(ApproveMode::All);
    sim.want(vec![call("look", json!({}))]);
    sim.ended(1, json!(1));
    assert_eq!(sim.content_json(1)["error_type"], "none", "the seventh is success");
}

#[test]
fn calls_have_no_time_limit_of_their_own_but_end_some_day() {
    let mut sim = zodo(ApproveMode::All);
    sim.want(vec![call("look", json!({}))]);
    assert_eq!(sim.ran(), [("call_1", 600_000)]);
    assert!(sim.events.iter().any(|event| matches!(event, Event::Durable(DurableEvent::CallStarted { .. }))));
    assert!(!sim.run.transcript().iter().any(|message| matches!(message.as_ref(), Message::Tool(_))));
}
