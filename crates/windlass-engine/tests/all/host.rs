//! Runs through a host: started, followed by many, answered, cancelled.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::StreamExt;
use windlass_core::permission::{Decision, PermissionAnswer};
use windlass_core::ports::ToolPort;
use windlass_core::ports::host::{HostDelivery, HostError, HostRuns, HostSessions, RunStart, ServedPort};
use windlass_core::protocol::event::{DurableEvent, Event, RunOutcome};
use windlass_core::protocol::ids::{CallId, RunId, SessionId};
use windlass_core::protocol::tool::{Effects, Risk, ToolOutput, ToolSpec};
use windlass_engine::host::HostLimits;

use crate::host_fixture::{Stage, drain, go};
use crate::session::adder;
use crate::tools::tool;

const TALK: &str = "user Go.\nmodel text One two three four.\nmodel call 1 add {\"a\":1,\"b\":2}\nmodel end\n\
                    model text It is three.\n";

/// A tool that writes, asks first, and counts.
pub(crate) fn writer() -> (Arc<dyn ToolPort>, Arc<AtomicUsize>) {
    let wrote = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&wrote);
    let spec = ToolSpec::new("write_it", "Writes").with_effects(Effects::Write, Risk::Medium);
    let writer = tool(spec, move |_, _| {
        let count = Arc::clone(&count);
        async move {
            count.fetch_add(1, Ordering::SeqCst);
            Ok(ToolOutput::text("written"))
        }
    });
    (writer, wrote)
}

fn is_question(event: &Event) -> bool {
    matches!(event, Event::Durable(DurableEvent::PermissionRequested { .. }))
}

fn once() -> PermissionAnswer {
    PermissionAnswer::new(Decision::Once)
}

#[tokio::test]
async fn a_run_is_on_record_when_it_is_accepted_and_its_stream_ends_with_it() {
    let stage = Stage::new(TALK, vec![adder()]);
    let session_id = stage.session().await;
    let run = stage.start(&session_id).await;
    assert_eq!(stage.host.run(&run.run_id).await.unwrap().message, "Go.");
    let records = stage.read(&run.run_id, run.after_seq).await;
    assert!(matches!(records.first().unwrap().event, Event::Durable(DurableEvent::RunStarted { .. })));
    assert!(matches!(records.last().unwrap().event, Event::Durable(DurableEvent::RunEnded { .. })));
    let row = stage.host.run(&run.run_id).await.unwrap();
    assert_eq!((row.outcome, row.steps, row.calls), (Some(RunOutcome::Completed), 2, 1));
    assert_eq!(stage.host.session(&session_id).await.unwrap().begin.title, "Go.");
    assert_eq!(stage.host.runs_going_on(), 0);
}

#[tokio::test]
async fn a_second_run_waits_for_nobody_and_is_refused() {
    let stage = Stage::new("user Go.\nmodel hang\n", vec![]);
    let session_id = stage.session().await;
    let run = stage.start(&session_id).await;
    let second = stage.host.start_run(&session_id, go()).await;
    assert_eq!(second, Err(HostError::Busy(run.run_id.clone())));
    stage.host.cancel(&run.run_id).await.unwrap();
    let records = stage.read(&run.run_id, 0).await;
    let Event::Durable(DurableEvent::RunEnded { outcome, .. }) = &records.last().unwrap().event else {
        panic!("no end")
    };
    assert_eq!(*outcome, RunOutcome::Cancelled);
    // One that has ended stays as it is.
    stage.host.cancel(&run.run_id).await.unwrap();
}

