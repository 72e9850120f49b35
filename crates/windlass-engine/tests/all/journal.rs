//! The memory journal.

use windlass_core::ports::JournalPort;
use windlass_core::protocol::event::{DeltaEvent, DurableEvent, Event};
use windlass_core::protocol::ids::SessionId;
use windlass_engine::journal::MemoryJournal;
use windlass_engine::limits::MEMORY_JOURNAL_DELTAS_MAX;
use windlass_testkit::{journal_conformance, record};

#[tokio::test]
async fn the_memory_journal_conforms() {
    journal_conformance(|| async { MemoryJournal::new() }).await.unwrap();
}

#[tokio::test]
async fn a_full_memory_journal_refuses_instead_of_forgetting() {
    let journal = MemoryJournal::with_records_max(2);
    let id = SessionId::new("s");
    let note = |seq| record(&id, seq, Event::Durable(DurableEvent::NoteAdded { text: "n".into() }));
    journal.append(&[note(1)]).await.unwrap();
    let failure = journal.append(&[note(2), note(3)]).await.unwrap_err();
    assert!(failure.to_string().contains("configure a store"), "{failure}");
    assert_eq!(journal.load(&id, 0).await.unwrap().len(), 1);
    journal.append(&[note(2)]).await.unwrap();
    journal.forget(&id);
    assert!(journal.load(&id, 0).await.unwrap().is_empty());
}

#[tokio::test]
async fn deltas_do_not_fill_a_memory_journal_and_the_oldest_go_first() {
    let journal = MemoryJournal::with_records_max(2);
    let id = SessionId::new("s");
    let delta = |seq| record(&id, seq, Event::Delta(DeltaEvent::TextDelta { text: "x".into() }));
    let note = |seq| record(&id, seq, Event::Durable(DurableEvent::NoteAdded { text: "n".into() }));
    journal.append(&[note(1)]).await.unwrap();
    let last = 1 + MEMORY_JOURNAL_DELTAS_MAX as u64;
    let deltas: Vec<_> = (2..=last).map(delta).collect();
    journal.append(&deltas).await.unwrap();
    assert_eq!(journal.load(&id, 0).await.unwrap().len() as u64, last);
    journal.append(&[delta(last + 1), note(last + 2)]).await.unwrap();
    let kept = journal.load(&id, 0).await.unwrap();
    let durable = kept.iter().filter(|record| record.event.is_durable()).count();
    assert_eq!((durable, kept[0].seq), (2, 1), "what is durable stays");
    assert!(kept.len() as u64 <= last / 2 + 3 && kept[1].seq > last / 2, "{} {}", kept.len(), kept[1].seq);
    assert!(journal.append(&[note(last + 3)]).await.is_err());
    journal.append(&[delta(last + 3)]).await.unwrap();
}
