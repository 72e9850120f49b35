//! Folders and files that cannot be used: what is wrong, where, what to do.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;

use tempfile::TempDir;
use windlass_store::{OpenError, SqliteStore, StoreConfig};

use crate::child::{Running, command};
use crate::place::open;

const NOBODY: u32 = 65_534;

fn refusal(folder: &Path) -> OpenError {
    SqliteStore::open(folder, StoreConfig { busy_timeout_ms: 50, ..StoreConfig::default() }).unwrap_err()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn the_folder_and_the_file_are_for_their_owner_alone() {
    let place = TempDir::new().unwrap();
    let folder = place.path().join("a/b");
    let store = open(&folder);
    assert_eq!((mode(&folder), mode(store.path())), (0o700, 0o600));
    assert_eq!(store.path(), folder.join("windlass.db"));
}

/// What a user without rights is told; a test that runs as root becomes such a user first.
fn refusal_of_a_user(folder: &Path) -> String {
    let owner = TempDir::new().unwrap().path().metadata().unwrap().uid();
    let mut command = command("open", folder);
    if owner == 0 {
        command.uid(NOBODY).gid(NOBODY);
    }
    let mut child = Running::start(command);
    let line = child.line().expect("the child says why");
    line.strip_prefix("refused ").unwrap_or_else(|| panic!("it was {line}")).to_owned()
}

#[test]
fn a_read_only_folder_is_told_with_what_to_do() {
    let place = TempDir::new().unwrap();
    fs::set_permissions(place.path(), Permissions::from_mode(0o755)).unwrap();
    let folder = place.path().join("read-only");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, Permissions::from_mode(0o555)).unwrap();
    let text = refusal_of_a_user(&folder);
    assert!(text.contains("read-only/windlass.db cannot be written"), "{text}");
    assert!(text.contains("writable for this user"), "{text}");
    let inside = refusal_of_a_user(&folder.join("new"));
    assert!(inside.contains("read-only/new cannot be written"), "{inside}");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "nothing was left there");
}

#[test]
fn a_store_that_may_only_be_read_is_told_and_left_as_it_is() {
    let place = TempDir::new().unwrap();
    fs::set_permissions(place.path(), Permissions::from_mode(0o755)).unwrap();
    let folder = place.path().join("d");
    drop(open(&folder));
    let before = fs::read(folder.join("windlass.db")).unwrap();
    fs::set_permissions(&folder, Permissions::from_mode(0o555)).unwrap();
    fs::set_permissions(folder.join("windlass.db"), Permissions::from_mode(0o444)).unwrap();
    let text = refusal_of_a_user(&folder);
    assert!(text.contains("cannot be written") && text.contains("another data folder"), "{text}");
    assert_eq!(fs::read(folder.join("windlass.db")).unwrap(), before);
}

#[test]
fn a_folder_below_a_file_cannot_be_made() {
    let place = TempDir::new().unwrap();
    let file = place.path().join("file");
    fs::write(&file, "x").unwrap();
    let error = refusal(&file.join("folder"));
    assert!(matches!(error, OpenError::Folder { .. }), "{error:?}");
    assert!(error.to_string().contains("choose another folder"), "{error}");
}

#[test]
fn a_file_that_is_no_database_is_left_as_it_is() {
    let place = TempDir::new().unwrap();
    let path = place.path().join("windlass.db");
    let text = "my diary\n".repeat(1_000);
    fs::write(&path, &text).unwrap();
    let error = refusal(place.path());
    assert!(matches!(error, OpenError::Foreign { .. }), "{error:?}");
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn a_database_of_another_program_is_left_as_it_is() {
    let place = TempDir::new().unwrap();
    let path = place.path().join("windlass.db");
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE diary (day TEXT); INSERT INTO diary VALUES ('today')").unwrap();
    drop(other);
    let error = refusal(place.path());
    assert!(matches!(error, OpenError::Foreign { .. }), "{error:?}");
    let other = rusqlite::Connection::open(&path).unwrap();
    let days: i64 = other.query_row("SELECT count(*) FROM diary", [], |row| row.get(0)).unwrap();
    let tables: i64 = other.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).unwrap();
    assert_eq!((days, tables), (1, 1));
}

#[test]
fn a_newer_schema_is_refused() {
    let place = TempDir::new().unwrap();
    drop(open(place.path()));
    let path = place.path().join("windlass.db");
    let newer = rusqlite::Connection::open(&path).unwrap();
    newer.execute("UPDATE meta SET value = '999' WHERE key = 'schema'", []).unwrap();
    drop(newer);
    let error = refusal(place.path());
    assert!(matches!(error, OpenError::Newer { found: 999, .. }), "{error:?}");
    assert!(error.to_string().contains("update Windlass"), "{error}");
}

#[test]
fn a_file_that_another_program_does_not_let_go_is_told() {
    let place = TempDir::new().unwrap();
    let path = place.path().join("windlass.db");
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE; CREATE TABLE t (x)").unwrap();
    let error = refusal(place.path());
    assert!(matches!(error, OpenError::Busy { .. }), "{error:?}");
    assert!(error.to_string().contains("stop that program"), "{error}");
}
