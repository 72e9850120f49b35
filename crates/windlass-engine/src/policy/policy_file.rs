//! The file in which remembered rules live: read at the start, changed when the user says *remember*.
//!
//! Knows files and their dangers, not what a rule is: reading and writing the text is given to it. A
//! file that cannot be read is never overwritten; until somebody looks at it, every call is asked
//! about again. All of it blocks and belongs on a blocking thread.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::limits::{POLICY_BYTES_MAX, POLICY_CORRUPT_MAX};

/// How often a lock is tried, and how long is waited between: another process needs milliseconds.
const LOCK_TRIES_MAX: u32 = 100;
const LOCK_WAIT_MS: u64 = 20;

/// A policy file, with the reading and writing of its text.
#[derive(Debug, Clone)]
pub struct PolicyFile<T> {
    path: PathBuf,
    from_json: fn(&str) -> Result<T, String>,
    to_json: fn(&T) -> String,
}

/// How a file was when somebody looked; another stamp is another content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStamp {
    bytes: u64,
    changed: Option<SystemTime>,
    /// Its number on the disk, and when that was changed.
    place: (u64, i64, i64),
}

/// What was read, and what the user should know about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded<T> {
    /// The rules; none when the file is missing or broken, so that everything is asked.
    pub rules: T,
    /// Why they are none.
    pub warning: Option<String>,
}

/// The policy file could not be changed.
#[derive(Debug, thiserror::Error)]
pub enum PolicyFileError {
    #[error("the policy file {path} could not be {what}: {error}")]
    Io {
        path: PathBuf,
        what: &'static str,
        /// What the system said.
        error: io::Error,
    },
    /// Another process holds it.
    #[error("the policy file {path} is locked by another process; try again")]
    Locked { path: PathBuf },
    /// The change was never made.
    #[error("the rules were not changed")]
    Unchanged,
    /// There are too many broken copies.
    #[error("beside {path} lie {POLICY_CORRUPT_MAX} broken copies; repair or remove them")]
    TooManyCorrupt { path: PathBuf },
}

/// What lies at the path.
enum PolicyContent<T> {
    Missing,
    Rules(T),
    /// Read, but not understood; with the reason.
    Corrupt(String),
}

