//! Runs that stop in the middle: parked, found again, answered, cancelled, forked, replayed.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures::{StreamExt, stream};
use serde_json::json;
use windlass_core::permission::{Decision, PermissionAnswer};
use windlass_core::ports::ToolPort;
use windlass_core::ports::host::{
    ForkWish, HostError, HostPolicies, HostRuns, HostSessions, ResumeWish, RunStart, ServedPort,
};
use windlass_core::ports::store::{NewSession, StorePort};
use windlass_core::protocol::event::{DurableEvent, Event, RunOutcome, StopReason};
use windlass_core::protocol::ids::{CallId, RunId};
use windlass_core::protocol::tool::{ToolOutput, ToolSpec};
use windlass_engine::host::{HostLimits, Recovered};
use windlass_engine::memory_store::MemoryStore;
use windlass_store::{SqliteStore, StoreConfig};

use crate::host::writer;
use crate::host_fixture::{Stage, go};
use crate::session::adder;
use crate::tools::tool;

const ASKS: &str = "user Go.\nmodel call 1 write_it {\"n\":1}\nmodel end\nmodel text Done.\n";

fn is_question(event: &Event) -> bool {
    matches!(event, Event::Durable(DurableEvent::PermissionRequested { .. }))
}

fn once() -> PermissionAnswer {
    PermissionAnswer::new(Decision::Once)
}

#[tokio::test]
async fn a_question_survives_the_host_and_is_answered_at_the_next() {
    let (writer, wrote) = writer();
    let stage = Stage::new(ASKS, vec![writer]);
    let session_id = stage.session().await;
    let run = stage.start(&session_id).await;
    let asked = stage.wait_for(&run.run_id, is_question).await;
    stage.host.close().await.unwrap();
    assert_eq!(stage.host.start_run(&session_id, go()).await, Err(HostError::Closing));
    let next = stage.again();
    let found = next.host.recover().await.unwrap();
    assert_eq!(found, Recovered { waiting: 1, ..Recovered::default() });
    assert_eq!(next.host.sessions_open(), 0, "a run that waits for an answer needs nobody");
    assert!(matches!(next.host.start_run(&session_id, go()).await, Err(HostError::Busy(_))));
    let question = next.host.questions(&run.run_id).await.unwrap().remove(0);
    let other = next.host.answer(&run.run_id, &question.call_id, "another", once()).await;
    assert!(matches!(other, Err(HostError::Stale(_))), "{other:?}");
    let foreign = next.host.answer(&run.run_id, &CallId::from("call_9"), &question.digest, once()).await;
    assert!(matches!(foreign, Err(HostError::Missing { what: "question", .. })), "{foreign:?}");
    assert_eq!(next.host.sessions_open(), 0, "an answer that is refused opens nothing");
    next.host.answer(&run.run_id, &question.call_id, &question.digest, once()).await.unwrap();
    let records = next.read(&run.run_id, asked.seq).await;
    let Event::Durable(DurableEvent::RunEnded { outcome, answer, .. }) = &records.last().unwrap().event
    else {
        panic!("no end")
    };
    assert_eq!((*outcome, answer.as_str()), (RunOutcome::Completed, "Done."));
    assert_eq!(wrote.load(Ordering::SeqCst), 1);
    let late = next.host.answer(&run.run_id, &question.call_id, &question.digest, once()).await;
    assert!(matches!(late, Err(HostError::Stale(_))), "{late:?}");
}

#[tokio::test]
async fn a_run_that_was_cut_off_goes_on_and_its_readers_with_it() {
    let script =
        "user Go.\nmodel call 1 add {\"a\":1,\"b\":2}\nmodel end\nmodel delay 60s\nmodel text Done.\n";
    let stage = Stage::new(script, vec![adder()]);
    let session_id = stage.session().await;
    let run = stage.start(&session_id).await;
    stage
        .wait_for(&run.run_id, |event| {
            matches!(event, Event::Durable(DurableEvent::StepStarted { step: 2, .. }))
        })
        .await;
    stage.host.close().await.unwrap();
    stage.scripts.put("usual", "user Go.\nmodel call 1 add {\"a\":1,\"b\":2}\nmodel end\nmodel text Done.\n");
    let next = stage.again();
    let events = next.host.events(&run.run_id, 0).await.unwrap();
    let found = next.host.recover().await.unwrap();
    assert_eq!(found, Recovered { taken_up: 1, ..Recovered::default() });
    let whole = crate::host_fixture::drain(events).await;
    assert!(
        whole.iter().any(|record| matches!(record.event, Event::Durable(DurableEvent::RunResumed { .. })))
    );
    let Event::Durable(DurableEvent::RunEnded { answer, .. }) = &whole.last().unwrap().event else {
        panic!("no end")
    };
    assert_eq!(answer, "Done.");
    assert_eq!(next.host.recover().await.unwrap(), Recovered::default());
    let again = next.host.resume(&run.run_id, ResumeWish::default()).await;
    assert!(matches!(again, Err(HostError::Conflict(_))), "{again:?}");
}

