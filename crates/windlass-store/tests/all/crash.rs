//! `kill -9` in the middle of appends: whatever was acknowledged is there.

use std::collections::HashMap;

use tempfile::TempDir;
use windlass_core::ports::JournalPort as _;
use windlass_core::ports::store::StorePort as _;

use crate::child::{Running, command};
use crate::place::{assert_whole, note, open, seqs};

const ACKED: &str = "acked ";

#[tokio::test]
async fn kill_9_in_the_middle_of_appends_loses_nothing_that_was_acknowledged() {
    let folder = TempDir::new().unwrap();
    let mut acked: HashMap<String, u64> = HashMap::new();
    let mut note_acked = |line: &str| {
        let (session, seq) = line.strip_prefix(ACKED).unwrap().split_once(' ').unwrap();
        acked.insert(session.to_owned(), seq.parse().unwrap());
    };
    for acks in [1, 7, 40, 150, 400] {
        let mut child = Running::start(command("append", folder.path()));
        for _ in 0..acks {
            note_acked(&child.line().expect("the child appends"));
        }
        child.kill();
        // What it said before it died counts too; the last line may be torn.
        while let Some(line) = child.line() {
            if line.split(' ').count() == 3 && line.starts_with(ACKED) {
                note_acked(&line);
            }
        }
    }
    let store = open(folder.path());
    assert!(!acked.is_empty());
    for (session, last) in &acked {
        let there = seqs(&store, session).await;
        assert!(
            there.last() >= Some(last),
            "{session}: {last} was acknowledged, the last is {:?}",
            there.last()
        );
        assert_eq!(there, (1..=there.len() as u64).collect::<Vec<_>>(), "{session}: no hole, whole appends");
        assert_eq!(there.len() % 3, 0, "{session}: an append is there as a whole");
    }
    store.append(&[note("s0", 1_000_000)]).await.unwrap_err();
    store.claim(&"s0".into()).await.unwrap();
    store.append(&[note("s0", 1_000_000)]).await.unwrap();
    drop(store);
    assert_whole(folder.path());
}
