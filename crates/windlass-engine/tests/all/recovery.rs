//! The program is killed, starts again, and takes its run up where it stopped.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use windlass_core::permission::{ApproveMode, Decision, PermissionAnswer};
use windlass_core::protocol::event::{DeltaEvent, DurableEvent, Event, Record, RunOutcome, StopReason};
use windlass_core::protocol::ids::CallId;
use windlass_core::protocol::message::Transcript;
use windlass_core::protocol::model::ModelDelta;
use windlass_core::protocol::tool::{ErrorKind, OutcomeStatus, ToolOutcome, ToolOutput};
use windlass_engine::bus::{Delivery, Subscription};
use windlass_engine::session::{AnswerError, SendError, Session};

use crate::recovery_world::{Kill, World, calls, message, session_id, text};

/// A run over all effect classes, of tools that know what they did.
fn steps() -> Vec<Vec<ModelDelta>> {
    vec![
        calls(&[("add", 1), ("look", 2), ("look", 3)]),
        calls(&[("put", 4)]),
        calls(&[("look", 5), ("put", 6), ("launch", 7), ("look", 8)]),
        calls(&[("set", 9), ("launch", 10)]),
        text(&["All ", "of it ", "is done."]),
    ]
}

/// Exactly one outcome a call, one end a run, numbers that grow.
fn check_journal(records: &[Arc<Record>]) {
    let (mut requested, mut ended) = (BTreeSet::new(), BTreeMap::new());
    let (mut ends, mut last_seq) = (0, 0);
    for record in records {
        assert!(record.seq > last_seq, "numbers grow");
        last_seq = record.seq;
        match &record.event {
            Event::Durable(DurableEvent::CallRequested { call, .. }) => {
                assert!(requested.insert(call.id.clone()), "requested twice")
            }
            Event::Durable(DurableEvent::CallEnded { call_id, .. }) => {
                *ended.entry(call_id.clone()).or_insert(0) += 1
            }
            Event::Durable(DurableEvent::RunEnded { .. }) => ends += 1,
            _ => {}
        }
    }
    assert_eq!(ended.keys().cloned().collect::<BTreeSet<_>>(), requested, "every call has an outcome");
    assert!(ended.values().all(|count| *count == 1), "R-38: {ended:?}");
    assert_eq!(ends, 1, "one end");
}

fn moments(world: &World) -> Vec<Kill> {
    let appends = world.appends.load(Ordering::SeqCst);
    let calls = world.calls.load(Ordering::SeqCst);
    let at_appends = (0..appends).flat_map(|n| [Kill::BeforeAppend(n), Kill::AfterAppend(n)]);
    let at_calls = (0..calls).flat_map(|n| [Kill::BeforeEffect(n), Kill::AfterEffect(n)]);
    at_appends.chain(at_calls).collect()
}

fn reference(steps: Vec<Vec<ModelDelta>>) -> (Transcript, Vec<Kill>, Vec<String>) {
    let world = Arc::new(World::new(steps));
    let finished = world.live(Kill::Never).unwrap();
    assert_eq!(finished.outcome, RunOutcome::Completed);
    (finished.transcript, moments(&world), world.deeds())
}

fn records(world: &World) -> Vec<Arc<Record>> {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(world.records())
}

/// Lives until the run has ended: killed at each moment, then left alone.
fn survive(world: &Arc<World>, kills: &[Kill]) -> Option<Transcript> {
    for kill in kills {
        if let Some(finished) = world.live(*kill) {
            return Some(finished.transcript);
        }
    }
    world.live(Kill::Never).map(|finished| finished.transcript)
}

#[test]
fn r_37_r_38_r_60_a_run_that_is_killed_at_any_moment_ends_as_without_it_and_nothing_happens_twice() {
    let (transcript, moments, deeds) = reference(steps());
    assert!(moments.len() > 40, "{moments:?}");
    for kill in moments {
        let world = Arc::new(World::new(steps()));
        let survived = survive(&world, &[kill]);
        // Killed behind the very end: there is nothing left to do.
        if let Some(survived) = survived {
            assert_eq!(survived, transcript, "{kill:?}");
        }
        check_journal(&records(&world));
        let done = world.deeds();
        let once: Vec<&String> = done.iter().filter(|deed| !deed.starts_with("set ")).collect();
        let expected: Vec<&String> = deeds.iter().filter(|deed| !deed.starts_with("set ")).collect();
        assert_eq!(once, expected, "{kill:?}: each of them once, in order");
        assert_eq!(done.iter().collect::<BTreeSet<_>>(), deeds.iter().collect(), "{kill:?}: the same keys");
    }
}

