//! One writer per index folder, in all processes: a lock that ends with the process that has it.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::fault::IndexError;
use crate::limits::LOCK_POLL_MS;
use crate::private;

/// The right to write; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct WriteLock {
    _file: File,
}

impl WriteLock {
    /// Takes the lock, waiting up to `wait` for another process.
    pub(crate) fn take(folder: &Path, wait: Duration) -> Result<Self, IndexError> {
        let path = folder.join("writer.lock");
        let file = private::options().create(true).append(true).open(&path);
        let file = file.map_err(|source| IndexError::Folder { path: path.clone(), source })?;
        let deadline = Instant::now() + wait;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                    thread::sleep(Duration::from_millis(LOCK_POLL_MS));
                }
                Err(TryLockError::WouldBlock) => return Err(IndexError::Busy { path: folder.to_owned() }),
                Err(TryLockError::Error(source)) => return Err(IndexError::Folder { path, source }),
            }
        }
    }
}
