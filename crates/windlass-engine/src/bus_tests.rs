use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Wake;

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

#[derive(Default)]
struct Wakes(AtomicUsize);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Reads everything that is there; how many records that were.
fn read_all(reader: &mut Subscription, wakes: &Arc<Wakes>) -> usize {
    let waker = Waker::from(Arc::clone(wakes));
    let mut context = Context::from_waker(&waker);
    let mut read = 0;
    while let Poll::Ready(Some(Delivery::Record(_))) = Pin::new(&mut *reader).poll_next(&mut context) {
        read += 1;
    }
    read
}

#[test]
fn a_patient_reader_is_woken_at_the_end_alone() {
    let (id, log) = log();
    let mut patient = log.subscribe().patient();
    let wakes = Arc::new(Wakes::default());
    assert_eq!(read_all(&mut patient, &wakes), 0);
    for seq in 1..=100 {
        log.publish(record(&id, seq, delta()));
    }
    assert_eq!(wakes.0.load(Ordering::Relaxed), 0);
    log.publish(record(&id, 101, run_ended()));
    assert_eq!(wakes.0.load(Ordering::Relaxed), 1);
    assert_eq!(read_all(&mut patient, &wakes), 101);
}

#[test]
fn a_patient_reader_of_a_long_run_misses_nothing() {
    let (id, log) = log();
    let mut patient = log.subscribe().patient();
    let wakes = Arc::new(Wakes::default());
    let mut read = read_all(&mut patient, &wakes);
    for seq in 1..=5_000 {
        let before = wakes.0.load(Ordering::Relaxed);
        log.publish(record(&id, seq, delta()));
        if wakes.0.load(Ordering::Relaxed) > before {
            read += read_all(&mut patient, &wakes);
        }
    }
    log.publish(record(&id, 5_001, run_ended()));
    assert_eq!(read + read_all(&mut patient, &wakes), 5_001, "nothing left the ring unread");
    assert!(wakes.0.load(Ordering::Relaxed) <= 11);
}

#[test]
fn a_patient_reader_hears_of_the_end_of_the_log() {
    let (_, log) = log();
    let mut patient = log.subscribe().patient();
    let wakes = Arc::new(Wakes::default());
    read_all(&mut patient, &wakes);
    log.close();
    assert_eq!(wakes.0.load(Ordering::Relaxed), 1);
}
