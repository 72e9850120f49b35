//! ploke's loop, literally: events with their ids, notes after outcomes, errors at the limit (requirements §3, A.4).

use serde_json::json;
use windlass_core::profile::Profile;
use windlass_core::protocol::event::{DurableEvent, Event, Record, RunOutcome, StopReason};
use windlass_core::protocol::message::Message;
use windlass_core::protocol::model::{StepPurpose, ToolChoice};
use windlass_core::protocol::tool::{ErrorKind, ToolFailure};
use windlass_core::run::RunError;

use crate::sim::{Sim, call, named_call};

fn ploke() -> Sim {
    let mut sim = Sim::of(Profile::ploke());
    sim.start("Where is it?");
    sim
}

fn timeout() -> ToolFailure {
    ToolFailure::new(ErrorKind::Timeout, "Tool 'look' timed out after 30 seconds")
}

#[test]
fn requested_completed_and_failed_carry_all_ids() {
    let mut sim = ploke();
    sim.want(vec![named_call("toolu_1", "add", json!({"a": 1})), named_call("toolu_2", "look", json!({}))]);
    sim.ended(1, json!({"results": []}));
    sim.failed(2, ToolFailure::unavailable("no index"));
    let records = sim.records();
    for record in &records {
        let ids = (record.run_id.as_str(), record.parent_id.as_str(), record.session_id.as_str());
        assert_eq!(ids, ("run_1", "message_1", "session_1"));
    }
    let requested: Vec<_> = records
        .iter()
        .filter_map(|record| match &record.event {
            Event::Durable(DurableEvent::CallRequested { call, .. }) => Some((
                call.id.as_str(),
                call.provider_id.as_deref(),
                call.name.as_str(),
                call.arguments.as_str(),
            )),
            _ => None,
        })
        .collect();
    assert_eq!(
        requested,
        [("call_1", Some("toolu_1"), "add", r#"{"a":1}"#), ("call_2", Some("toolu_2"), "look", "{}")]
    );
    let ended: Vec<_> = records
        .iter()
        .filter_map(|record| match &record.event {
            Event::Durable(DurableEvent::CallEnded { call_id, message, outcome, .. }) => {
                let Message::Tool(tool) = message.as_ref() else { return None };
                Some((call_id.as_str(), tool.provider_id.as_deref(), tool.content.as_str(), outcome.is_ok()))
            }
            _ => None,
        })
        .collect();
    assert_eq!(
        ended,
        [
            ("call_1", Some("toolu_1"), r#"{"ok":true,"results":[]}"#, true),
            ("call_2", Some("toolu_2"), r#"{"ok":false,"error":"no index"}"#, false),
        ]
    );
}

#[test]
fn p_9_events_can_be_cloned_and_written_down() {
    let mut sim = ploke();
    sim.want(vec![call("look", json!({}))]);
    sim.failed(1, timeout());
    for record in sim.records() {
        let copy: Record = record.clone();
        assert_eq!(copy, record);
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record);
    }
}

#[test]
fn p_8_p_10_calls_become_events_and_outcomes_the_next_request_until_there_is_an_answer() {
    let mut sim = ploke();
    sim.want(vec![named_call("x", "add", json!({"a": 1})), named_call("y", "look", json!({}))]);
    // One requested event a call, and nothing else, before anything runs.
    assert_eq!(
        sim.story(),
        "run-started step-started step-ended call-requested call-requested call-started call-started"
    );
    sim.ended(2, json!({"id": 2}));
    sim.ended(1, json!({"id": 1}));
    let request = sim.request();
    assert_eq!(Sim::roles(&request.messages), "user assistant+2 tool tool");
    assert_eq!(
        (request.tool_choice.clone(), request.tools.len()),
        (ToolChoice::Auto, 7),
        "tools are still there"
    );
    sim.say("There.");
    assert_eq!(
        sim.story(),
        "run-started step-started step-ended call-requested call-requested call-started call-started \
         call-ended call-ended step-started step-ended run-ended"
    );
    assert_eq!(sim.finished().outcome, RunOutcome::Completed);
}

#[test]
fn p_11_r_34_the_run_waits_until_every_call_has_answered_or_timed_out() {
    let mut sim = ploke();
    sim.want((1..=3).map(|a| call("add", json!({"a": a}))).collect());
    sim.ended(3, json!({"n": 3}));
    sim.failed(1, timeout());
    assert!(!sim.is_thinking);
    sim.ended(2, json!({"n": 2}));
    assert!(sim.is_thinking);
    assert_eq!(Sim::roles(&sim.request().messages), "user assistant+3 tool tool tool note");
}

#[test]
fn p_18_a_failure_gives_a_tool_message_and_after_all_of_them_a_note() {
    let mut sim = ploke();
    sim.want(vec![call("look", json!({})), call("nope", json!({})), call("add", json!({"a": 1}))]);
    sim.failed(1, timeout());
    sim.ended(3, json!({"n": 1}));
    let messages = &sim.request().messages;
    assert_eq!(Sim::roles(messages), "user assistant+3 tool tool tool note note");
    let texts: Vec<_> = messages[2..].iter().map(|message| message.text()).collect();
    assert_eq!(
        texts,
        [
            r#"{"ok":false,"error":"Timed out waiting for tool result"}"#,
            r#"{"ok":false,"error":"Unknown tool 'nope'"}"#,
            r#"{"ok":true,"n":1}"#,
            "Tool call 'look' failed: Timed out waiting for tool result.",
            "Tool call 'nope' failed: Unknown tool 'nope'.",
        ]
    );
    assert!(sim.story().ends_with("call-ended note-added note-added step-started"));
    // Other profiles have no such notes.
    let mut other = Sim::of(Profile::default());
    other.start("Go");
    other.want(vec![call("look", json!({}))]);
    other.failed(1, timeout());
    assert_eq!(Sim::roles(&other.request().messages), "user assistant+1 tool");
}

#[test]
fn p_20_the_run_ends_with_an_answer_or_when_its_attempts_are_used_up() {
    let mut sim = ploke();
    for number in 1..=3 {
        assert_eq!(sim.request().purpose, StepPurpose::Work);
        sim.want(vec![call("add", json!({"a": number}))]);
        sim.ended(number, json!(number));
    }
    let finished = sim.finished();
    assert_eq!((finished.outcome, &finished.reason), (RunOutcome::Failed, &StopReason::StepsMax));
    assert_eq!(finished.error, Some(RunError::StepsMax(3)));
    assert_eq!(sim.errors(), [("max_steps", "Reached the limit of 3 steps")]);
    assert_eq!(sim.requests.len(), 3, "the first and two retries");

    let mut sim = ploke();
    for number in 1..=2 {
        sim.want(vec![call("add", json!({"a": number}))]);
        sim.ended(number, json!(number));
    }
    sim.say("There.");
    assert_eq!(sim.finished().outcome, RunOutcome::Completed);
}

#[test]
fn p_23_the_tool_message_has_the_call_id_and_the_json_without_further_wrapping() {
    let mut sim = ploke();
    sim.want(vec![named_call("toolu_9", "look", json!({}))]);
    sim.ended(1, json!({"query": "how to handle tool calls", "top_k": 10, "results": [{"id": "/abs/src/lib.rs#132:486", "score": 0.823}]}));
    let Message::Tool(tool) = sim.request().messages[2].as_ref() else { panic!("no tool message") };
    assert_eq!(tool.provider_id.as_deref(), Some("toolu_9"));
    assert_eq!(
        tool.content,
        r#"{"ok":true,"query":"how to handle tool calls","top_k":10,"results":[{"id":"/abs/src/lib.rs#132:486","score":0.823}]}"#
    );
}
