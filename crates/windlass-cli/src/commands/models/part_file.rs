//! A file on its way here: its bytes beside its place under `.part`, its hash, and a note of what it is a part of.
//!
//! What lies at its place is only touched at the very end, by one rename. Knows no network.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use windlass_core::text::hex;

use crate::complaint::{CommandError, Result};

/// Bytes that are hashed at a time.
const BLOCK_BYTES: usize = 1 << 20;

/// Largest note that is read: ours have a few hundred bytes.
const NOTE_BYTES_MAX: u64 = 64 << 10;

/// What the bytes so far are a part of.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Note {
    /// Where they come from.
    pub(crate) address: String,
    /// The mark of the file there.
    pub(crate) etag: Option<String>,
    pub(crate) bytes_total: Option<u64>,
}

pub(crate) struct PartFile {
    place: PathBuf,
    path: PathBuf,
    file: File,
    hash: Sha256,
    bytes: u64,
    note: Note,
}

impl PartFile {
    /// Goes on with what is there of this address, or begins.
    pub(crate) fn open(place: &Path, address: &str) -> Result<Self> {
        let path = beside(place, ".part");
        let failed = |error: io::Error| CommandError::file(&path, "written", &error);
        let open = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let file = open.map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let what = format!("{} is being downloaded by another process", place.display());
                return Err(CommandError::failed(what).cure("wait for it"));
            }
            // Not every file system has locks.
            Err(TryLockError::Error(_)) => {}
        }
        let note = Note { address: address.to_owned(), ..Note::default() };
        let mut part = Self { place: place.to_owned(), path, file, hash: Sha256::new(), bytes: 0, note };
        match part.read_note().filter(|note| note.address == address) {
            None => part.restart()?,
            Some(note) => {
                part.note = note;
                (part.hash, part.bytes) = hash_all(&mut part.file).map_err(|error| part.failed(&error))?;
            }
        }
        Ok(part)
    }

    /// Bytes that are there.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What they are a part of.
    pub(crate) fn note(&self) -> &Note {
        &self.note
    }

    /// Forgets what is there.
    pub(crate) fn restart(&mut self) -> Result<()> {
        self.file.set_len(0).and_then(|()| self.file.rewind()).map_err(|error| self.failed(&error))?;
        (self.hash, self.bytes) = (Sha256::new(), 0);
        self.note = Note { address: std::mem::take(&mut self.note.address), ..Note::default() };
        Ok(())
    }

    /// Writes down what the bytes belong to, for whoever goes on with them.
    pub(crate) fn write_note(&mut self, etag: Option<String>, bytes_total: Option<u64>) -> Result<()> {
        self.note.etag = etag;
        self.note.bytes_total = bytes_total;
        let text = serde_json::to_string(&self.note).map_err(|error| {
            CommandError::failed(format!("the note of a download cannot be written: {error}"))
        })?;
        let path = self.note_path();
        fs::write(&path, text).map_err(|error| CommandError::file(&path, "written", &error))
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(|error| self.failed(&error))?;
        self.hash.update(bytes);
        self.bytes = self.bytes.saturating_add(bytes.len() as u64);
        Ok(())
    }

    /// The SHA-256 of what is there.
    pub(crate) fn sha256(&self) -> String {
        hex(&self.hash.clone().finalize())
    }

    pub(crate) fn begins_with(&mut self, beginning: &[u8]) -> Result<bool> {
        let mut bytes = vec![0; beginning.len()];
        let read = self.file.rewind().and_then(|()| self.file.read_exact(&mut bytes));
        self.file.seek(SeekFrom::End(0)).map_err(|error| self.failed(&error))?;
        Ok(read.is_ok() && bytes == beginning)
    }

    /// Puts the whole file at its place.
    pub(crate) fn finish(self) -> Result<()> {
        self.file.sync_all().map_err(|error| self.failed(&error))?;
        fs::rename(&self.path, &self.place)
            .map_err(|error| CommandError::file(&self.place, "written", &error))?;
        self.forget_note();
        Ok(())
    }

    /// Takes away what is no part of what was wanted.
    pub(crate) fn discard(self) {
        // What cannot be removed is not believed the next time either: its note is gone.
        self.forget_note();
        let _ = fs::remove_file(&self.path);
    }

    fn note_path(&self) -> PathBuf {
        beside(&self.place, ".part.json")
    }

    fn read_note(&self) -> Option<Note> {
        let mut text = String::new();
        File::open(self.note_path()).ok()?.take(NOTE_BYTES_MAX).read_to_string(&mut text).ok()?;
        serde_json::from_str(&text).ok()
    }

    fn forget_note(&self) {
        let _ = fs::remove_file(self.note_path());
    }

    fn failed(&self, error: &io::Error) -> CommandError {
        CommandError::file(&self.path, "written", error)
    }
}

/// The size and the SHA-256 of a file.
pub(crate) fn hash_file(path: &Path) -> Result<(u64, String)> {
    let hashed = File::open(path).and_then(|mut file| hash_all(&mut file));
    let (hash, bytes) = hashed.map_err(|error| CommandError::file(path, "read", &error))?;
    Ok((bytes, hex(&hash.finalize())))
}

fn hash_all(file: &mut File) -> io::Result<(Sha256, u64)> {
    let (mut hash, mut bytes) = (Sha256::new(), 0_u64);
    let mut block = vec![0; BLOCK_BYTES];
    loop {
        let count = file.read(&mut block)?;
        if count == 0 {
            return Ok((hash, bytes));
        }
        hash.update(block.get(..count).unwrap_or_default());
        bytes = bytes.saturating_add(count as u64);
    }
}

fn beside(place: &Path, end: &str) -> PathBuf {
    let mut name = OsString::from(place);
    name.push(end);
    PathBuf::from(name)
}

#[cfg(test)]
#[path = "part_file_tests.rs"]
mod tests;
