//! Torn and damaged files: what is whole is read, what is not is refused and left as it is.

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use windlass_core::ports::JournalPort as _;
use windlass_core::ports::store::StorePort as _;
use windlass_store::{OpenError, SqliteStore, StoreConfig};

use crate::place::{delta, note, open, seqs, sized_note};

const FILE: &str = "windlass.db";
const LOG: &str = "windlass.db-wal";

#[tokio::test]
async fn a_log_torn_at_any_sector_keeps_the_acknowledged_beginning() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path());
    let log = folder.path().join(LOG);
    // How long the log was when each append was acknowledged.
    let mut acked = Vec::new();
    for seq in 0..8 {
        store.append(&[delta("s", seq * 2 + 1), note("s", seq * 2 + 2)]).await.unwrap();
        acked.push(fs::metadata(&log).unwrap().len());
    }
    let (file, log) = (fs::read(folder.path().join(FILE)).unwrap(), fs::read(log).unwrap());
    for cut in (0..=log.len()).step_by(512).chain([log.len()]) {
        let torn = TempDir::new().unwrap();
        fs::write(torn.path().join(FILE), &file).unwrap();
        fs::write(torn.path().join(LOG), &log[..cut]).unwrap();
        let store = open(torn.path());
        let there = seqs(&store, "s").await;
        let whole = acked.iter().filter(|len| **len <= cut as u64).count();
        assert!(there.len() >= whole * 2, "cut at {cut}: {whole} appends were whole, {there:?} are there");
        assert_eq!(there, (1..=there.len() as u64).collect::<Vec<_>>(), "cut at {cut}");
        assert_eq!(there.len() % 2, 0, "cut at {cut}: appends are whole");
        let next = there.len() as u64 + 1;
        // A session whose first record was cut off cannot be claimed; its first append begins it.
        store.claim(&"s".into()).await.ok();
        store.append(&[note("s", next)]).await.unwrap();
        assert_eq!(seqs(&store, "s").await.len() as u64, next, "cut at {cut}: it goes on");
    }
}

#[tokio::test]
async fn a_log_with_a_torn_sector_in_the_middle_keeps_what_is_before_it() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path());
    for seq in 1..=8 {
        store.append(&[note("s", seq)]).await.unwrap();
    }
    let file = fs::read(folder.path().join(FILE)).unwrap();
    let log = fs::read(folder.path().join(LOG)).unwrap();
    for sector in (log.len() / 2..log.len() - 512).step_by(4_096) {
        let torn = TempDir::new().unwrap();
        let mut bytes = log.clone();
        bytes[sector..sector + 512].fill(0);
        fs::write(torn.path().join(FILE), &file).unwrap();
        fs::write(torn.path().join(LOG), &bytes).unwrap();
        let there = seqs(&open(torn.path()), "s").await;
        assert_eq!(there, (1..=there.len() as u64).collect::<Vec<_>>());
    }
}

async fn closed_file(folder: &Path) -> Vec<u8> {
    let store = open(folder);
    for seq in 1..=30 {
        store.append(&[sized_note("s", seq, 2_000)]).await.unwrap();
    }
    drop(store);
    assert!(!folder.join(LOG).exists(), "closing puts the log into the file");
    fs::read(folder.join(FILE)).unwrap()
}

#[tokio::test]
async fn a_file_with_a_torn_last_page_is_refused_with_words_and_left_as_it_is() {
    let folder = TempDir::new().unwrap();
    let whole = closed_file(folder.path()).await;
    for cut in [whole.len() - 512, whole.len() - 4_096, whole.len() - 5_000, 8_192, 4_097, 700] {
        let torn = TempDir::new().unwrap();
        let path = torn.path().join(FILE);
        fs::write(&path, &whole[..cut]).unwrap();
        let error = SqliteStore::open(torn.path(), StoreConfig::default()).unwrap_err();
        assert!(
            matches!(error, OpenError::Damaged { .. } | OpenError::Foreign { .. }),
            "cut at {cut}: {error:?}"
        );
        let text = error.to_string();
        assert!(text.contains(&path.display().to_string()) && text.contains("left as it is"), "{text}");
        assert_eq!(fs::read(&path).unwrap(), whole[..cut], "cut at {cut}");
    }
}

#[tokio::test]
async fn a_damaged_page_is_told_when_it_is_read_and_the_file_is_not_thrown_away() {
    let folder = TempDir::new().unwrap();
    let mut bytes = closed_file(folder.path()).await;
    let len = bytes.len();
    bytes[len - 3 * 4_096..].fill(0x5a);
    fs::write(folder.path().join(FILE), &bytes).unwrap();
    let store = open(folder.path());
    let failure = store.load(&"s".into(), 0).await.unwrap_err();
    assert!(failure.message.contains("damaged"), "{failure}");
    drop(store);
    assert_eq!(fs::read(folder.path().join(FILE)).unwrap().len(), len);
}
