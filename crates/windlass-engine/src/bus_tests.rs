use windlass_core::protocol::event::{DeltaEvent, DurableEvent, RunOutcome, StopReason};
use windlass_core::protocol::model::Usage;
use windlass_testkit::record;

use super::*;
use crate::journal::MemoryJournal;

fn log() -> (SessionId, EventLog) {
    let id = SessionId::new("s");
    (id.clone(), EventLog::new(id, Arc::new(MemoryJournal::new())))
}

fn delta() -> Event {
    Event::Delta(DeltaEvent::TextDelta { text: "x".into() })
}

fn run_ended() -> Event {
    Event::Durable(DurableEvent::RunEnded {
        outcome: RunOutcome::Completed,
        reason: StopReason::Answered,
        answer: String::new(),
        usage: Usage::default(),
    })
}

fn ring_capacity(log: &EventLog) -> usize {
    log.shared.lock().ring.capacity()
}

#[test]
fn a_log_that_nobody_used_holds_no_memory() {
    let (_, log) = log();
    assert_eq!(ring_capacity(&log), 0);
    assert!(std::mem::size_of::<SharedLog>() < 256);
}

#[test]
fn the_ring_grows_no_further_than_its_bound() {
    let (id, log) = log();
    let _reader = log.subscribe();
    for seq in 1..=5_000 {
        log.publish(record(&id, seq, delta()));
    }
    assert_eq!(log.shared.lock().ring.len(), RING_RECORDS_MAX);
    assert!(ring_capacity(&log) <= RING_RECORDS_MAX);
}

#[test]
fn the_memory_goes_back_when_a_run_ended_and_nobody_listens() {
    let (id, log) = log();
    log.publish(record(&id, 1, delta()));
    assert!(ring_capacity(&log) > 0);
    log.publish(record(&id, 2, run_ended()));
    assert_eq!(ring_capacity(&log), 0);
}

#[tokio::test]
async fn the_memory_goes_back_when_the_last_listener_has_read_everything() {
    let (id, log) = log();
    let mut reader = log.subscribe();
    let leaver = log.subscribe();
    log.publish(record(&id, 1, delta()));
    log.publish(record(&id, 2, run_ended()));
    reader.next().await;
    reader.next().await;
    assert!(ring_capacity(&log) > 0, "one listener has not read yet");
    drop(leaver);
    assert_eq!(ring_capacity(&log), 0);
    drop(reader);
    assert_eq!(log.shared.lock().seats.capacity(), 0);
}

#[test]
fn places_of_subscribers_are_used_again() {
    let (_, log) = log();
    let (first, second) = (log.subscribe(), log.subscribe());
    drop(first);
    let third = log.subscribe();
    assert_eq!(third.seat_at, 0);
    assert_eq!(log.subscribers(), 2);
    drop((second, third));
    assert_eq!(log.subscribers(), 0);
}
