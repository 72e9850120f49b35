//! Events on their way to many subscribers.

use std::collections::HashSet;
use std::sync::Arc;

use async_trait::async_trait;
use futures::StreamExt;
use windlass_core::ports::{JournalFailure, JournalPort};
use windlass_core::protocol::event::{DeltaEvent, DurableEvent, Event, Record, RunOutcome, StopReason};
use windlass_core::protocol::ids::{CallId, SessionId};
use windlass_core::protocol::message::Message;
use windlass_core::protocol::model::Usage;
use windlass_core::protocol::tool::{Category, ToolCall, ToolOutcome, ToolOutput, Visibility};
use windlass_engine::bus::{BusConfig, Delivery, EventLog, Subscription};
use windlass_engine::journal::MemoryJournal;
use windlass_testkit::record;

/// A session's writer: numbers, journals, publishes.
struct Writer {
    id: SessionId,
    journal: Arc<MemoryJournal>,
    log: EventLog,
    seq: u64,
}

impl Writer {
    fn new(ring_records_max: usize) -> Self {
        let id = SessionId::new("s");
        let journal = Arc::new(MemoryJournal::new());
        let log = EventLog::resume(id.clone(), journal.clone(), 0, BusConfig { ring_records_max });
        Self { id, journal, log, seq: 0 }
    }

    async fn write(&mut self, event: Event) {
        self.seq += 1;
        let record = record(&self.id, self.seq, event);
        if record.event.is_durable() {
            self.journal.append(std::slice::from_ref(&record)).await.unwrap();
        }
        self.log.publish(record);
    }
}

fn delta() -> Event {
    Event::Delta(DeltaEvent::TextDelta { text: "x".into() })
}

fn note(text: &str) -> Event {
    Event::Durable(DurableEvent::NoteAdded { text: text.into() })
}

fn requested(number: u64) -> Event {
    let call = ToolCall {
        id: CallId::numbered(number),
        provider_id: None,
        step: 1,
        index: 0,
        name: "t".into(),
        arguments: "{}".into(),
        state: None,
    };
    Event::Durable(DurableEvent::CallRequested {
        call,
        category: Category::Other,
        visibility: Visibility::Primary,
        vendor: "".into(),
    })
}

fn ended(number: u64) -> Event {
    Event::Durable(DurableEvent::CallEnded {
        call_id: CallId::numbered(number),
        name: "t".into(),
        outcome: Arc::new(ToolOutcome::ok(ToolOutput::text("done"))),
        message: Message::note("done").into(),
        category: Category::Other,
        visibility: Visibility::Primary,
    })
}

fn run_ended() -> Event {
    Event::Durable(DurableEvent::RunEnded {
        outcome: RunOutcome::Completed,
        reason: StopReason::Answered,
        answer: String::new(),
        usage: Usage::default(),
    })
}

/// Everything a subscriber saw until the end, and how many snapshots were needed.
async fn read_all(mut subscription: Subscription) -> (Vec<Arc<Record>>, usize) {
    let (mut seen, mut snapshots) = (Vec::new(), 0);
    loop {
        match subscription.next().await {
            Delivery::Record(record) => seen.push(record),
            Delivery::Snapshot { records, upto_seq } => {
                assert!(records.iter().all(|record| record.seq <= upto_seq));
                snapshots += 1;
                seen.extend(records);
            }
            Delivery::Gap { failure, .. } => panic!("{failure}"),
            Delivery::Closed => return (seen, snapshots),
        }
    }
}

#[tokio::test]
async fn every_subscriber_sees_every_record_in_order() {
    let mut writer = Writer::new(64);
    let (one, two) = (writer.log.subscribe(), writer.log.subscribe());
    for n in 0..50 {
        writer.write(if n % 2 == 0 { delta() } else { note("n") }).await;
    }
    writer.log.close();
    let expected: Vec<u64> = (1..=50).collect();
    for subscription in [one, two] {
        let (seen, snapshots) = read_all(subscription).await;
        assert_eq!(seen.iter().map(|record| record.seq).collect::<Vec<_>>(), expected);
        assert_eq!(snapshots, 0);
    }
}

