//! Undo copies: what a file was before it was written, kept on disk or, without a folder, in memory.
//!
//! Bounded in number and bytes; the oldest copy goes first. A copy knows which content it was replaced
//! by, so that undoing never destroys a later change.

use std::collections::VecDeque;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use super::limits::{UNDO_BYTES_MAX, UNDO_COPIES_MAX};
use super::sha256;

/// What a file was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChangeCopy {
    /// Sorts by age; `{stamp}-{file}-{after}.{file|none}`, also its name on disk.
    name: String,
    /// The content before; `None` when the file did not exist.
    pub(crate) before: Option<Vec<u8>>,
}

impl ChangeCopy {
    /// The hash of the content that replaced this one.
    pub(crate) fn after(&self) -> &str {
        let stem = self.name.split('.').next().unwrap_or_default();
        stem.rsplit('-').next().unwrap_or_default()
    }
}

pub(crate) struct Undo {
    dir: Option<PathBuf>,
    kept: Mutex<UndoFolder>,
}

#[derive(Default)]
struct UndoFolder {
    copies: VecDeque<ChangeCopy>,
    last_stamp: u128,
}

impl Undo {
    /// Keeps copies in a folder, or in memory.
    pub(crate) fn new(dir: Option<PathBuf>) -> Self {
        Self { dir, kept: Mutex::default() }
    }

    /// Keeps what a file was before it becomes the content with the hash `after`.
    pub(crate) fn keep(&self, file: &Path, before: Option<&[u8]>, after: &str) -> io::Result<()> {
        let mut kept = self.lock();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        // Names sort by age, also when the clock stands still or is put back.
        kept.last_stamp = now.max(kept.last_stamp + 1);
        let kind = if before.is_some() { "file" } else { "none" };
        let name = format!("{:020}-{}-{after}.{kind}", kept.last_stamp, key(file));
        match &self.dir {
            Some(dir) => {
                DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
                let mut options = OpenOptions::new();
                let mut copy = options.write(true).create_new(true).mode(0o600).open(dir.join(name))?;
                copy.write_all(before.unwrap_or_default())?;
                prune(dir)
            }
            None => {
                kept.copies.push_back(ChangeCopy { name, before: before.map(<[u8]>::to_vec) });
                kept.prune();
                Ok(())
            }
        }
    }

    /// The youngest copy of a file.
    pub(crate) fn last(&self, file: &Path) -> io::Result<Option<ChangeCopy>> {
        let mark = format!("-{}-", key(file));
        let Some(dir) = &self.dir else {
            return Ok(self.lock().copies.iter().rev().find(|copy| copy.name.contains(&mark)).cloned());
        };
        let Some(name) = names(dir)?.into_iter().rev().find(|name| name.contains(&mark)) else {
            return Ok(None);
        };
        let before = if name.ends_with(".file") { Some(fs::read(dir.join(&name))?) } else { None };
        Ok(Some(ChangeCopy { name, before }))
    }

    /// Drops a copy that was used or will not be.
    pub(crate) fn forget(&self, copy: &ChangeCopy) {
        match &self.dir {
            // A copy that stays is harmless: its hash no longer fits.
            Some(dir) => drop(fs::remove_file(dir.join(&copy.name))),
            None => self.lock().copies.retain(|kept| kept.name != copy.name),
        }
    }

    fn lock(&self) -> MutexGuard<'_, UndoFolder> {
        // Every change is complete before the lock is left, so a poisoned one is still whole.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl UndoFolder {
    fn prune(&mut self) {
        let size = |copy: &ChangeCopy| copy.before.as_ref().map_or(0, |bytes| bytes.len() as u64);
        let mut bytes: u64 = self.copies.iter().map(size).sum();
        while self.copies.len() > UNDO_COPIES_MAX || bytes > UNDO_BYTES_MAX {
            let Some(oldest) = self.copies.pop_front() else { return };
            bytes -= size(&oldest);
        }
    }
}

/// How a file is named among the copies.
fn key(file: &Path) -> String {
    sha256(file.as_os_str().as_encoded_bytes()).chars().take(32).collect()
}

/// The names of all copies on disk, oldest first.
fn names(dir: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.retain(|name| name.ends_with(".file") || name.ends_with(".none"));
    names.sort();
    Ok(names)
}

fn prune(dir: &Path) -> io::Result<()> {
    let names = names(dir)?;
    let size = |name: &String| fs::metadata(dir.join(name)).map_or(0, |metadata| metadata.len());
    let mut bytes: u64 = names.iter().map(size).sum();
    let mut left = names.len();
    for name in names {
        if left <= UNDO_COPIES_MAX && bytes <= UNDO_BYTES_MAX {
            break;
        }
        bytes = bytes.saturating_sub(size(&name));
        left -= 1;
        fs::remove_file(dir.join(name))?;
    }
    Ok(())
}

#[cfg(test)]
#[path = "undo_tests.rs"]
mod tests;
