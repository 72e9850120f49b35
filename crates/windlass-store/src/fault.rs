//! What can go wrong with the file, in words: what happened, where, what to do.
//!
//! Owns the translation of SQLite's codes. Knows neither jobs nor queries.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;
use windlass_core::ports::JournalFailure;
use windlass_core::ports::store::StoreFailure;

/// Why a store could not be opened. A damaged file is never changed.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The folder cannot be made or used.
    #[error("cannot use the data folder {}: {reason}; choose another folder or make this one writable for this user", path.display())]
    Folder {
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// The folder or the file may only be read.
    #[error("{} cannot be written: {reason}; make the folder and the file writable for this user, or choose another data folder", path.display())]
    ReadOnly {
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// There is no room.
    #[error("the disk that holds {} is full; free some space and start again: nothing is lost", path.display())]
    Full { path: PathBuf },
    /// The file is not a database, or one of another program.
    #[error("{} is not a Windlass database: {reason}; it was left as it is; move it away or choose another data folder", path.display())]
    Foreign { path: PathBuf, reason: String },
    /// The file is damaged.
    #[error("{} is damaged: {reason}; it was left as it is; copy it and what stands beside it (-wal, -shm), then try `sqlite3 {} .recover`, or choose another data folder", path.display(), path.display())]
    Damaged { path: PathBuf, reason: String },
    /// A newer Windlass has written the file.
    #[error("{} was written by a newer Windlass (schema {found}, this one knows up to {known}); update Windlass or choose another data folder", path.display())]
    Newer {
        path: PathBuf,
        found: u32,
        /// The newest schema that this program knows.
        known: u32,
    },
    /// Another program does not let go of the file.
    #[error("{} is locked by another program for too long; stop that program and start again", path.display())]
    Busy { path: PathBuf },
    #[error("cannot open {}: {reason}; check the disk and the folder", path.display())]
    Failed { path: PathBuf, reason: String },
}

impl OpenError {
    pub(crate) fn of(error: &rusqlite::Error, path: &Path) -> Self {
        let (path, reason) = (path.to_path_buf(), error.to_string());
        match error.sqlite_error_code() {
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                OpenError::ReadOnly { path, reason }
            }
            Some(ErrorCode::DiskFull) => OpenError::Full { path },
            Some(ErrorCode::NotADatabase) => OpenError::Foreign { path, reason },
            Some(ErrorCode::DatabaseCorrupt) => OpenError::Damaged { path, reason },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => OpenError::Busy { path },
            _ => OpenError::Failed { path, reason },
        }
    }
}

/// Why a job failed.
#[derive(Debug)]
pub(crate) enum StoreFault {
    /// It was refused before it had written anything.
    Refused(StoreFailure),
    /// The database failed: everything of its transaction is undone.
    Database(rusqlite::Error),
}

impl From<rusqlite::Error> for StoreFault {
    fn from(error: rusqlite::Error) -> Self {
        StoreFault::Database(error)
    }
}

impl From<StoreFailure> for StoreFault {
    fn from(failure: StoreFailure) -> Self {
        StoreFault::Refused(failure)
    }
}

impl StoreFault {
    /// Something in the file cannot be read.
    pub(crate) fn unreadable(what: &dyn std::fmt::Display, error: &serde_json::Error) -> Self {
        StoreFault::Refused(StoreFailure::Broken(format!(
            "{what} cannot be read back: {error}; the file may be damaged or written by another version"
        )))
    }

    pub(crate) fn failure(self, path: &Path) -> StoreFailure {
        match self {
            StoreFault::Refused(failure) => failure,
            StoreFault::Database(error) => StoreFailure::Broken(words(&error, path)),
        }
    }

    pub(crate) fn journal_failure(self, path: &Path) -> JournalFailure {
        JournalFailure { message: self.failure(path).to_string() }
    }
}

/// What happened to a store that is open, and what to do.
fn words(error: &rusqlite::Error, path: &Path) -> String {
    let path = path.display();
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => format!(
            "the disk that holds {path} is full: this was not kept, what was kept before is safe; free some space \
             and try again"
        ),
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            format!("{path} cannot be written ({error}); make its folder writable for this user")
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            format!(
                "{path} is damaged ({error}); stop Windlass, copy the file and what stands beside it, then repair it"
            )
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            format!("{path} is locked by another program for too long; stop that program and try again")
        }
        Some(ErrorCode::SystemIoFailure) => format!(
            "the disk that holds {path} failed ({error}): this was not kept, what was kept before is safe; check the \
             disk and its free space, then try again"
        ),
        _ => format!("{path} failed: {error}"),
    }
}

/// The store is being closed.
pub(crate) fn closed() -> StoreFault {
    StoreFault::Refused(StoreFailure::Broken("the store was closed; open it again".to_owned()))
}