#[tokio::test]
async fn a_run_that_nobody_has_open_is_cancelled_on_record_and_nothing_runs() {
    let (writer, wrote) = writer();
    let stage = Stage::new(ASKS, vec![writer]);
    let session_id = stage.session().await;
    let run = stage.start(&session_id).await;
    stage.wait_for(&run.run_id, is_question).await;
    stage.host.close().await.unwrap();
    let next = stage.again();
    next.host.cancel(&run.run_id).await.unwrap();
    let records = next.read(&run.run_id, 0).await;
    let Event::Durable(DurableEvent::RunEnded { outcome, reason, .. }) = &records.last().unwrap().event
    else {
        panic!("no end")
    };
    assert_eq!((*outcome, reason), (RunOutcome::Cancelled, &StopReason::Cancelled));
    assert_eq!(wrote.load(Ordering::SeqCst), 0);
    assert!(next.host.questions(&run.run_id).await.unwrap().is_empty());
    let late = next.host.answer(&run.run_id, &CallId::from("call_1"), "any", once()).await;
    assert!(matches!(late, Err(HostError::Stale(_))), "{late:?}");
}

#[tokio::test]
async fn a_run_that_waits_long_for_an_answer_is_parked_and_goes_on_with_it() {
    let (writer, wrote) = writer();
    let limits = HostLimits { session_idle_ms: 0, ..HostLimits::default() };
    let stage = Stage::with_limits(ASKS, vec![writer], limits);
    let session_id = stage.session().await;
    let run = stage.start(&session_id).await;
    let asked = stage.wait_for(&run.run_id, is_question).await;
    let events = stage.host.events(&run.run_id, asked.seq).await.unwrap();
    assert_eq!(stage.host.close_idle().await, 1);
    assert_eq!((stage.host.sessions_open(), stage.host.runs_going_on()), (0, 0));
    let Event::Durable(DurableEvent::PermissionRequested { question }) = &asked.event else {
        panic!("no question")
    };
    stage.host.answer(&run.run_id, &CallId::from("call_1"), &question.digest, once()).await.unwrap();
    let rest = crate::host_fixture::drain(events).await;
    assert!(matches!(rest.last().unwrap().event, Event::Durable(DurableEvent::RunEnded { .. })));
    assert_eq!(wrote.load(Ordering::SeqCst), 1);
}

const SUM: &str = "user Go.\nmodel call 1 add {\"a\":1,\"b\":2}\nmodel call 2 add {\"a\":3,\"b\":4}\nmodel end\n\
                   model text Three and seven.\n";

#[tokio::test]
async fn a_fork_goes_on_from_a_step_with_another_outcome_and_model() {
    let stage = Stage::new(SUM, vec![adder()]);
    stage.scripts.put(
        "other",
        "user Go.\nmodel call 1 add {\"a\":1,\"b\":2}\nmodel call 2 add {\"a\":3,\"b\":4}\nmodel end\n\
         expect-request contains 41\nexpect-request contains 7\nmodel text Forty-one.\n",
    );
    let session_id = stage.session().await;
    let run = stage.start(&session_id).await;
    let original = stage.read(&run.run_id, 0).await;
    let wish = ForkWish {
        step: 1,
        model: Some("scripted/other".into()),
        message: None,
        outcome: Some((CallId::from("call_1"), json!(41))),
    };
    let forked = stage.host.fork(&run.run_id, wish).await.unwrap();
    assert_ne!(forked.session_id, session_id);
    let records = stage.read(&forked.run_id, forked.after_seq).await;
    assert!(
        matches!(&records[0].event, Event::Durable(DurableEvent::RunStarted { model, .. }) if model == "scripted/other")
    );
    let Event::Durable(DurableEvent::RunEnded { answer, .. }) = &records.last().unwrap().event else {
        panic!("no end")
    };
    assert_eq!(answer, "Forty-one.");
    let row = stage.host.session(&forked.session_id).await.unwrap();
    let point = row.begin.fork.unwrap();
    assert_eq!((point.session_id, point.run_id, point.step), (session_id, run.run_id.clone(), 1));
    // The original is what it was.
    assert_eq!(stage.read(&run.run_id, 0).await, original);
}

