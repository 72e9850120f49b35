//! The file in the user's data folder that says which folders are trusted, and with which contents. Readable for its
//! owner alone. One that cannot be understood trusts nothing, and is told.

use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use windlass_core::protocol::ids::Millis;

use super::brought::Brought;
use crate::complaint::{CommandError, Result};
use crate::config::private;

/// Folders that may be trusted at once: each is looked for at every start.
const FOLDERS_MAX: usize = 500;

/// Bytes of the file: that many folders with a few dozen files each.
const BYTES_MAX: u64 = 8 << 20;

const VERSION: u32 = 1;

/// One folder that is trusted, with what it brought then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrustedFolder {
    /// The canonical root.
    pub(crate) root: String,
    /// The digest of all that it brought.
    pub(crate) digest: String,
    pub(crate) trusted_ms: Millis,
    /// The hash of each file, by name: to say what changed since.
    pub(crate) files: BTreeMap<String, String>,
}

impl TrustedFolder {
    pub(crate) fn of(root: &Path, brought: &Brought, trusted_ms: Millis) -> Self {
        let files = brought.files.iter().map(|file| (file.name.clone(), file.sha256.clone()));
        Self {
            root: root.display().to_string(),
            digest: brought.digest(),
            trusted_ms,
            files: files.collect(),
        }
    }
}

/// The folders that are trusted.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrustDocument {
    version: u32,
    folders: Vec<TrustedFolder>,
}

/// The file, as it was read.
#[derive(Debug)]
pub(crate) struct TrustFile {
    path: PathBuf,
    folders: Vec<TrustedFolder>,
}

impl TrustFile {
    /// Reads the file of a data folder; what the user should know of it comes back as well.
    pub(crate) fn read(data: &Path) -> (Self, Option<String>) {
        let path = data.join("trust.json");
        let empty = |path: PathBuf| Self { path, folders: Vec::new() };
        let told = |why: String| {
            format!(
                "{} cannot be used, so no folder is trusted: {why}; move it away to begin anew",
                path.display()
            )
        };
        let text = match read_text(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return (empty(path), None),
            Err(error) => {
                let warning = told(error.to_string());
                return (empty(path), Some(warning));
            }
            Ok(text) => text,
        };
        match serde_json::from_str::<TrustDocument>(&text) {
            Ok(document) if document.version == VERSION => (Self { path, folders: document.folders }, None),
            Ok(document) => {
                let warning = told(format!("it is of version {}", document.version));
                (empty(path), Some(warning))
            }
            Err(error) => {
                let warning = told(error.to_string());
                (empty(path), Some(warning))
            }
        }
    }

    pub(crate) fn folders(&self) -> &[TrustedFolder] {
        &self.folders
    }

    pub(crate) fn find(&self, root: &Path) -> Option<&TrustedFolder> {
        let root = root.display().to_string();
        self.folders.iter().find(|folder| folder.root == root)
    }

    /// Trusts a folder with just these contents, instead of those of before.
    pub(crate) fn put(&mut self, folder: TrustedFolder) -> Result<()> {
        self.folders.retain(|own| own.root != folder.root);
        if self.folders.len() >= FOLDERS_MAX {
            return Err(CommandError::failed(format!("{FOLDERS_MAX} folders are trusted already"))
                .cure("windlass trust revoke PATH"));
        }
        self.folders.push(folder);
        self.write()
    }

    /// Trusts a folder no longer; whether it was trusted.
    pub(crate) fn remove(&mut self, root: &str) -> Result<bool> {
        let before = self.folders.len();
        self.folders.retain(|own| own.root != root);
        let was_there = self.folders.len() < before;
        if was_there {
            self.write()?;
        }
        Ok(was_there)
    }

    /// Writes a new file and puts it in the place of the old one: one of the two is always there whole.
    fn write(&self) -> Result<()> {
        let document = TrustDocument { version: VERSION, folders: self.folders.clone() };
        let text = serde_json::to_string_pretty(&document).map_err(|error| {
            CommandError::failed(format!("the trusted folders cannot be written: {error}"))
        })?;
        if text.len() as u64 >= BYTES_MAX {
            return Err(CommandError::failed("the file of trusted folders would become too large")
                .cure("windlass trust revoke PATH"));
        }
        let fresh = self.path.with_file_name(format!("trust.json.{}", std::process::id()));
        let put = || {
            if let Some(folder) = self.path.parent() {
                private::make_folder(folder)?;
            }
            let mut file = private::options().create_new(true).open(&fresh)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            std::fs::rename(&fresh, &self.path)
        };
        put().map_err(|error| {
            // What is left of a file that failed is of no use, and may not be there at all.
            let _ = std::fs::remove_file(&fresh);
            CommandError::file(&self.path, "written", &error)
        })
    }
}

fn read_text(path: &Path) -> io::Result<String> {
    let file = std::fs::File::open(path)?;
    let mut text = String::new();
    file.take(BYTES_MAX + 1).read_to_string(&mut text)?;
    if text.len() as u64 > BYTES_MAX {
        return Err(io::Error::other(format!("it has more than {BYTES_MAX} bytes")));
    }
    Ok(text)
}
