//! What a folder brings: its `.windlass` and the folders of its own that its settings name, read once, as bytes.
//!
//! What is trusted is what was read here. Links and what is no plain file are refused: what they lead to could change
//! without the folder changing. Knows no trust.

use std::fs::{self, File, OpenOptions};
use std::io::Read as _;
use std::path::Path;

use sha2::{Digest, Sha256};
use windlass_core::text::hex;

/// The folder in which a project brings what is its own.
pub(crate) const FOLDER: &str = ".windlass";

/// Files that may be brought: settings, modules and tools of a project are dozens at most.
const FILES_MAX: usize = 512;

/// Bytes of all of them: every start reads them.
const BYTES_MAX: u64 = 8 << 20;

/// Folders within folders: ours go two deep.
const DEPTH_MAX: usize = 8;

/// One file that a folder brings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BroughtFile {
    /// Its path below the root, with `/`.
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) sha256: String,
}

/// Everything that a folder brings, sorted by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Brought {
    pub(crate) files: Vec<BroughtFile>,
}

impl Brought {
    /// What a root has in its `.windlass`; nothing where there is none. Else why it cannot be read as a whole.
    pub(crate) fn read(root: &Path) -> Result<Self, String> {
        let mut brought = Self::default();
        brought.add_folder(root, FOLDER)?;
        Ok(brought)
    }

    /// Adds another folder below the root, which its settings name.
    pub(crate) fn add_folder(&mut self, root: &Path, name: &str) -> Result<(), String> {
        let parts: Vec<&str> = name.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
        if parts.is_empty() {
            return Err("the root itself cannot be a folder of modules or tools".to_owned());
        }
        let name = parts.join("/");
        if self.files.iter().any(|file| file.name.starts_with(&format!("{name}/"))) {
            return Ok(());
        }
        // Every part of the way: a link in the middle leads elsewhere, too.
        let mut path = root.to_path_buf();
        for part in parts {
            path.push(part);
            match fs::symlink_metadata(&path) {
                Err(_) => return Ok(()),
                Ok(facts) if facts.is_dir() => {}
                Ok(_) => return Err(format!("{name} is a link or no folder")),
            }
        }
        self.walk(&path, &name, 0)?;
        self.files.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(())
    }

    fn walk(&mut self, folder: &Path, name: &str, depth: usize) -> Result<(), String> {
        if depth > DEPTH_MAX {
            return Err(format!("{name} lies more than {DEPTH_MAX} folders deep"));
        }
        let unread = |error: std::io::Error| format!("{name} cannot be read: {error}");
        for entry in fs::read_dir(folder).map_err(unread)? {
            let entry = entry.map_err(unread)?;
            let own = entry.file_name().into_string().map_err(|_| format!("a name in {name} is no text"))?;
            let (path, full) = (entry.path(), format!("{name}/{own}"));
            if entry.file_type().map_err(unread)?.is_dir() {
                self.walk(&path, &full, depth + 1)?;
                continue;
            }
            if self.files.len() >= FILES_MAX {
                return Err(format!("there are more than {FILES_MAX} files"));
            }
            let taken: u64 = self.files.iter().map(|file| file.bytes.len() as u64).sum();
            let bytes =
                read_plain(&path, BYTES_MAX.saturating_sub(taken)).map_err(|why| format!("{full} {why}"))?;
            let sha256 = hex(&Sha256::digest(&bytes));
            self.files.push(BroughtFile { name: full, bytes, sha256 });
        }
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    pub(crate) fn find(&self, name: &str) -> Option<&BroughtFile> {
        self.files.iter().find(|file| file.name == name)
    }

    /// The digest of all names and contents.
    pub(crate) fn digest(&self) -> String {
        let mut hash = Sha256::new();
        for file in &self.files {
            // Lengths first: no two lists run together to the same bytes.
            hash.update((file.name.len() as u64).to_be_bytes());
            hash.update(file.name.as_bytes());
            hash.update((file.bytes.len() as u64).to_be_bytes());
            hash.update(&file.bytes);
        }
        hex(&hash.finalize())
    }
}

/// The bytes of a plain file, opened without following a link and without waiting for a pipe.
pub(crate) fn read_plain(path: &Path, bytes_max: u64) -> Result<Vec<u8>, String> {
    let unread = |error: std::io::Error| format!("cannot be read: {error}");
    let is_link = |facts: fs::Metadata| facts.file_type().is_symlink();
    if fs::symlink_metadata(path).is_ok_and(is_link) {
        return Err("is a link; put the file itself there".to_owned());
    }
    let file = open_plain(path).map_err(unread)?;
    if !file.metadata().map_err(unread)?.is_file() {
        return Err("is no plain file".to_owned());
    }
    let mut bytes = Vec::new();
    file.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes).map_err(unread)?;
    if bytes.len() as u64 > bytes_max {
        return Err(format!("is too large: it makes more than {bytes_max} bytes"));
    }
    Ok(bytes)
}

#[cfg(unix)]
fn open_plain(path: &Path) -> std::io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    // The flags fit: the system takes them as this very type.
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

#[cfg(not(unix))]
fn open_plain(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

#[cfg(test)]
#[path = "brought_tests.rs"]
mod tests;
