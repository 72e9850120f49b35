//! One writer a session, also between processes.

use tempfile::TempDir;
use windlass_core::ports::JournalPort as _;
use windlass_core::ports::store::{Claim, NewSession, StorePort as _};
use windlass_store::SqliteStore;

use crate::child::{Running, command};
use crate::place::{note, open, seqs};

async fn store_with_a_session(folder: &TempDir) -> SqliteStore {
    let store = open(folder.path());
    store.create_session(&"s".into(), NewSession::default(), 1).await.unwrap();
    store
}

#[tokio::test]
async fn a_session_of_a_living_process_is_held_and_of_a_killed_one_free() {
    let folder = TempDir::new().unwrap();
    let store = store_with_a_session(&folder).await;
    let id = "s".into();
    let mut child = Running::start(command("claim", folder.path()));
    assert_eq!(child.line().as_deref(), Some("taken"));
    let Claim::Held { by } = store.claim(&id).await.unwrap() else { panic!("it is the child's") };
    assert!(by.starts_with(&format!("process {} on this machine, since 20", child.id())), "{by}");

    let failure = store.append(&[note("s", 1)]).await.unwrap_err();
    assert!(failure.message.contains(&format!("process {}", child.id())), "{failure}");
    let failure = store.delete_session(&id).await.unwrap_err().to_string();
    assert!(failure.contains("is written by process"), "{failure}");
    store.rename_session(&id, "x").await.unwrap_err();
    store.release(&id).await.unwrap();
    assert!(matches!(store.claim(&id).await.unwrap(), Claim::Held { .. }), "only the writer releases");

    child.kill();
    assert_eq!(store.claim(&id).await.unwrap(), Claim::Taken);
    store.append(&[note("s", 1)]).await.unwrap();
    let mut child = Running::start(command("claim", folder.path()));
    let said = child.line().unwrap();
    assert!(said.starts_with(&format!("held by process {}", std::process::id())), "{said}");
}

#[tokio::test]
async fn of_many_processes_that_claim_at_once_one_wins() {
    let folder = TempDir::new().unwrap();
    let store = store_with_a_session(&folder).await;
    let mut children: Vec<Running> =
        (0..4).map(|_| Running::start(command("claim", folder.path()))).collect();
    let mut winner = None;
    for (index, said) in children.iter_mut().map(|child| child.line().unwrap()).enumerate() {
        match said.as_str() {
            "taken" => assert!(winner.replace(index).is_none(), "two have it"),
            held => assert!(held.starts_with("held by process "), "{held}"),
        }
    }
    children[winner.expect("somebody has it")].kill();
    assert_eq!(store.claim(&"s".into()).await.unwrap(), Claim::Taken);
}

#[tokio::test]
async fn a_writer_that_was_taken_over_writes_no_more() {
    let folder = TempDir::new().unwrap();
    let store = store_with_a_session(&folder).await;
    store.claim(&"s".into()).await.unwrap();
    store.append(&[note("s", 1)]).await.unwrap();
    // As if this process had been thought dead.
    let file = rusqlite::Connection::open(store.path()).unwrap();
    file.execute("UPDATE heads SET writer = '4711-5-0'", []).unwrap();
    let failure = store.append(&[note("s", 2)]).await.unwrap_err();
    assert!(failure.message.contains("was taken over by process 4711"), "{failure}");
    assert_eq!(seqs(&store, "s").await, [1]);
}

#[tokio::test]
async fn records_come_once_and_in_order() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path());
    store.append(&[note("s", 1), note("s", 5)]).await.unwrap();
    for late in [1, 4, 5] {
        let failure = store.append(&[note("s", late)]).await.unwrap_err();
        assert!(failure.message.contains("comes too late"), "{failure}");
    }
    store.append(&[note("s", 7), note("s", 6)]).await.unwrap_err();
    store.append(&[note("s", 6), note("t", 7)]).await.unwrap_err();
    assert_eq!(seqs(&store, "s").await, [1, 5]);
}

#[tokio::test]
async fn a_deleted_session_does_not_come_back_by_a_late_record() {
    let folder = TempDir::new().unwrap();
    let store = store_with_a_session(&folder).await;
    store.append(&[note("s", 1)]).await.unwrap();
    store.delete_session(&"s".into()).await.unwrap();
    let failure = store.append(&[note("s", 2)]).await.unwrap_err();
    assert!(failure.message.contains("there is no session s"), "{failure}");
    store.create_session(&"s".into(), NewSession::default(), 1).await.unwrap();
    store.append(&[note("s", 1)]).await.unwrap();
}
