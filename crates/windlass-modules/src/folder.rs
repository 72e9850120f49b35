//! Files of a folder of modules: read whole, never from outside of it, never larger than they may be.
//!
//! Knows paths and bytes. Does not know what is in them.

use std::fs::{self, File};
use std::io::{ErrorKind, Read as _};
use std::path::{Component, Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::error::ModuleError;
use crate::limits::FILE_BYTES_MAX;

/// A file that was read.
#[derive(Debug, Clone)]
pub(crate) struct FolderFile {
    pub(crate) text: String,
    /// The hexadecimal digits of its SHA-256.
    pub(crate) hash: String,
}

/// Why a file was not read.
#[derive(Debug)]
pub(crate) enum Unread {
    /// It is not there.
    Gone,
    /// It is there, and no good.
    Bad(ModuleError),
}

impl Unread {
    /// As an error of the file.
    pub(crate) fn into_error(self, path: &Path) -> ModuleError {
        match self {
            Unread::Gone => ModuleError::Io(format!("{}: there is no such file", path.display())),
            Unread::Bad(error) => error,
        }
    }
}

/// The place of a file that a manifest names, by its words alone.
pub(crate) fn place(folder: &Path, relative: &str) -> Result<PathBuf, ModuleError> {
    let mut path = folder.to_owned();
    let mut has_name = false;
    for component in Path::new(relative).components() {
        match component {
            Component::Normal(name) => {
                path.push(name);
                has_name = true;
            }
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                return Err(outside(Path::new(relative)));
            }
        }
    }
    if has_name {
        Ok(path)
    } else {
        Err(ModuleError::InvalidFormat("the path of a module is empty".to_owned()))
    }
}

fn outside(path: &Path) -> ModuleError {
    let text =
        format!("{}: the file lies outside the folder of its manifest; move it inside", path.display());
    ModuleError::InvalidFormat(text)
}

/// Reads a file inside a folder, links followed.
pub(crate) fn read(folder: &Path, path: &Path) -> Result<FolderFile, Unread> {
    let failed = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => Unread::Gone,
        _ => Unread::Bad(ModuleError::Io(format!("{}: {error}", path.display()))),
    };
    let bad = |message: String| Unread::Bad(ModuleError::Io(format!("{}: {message}", path.display())));
    let real = fs::canonicalize(path).map_err(failed)?;
    let home = fs::canonicalize(folder).map_err(failed)?;
    if !real.starts_with(&home) {
        return Err(Unread::Bad(outside(path)));
    }
    // Opening a pipe would wait for somebody who writes.
    if !fs::metadata(&real).map_err(failed)?.is_file() {
        return Err(bad("this is no file".to_owned()));
    }
    let mut bytes = Vec::new();
    let file = File::open(&real).map_err(failed)?;
    file.take(FILE_BYTES_MAX.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(bad(format!("the file has more than {FILE_BYTES_MAX} bytes; split it")));
    }
    let hash = hash_of(&bytes);
    let text = String::from_utf8(bytes).map_err(|error| {
        let line =
            error.as_bytes().iter().take(error.utf8_error().valid_up_to()).filter(|byte| **byte == b'\n');
        let line = line.count().saturating_add(1);
        Unread::Bad(ModuleError::Json(format!("{}:{line}: the file is not UTF-8", path.display())))
    })?;
    Ok(FolderFile { text, hash })
}

/// The hexadecimal digits of the SHA-256 of a file, as manifests have them behind `sha256:`.
pub fn hash_of(bytes: &[u8]) -> String {
    windlass_core::text::hex(&Sha256::digest(bytes))
}