#[tokio::test]
async fn a_fork_gives_another_outcome_to_a_call_that_ran_while_the_model_spoke() {
    let stage = Stage::new(SUM, vec![adder()]);
    let other = SUM.replace("model text Three", "expect-request contains 41\nmodel text Forty-one");
    stage.scripts.put("other", &other);
    let session_id = stage.session().await;
    let start = RunStart { executes_while_streaming: Some(true), ..go() };
    let run = stage.host.start_run(&session_id, start).await.unwrap();
    let original = stage.read(&run.run_id, 0).await;
    let at = |fits: fn(&Event) -> bool| original.iter().position(|record| fits(&record.event)).unwrap();
    let started = at(|event| matches!(event, Event::Durable(DurableEvent::CallStarted { .. })));
    assert!(
        started < at(|event| matches!(event, Event::Durable(DurableEvent::StepEnded { .. }))),
        "calls begin early"
    );
    for call in ["call_1", "call_2"] {
        let wish = ForkWish {
            step: 1,
            model: Some("scripted/other".into()),
            outcome: Some((CallId::from(call), json!(41))),
            message: None,
        };
        let forked = stage.host.fork(&run.run_id, wish).await.unwrap();
        let records = stage.read(&forked.run_id, 0).await;
        let Event::Durable(DurableEvent::RunEnded { answer, .. }) = &records.last().unwrap().event else {
            panic!("no end")
        };
        assert_eq!(answer, "Forty-one and seven.");
    }
}

#[tokio::test]
async fn a_fork_keeps_what_other_writes_of_the_step_gave_and_runs_none_again() {
    let (writer, wrote) = writer();
    let script = "user Go.\nmodel call 1 write_it {\"n\":1}\nmodel call 2 write_it {\"n\":2}\nmodel end\n\
                  model text Done.\n";
    let stage = Stage::new(script, vec![writer]);
    stage.host.add_rule("allow", "write_it").await.unwrap();
    let session_id = stage.session().await;
    let run = stage.start(&session_id).await;
    stage.read(&run.run_id, 0).await;
    assert_eq!(wrote.load(Ordering::SeqCst), 2);
    let outcome = Some((CallId::from("call_1"), json!("refused")));
    let forked =
        stage.host.fork(&run.run_id, ForkWish { step: 1, outcome, ..ForkWish::default() }).await.unwrap();
    let records = stage.read(&forked.run_id, 0).await;
    let gave: Vec<String> = records
        .iter()
        .filter_map(|record| match &record.event {
            Event::Durable(DurableEvent::CallEnded { message, .. }) => Some(message.text()),
            _ => None,
        })
        .collect();
    assert!(gave.len() == 2 && gave[0].contains("refused") && gave[1].contains("written"), "{gave:?}");
    assert_eq!(wrote.load(Ordering::SeqCst), 2, "nothing happens twice");
}

#[tokio::test]
async fn a_fork_at_step_0_asks_something_else() {
    let stage = Stage::new(SUM, vec![adder()]);
    let session_id = stage.session().await;
    let run = stage.start(&session_id).await;
    stage.read(&run.run_id, 0).await;
    stage.scripts.put("usual", "user Else?\nexpect-request contains Else?\nmodel text Else.\n");
    let wish = ForkWish { message: Some("Else?".into()), ..ForkWish::default() };
    let forked = stage.host.fork(&run.run_id, wish).await.unwrap();
    let records = stage.read(&forked.run_id, 0).await;
    let Event::Durable(DurableEvent::RunEnded { answer, .. }) = &records.last().unwrap().event else {
        panic!("no end")
    };
    assert_eq!(answer, "Else.");
    for (wish, field) in [
        (ForkWish { step: 9, ..ForkWish::default() }, "step"),
        (ForkWish { step: 1, message: Some("Else?".into()), ..ForkWish::default() }, "message"),
        (
            ForkWish { step: 1, outcome: Some((CallId::from("call_9"), json!(1))), ..ForkWish::default() },
            "outcome",
        ),
    ] {
        let refused = stage.host.fork(&run.run_id, wish).await;
        assert!(
            matches!(refused, Err(HostError::Invalid { field: Some(at), .. }) if at == field),
            "{refused:?}"
        );
    }
}

#[tokio::test]
async fn a_replay_is_the_same_until_a_tool_has_changed() {
    let stage = Stage::new(SUM, vec![adder()]);
    let session_id = stage.session().await;
    let run = stage.start(&session_id).await;
    let records = stage.read(&run.run_id, 0).await;
    let durable = records.iter().filter(|record| record.event.is_durable()).count() as u64;
    let report = stage.host.replay(&run.run_id).await.unwrap();
    assert_eq!((report.same, &report.divergence), (durable, &None));
    stage.registry.register(stricter_adder()).unwrap();
    let report = stage.host.replay(&run.run_id).await.unwrap();
    let divergence = report.divergence.unwrap();
    assert!(divergence.replayed.contains("Missing required arg 'c'"), "{divergence:?}");
    assert!((1..durable).contains(&report.same), "{}", report.same);
}

