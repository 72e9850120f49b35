//! Readers of a run that speaks fast: late ones, slow ones, and ones that come and go.

use std::sync::Arc;

use futures::StreamExt;
use windlass_core::event::{Event, Record};
use windlass_core::host::{HostDelivery, HostPort};
use windlass_core::port::BoxStream;

use crate::host_fixture::{Stage, drain};
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
            Some(HostDelivery::Gap) => panic!("a gap"),
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
    assert!(matches!(whole.last().unwrap().event, Event::RunEnded { .. }));
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
    while !matches!(kept.last().map(|record| &record.event), Some(Event::RunEnded { .. })) {
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
