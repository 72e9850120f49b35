//! The audit file: one line for each decision about a call, only ever appended to.
//!
//! Bounded: a full file is kept once as `NAME.1`.
//! Writing and reading block and belong on a blocking thread.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use windlass_core::permission::{AuditEntry, AuditFailure, AuditPort};
use windlass_core::ports::host::AuditQuery;

use crate::limits::{AUDIT_BYTES_MAX, AUDIT_READ_BYTES_MAX};
use crate::policy_file::{make_private_folder, private};

/// An audit file; may be shared by sessions and by processes.
#[derive(Debug, Clone)]
pub struct AuditFile {
    path: PathBuf,
    bytes_max: u64,
}

/// A line could not be written or read back.
#[derive(Debug, thiserror::Error)]
#[error("the audit file {path} could not be used: {error}")]
pub struct AuditError {
    pub path: PathBuf,
    /// What the system said.
    pub error: io::Error,
}

impl AuditFile {
    /// A file at `path`, whether it exists or not.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self::with_bytes_max(path, AUDIT_BYTES_MAX)
    }

    /// A file with a bound of one's own.
    pub fn with_bytes_max(path: impl Into<PathBuf>, bytes_max: u64) -> Self {
        Self { path: path.into(), bytes_max }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends one line. Line breaks in it become spaces: one decision stays one line, whatever the
    /// arguments of the call contain.
    pub fn append_line(&self, line: &str) -> Result<(), AuditError> {
        self.try_append(line).map_err(|error| AuditError { path: self.path.clone(), error })
    }

    fn try_append(&self, line: &str) -> io::Result<()> {
        let mut text = line.replace(['\n', '\r'], " ");
        text.push('\n');
        if let Some(folder) = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            make_private_folder(folder)?;
        }
        self.rotate_for(text.len() as u64)?;
        // Opened for each line: another process may have rotated it. One write is one line, also when
        // two processes append at once.
        let mut file = private().append(true).create(true).open(&self.path)?;
        file.write_all(text.as_bytes())?;
        file.sync_data()
    }

    /// The newest lines, newest first, as far as `keep` keeps them: of this file and of the one before it.
    pub fn newest_lines<T>(
        &self,
        rows_max: usize,
        keep: impl Fn(&str) -> Option<T>,
    ) -> Result<Vec<T>, AuditError> {
        let mut kept = Vec::new();
        for path in [self.path.clone(), self.beside(".1")] {
            let text = read_tail(&path).map_err(|error| AuditError { path, error })?;
            kept.extend(text.lines().rev().filter_map(&keep).take(rows_max.saturating_sub(kept.len())));
            if kept.len() >= rows_max {
                break;
            }
        }
        Ok(kept)
    }

    fn rotate_for(&self, more_bytes: u64) -> io::Result<()> {
        if !self.is_full(more_bytes)? {
            return Ok(());
        }
        let lock = private().create(true).truncate(false).open(self.beside(".lock"))?;
        // Who does not get the lock need not rotate: somebody does. The lock ends with the file.
        // And asked again: another process may have rotated just now, and its fresh file would push the
        // full one out.
        if lock.try_lock().is_ok() && self.is_full(more_bytes)? {
            fs::rename(&self.path, self.beside(".1"))?;
        }
        Ok(())
    }

    fn is_full(&self, more_bytes: u64) -> io::Result<bool> {
        match fs::metadata(&self.path) {
            // A line beyond the bound goes into an empty file: rotating would make no room for it.
            Ok(facts) => Ok(facts.len() > 0 && facts.len().saturating_add(more_bytes) > self.bytes_max),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn beside(&self, ending: &str) -> PathBuf {
        let mut name = OsString::from(&self.path);
        name.push(ending);
        name.into()
    }
}

impl AuditPort for AuditFile {
    fn append(&self, entry: &AuditEntry) -> Result<(), AuditFailure> {
        self.append_line(&entry.to_string()).map_err(|error| AuditFailure(error.to_string()))
    }

    fn newest(&self, query: &AuditQuery) -> Result<Vec<AuditEntry>, AuditFailure> {
        let keep = |line: &str| {
            let entry = AuditEntry::from_line(line)?;
            query.tool.as_ref().is_none_or(|tool| *tool == entry.tool).then_some(entry)
        };
        self.newest_lines(query.rows_max, keep).map_err(|error| AuditFailure(error.to_string()))
    }
}

/// The end of a file, in whole lines; nothing if there is no such file.
fn read_tail(path: &Path) -> io::Result<String> {
    let mut file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(String::new()),
        Err(error) => return Err(error),
    };
    let skipped = file.metadata()?.len().saturating_sub(AUDIT_READ_BYTES_MAX);
    file.seek(SeekFrom::Start(skipped))?;
    let mut bytes = Vec::new();
    file.take(AUDIT_READ_BYTES_MAX).read_to_end(&mut bytes)?;
    // The cut may lie inside a character, and surely inside a line, which is dropped below.
    let text = String::from_utf8_lossy(&bytes);
    Ok(match text.split_once('\n') {
        Some((_, whole)) if skipped > 0 => whole.to_owned(),
        Some(_) | None => text.into_owned(),
    })
}

#[cfg(test)]
#[path = "audit_file_tests.rs"]
mod tests;
