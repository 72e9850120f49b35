//! The memory journal.

use windlass_core::event::Event;
use windlass_core::ids::SessionId;
use windlass_core::port::JournalPort;
use windlass_engine::journal::MemoryJournal;
use windlass_testkit::{journal_conformance, record};

#[tokio::test]
async fn the_memory_journal_conforms() {
    journal_conformance(|| async { MemoryJournal::new() }).await.unwrap();
}

#[tokio::test]
async fn a_full_memory_journal_refuses_instead_of_forgetting() {
    let journal = MemoryJournal::with_records_max(2);
    let id = SessionId::new("s");
    let note = |seq| record(&id, seq, Event::NoteAdded { text: "n".into() });
    journal.append(&[note(1)]).await.unwrap();
    let failure = journal.append(&[note(2), note(3)]).await.unwrap_err();
    assert!(failure.to_string().contains("configure a store"), "{failure}");
    assert_eq!(journal.load(&id, 0).await.unwrap().len(), 1);
    journal.append(&[note(2)]).await.unwrap();
    journal.forget(&id);
    assert!(journal.load(&id, 0).await.unwrap().is_empty());
}
