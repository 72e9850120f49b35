//! Readers of a run that speaks fast, and of a session: late ones, slow ones, and ones that come and go.

use std::sync::Arc;

use futures::StreamExt;
use windlass_core::ports::BoxStream;
use windlass_core::ports::host::{HostDelivery, HostRuns, HostSessions, RunStart, ServedPort};
use windlass_core::protocol::event::{DurableEvent, Event, Record};

use crate::host_fixture::{Stage, drain, go};
use crate::session::adder;

/// A step of some thousand pieces, more than a log keeps, between two calls.
fn chatter() -> String {
    let words = "word ".repeat(3_000);
    format!(
        "user Go.\nmodel call 1 add {{\"a\":1,\"b\":2}}\nmodel end\nmodel text {words}\n\
         model call 2 add {{\"a\":1,\"b\":3}}\nmodel end\nmodel text {words}\n"
    )
}

async fn read_some(events: &mut BoxStream<'static, HostDelivery>, count: usize) -> Vec<Arc<Record>> {
    let mut records = Vec::new();
    while records.len() < count {
        match events.next().await {
            Some(HostDelivery::Record(record)) => records.push(record),
            Some(HostDelivery::Gap | HostDelivery::Deleted) => panic!("a gap"),
            None => break,
        }
    }
    records
}

#[tokio::test]
async fn slow_and_late_readers_of_a_fast_run_read_every_piece_once_and_in_order() {
    let stage = Stage::new(&chatter(), vec![adder()]);
    let session_id = stage.session().await;
    let run = stage.start(&session_id).await;
    // Each reads a little at once, and then nothing until the run is over.
    let mut readers = Vec::new();
    for count in [0, 1, 40, 700] {
        let mut events = stage.host.events(&run.run_id, 0).await.unwrap();
        let begun = read_some(&mut events, count).await;
        readers.push((begun, events));
    }
    let whole = stage.read(&run.run_id, 0).await;
    assert!(matches!(whole.last().unwrap().event, Event::Durable(DurableEvent::RunEnded { .. })));
    assert!(whole.windows(2).all(|pair| pair[0].seq + 1 == pair[1].seq), "nothing is missing or twice");
    assert!(whole.len() > 6_000, "{}", whole.len());
    for (mut begun, events) in readers {
        begun.extend(drain(events).await);
        assert_eq!(begun.len(), whole.len());
        assert!(begun == whole);
    }
    assert_eq!(stage.host.records(&session_id, 0).await.unwrap(), whole);
}

#[tokio::test]
async fn a_reader_that_comes_back_after_each_durable_record_has_the_same_in_the_end() {
    let stage = Stage::new(&chatter(), vec![adder()]);
    let session_id = stage.session().await;
    let run = stage.start(&session_id).await;
    // Reconnects while the run goes on: what came after the last durable record is dropped and read again.
    let mut kept: Vec<Arc<Record>> = Vec::new();
    while !matches!(
        kept.last().map(|record| &record.event),
        Some(Event::Durable(DurableEvent::RunEnded { .. }))
    ) {
        let after = kept.last().map_or(0, |record| record.seq);
        let mut events = stage.host.events(&run.run_id, after).await.unwrap();
        while let Some(HostDelivery::Record(record)) = events.next().await {
            let is_durable = record.event.is_durable();
            kept.push(record);
            if is_durable {
                break;
            }
        }
    }
    assert!(kept == stage.read(&run.run_id, 0).await);
}

#[tokio::test]
async fn a_hundred_readers_that_do_not_read_hold_up_nobody() {
    let stage = Stage::new(&chatter(), vec![adder()]);
    let session_id = stage.session().await;
    let run = stage.start(&session_id).await;
    let mut idle = Vec::new();
    for _ in 0..100 {
        let mut events = stage.host.events(&run.run_id, 0).await.unwrap();
        read_some(&mut events, 1).await;
        idle.push(events);
    }
    let whole = stage.read(&run.run_id, 0).await;
    for events in idle.into_iter().take(3) {
        assert_eq!(drain(events).await.len() + 1, whole.len());
    }
}

