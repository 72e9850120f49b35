//! The suites that every store has to pass.

use tempfile::TempDir;
use windlass_store::{SqliteStore, StoreConfig};
use windlass_testkit::{journal_conformance, store_conformance};

/// A new store each time, all in one folder that outlives them.
fn stores(folder: &TempDir) -> impl Fn() -> std::future::Ready<SqliteStore> + '_ {
    let count = std::sync::atomic::AtomicU32::new(0);
    move || {
        let name = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed).to_string();
        std::future::ready(SqliteStore::open(&folder.path().join(name), StoreConfig::default()).unwrap())
    }
}

#[tokio::test]
async fn the_store_is_a_journal() {
    let folder = TempDir::new().unwrap();
    journal_conformance(stores(&folder)).await.unwrap();
}

#[tokio::test]
async fn r_29_s_31_the_store_keeps_what_every_store_promises_with_the_whole_trace_in_its_saves() {
    let folder = TempDir::new().unwrap();
    store_conformance(stores(&folder)).await.unwrap();
}