impl<T: Default> PolicyFile<T> {
    /// A file at `path`, whether it exists or not. `from_json` must refuse what it does not understand.
    pub fn new(
        path: impl Into<PathBuf>,
        from_json: fn(&str) -> Result<T, String>,
        to_json: fn(&T) -> String,
    ) -> Self {
        Self { path: path.into(), from_json, to_json }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the rules. Never fails: without readable rules everything is asked, with a warning.
    pub fn load(&self) -> Loaded<T> {
        let path = self.path.display();
        let (rules, warning) = match self.read() {
            Ok(PolicyContent::Missing) => (T::default(), None),
            Ok(PolicyContent::Rules(rules)) => (rules, None),
            Ok(PolicyContent::Corrupt(why)) => (
                T::default(),
                Some(format!(
                    "The policy file {path} cannot be understood ({why}). It was kept as it is; \
                     no remembered rule applies, and every call is asked about."
                )),
            ),
            Err(error) => (
                T::default(),
                Some(format!(
                    "The policy file {path} cannot be read ({error}). No remembered rule applies, and \
                     every call is asked about."
                )),
            ),
        };
        Loaded { rules, warning }
    }

    /// What tells the file from what it was before, cheaply enough to be asked before every call.
    pub fn stamp(&self) -> Option<FileStamp> {
        let metadata = fs::metadata(&self.path).ok()?;
        #[cfg(unix)]
        let place = {
            use std::os::unix::fs::MetadataExt as _;
            // A file of the same size put in its place with its old time would look unchanged without these.
            (metadata.ino(), metadata.ctime(), metadata.ctime_nsec())
        };
        #[cfg(not(unix))]
        let place = (0, 0, 0);
        Some(FileStamp { bytes: metadata.len(), changed: metadata.modified().ok(), place })
    }

    /// Changes the rules as they are on disk at this moment, so that two processes do not undo each
    /// other's changes. A broken file is first copied to `NAME.corrupt-N`. Gives the new rules.
    pub fn update(&self, change: impl FnOnce(&mut T)) -> Result<T, PolicyFileError> {
        if let Some(folder) = self.folder() {
            make_private_folder(folder).map_err(|error| self.io("created", error))?;
        }
        let _lock = self.lock()?;
        let mut rules = match self.read().map_err(|error| self.io("read", error))? {
            PolicyContent::Missing => T::default(),
            PolicyContent::Rules(rules) => rules,
            PolicyContent::Corrupt(_) => {
                self.keep_corrupt()?;
                T::default()
            }
        };
        change(&mut rules);
        self.write((self.to_json)(&rules).as_bytes()).map_err(|error| self.io("written", error))?;
        Ok(rules)
    }

    /// Puts these rules in place of all that is there.
    pub fn store(&self, rules: T) -> Result<(), PolicyFileError> {
        self.update(|place| *place = rules).map(drop)
    }

    fn read(&self) -> io::Result<PolicyContent<T>> {
        // Opening a pipe would wait for somebody who writes.
        if fs::metadata(&self.path).is_ok_and(|facts| !facts.is_file()) {
            return Ok(PolicyContent::Corrupt("it is no regular file".to_owned()));
        }
        let file = match File::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(PolicyContent::Missing),
            opened => opened?,
        };
        let mut bytes = Vec::new();
        // One byte beyond the bound tells a file that is too long from one that just fits.
        file.take(POLICY_BYTES_MAX + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > POLICY_BYTES_MAX {
            return Ok(PolicyContent::Corrupt(format!("it has more than {POLICY_BYTES_MAX} bytes")));
        }
        let text = match str::from_utf8(&bytes) {
            Ok(text) => text,
            Err(_) => return Ok(PolicyContent::Corrupt("it is not UTF-8 text".into())),
        };
        Ok((self.from_json)(text).map_or_else(PolicyContent::Corrupt, PolicyContent::Rules))
    }

    /// Copies the broken file to the first free `NAME.corrupt-N`.
    fn keep_corrupt(&self) -> Result<(), PolicyFileError> {
        for number in 1..=POLICY_CORRUPT_MAX {
            let copy = self.beside(&format!(".corrupt-{number}"));
            match private().create_new(true).open(&copy) {
                Ok(mut place) => {
                    let copied = File::open(&self.path)
                        .and_then(|mut file| io::copy(&mut file, &mut place))
                        .and_then(|_| place.sync_all());
                    return copied.map_err(|error| self.io("copied", error));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(self.io("copied", error)),
            }
        }
        Err(PolicyFileError::TooManyCorrupt { path: self.path.clone() })
    }

    /// Writes a new file beside the old one and puts it in its place: at every moment, also after a
    /// crash, one of the two is there whole.
    fn write(&self, bytes: &[u8]) -> io::Result<()> {
        // A link from a folder of settings stays a link.
        let target = fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        let fresh = append_to_name(&target, ".new");
        // Left by a crash; the lock says that nobody is writing it.
        match fs::remove_file(&fresh) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = private().create_new(true).open(&fresh)?;
        file.write_all(bytes)?;
        // Before the rename: a crash could otherwise leave an empty file under the name.
        file.sync_all()?;
        drop(file);
        fs::rename(&fresh, &target)?;
        // The rename itself is durable only with its folder.
        match target.parent() {
            Some(folder) if cfg!(unix) => File::open(folder)?.sync_all(),
            _ => Ok(()),
        }
    }

    fn lock(&self) -> Result<File, PolicyFileError> {
        // A file of its own: the policy file is replaced by every change, and a lock on it with it.
        let open = private().create(true).truncate(false).open(self.beside(".lock"));
        let file = open.map_err(|error| self.io("locked", error))?;
        for _ in 0..LOCK_TRIES_MAX {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(LOCK_WAIT_MS)),
                Err(TryLockError::Error(error)) => return Err(self.io("locked", error)),
            }
        }
        Err(PolicyFileError::Locked { path: self.path.clone() })
    }

    fn folder(&self) -> Option<&Path> {
        self.path.parent().filter(|folder| !folder.as_os_str().is_empty())
    }

    fn beside(&self, ending: &str) -> PathBuf {
        append_to_name(&self.path, ending)
    }

    fn io(&self, what: &'static str, error: io::Error) -> PolicyFileError {
        PolicyFileError::Io { path: self.path.clone(), what, error }
    }
}

fn append_to_name(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    name.into()
}

/// Makes a folder with all above it that are missing, for their owner alone.
pub(crate) fn make_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Options for a file that only its owner can read.
pub(crate) fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

#[cfg(test)]
#[path = "policy_file_tests.rs"]
mod tests;