#[tokio::test]
async fn r_35_a_flood_of_10_000_deltas_loses_no_completion() {
    let mut writer = Writer::new(1_024);
    let slow = writer.log.subscribe();
    writer.write(requested(1)).await;
    for n in 0..10_000 {
        writer.write(delta()).await;
        if n == 5_000 {
            writer.write(ended(1)).await;
        }
    }
    writer.log.close();
    let (seen, snapshots) = read_all(slow).await;
    assert_eq!(snapshots, 1);
    let names: Vec<&str> = seen.iter().filter(|r| r.event.is_durable()).map(|r| r.event.name()).collect();
    assert_eq!(names, ["call-requested", "call-ended"]);
    let deltas = seen.len() - names.len();
    assert_eq!(deltas, 1_024, "what is still in the ring is delivered too");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_35_r_37_slow_and_fast_subscribers_see_each_call_requested_then_ended_once() {
    let mut writer = Writer::new(16);
    let readers: Vec<_> = (0..20)
        .map(|n| {
            let subscription = writer.log.subscribe();
            tokio::spawn(async move {
                // Every third reader starts late, far behind the ring.
                let turns_late = if n % 3 == 0 { 1 + n * 10 } else { 0 };
                for _ in 0..turns_late {
                    tokio::task::yield_now().await;
                }
                read_all(subscription).await
            })
        })
        .collect();
    for number in 1..=500 {
        writer.write(requested(number)).await;
        for _ in 0..5 {
            writer.write(delta()).await;
        }
        writer.write(ended(number)).await;
        if number % 50 == 0 {
            tokio::task::yield_now().await;
        }
    }
    writer.write(run_ended()).await;
    writer.log.close();
    for reader in readers {
        let (seen, _) = reader.await.unwrap();
        let (mut open, mut done) = (HashSet::new(), HashSet::new());
        assert!(seen.windows(2).all(|pair| pair[0].seq < pair[1].seq), "order is kept");
        for record in &seen {
            match &record.event {
                Event::Durable(DurableEvent::CallRequested { call, .. }) => {
                    assert!(open.insert(call.id.clone()))
                }
                Event::Durable(DurableEvent::CallEnded { call_id, .. }) => {
                    assert!(open.contains(call_id), "requested before ended");
                    assert!(done.insert(call_id.clone()), "ended once");
                }
                _ => {}
            }
        }
        assert_eq!(done.len(), 500);
        assert_eq!(seen.last().unwrap().event.name(), "run-ended");
    }
}

#[tokio::test]
async fn publishing_goes_on_while_nobody_reads() {
    let mut writer = Writer::new(4);
    let stuck: Vec<Subscription> = (0..1_000).map(|_| writer.log.subscribe()).collect();
    for _ in 0..1_000 {
        writer.write(delta()).await;
    }
    assert_eq!(writer.log.last_seq(), 1_000);
    assert_eq!(writer.log.subscribers(), 1_000);
    drop(stuck);
    assert_eq!(writer.log.subscribers(), 0);
}

#[tokio::test]
async fn a_subscriber_that_waits_is_woken() {
    let mut writer = Writer::new(4);
    let mut subscription = writer.log.subscribe();
    let reader = tokio::spawn(async move { subscription.next().await });
    tokio::task::yield_now().await;
    writer.write(note("hello")).await;
    let Delivery::Record(record) = reader.await.unwrap() else { panic!("a record comes") };
    assert_eq!(record.seq, 1);
}

#[tokio::test]
async fn a_late_subscriber_gets_what_it_names_from_ring_or_journal() {
    let mut writer = Writer::new(4);
    let keeper = writer.log.subscribe();
    for n in 0..10 {
        writer.write(note(&n.to_string())).await;
    }
    let mut from_ring = writer.log.subscribe_after(8);
    assert!(matches!(from_ring.next().await, Delivery::Record(record) if record.seq == 9));
    let mut from_journal = writer.log.subscribe_after(2);
    let Delivery::Snapshot { records, upto_seq } = from_journal.next().await else {
        panic!("a snapshot comes")
    };
    assert_eq!(upto_seq, 6);
    assert_eq!(records.iter().map(|record| record.seq).collect::<Vec<_>>(), [3, 4, 5, 6]);
    assert!(matches!(from_journal.next().await, Delivery::Record(record) if record.seq == 7));
    let mut from_the_future = writer.log.subscribe_after(99);
    writer.write(note("next")).await;
    assert!(matches!(from_the_future.next().await, Delivery::Record(record) if record.seq == 11));
    drop(keeper);
}

#[tokio::test]
async fn a_session_taken_up_again_serves_its_past_from_the_journal() {
    let mut writer = Writer::new(4);
    writer.write(note("old")).await;
    writer.write(run_ended()).await;
    let log = EventLog::resume(writer.id.clone(), writer.journal.clone(), 2, BusConfig::default());
    let mut subscription = log.subscribe_after(0);
    let Delivery::Snapshot { records, upto_seq: 2 } = subscription.next().await else {
        panic!("a snapshot comes")
    };
    assert_eq!(records.len(), 2);
}

#[tokio::test]
async fn the_stream_ends_after_closed() {
    let mut writer = Writer::new(4);
    let subscription = writer.log.subscribe();
    writer.write(note("one")).await;
    writer.log.close();
    writer.write(note("after the end")).await;
    let all: Vec<Delivery> = subscription.collect().await;
    assert_eq!(all.len(), 2);
    assert!(matches!(all[1], Delivery::Closed));
}

#[tokio::test]
async fn records_out_of_order_are_not_shown() {
    let writer = Writer::new(4);
    let mut subscription = writer.log.subscribe();
    for seq in [2, 1, 2, 3] {
        writer.log.publish(record(&writer.id, seq, delta()));
    }
    writer.log.close();
    let mut seqs = Vec::new();
    while let Delivery::Record(record) = subscription.next().await {
        seqs.push(record.seq);
    }
    assert_eq!(seqs, [2, 3]);
}

/// A journal that takes everything and gives nothing back.
struct Forgetful;

#[async_trait]
impl JournalPort for Forgetful {
    async fn append(&self, _records: &[Arc<Record>]) -> Result<(), JournalFailure> {
        Ok(())
    }

    async fn load(&self, _session_id: &SessionId, _after: u64) -> Result<Vec<Arc<Record>>, JournalFailure> {
        Err(JournalFailure { message: "the disk is gone".into() })
    }
}

#[tokio::test]
async fn a_gap_that_the_journal_cannot_fill_is_told() {
    let id = SessionId::new("s");
    let log = EventLog::resume(id.clone(), Arc::new(Forgetful), 0, BusConfig { ring_records_max: 2 });
    let mut subscription = log.subscribe();
    for seq in 1..=5 {
        log.publish(record(&id, seq, delta()));
    }
    let gap = subscription.next().await;
    assert!(matches!(gap, Delivery::Gap { after_seq: 0, upto_seq: 3, .. }), "{gap:?}");
    assert!(matches!(subscription.next().await, Delivery::Record(record) if record.seq == 4));
}