#[tokio::test]
async fn an_answer_counts_once_and_only_for_what_was_asked() {
    let (writer, wrote) = writer();
    let stage =
        Stage::new("user Go.\nmodel call 1 write_it {\"n\":1}\nmodel end\nmodel text Done.\n", vec![writer]);
    let session_id = stage.session().await;
    let run = stage.start(&session_id).await;
    stage.wait_for(&run.run_id, is_question).await;
    let question = stage.host.questions(&run.run_id).await.unwrap().remove(0);
    let call_id = &question.call_id;
    let other = stage.host.answer(&run.run_id, call_id, "another", once()).await;
    assert!(matches!(other, Err(HostError::Stale(_))), "{other:?}");
    let foreign = stage.host.answer(&run.run_id, &CallId::from("call_9"), &question.digest, once()).await;
    assert!(matches!(foreign, Err(HostError::Missing { what: "question", .. })), "{foreign:?}");
    let nowhere = stage.host.answer(&RunId::from("nowhere"), call_id, &question.digest, once()).await;
    assert!(matches!(nowhere, Err(HostError::Missing { what: "run", .. })), "{nowhere:?}");
    assert_eq!(wrote.load(Ordering::SeqCst), 0);
    stage.host.answer(&run.run_id, call_id, &question.digest, once()).await.unwrap();
    let second = stage.host.answer(&run.run_id, call_id, &question.digest, once()).await;
    assert!(matches!(second, Err(HostError::Stale(_))), "{second:?}");
    stage.read(&run.run_id, 0).await;
    let late = stage.host.answer(&run.run_id, call_id, &question.digest, once()).await;
    assert!(matches!(late, Err(HostError::Stale(_))), "{late:?}");
    assert_eq!(wrote.load(Ordering::SeqCst), 1);
    assert!(stage.host.questions(&run.run_id).await.unwrap().is_empty());
}

#[tokio::test]
async fn past_its_limits_the_host_says_when_to_come_again() {
    let limits = HostLimits { runs_max: 1, runs_waiting_max: 0, ..HostLimits::default() };
    let stage = Stage::with_limits("user Go.\nmodel hang\n", vec![], limits);
    let (first, second) = (stage.session().await, stage.session().await);
    let run = stage.start(&first).await;
    let refused = stage.host.start_run(&second, go()).await;
    assert!(matches!(refused, Err(HostError::Overloaded { retry_after_ms: 1.., .. })), "{refused:?}");
    stage.host.cancel(&run.run_id).await.unwrap();
    stage.read(&run.run_id, 0).await;
    stage.start(&second).await;
}

#[tokio::test]
async fn the_session_that_was_idle_longest_makes_room_for_another() {
    let limits = HostLimits { sessions_open_max: 1, ..HostLimits::default() };
    let stage = Stage::with_limits("user Go.\nmodel text Hi.\nuser Go.\nmodel hang\n", vec![], limits);
    let (first, second) = (stage.session().await, stage.session().await);
    for session_id in [&first, &second, &first] {
        let run = stage.start(session_id).await;
        // The third run hangs.
        if run.after_seq == 0 {
            stage.read(&run.run_id, 0).await;
        }
        assert_eq!(stage.host.sessions_open(), 1);
    }
    // The first is busy now: nobody makes room.
    let refused = stage.host.start_run(&second, go()).await;
    assert!(matches!(refused, Err(HostError::Overloaded { .. })), "{refused:?}");
}

#[tokio::test]
async fn names_of_nothing_are_missing() {
    let stage = Stage::new(TALK, vec![]);
    let nowhere = SessionId::from("nowhere");
    let missing = |what| HostError::Missing { what, id: "nowhere".into() };
    assert_eq!(stage.host.start_run(&nowhere, go()).await, Err(missing("session")));
    assert_eq!(stage.host.run(&RunId::from("nowhere")).await, Err(missing("run")));
    assert_eq!(stage.host.events(&RunId::from("nowhere"), 0).await.err(), Some(missing("run")));
    assert_eq!(stage.host.delete_session(&nowhere).await, Err(missing("session")));
    let session_id = stage.session().await;
    let mut start = go();
    start.model = Some("nowhere".into());
    assert_eq!(stage.host.start_run(&session_id, start).await, Err(missing("model")));
    // The session is none the worse for it.
    stage.start(&session_id).await;
}

