//! One file in the project: an open folder and a name in it.
//!
//! Made by `Root` alone. Whatever happens here happens in that very folder, through its handle.

use std::fs::{File, Permissions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use cap_std::fs::Dir;
use rustix::fs::{Mode, OFlags, openat};
use windlass_core::protocol::tool::ToolFailure;

use super::limits::FILE_BYTES_MAX;
use super::root::{is_folder, open_folder, shown, swapped, unreachable};
use super::sha256;

/// Where a file is, or could be made.
pub(crate) struct FilePlace {
    absolute: PathBuf,
    path: String,
    dir: Dir,
    missing: Vec<String>,
    name: String,
}

/// A file's bytes at one moment.
pub(crate) struct Snapshot {
    pub(crate) bytes: Vec<u8>,
    pub(crate) sha256: String,
    pub(crate) permissions: Permissions,
}

impl FilePlace {
    pub(super) fn new(absolute: PathBuf, path: String, dir: Dir, missing: Vec<String>, name: String) -> Self {
        Self { absolute, path, dir, missing, name }
    }

    /// Its canonical path: relative, `/`-separated, without symbolic links.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// Its path from the top of the file system: its identity, not a way to open it.
    pub(crate) fn absolute(&self) -> &Path {
        &self.absolute
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Folders that have to be made before the file can be.
    pub(crate) fn missing_folders(&self) -> &[String] {
        &self.missing
    }

    /// Its folder; folders that are missing are made.
    pub(crate) fn make_folder(&self) -> Result<Dir, ToolFailure> {
        let make = || {
            let mut dir = self.dir.try_clone()?;
            for name in &self.missing {
                match dir.create_dir(name) {
                    Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                    // One that somebody made meanwhile will do, unless it is a link.
                    Ok(()) | Err(_) => dir = open_folder(&dir, name)?,
                }
            }
            Ok(dir)
        };
        make().map_err(|error| swapped(&self.path, error))
    }

    /// Opens the file for reading.
    pub(crate) fn open(&self) -> Result<File, ToolFailure> {
        open_file(&self.dir, &self.name, &self.path)
    }

    /// What is in the file now; `None` when there is no file.
    pub(crate) fn snapshot(&self) -> Result<Option<Snapshot>, ToolFailure> {
        if !self.missing.is_empty() || self.is_absent() {
            return Ok(None);
        }
        let file = self.open()?;
        let metadata = file.metadata().map_err(|error| unreachable(&self.path, &error))?;
        let permissions = metadata.permissions();
        if metadata.len() > FILE_BYTES_MAX {
            return Err(too_large(&self.path, metadata.len()));
        }
        let bytes = self.read(file)?;
        Ok(Some(Snapshot { sha256: sha256(&bytes), bytes, permissions }))
    }

    /// The bytes of an open file, which may have grown since it was measured.
    pub(crate) fn read(&self, file: File) -> Result<Vec<u8>, ToolFailure> {
        let mut bytes = Vec::new();
        let read = file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes);
        read.map_err(|error| unreachable(&self.path, &error))?;
        if bytes.len() as u64 > FILE_BYTES_MAX {
            return Err(too_large(&self.path, bytes.len() as u64));
        }
        Ok(bytes)
    }

    fn is_absent(&self) -> bool {
        self.dir.symlink_metadata(&self.name).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    }
}

/// Opens a regular file by its name alone: never through a link, never waiting at a pipe or a device.
pub(crate) fn open_file(dir: &Dir, name: &str, path: &str) -> Result<File, ToolFailure> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let opened = openat(dir, name, flags, Mode::empty()).map_err(|error| swapped(path, error.into()))?;
    let file = File::from(opened);
    // Asked of what is open: the name may mean something else by now.
    let kind = file.metadata().map_err(|error| unreachable(path, &error))?.file_type();
    if kind.is_dir() {
        return Err(is_folder(path));
    }
    if !kind.is_file() {
        let message = format!("'{}' is not a regular file (a pipe, socket or device)", shown(path));
        return Err(ToolFailure::invalid_args(message).hint("Choose a regular file."));
    }
    Ok(file)
}

/// The refusal of a file over the limit: size, limit, cure.
pub(crate) fn too_large(path: &str, bytes: u64) -> ToolFailure {
    let mb = |bytes: u64| format!("{:.1} MB", bytes as f64 / (1024.0 * 1024.0));
    ToolFailure::invalid_args(format!(
        "'{}' is too large: {} ({bytes} bytes), the limit is {}",
        shown(path),
        mb(bytes),
        mb(FILE_BYTES_MAX)
    ))
    .at("path", format!("a file of at most {FILE_BYTES_MAX} bytes"), format!("{bytes} bytes"))
    .hint("Read a part of it with start_line and end_line, or find the place with search_text.")
}
