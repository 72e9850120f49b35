//! The store against its contract, and opened again.

#![allow(clippy::unwrap_used)]

use std::io::Write as _;
use std::sync::atomic::{AtomicU32, Ordering};

use tempfile::TempDir;
use windlass_core::ports::JournalPort as _;
use windlass_core::ports::store::{NewSession, StorePort as _};
use windlass_core::protocol::event::{DurableEvent, Event};
use windlass_core::protocol::ids::SessionId;
use windlass_jsonl::JsonlStore;
use windlass_testkit::{journal_conformance, record, store_conformance};

/// A new store each time, all in one folder that outlives them.
fn stores(folder: &TempDir) -> impl Fn() -> std::future::Ready<JsonlStore> + '_ {
    let count = AtomicU32::new(0);
    move || {
        let name = count.fetch_add(1, Ordering::Relaxed).to_string();
        std::future::ready(JsonlStore::open(&folder.path().join(name)).unwrap())
    }
}

#[tokio::test]
async fn the_store_is_a_journal() {
    let folder = TempDir::new().unwrap();
    journal_conformance(stores(&folder)).await.unwrap();
}

#[tokio::test]
async fn the_store_keeps_what_every_store_promises() {
    let folder = TempDir::new().unwrap();
    store_conformance(stores(&folder)).await.unwrap();
}

#[tokio::test]
async fn what_was_kept_is_there_again_without_the_line_that_was_torn_and_for_one_process() {
    let folder = TempDir::new().unwrap();
    let id = SessionId::new("s");
    let note = record(&id, 1, Event::Durable(DurableEvent::NoteAdded { text: "é".into() }));
    let store = JsonlStore::open(folder.path()).unwrap();
    store.create_session(&id, NewSession::default(), 7).await.unwrap();
    store.append(std::slice::from_ref(&note)).await.unwrap();
    let row = store.session(&id).await.unwrap();
    let refused = JsonlStore::open(folder.path()).unwrap_err().to_string();
    assert!(refused.contains("another process"), "{refused}");
    drop(store);
    let path = folder.path().join("sessions.jsonl");
    let whole = std::fs::read(&path).unwrap();
    std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"line\":\"appe").unwrap();
    let store = JsonlStore::open(folder.path()).unwrap();
    assert_eq!((store.session(&id).await.unwrap(), store.load(&id, 0).await.unwrap()), (row, vec![note]));
    assert_eq!(std::fs::read(&path).unwrap(), whole);
}