#[tokio::test]
async fn readers_come_and_go_at_every_record_and_read_the_same() {
    let stage = Stage::new(TALK, vec![adder()]);
    let session_id = stage.session().await;
    let run = stage.start(&session_id).await;
    let (host, run_id) = (Arc::clone(&stage.host), run.run_id.clone());
    let live = tokio::spawn(async move { drain(host.events(&run_id, 0).await.unwrap()).await });
    // One that reads nothing until everything is over.
    let slow = stage.host.events(&run.run_id, 0).await.unwrap();
    let whole = live.await.unwrap();
    assert_eq!(drain(slow).await, whole);
    for (read, record) in whole.iter().enumerate().filter(|(_, record)| record.event.is_durable()) {
        assert_eq!(stage.read(&run.run_id, record.seq).await, whole[read + 1..], "after {}", record.seq);
    }
    let mut one_by_one = Vec::new();
    loop {
        let after =
            one_by_one.last().map_or(0, |record: &Arc<windlass_core::protocol::event::Record>| record.seq);
        let mut events = stage.host.events(&run.run_id, after).await.unwrap();
        match events.next().await {
            Some(HostDelivery::Record(record)) => one_by_one.push(record),
            Some(HostDelivery::Gap | HostDelivery::Deleted) => panic!("a gap"),
            None => break,
        }
    }
    assert_eq!(one_by_one, whole);
}

#[tokio::test]
async fn an_idle_session_is_closed_and_opens_again_with_its_past() {
    let limits = HostLimits { session_idle_ms: 0, ..HostLimits::default() };
    let stage = Stage::with_limits("user Go.\nmodel text First.\n", vec![], limits);
    let other = "user Go.\nmodel text Never.\nuser Go.\nexpect-request contains First.\nmodel text Second.\n";
    stage.scripts.put("other", other);
    let session_id = stage.session().await;
    let run = stage.start(&session_id).await;
    stage.read(&run.run_id, 0).await;
    assert_eq!(stage.host.close_idle().await, 1);
    assert_eq!(stage.host.sessions_open(), 0);
    let mut start = go();
    start.model = Some("scripted/other".into());
    let run = stage.host.start_run(&session_id, start).await.unwrap();
    let records = stage.read(&run.run_id, 0).await;
    let Event::Durable(DurableEvent::RunEnded { answer, .. }) = &records.last().unwrap().event else {
        panic!("no end")
    };
    assert_eq!(answer, "Second.");
}

#[tokio::test]
async fn observers_see_the_durable_records_of_all_sessions() {
    let stage = Stage::new(TALK, vec![adder()]);
    let mut observed = stage.host.observe();
    for _ in 0..2 {
        let session_id = stage.session().await;
        let run = stage.start(&session_id).await;
        let durable: Vec<_> =
            stage.read(&run.run_id, 0).await.into_iter().filter(|record| record.event.is_durable()).collect();
        for record in durable {
            assert_eq!(observed.next().await, Some(record));
        }
    }
    assert_eq!(stage.host.observed_lost(), 0);
}

#[tokio::test]
async fn a_run_with_another_model_opens_its_session_anew() {
    let talk = "user Go.\nmodel text One.\nuser Go.\nmodel text Two.\n";
    let stage = Stage::new(talk, Vec::new());
    stage.scripts.put("other", talk);
    let session_id = stage.session().await;
    let first = stage.start(&session_id).await;
    stage.read(&first.run_id, 0).await;
    let other = RunStart { model: Some("scripted/other".into()), ..go() };
    let second = stage.host.start_run(&session_id, other);
    let second = tokio::time::timeout(Duration::from_secs(20), second).await.expect("it hangs").unwrap();
    let records = stage.read(&second.run_id, 0).await;
    let Event::Durable(DurableEvent::RunStarted { model, .. }) = &records.first().unwrap().event else {
        panic!("no start")
    };
    assert_eq!(model, "scripted/other");
}
