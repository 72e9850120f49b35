//! Executors in the process: a program takes requested calls and answers them, through the gates of every call.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt;
use serde_json::{Value, json};
use windlass::core::protocol::tool::{Effects, ErrorKind, Risk};
use windlass::prelude::*;

fn sensor() -> ToolSpec {
    ToolSpec::new("read_sensor", "Reads the thermometer of a room.")
        .with_effects(Effects::Read, Risk::Low)
        .with_schema(json!({
            "type": "object", "properties": {"room": {"type": "string"}}, "required": ["room"],
        }))
}

fn door(risk: Risk) -> ToolSpec {
    ToolSpec::new("open_door", "Opens the door.")
        .with_effects(Effects::External, risk)
        .with_schema(json!({"type": "object", "properties": {"which": {"type": "string"}}}))
}

/// Why calls failed, in the order of their ends.
fn failures(events: &[Event]) -> Vec<ErrorKind> {
    let kind = |event: &Event| match event {
        Event::Durable(DurableEvent::CallEnded { outcome, .. }) => {
            outcome.failure().map(|failure| failure.kind)
        }
        _ => None,
    };
    events.iter().filter_map(kind).collect()
}

fn agent(script: &str) -> Windlass {
    Windlass::builder().script(script).unwrap().approve(ApproveMode::All).build().unwrap()
}

#[tokio::test]
async fn u_42_p_1_p_4_p_19_a_requested_call_is_taken_answered_and_reaches_the_next_request() {
    let agent = agent(
        "user How warm?\nmodel call 1 read_sensor {\"room\":\"hall\"}\nmodel end\n\
         expect-request contains 21\nmodel text It is 21 degrees.\n",
    );
    let mut executor = agent.executor("house", vec![sensor()]).unwrap();
    let events = tokio::spawn(agent.stream("How warm?").collect::<Vec<Event>>());
    let taken = executor.next().await.unwrap();
    assert_eq!(taken.call().tool, "read_sensor");
    assert_eq!(Value::Object(taken.call().arguments.clone()), json!({"room": "hall"}));
    assert_eq!(taken.call().call_id.as_str(), "call_1");
    taken.complete(ToolOutput::json(json!({"celsius": 21}))).unwrap();
    let events = events.await.unwrap();
    let place = |is_so: fn(&Event) -> bool| events.iter().position(is_so).unwrap();
    let requested = place(|event| matches!(event, Event::Durable(DurableEvent::CallRequested { .. })));
    let started = place(|event| matches!(event, Event::Durable(DurableEvent::CallStarted { .. })));
    let ended = place(
        |event| matches!(event, Event::Durable(DurableEvent::CallEnded { outcome, .. }) if outcome.is_ok()),
    );
    assert!(requested < started && started < ended);
    let Some(Event::Durable(DurableEvent::RunEnded { answer, outcome, .. })) = events.last() else {
        panic!("no end")
    };
    assert_eq!((answer.as_str(), *outcome), ("It is 21 degrees.", RunOutcome::Completed));
}

#[tokio::test]
async fn u_42_p_1_gates_stand_before_an_executor() {
    let script = "user Go\nmodel call 1 read_sensor {\"room\":7}\nmodel call 2 open_door {}\nmodel end\n\
                  model call 3 open_door {\"which\":\"back\"}\nmodel end\nmodel text Done.\n";
    let asked = Arc::new(Mutex::new(0));
    let count = Arc::clone(&asked);
    let agent = Windlass::builder()
        .script(script)
        .unwrap()
        .on_permission(move |question| {
            assert_eq!(question.tool, "open_door");
            let mut asked = count.lock().unwrap();
            *asked += 1;
            let decision = if *asked == 1 { Decision::Deny } else { Decision::Once };
            std::future::ready(PermissionAnswer::new(decision))
        })
        .build()
        .unwrap();
    let mut executor = agent.executor("house", vec![sensor(), door(Risk::High)]).unwrap();
    let events = tokio::spawn(agent.stream("Go").collect::<Vec<Event>>());
    let taken = executor.next().await.unwrap();
    // Wrong arguments and a call that was denied never came.
    assert_eq!(taken.call().call_id.as_str(), "call_3");
    taken.fail("the door is stuck").unwrap();
    let kinds = failures(&events.await.unwrap());
    assert_eq!(kinds, [ErrorKind::InvalidArgs, ErrorKind::PermissionDenied, ErrorKind::Internal]);
    assert_eq!(*asked.lock().unwrap(), 2);
}

