//! What the tests of the store share: folders, records, a look into the file.

use std::path::Path;
use std::sync::Arc;

use windlass_core::ports::JournalPort as _;
use windlass_core::protocol::event::{DeltaEvent, DurableEvent, Event, Record};
use windlass_store::{SqliteStore, StoreConfig};

pub(crate) fn open(folder: &Path) -> SqliteStore {
    SqliteStore::open(folder, StoreConfig::default()).unwrap()
}

pub(crate) fn record(session: &str, seq: u64, event: Event) -> Arc<Record> {
    Arc::new(Record {
        seq,
        ts_ms: 1_700_000_000_000 + seq,
        session_id: session.into(),
        run_id: "run".into(),
        parent_id: "message".into(),
        event,
        cause: None,
    })
}

pub(crate) fn note(session: &str, seq: u64) -> Arc<Record> {
    sized_note(session, seq, 10)
}

pub(crate) fn sized_note(session: &str, seq: u64, bytes: usize) -> Arc<Record> {
    record(
        session,
        seq,
        Event::Durable(DurableEvent::NoteAdded { text: format!("{seq} {}", "x".repeat(bytes)) }),
    )
}

pub(crate) fn delta(session: &str, seq: u64) -> Arc<Record> {
    record(session, seq, Event::Delta(DeltaEvent::TextDelta { text: format!("{seq} ") }))
}

/// The places of all records of a session.
pub(crate) async fn seqs(store: &SqliteStore, session: &str) -> Vec<u64> {
    store.load(&session.into(), 0).await.unwrap().iter().map(|record| record.seq).collect()
}

/// SQLite's own check of the whole file.
pub(crate) fn assert_whole(folder: &Path) {
    let connection = rusqlite::Connection::open(folder.join("windlass.db")).unwrap();
    let verdict: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(verdict, "ok");
    let orphans: i64 =
        connection.query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| row.get(0)).unwrap();
    assert_eq!(orphans, 0);
}
