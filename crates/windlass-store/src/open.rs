//! Opening the file: its folder, its settings, its schema, and what is said when that fails.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::fault::OpenError;
use crate::limits::CHECKPOINT_PAGES;
use crate::schema;

/// The file in the data folder.
pub const FILE_NAME: &str = "windlass.db";
/// How every SQLite file begins; the size of its pages follows.
const MAGIC: &[u8] = b"SQLite format 3\0";
const HEAD_BYTES: usize = MAGIC.len() + 2;
/// Between two tries to switch a new file to the write-ahead log.
const SWITCH_PAUSE_MS: u64 = 5;

/// How a store behaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreConfig {
    /// How long a lock of another program is waited for.
    pub busy_timeout_ms: u64,
    pub readers: usize,
    /// Most pages of 4 KiB that the file may have; no bound but the disk's when absent.
    pub pages_max: Option<u32>,
}

impl Default for StoreConfig {
    fn default() -> Self {
        Self { busy_timeout_ms: 10_000, readers: 2, pages_max: None }
    }
}

/// Makes a folder if need be, for its owner alone.
pub(crate) fn make_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Options for a file that is made for its owner alone.
pub(crate) fn private_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

pub(crate) fn folder_error(path: &Path, error: &io::Error) -> OpenError {
    let path = path.to_path_buf();
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => OpenError::Full { path },
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            OpenError::ReadOnly { path, reason: error.to_string() }
        }
        _ => OpenError::Folder { path, reason: error.to_string() },
    }
}

/// The connection that writes, with the newest schema.
pub(crate) fn open_writer(path: &Path, config: &StoreConfig) -> Result<Connection, OpenError> {
    make_file(path)?;
    // Before SQLite opens it: it would not notice that the end is missing.
    check_length(path)?;
    let fault = |error: rusqlite::Error| OpenError::of(&error, path);
    let connection = Connection::open_with_flags(
        path,
        // A connection never leaves its thread, so SQLite need not lock it.
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )
    .map_err(fault)?;
    connection.busy_timeout(Duration::from_millis(config.busy_timeout_ms)).map_err(fault)?;
    switch_to_wal(&connection, config).map_err(fault)?;
    let settings = [
        // Full: what was answered as kept survives a power failure.
        ("synchronous", 2),
        ("foreign_keys", 1),
        // What is deleted is gone from the file too.
        ("secure_delete", 1),
        // Memory.
        ("temp_store", 2),
        ("wal_autocheckpoint", i64::from(CHECKPOINT_PAGES)),
        ("cache_size", -16_384),
    ];
    for (name, value) in settings {
        connection.pragma_update(None, name, value).map_err(fault)?;
    }
    if let Some(pages_max) = config.pages_max {
        connection.pragma_update_and_check(None, "max_page_count", pages_max, |_| Ok(())).map_err(fault)?;
    }
    schema::migrate(&connection, path)?;
    Ok(connection)
}

/// A connection that only reads.
pub(crate) fn open_reader(path: &Path, config: &StoreConfig) -> Result<Connection, OpenError> {
    let fault = |error: rusqlite::Error| OpenError::of(&error, path);
    let connection =
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)
            .map_err(fault)?;
    connection.busy_timeout(Duration::from_millis(config.busy_timeout_ms)).map_err(fault)?;
    Ok(connection)
}

/// The file, readable for its owner alone; SQLite gives the files beside it the same rights.
fn make_file(path: &Path) -> Result<(), OpenError> {
    private_options().read(true).create(true).open(path).map(drop).map_err(|error| {
        let (path, reason): (PathBuf, String) = (path.to_path_buf(), error.to_string());
        match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => OpenError::Full { path },
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                OpenError::ReadOnly { path, reason }
            }
            ErrorKind::IsADirectory => OpenError::Foreign { path, reason },
            _ => OpenError::Failed { path, reason },
        }
    })
}

/// SQLite takes what is missing of the last page for zeros. A write-ahead log beside the file has that page again.
fn check_length(path: &Path) -> Result<(), OpenError> {
    let log = path.with_extension("db-wal");
    if log.metadata().is_ok_and(|log| log.len() > 0) {
        return Ok(());
    }
    let failed = |error: io::Error| OpenError::Failed { path: path.to_path_buf(), reason: error.to_string() };
    let mut head = [0; HEAD_BYTES];
    let mut file = File::open(path).map_err(failed)?;
    let bytes = file.metadata().map_err(failed)?.len();
    // Empty, or no database at all: SQLite itself says which.
    if file.read_exact(&mut head).is_err() || !head.starts_with(MAGIC) {
        return Ok(());
    }
    let [.., high, low] = head;
    let page_bytes = match u16::from_be_bytes([high, low]) {
        // The largest size has no room in two bytes; the format writes a one for it.
        1 => 65_536,
        bytes => u64::from(bytes.max(1)),
    };
    if bytes % page_bytes == 0 {
        return Ok(());
    }
    let reason = format!("its last page is torn ({bytes} bytes in pages of {page_bytes})");
    Err(OpenError::Damaged { path: path.to_path_buf(), reason })
}

/// The switch needs the file alone and does not wait by itself when several begin at once.
fn switch_to_wal(connection: &Connection, config: &StoreConfig) -> rusqlite::Result<()> {
    let until = Instant::now() + Duration::from_millis(config.busy_timeout_ms);
    loop {
        let switched = connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()));
        match switched {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && Instant::now() < until =>
            {
                thread::sleep(Duration::from_millis(SWITCH_PAUSE_MS));
            }
            other => return other,
        }
    }
}