#[test]
fn a_run_that_is_killed_again_and_again_still_ends_and_nothing_happens_twice() {
    let (transcript, moments, deeds) = reference(steps());
    let late = |kill: &Kill| match kill {
        Kill::BeforeAppend(n) | Kill::AfterAppend(n) => *n % 3 == 1,
        Kill::BeforeEffect(n) | Kill::AfterEffect(n) => *n % 2 == 1,
        Kill::Never | Kill::Hold(_) => false,
    };
    for second in moments.iter().filter(|kill| late(kill)) {
        for first in moments.iter().step_by(5) {
            let world = Arc::new(World::new(steps()));
            if let Some(survived) = survive(&world, &[*first, *second]) {
                assert_eq!(survived, transcript, "{first:?}, {second:?}");
            }
            check_journal(&records(&world));
            let done = world.deeds();
            let count = |line: &String| done.iter().filter(|deed| *deed == line).count();
            for deed in deeds.iter().filter(|deed| !deed.starts_with("set ")) {
                assert_eq!(count(deed), 1, "{first:?}, {second:?}: {deed}");
            }
        }
    }
}

fn blind() -> Vec<Vec<ModelDelta>> {
    vec![calls(&[("blind", 1), ("look", 2)]), text(&["Done."])]
}

fn outcome_of(records: &[Arc<Record>], number: u64) -> Arc<ToolOutcome> {
    let id = CallId::numbered(number);
    let found = records.iter().find_map(|record| match &record.event {
        Event::Durable(DurableEvent::CallEnded { call_id, outcome, .. }) if *call_id == id => {
            Some(Arc::clone(outcome))
        }
        _ => None,
    });
    found.unwrap()
}

#[test]
fn r_38_a_call_of_which_nobody_knows_whether_it_happened_is_never_repeated_and_everybody_is_told() {
    for kill in [Kill::BeforeEffect(0), Kill::AfterEffect(0)] {
        let world = Arc::new(World::new(blind()));
        assert!(world.live(kill).is_none());
        let before = world.deeds();
        let finished = world.live(Kill::Never).unwrap();
        assert_eq!(finished.outcome, RunOutcome::Completed);
        assert_eq!(world.deeds(), before, "it did not run again");
        let records = records(&world);
        check_journal(&records);
        let outcome = outcome_of(&records, 1);
        assert_eq!(outcome.status(), OutcomeStatus::Interrupted);
        assert!(outcome.failure().unwrap().message.contains("may or may not have happened"));
        let told = records.iter().any(|record| {
            matches!(&record.event, Event::Durable(DurableEvent::RunResumed { interrupted, .. }) if *interrupted == [CallId::numbered(1)])
        });
        assert!(told);
        assert_eq!(outcome_of(&records, 2).status(), OutcomeStatus::Ok);
    }
}

#[test]
fn a_user_may_let_such_a_call_run_again_and_a_fork_may_say_what_it_gave() {
    let said = ToolOutcome::ok(ToolOutput::text("said so"));
    for (retry, given, runs) in
        [(vec![CallId::numbered(1)], vec![], 2), (vec![], vec![(CallId::numbered(1), said)], 1)]
    {
        let world = Arc::new(World::new(blind()));
        assert!(world.live(Kill::AfterEffect(0)).is_none());
        *world.kill.lock().unwrap() = Kill::Never;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut past = world.past().await;
            let unfinished = past.unfinished.as_mut().unwrap();
            (unfinished.retry, unfinished.given) = (retry, given);
            let session = Session::start(world.parts(past));
            session.resumed().unwrap().finished().await.unwrap();
            assert!(session.resumed().is_none(), "the first caller has it");
        });
        assert_eq!(world.deeds().len(), runs);
        assert_eq!(outcome_of(&records(&world), 1).status(), OutcomeStatus::Ok);
    }
}