/// Reads a session up to the end of so many runs.
async fn read_runs(events: &mut BoxStream<'static, HostDelivery>, runs: usize) -> Vec<Arc<Record>> {
    let (mut records, mut ended) = (Vec::new(), 0);
    while ended < runs {
        let Some(HostDelivery::Record(record)) = events.next().await else { panic!("the session goes on") };
        ended += usize::from(matches!(record.event, Event::Durable(DurableEvent::RunEnded { .. })));
        records.push(record);
    }
    records
}

#[tokio::test]
async fn readers_of_a_session_read_all_its_runs_once_and_in_order_whenever_they_come() {
    let stage = Stage::new(&chatter(), vec![adder()]);
    let session_id = stage.session().await;
    let mut early = stage.host.session_events(&session_id, 0).await.unwrap();
    let mut late = Vec::new();
    for _ in 0..2 {
        let run = stage.start(&session_id).await;
        let mut events = stage.host.session_events(&session_id, 0).await.unwrap();
        read_some(&mut events, 40).await;
        late.push(stage.host.session_events(&session_id, 0).await.unwrap());
        stage.read(&run.run_id, 0).await;
        // The session is closed and opened again under those who read it.
        let other = RunStart { executes_while_streaming: Some(true), ..go() };
        let run = stage.host.start_run(&session_id, other).await.unwrap();
        stage.read(&run.run_id, 0).await;
    }
    let whole = read_runs(&mut early, 4).await;
    assert!(whole.windows(2).all(|pair| pair[0].seq + 1 == pair[1].seq), "nothing is missing or twice");
    assert_eq!(stage.host.records(&session_id, 0).await.unwrap(), whole);
    for mut events in late {
        assert!(read_runs(&mut events, 4).await == whole);
    }
    // Whoever asks for what has not happened yet waits for it.
    let mut ahead = stage.host.session_events(&session_id, u64::MAX).await.unwrap();
    let run = stage.start(&session_id).await;
    assert_eq!(read_some(&mut ahead, 1).await[0].run_id, run.run_id);
}

#[tokio::test(start_paused = true)]
async fn a_reader_of_a_session_sees_what_another_process_writes_and_that_it_forgets_it() {
    let stage = Stage::new(&chatter(), vec![adder()]);
    let other = stage.again();
    let session_id = stage.session().await;
    let mut events = stage.host.session_events(&session_id, 0).await.unwrap();
    let run = other.start(&session_id).await;
    let whole = other.read(&run.run_id, 0).await;
    assert!(read_runs(&mut events, 1).await == whole);
    other.host.delete_session(&session_id).await.unwrap();
    assert_eq!(events.next().await, Some(HostDelivery::Deleted));
    assert_eq!(events.next().await, None);
}

#[tokio::test]
async fn a_reader_of_a_session_hears_at_once_that_it_is_forgotten_and_ends_when_the_host_closes() {
    let stage = Stage::new(&chatter(), vec![adder()]);
    let (forgotten, kept) = (stage.session().await, stage.session().await);
    let mut events = [
        stage.host.session_events(&forgotten, 0).await.unwrap(),
        stage.host.session_events(&kept, 0).await.unwrap(),
    ];
    let run = stage.start(&kept).await;
    stage.read(&run.run_id, 0).await;
    read_runs(&mut events[1], 1).await;
    let [gone, left] = &mut events;
    let (told, forgot) = tokio::join!(gone.next(), stage.host.delete_session(&forgotten));
    assert_eq!((told, forgot), (Some(HostDelivery::Deleted), Ok(())));
    let (told, closed) = tokio::join!(left.next(), stage.host.close());
    assert_eq!((told, closed), (None, Ok(())));
}
