//! Full disks: a clear error, nothing damaged, and it goes on when there is room.

use std::path::Path;

use tempfile::TempDir;
use windlass_core::ports::JournalPort as _;
use windlass_core::ports::store::StorePort as _;
use windlass_store::{SqliteStore, StoreConfig};

use crate::child::{Running, command, shell_command};
use crate::place::{assert_whole, note, open, seqs, sized_note};

fn small(folder: &Path) -> SqliteStore {
    SqliteStore::open(folder, StoreConfig { pages_max: Some(150), ..StoreConfig::default() }).unwrap()
}

#[tokio::test]
async fn a_full_store_says_so_and_goes_on_when_there_is_room() {
    let folder = TempDir::new().unwrap();
    let store = small(folder.path());
    for seq in 1..=5 {
        store.append(&[sized_note("old", seq, 20_000)]).await.unwrap();
    }
    let mut last = 0;
    let failure = loop {
        match store.append(&[sized_note("s", last + 1, 20_000)]).await {
            Ok(()) => last += 1,
            Err(failure) => break failure,
        }
    };
    assert!(failure.message.contains("is full") && failure.message.contains("free some space"), "{failure}");
    assert_eq!(seqs(&store, "s").await, (1..=last).collect::<Vec<_>>());
    store.delete_session(&"old".into()).await.unwrap();
    store.append(&[sized_note("s", last + 1, 20_000)]).await.unwrap();
    drop(store);
    assert_whole(folder.path());
    let store = open(folder.path());
    assert_eq!(seqs(&store, "s").await.len() as u64, last + 1);
    store.claim(&"s".into()).await.unwrap();
    store.append(&[sized_note("s", last + 2, 2_000_000)]).await.unwrap();
}

#[tokio::test]
async fn a_record_that_does_not_fit_fails_alone() {
    let folder = TempDir::new().unwrap();
    let store = small(folder.path());
    let huge = [sized_note("huge", 1, 5_000_000)];
    let names: Vec<String> = (0..20).map(|number| format!("s{number}")).collect();
    let small: Vec<_> = names.iter().map(|name| [note(name, 1)]).collect();
    let (huge, small) = tokio::join!(store.append(&huge), async {
        futures::future::join_all(small.iter().map(|records| store.append(records))).await
    });
    assert!(huge.unwrap_err().message.contains("is full"));
    assert!(small.iter().all(Result::is_ok), "{small:?}");
    for name in &names {
        assert_eq!(seqs(&store, name).await, [1]);
    }
    assert!(store.load(&"huge".into(), 0).await.unwrap().is_empty());
}

/// Lets a child write until the system refuses; what it said was kept must be there.
fn fill(mut child: Running) -> (String, u64) {
    let mut last = 0;
    let failure = loop {
        let line = child.line().expect("the child writes");
        match line.strip_prefix("acked s ") {
            Some(seq) => last = seq.parse().unwrap(),
            None => break line,
        }
    };
    assert_eq!(child.line().as_deref(), Some("kept true"), "what is there can be read: {failure}");
    while child.line().is_some() {}
    drop(child);
    assert!(last > 0);
    (failure, last)
}

#[tokio::test]
async fn a_file_that_may_not_grow_is_a_clear_error_and_keeps_what_was_acknowledged() {
    let folder = TempDir::new().unwrap();
    drop(open(folder.path()));
    let limited = shell_command("trap '' XFSZ; ulimit -f 1000", "fill", folder.path());
    let (failure, last) = fill(Running::start(limited));
    assert!(failure.contains("free space") || failure.contains("is full"), "{failure}");
    assert!(failure.contains("windlass.db") && failure.contains("was kept before is safe"), "{failure}");
    let store = open(folder.path());
    assert_eq!(seqs(&store, "s").await, (1..=last).collect::<Vec<_>>());
    drop(store);
    assert_whole(folder.path());
    let mut again = Running::start(command("open", folder.path()));
    assert_eq!(again.line().as_deref(), Some("opened"));
}

/// A real small disk, where the system lets an ordinary user have one; elsewhere the tests above stand alone.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_full_tmpfs_is_a_clear_error() {
    let can =
        std::process::Command::new("unshare").args(["-rm", "mount", "-t", "tmpfs", "none", "/mnt"]).output();
    if !can.is_ok_and(|done| done.status.success()) {
        return;
    }
    let folder = TempDir::new().unwrap();
    let mut command = std::process::Command::new("unshare");
    let inner = shell_command(
        &format!("mount -t tmpfs -o size=2m none '{}'", folder.path().display()),
        "fill",
        folder.path(),
    );
    command.arg("-rm").arg(inner.get_program()).args(inner.get_args());
    for (name, value) in inner.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let (failure, _) = fill(Running::start(command));
    assert!(failure.contains("is full") && failure.contains("free some space"), "{failure}");
}