#[test]
fn a_model_that_was_cut_after_its_calls_had_begun_does_not_begin_them_again() {
    let steps = || vec![calls(&[("look", 1), ("look", 2)]), text(&["Done."])];
    let reference = {
        let mut world = World::new(steps());
        world.executes_while_streaming = true;
        let world = Arc::new(world);
        world.live(Kill::Never).unwrap();
        moments(&world)
    };
    for kill in reference {
        let mut world = World::new(steps());
        world.executes_while_streaming = true;
        let world = Arc::new(world);
        survive(&world, &[kill]);
        check_journal(&records(&world));
    }
}

async fn until(events: &mut Subscription, mut fits: impl FnMut(&Event) -> bool) -> Arc<Record> {
    loop {
        let news = match events.next().await {
            Delivery::Record(record) => vec![record],
            Delivery::Snapshot { records, .. } => records,
            other => panic!("the events ended early: {other:?}"),
        };
        if let Some(record) = news.into_iter().find(|record| fits(&record.event)) {
            return record;
        }
    }
}

#[test]
fn r_60_a_question_waits_over_a_restart_and_can_be_answered_then() {
    let mut world = World::new(vec![calls(&[("put", 1)]), text(&["Done."])]);
    world.approve = ApproveMode::Ask;
    let world = Arc::new(world);
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime().block_on(async {
        let session = Session::start(world.parts(world.past().await));
        let mut events = session.subscribe();
        session.send(message()).await.unwrap();
        until(&mut events, |event| matches!(event, Event::Durable(DurableEvent::PermissionRequested { .. })))
            .await;
    });
    runtime().block_on(async {
        let session = Session::start(world.parts(world.past().await));
        let handle = session.resumed().unwrap();
        let digest = world.records().await.iter().find_map(|record| match &record.event {
            Event::Durable(DurableEvent::PermissionRequested { question }) => Some(question.digest.clone()),
            _ => None,
        });
        let digest = || digest.clone().unwrap();
        let once = || PermissionAnswer::new(Decision::Once);
        let call = || CallId::numbered(1);
        assert_eq!(session.answer(call(), "another".into(), once()).await, Err(AnswerError::Stale));
        assert_eq!(session.answer(CallId::numbered(2), digest(), once()).await, Err(AnswerError::NotAsked));
        assert_eq!(session.answer(call(), digest(), once()).await, Ok(()));
        assert_eq!(session.answer(call(), digest(), once()).await, Err(AnswerError::NotAsked));
        assert_eq!(handle.finished().await.unwrap().outcome, RunOutcome::Completed);
    });
    let records = records(&world);
    check_journal(&records);
    let asked = records
        .iter()
        .filter(|record| matches!(record.event, Event::Durable(DurableEvent::PermissionRequested { .. })));
    assert_eq!((asked.count(), world.deeds().len()), (1, 1));
}

#[test]
fn a_run_whose_tools_are_gone_goes_on_and_only_what_would_need_them_fails() {
    let world = Arc::new(World::new(blind()));
    assert!(world.live(Kill::AfterEffect(0)).is_none());
    *world.kill.lock().unwrap() = Kill::Never;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let finished = runtime.block_on(async {
        let parts = world.parts(world.past().await);
        parts.registry.remove("blind");
        let session = Session::start(parts);
        let finished = session.resumed().unwrap().finished().await.unwrap();
        let again = session.send(message()).await.unwrap().finished().await;
        assert!(again.is_ok(), "the session goes on: {again:?}");
        finished
    });
    assert_eq!((finished.outcome, finished.reason), (RunOutcome::Completed, StopReason::Answered));
    let records = records(&world);
    assert_eq!(outcome_of(&records, 1).failure().unwrap().kind, ErrorKind::Interrupted);
    assert!(outcome_of(&records, 2).is_ok(), "what is still there runs");
}

#[test]
fn a_parked_session_stops_at_a_safe_point_and_its_run_goes_on_later() {
    let (transcript, moments, _) = reference(steps());
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let calls = moments.iter().filter(|kill| matches!(kill, Kill::BeforeEffect(_))).count();
    for held in 0..calls {
        let world = Arc::new(World::new(steps()));
        *world.kill.lock().unwrap() = Kill::Hold(held);
        runtime().block_on(async {
            let session = Session::start(world.parts(world.past().await));
            let handle = session.send(message()).await.unwrap();
            world.killed().await;
            let go_on = async {
                tokio::task::yield_now().await;
                world.released.notify_one();
            };
            tokio::join!(session.park(), go_on);
            assert_eq!(handle.finished().await, Err(SendError::Closed));
            assert!(matches!(session.send(message()).await, Err(SendError::Closed)));
        });
        let parked = records(&world);
        let has_ended =
            parked.iter().any(|record| matches!(record.event, Event::Durable(DurableEvent::RunEnded { .. })));
        assert!(!has_ended, "the run is left unfinished");
        let finished = world.live(Kill::Never).unwrap();
        assert_eq!(finished.transcript, transcript, "parked at call {held}");
        check_journal(&records(&world));
        let deeds = world.deeds();
        assert_eq!(deeds.iter().collect::<BTreeSet<_>>().len(), deeds.len(), "{deeds:?}");
    }
}

