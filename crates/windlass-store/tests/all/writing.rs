//! How the file is written: deltas without a sync, many sessions in one transaction, nothing left behind.

use std::fs;
use std::sync::Arc;

use tempfile::TempDir;
use windlass_core::ports::JournalPort as _;
use windlass_core::ports::store::StorePort as _;
use windlass_core::protocol::event::{DurableEvent, Event};
use windlass_core::protocol::ids::SessionId;

use crate::place::{delta, note, open, record, seqs};

#[tokio::test]
async fn deltas_alone_are_seen_at_once_and_kept_when_the_store_is_closed() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path());
    store.append(&[note("s", 1)]).await.unwrap();
    for seq in 2..=9 {
        store.append(&[delta("s", seq)]).await.unwrap();
        assert_eq!(seqs(&store, "s").await, (1..=seq).collect::<Vec<_>>());
    }
    drop(store);
    assert_eq!(seqs(&open(folder.path()), "s").await, (1..=9).collect::<Vec<_>>());
}

#[tokio::test]
async fn deltas_without_end_stay_bounded_and_in_order() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path());
    for first in (0..60_000).step_by(3_000) {
        let deltas: Vec<_> = (first + 1..=first + 3_000).map(|seq| delta("s", seq)).collect();
        store.append(&deltas).await.unwrap();
    }
    assert_eq!(seqs(&store, "s").await, (1..=60_000).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_sessions_write_at_once_and_one_that_is_refused_hurts_nobody() {
    let folder = TempDir::new().unwrap();
    let store = Arc::new(open(folder.path()));
    let writers: Vec<_> = (0..64)
        .map(|number| {
            let store = Arc::clone(&store);
            tokio::spawn(async move {
                let name = format!("s{number}");
                for seq in 1..=20 {
                    store.append(&[delta(&name, seq * 2 - 1), note(&name, seq * 2)]).await.unwrap();
                    if number % 8 == 0 {
                        store.append(&[note(&name, 1)]).await.unwrap_err();
                    }
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    for number in 0..64 {
        assert_eq!(seqs(&store, &format!("s{number}")).await, (1..=40).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn nothing_of_a_deleted_session_is_left_in_the_file() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path());
    let secret = "Rhabarberbarbara";
    let id = SessionId::from("s");
    let outcome = sized_outcome(secret);
    store
        .append(&[
            record("s", 1, Event::Durable(DurableEvent::NoteAdded { text: secret.into() })),
            record("s", 2, outcome),
        ])
        .await
        .unwrap();
    store.append(&[note("other", 1)]).await.unwrap();
    store.rename_session(&id, secret).await.unwrap();
    store.audit(&id, 7, secret).await.unwrap();
    assert_eq!(store.audit_lines(&id).await.unwrap(), [(7, secret.to_owned())]);
    store.delete_session(&id).await.unwrap();
    assert!(store.audit_lines(&id).await.unwrap().is_empty());
    drop(store);
    let bytes = fs::read(folder.path().join("windlass.db")).unwrap();
    let found = bytes.windows(secret.len()).any(|window| window.eq_ignore_ascii_case(secret.as_bytes()));
    assert!(!found, "its text is still in the file");
    assert_eq!(seqs(&open(folder.path()), "other").await, [1]);
}

fn sized_outcome(text: &str) -> Event {
    let events = windlass_testkit::sample_events();
    let ended = events.into_iter().find_map(|event| match event {
        Event::Durable(DurableEvent::CallEnded { call_id, name, message, category, visibility, .. }) => {
            let output = windlass_core::protocol::tool::ToolOutput::text(text.repeat(5_000));
            let outcome = Arc::new(windlass_core::protocol::tool::ToolOutcome::ok(output));
            Some(Event::Durable(DurableEvent::CallEnded {
                call_id,
                name,
                outcome,
                message,
                category,
                visibility,
            }))
        }
        _ => None,
    });
    ended.unwrap()
}

#[tokio::test]
async fn the_same_large_outcome_is_kept_once() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path());
    for seq in 1..=5 {
        store.append(&[record("s", seq, sized_outcome("sehr viel"))]).await.unwrap();
    }
    let file = rusqlite::Connection::open(store.path()).unwrap();
    let (blobs, records): (i64, i64) = file
        .query_row(
            "SELECT (SELECT count(*) FROM blobs), count(DISTINCT n) FROM records WHERE length(event) < 1000",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .unwrap();
    assert_eq!((blobs, records), (1, 5));
}
