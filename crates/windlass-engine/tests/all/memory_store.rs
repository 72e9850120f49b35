//! The memory store.

use windlass_core::ports::JournalPort;
use windlass_core::protocol::event::{DurableEvent, Event};
use windlass_core::protocol::ids::SessionId;
use windlass_engine::memory_store::MemoryStore;
use windlass_testkit::{journal_conformance, record, store_conformance};

#[tokio::test]
async fn the_memory_store_conforms_as_a_journal() {
    journal_conformance(|| async { MemoryStore::new() }).await.unwrap();
}

#[tokio::test]
async fn the_memory_store_conforms_as_a_store() {
    store_conformance(|| async { MemoryStore::new() }).await.unwrap();
}

#[tokio::test]
async fn a_full_memory_store_refuses_instead_of_forgetting() {
    let store = MemoryStore::with_records_max(2);
    let id = SessionId::new("s");
    let note = |seq| record(&id, seq, Event::Durable(DurableEvent::NoteAdded { text: "n".into() }));
    store.append(&[note(1)]).await.unwrap();
    let failure = store.append(&[note(2), note(3)]).await.unwrap_err();
    assert!(failure.to_string().contains("configure a store"), "{failure}");
    assert_eq!(store.load(&id, 0).await.unwrap().len(), 1);
}
