//! Which processes are alive: each holds a lock of the operating system on a file of its own, for its life.
//!
//! The system takes a lock back however its process ends, and a token is never used again; so a token whose lock
//! can be taken is that of a process which is gone.

use std::fs::{File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use windlass_core::protocol::ids::Millis;
use windlass_core::text::time::rfc3339;

/// The folder of the locks, in the data folder.
const FOLDER: &str = "writers";
/// Tries to find a name that is free.
const NAMES_MAX: u32 = 1_000;

/// This process as a writer, until it is dropped.
#[derive(Debug)]
pub(crate) struct WriterLock {
    token: String,
    folder: PathBuf,
    path: PathBuf,
    /// Held open: the lock lives as long.
    _file: File,
}

impl WriterLock {
    /// Takes a new token, and clears away the files of processes that are gone.
    pub(crate) fn take(data_folder: &Path) -> io::Result<Self> {
        let folder = data_folder.join(FOLDER);
        crate::open::make_private_folder(&folder)?;
        clear_dead(&folder);
        let (pid, now) = (std::process::id(), now_ms());
        for attempt in 0..NAMES_MAX {
            let token = format!("{pid}-{now}-{attempt}");
            let path = folder.join(format!("{token}.lock"));
            // Another name until it is locked: nobody takes it for a dead one's in between.
            let fresh = folder.join(format!("{token}.new"));
            let mut file = match crate::open::private_options().create_new(true).open(&fresh) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                other => other?,
            };
            // The new name being free does not mean that the other one is.
            if path.exists() {
                std::fs::remove_file(&fresh)?;
                continue;
            }
            // Before the rename: under its real name the file is never without its lock while the process
            // lives.
            file.lock()?;
            writeln!(file, "process {pid}, since {}", rfc3339(now))?;
            std::fs::rename(&fresh, &path)?;
            return Ok(Self { token, folder, path, _file: file });
        }
        Err(io::Error::new(io::ErrorKind::AlreadyExists, format!("no free name in {}", folder.display())))
    }

    /// What stands in the file for this process.
    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// Whether the process behind a token lives.
    pub(crate) fn is_alive(&self, token: &str) -> bool {
        token == self.token || is_held(&self.folder.join(format!("{token}.lock")))
    }
}

impl Drop for WriterLock {
    fn drop(&mut self) {
        // A file that stays is cleared away by the next process.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// The process behind a token, for people.
pub(crate) fn describe(token: &str, since_ms: Millis) -> String {
    let pid = token.split('-').next().unwrap_or(token);
    format!("process {pid} on this machine, since {}", rfc3339(since_ms))
}

/// A file that cannot be asked may be held: it is safer to wait than to write beside somebody.
fn is_held(path: &Path) -> bool {
    match File::open(path) {
        Ok(file) => match file.try_lock() {
            Ok(()) => false,
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => true,
        },
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    }
}

fn clear_dead(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        // Not `.new`: such a file may be on its way to its lock just now.
        if path.extension().is_some_and(|extension| extension == "lock") && !is_held(&path) {
            // Only tidiness: whoever comes next tries again.
            let _ = std::fs::remove_file(&path);
        }
    }
}

/// The clock, for people who read who holds a session.
pub(crate) fn now_ms() -> Millis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Millis::try_from(since.as_millis()).unwrap_or(Millis::MAX)
}