/// `add` with an argument more.
fn stricter_adder() -> Arc<dyn ToolPort> {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}, "c": {"type": "integer"}},
        "required": ["a", "b", "c"]
    });
    tool(ToolSpec::new("add", "Adds three integers").with_schema(schema), |_, _| async {
        Ok(ToolOutput::json(json!(0)))
    })
}

/// A run each in many sessions, cut off in the middle; gives the runs.
async fn cut_off(stage: &Stage, count: usize) -> Vec<RunId> {
    let starting = (0..count).map(|_| async {
        let session_id = stage.session().await;
        let run_id = stage.start(&session_id).await.run_id;
        stage
            .wait_for(&run_id, |event| {
                matches!(event, Event::Durable(DurableEvent::StepStarted { step: 2, .. }))
            })
            .await;
        run_id
    });
    let runs = stream::iter(starting).buffer_unordered(64).collect().await;
    stage.host.close().await.unwrap();
    runs
}

const HANGS: &str = "user Go.\nmodel call 1 add {\"a\":1,\"b\":2}\nmodel end\nmodel hang\n";

#[tokio::test]
async fn a_thousand_unfinished_sessions_are_taken_up_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Arc::new(SqliteStore::open(folder.path(), StoreConfig::default()).unwrap());
    let stage = Stage::new(HANGS, vec![adder()]);
    let stage = Stage::on(open(), stage.scripts, stage.registry, HostLimits::default());
    let runs = cut_off(&stage, 1_000).await;
    let Stage { host, store, scripts, registry } = stage;
    drop((host, store));
    let next = Stage::on(open(), scripts, registry, HostLimits::default());
    let found = next.host.recover().await.unwrap();
    assert_eq!(found, Recovered { taken_up: 1_000, ..Recovered::default() });
    assert_eq!(next.host.runs_going_on(), 1_000, "none waits for the end of another");
    for run_id in runs.iter().step_by(100) {
        next.wait_for(run_id, |event| matches!(event, Event::Durable(DurableEvent::RunResumed { .. }))).await;
    }
    next.host.close().await.unwrap();
}

#[tokio::test]
async fn sessions_of_another_folder_are_left_alone() {
    let stage = Stage::new(ASKS, vec![]);
    let store: Arc<dyn StorePort> = Arc::new(MemoryStore::new());
    let begin = NewSession { root: "/elsewhere".into(), ..NewSession::default() };
    let session_id = windlass_engine::ids::new_session_id();
    store.create_session(&session_id, begin, 1).await.unwrap();
    let other = Stage::on(store, stage.scripts, stage.registry, HostLimits::default());
    let refused = other.host.start_run(&session_id, go()).await;
    assert!(
        matches!(&refused, Err(HostError::Conflict(words)) if words.contains("/elsewhere")),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_session_that_another_process_writes_can_be_read_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Arc::new(SqliteStore::open(folder.path(), StoreConfig::default()).unwrap());
    let stage = Stage::new(HANGS, vec![adder()]);
    let (scripts, registry) = (stage.scripts, stage.registry);
    let ours = Stage::on(open(), Arc::clone(&scripts), registry.clone(), HostLimits::default());
    let theirs = Stage::on(open(), scripts, registry, HostLimits::default());
    let session_id = ours.session().await;
    let run = ours.start(&session_id).await;
    ours.wait_for(&run.run_id, |event| {
        matches!(event, Event::Durable(DurableEvent::StepStarted { step: 2, .. }))
    })
    .await;
    assert_eq!(theirs.host.recover().await.unwrap(), Recovered { held: 1, ..Recovered::default() });
    let held = |done: &dyn std::fmt::Debug| assert!(format!("{done:?}").contains("Held"), "{done:?}");
    held(&theirs.host.start_run(&session_id, go()).await);
    held(&theirs.host.cancel(&run.run_id).await);
    held(&theirs.host.delete_session(&session_id).await);
    let reading = theirs.host.events(&run.run_id, 0).await.unwrap();
    ours.host.cancel(&run.run_id).await.unwrap();
    let whole = ours.read(&run.run_id, 0).await;
    assert_eq!(crate::host_fixture::drain(reading).await, whole);
    // Once they let go of it, we may have it.
    ours.host.close().await.unwrap();
    theirs.host.delete_session(&session_id).await.unwrap();
}