#[tokio::test]
async fn one_who_joins_in_the_middle_of_a_step_misses_nothing_and_gets_nothing_twice() {
    let pieces: Vec<String> = (0..3_000).map(|n| format!("{n} ")).collect();
    let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
    let world = Arc::new(World::new(vec![calls(&[("look", 1)]), text(&pieces)]));
    let session = Session::start(world.parts(world.past().await));
    let mut watch = session.subscribe();
    session.send(message()).await.unwrap();
    let mut readers = Vec::new();
    let mut deltas = 0;
    until(&mut watch, |event| {
        deltas += usize::from(matches!(event, Event::Delta(DeltaEvent::TextDelta { .. })));
        if deltas % 700 == 1 {
            readers.push((0, session.log().subscribe_after(0)));
        }
        matches!(event, Event::Durable(DurableEvent::RunEnded { .. }))
    })
    .await;
    readers.push((0, session.log().subscribe_after(0)));
    readers.push((7, session.log().subscribe_after(7)));
    let whole = world.records().await;
    for (after, mut reader) in readers {
        let mut seqs = Vec::new();
        while seqs.last() != whole.last().map(|record| &record.seq) {
            match reader.next().await {
                Delivery::Record(record) => seqs.push(record.seq),
                Delivery::Snapshot { records, .. } => seqs.extend(records.iter().map(|record| record.seq)),
                other => panic!("{other:?}"),
            }
        }
        let expected: Vec<u64> = whole.iter().map(|record| record.seq).filter(|seq| *seq > after).collect();
        assert_eq!(seqs, expected);
    }
    assert_eq!(whole.len() as u64, whole.last().unwrap().seq, "every record is in the journal");
    assert_eq!(whole[0].session_id, session_id());
}

#[test]
fn everything_that_comes_of_one_input_is_one_append_at_one_time() {
    let world = Arc::new(World::new(steps()));
    world.live(Kill::Never).unwrap();
    let appends = world.appended.lock().unwrap().clone();
    for append in &appends {
        let durable: Vec<_> = append.iter().filter(|record| record.event.is_durable()).collect();
        let times: BTreeSet<u64> = durable.iter().map(|record| record.ts_ms).collect();
        assert!(times.len() <= 1, "{append:?}");
        assert!(append.last().unwrap().event.is_durable(), "deltas come with the next durable record");
    }
    let first: Vec<&str> = appends[0].iter().map(|record| record.event.name()).collect();
    assert_eq!(first, ["run-started", "step-started"]);
    let second: Vec<&str> = appends[1].iter().map(|record| record.event.name()).collect();
    let calls = ["call-requested"; 3].into_iter().chain(["call-started"; 3]);
    let expected: Vec<&str> = ["text-delta", "call-delta", "call-delta", "call-delta", "step-ended"]
        .into_iter()
        .chain(calls)
        .collect();
    assert_eq!(second, expected);
}

#[test]
fn a_changed_task_list_stands_with_the_outcome_of_the_call_that_changed_it() {
    let world = Arc::new(World::new(vec![calls(&[("note", 1), ("look", 2)]), text(&["Done."])]));
    world.live(Kill::Never).unwrap();
    let appends = world.appended.lock().unwrap().clone();
    let append = appends.iter().find(|append| {
        append.iter().any(|r| matches!(r.event, Event::Durable(DurableEvent::TasksChanged { .. })))
    });
    let names: Vec<&str> = append.unwrap().iter().map(|record| record.event.name()).collect();
    assert_eq!(names[..2], ["call-ended", "tasks-changed"]);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let past = runtime.block_on(world.past());
    assert_eq!(past.tasks.len(), 1);
}