#[tokio::test]
async fn u_42_p_1_cancel_and_time_limits_reach_the_call_that_was_taken() {
    let agent = agent(
        "user Go\nmodel call 1 open_door {}\nmodel end\nmodel text Done.\nuser Go\n\
         model call 2 read_sensor {\"room\":\"hall\"}\nmodel end\nmodel text Late.\n",
    );
    let door = ToolSpec { timeout_ms: Some(50), ..door(Risk::Low) };
    let mut executor = agent.executor("house", vec![door, sensor()]).unwrap();
    let running = tokio::spawn({
        let agent = agent.clone();
        async move { agent.run("Go").await.unwrap() }
    });
    let taken = executor.next().await.unwrap();
    taken.stopped().await;
    assert!(taken.complete(ToolOutput::text("too late")).is_err());
    let answer = running.await.unwrap();
    assert!(answer.trace.tools[0].output_raw.is_null(), "{:?}", answer.trace.tools);
    assert_eq!(answer.text, "Done.");
    let events = tokio::spawn(agent.stream("Go").collect::<Vec<Event>>());
    let taken = executor.next().await.unwrap();
    agent.cancel().await.unwrap();
    taken.stopped().await;
    assert!(taken.is_stopped() && taken.fail("stopped").is_err());
    let events = events.await.unwrap();
    assert!(matches!(
        events.last(),
        Some(Event::Durable(DurableEvent::RunEnded { outcome: RunOutcome::Cancelled, .. }))
    ));
}

#[tokio::test]
async fn u_42_p_1_an_executor_that_goes_away_leaves_no_call_open_and_no_tool_behind() {
    let agent = agent(
        "user Go\nmodel call 1 open_door {}\nmodel end\nexpect-request contains whether it happened is not known\n\
         model call 2 open_door {}\nmodel end\nmodel text I cannot say.\n",
    );
    let mut executor = agent.executor("house", vec![door(Risk::Low)]).unwrap();
    let events = tokio::spawn(agent.stream("Go").collect::<Vec<Event>>());
    let taken = executor.next().await.unwrap();
    drop((executor, taken));
    let kinds = failures(&events.await.unwrap());
    assert_eq!(kinds, [ErrorKind::Interrupted, ErrorKind::UnknownTool]);
    assert!(agent.executor("house", vec![door(Risk::Low)]).is_ok(), "the names are free again");
}

#[tokio::test]
async fn u_42_p_1_what_an_executor_offers_is_checked() {
    let agent = agent("user Go\nmodel text Hi.\n");
    let refused = |name: &str, tools: Vec<ToolSpec>| agent.executor(name, tools).err().unwrap().to_string();
    let _held = agent.executor("house", vec![sensor()]).unwrap();
    assert!(refused("shed", vec![sensor()]).contains("already taken"));
    assert!(refused("house", vec![door(Risk::Low)]).contains("is there already"));
    assert!(refused("a b", vec![door(Risk::Low)]).contains("'name' must be"));
    assert!(refused("shed", Vec::new()).contains("1 to 64 tools"));
    assert!(refused("shed", vec![door(Risk::Low), door(Risk::Low)]).contains("twice"));
    assert!(refused("shed", vec![door(Risk::Safe)]).contains("not safe"));
    assert!(refused("shed", vec![ToolSpec::new("x", " ")]).contains("needs a description"));
    let wrong =
        ToolSpec::new("x", "X.").with_schema(json!({"type": "object", "properties": {"a": {"type": 7}}}));
    assert!(refused("shed", vec![wrong]).contains("schema"));
    let slow = ToolSpec { timeout_ms: Some(Duration::from_secs(301).as_millis() as u64), ..door(Risk::Low) };
    assert!(refused("shed", vec![slow]).contains("time limit"));
    // What was refused left nothing behind.
    assert!(agent.executor("shed", vec![door(Risk::Low)]).is_ok());
}
