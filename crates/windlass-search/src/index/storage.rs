//! Where an index is kept: in a folder that outlives the process, or in its memory.
//!
//! Owns what lies in such a folder and how it is found, opened and locked. Knows nothing of what the index says.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};
use tantivy::Searcher;
use tantivy::directory::{Directory, RamDirectory};

use super::IndexError;
use super::flushed::{FlushedDirectory, LIST};
use super::lock::WriteLock;
use crate::private;
use crate::source::documents::DocumentStore;

/// Tantivy's own files.
const FILES: &str = "index";
/// What was added.
const DOCUMENTS: &str = "documents";
/// The folder of an index of documents alone, where others have the digest of their root.
const WITHOUT_ROOT: &str = "documents-alone";
/// A folder within a project is no part of it: neither git nor the walk looks into it.
const IGNORED: (&str, &str) = (".gitignore", "*\n");

/// Where an index is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IndexPlace {
    /// In the memory of this process; it ends with the index.
    Memory,
    /// In a folder of its own, which several processes may share.
    Folder(PathBuf),
}

/// The folder for the index of a root below a data folder: one for each root, and one for documents alone.
pub fn index_folder(data: &Path, root: Option<&Path>) -> PathBuf {
    let digest = root.map(|root| Sha256::digest(root.as_os_str().as_encoded_bytes()));
    let name = digest.map_or_else(
        || WITHOUT_ROOT.to_owned(),
        |digest| digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect(),
    );
    data.join("index").join(name)
}

impl IndexPlace {
    fn folder(&self) -> Option<&Path> {
        match self {
            IndexPlace::Memory => None,
            IndexPlace::Folder(folder) => Some(folder),
        }
    }

    /// Whether an index is there that can be opened.
    pub(crate) fn has_index(&self) -> bool {
        self.folder().is_some_and(|folder| folder.join(FILES).join(LIST).exists())
    }

    /// Whether documents are there.
    pub(crate) fn has_documents(&self) -> bool {
        self.folder().is_some_and(|folder| folder.join(DOCUMENTS).exists())
    }

    pub(super) fn prepare(&self) -> Result<(), IndexError> {
        let Some(folder) = self.folder() else { return Ok(()) };
        let broken = |source| IndexError::Folder { path: folder.to_owned(), source };
        private::make_folder(&folder.join(FILES)).map_err(broken)
    }

    pub(super) fn documents(&self) -> DocumentStore {
        match self.folder() {
            None => DocumentStore::in_memory(),
            Some(folder) => DocumentStore::in_folder(folder.join(DOCUMENTS)),
        }
    }

    /// The right to write among all processes; nobody else has an index in memory.
    pub(super) fn lock(&self, wait: Duration) -> Result<Option<WriteLock>, IndexError> {
        self.folder().map(|folder| WriteLock::take(folder, wait)).transpose()
    }

    /// When the last commit was made, by whichever process.
    pub(super) fn committed(&self) -> Option<SystemTime> {
        let list = self.folder()?.join(FILES).join(LIST);
        fs::metadata(list).and_then(|metadata| metadata.modified()).ok()
    }

    /// Bytes that the index has.
    pub(super) fn bytes(&self, searcher: &Searcher) -> u64 {
        match self.folder() {
            None => searcher.space_usage().map_or(0, |usage| usage.total().get_bytes()),
            Some(folder) => {
                let entries = fs::read_dir(folder.join(FILES)).into_iter().flatten();
                entries.filter_map(|entry| entry.ok()?.metadata().ok()).map(|metadata| metadata.len()).sum()
            }
        }
    }

    /// The files of the index that is there, if one is, or why they are none.
    pub(super) fn directory(&self) -> Result<Option<Box<dyn Directory>>, String> {
        let Some(files) = self.folder().map(|folder| folder.join(FILES)) else { return Ok(None) };
        if !files.join(LIST).exists() {
            let is_empty = fs::read_dir(&files).is_ok_and(|mut entries| entries.next().is_none());
            return if is_empty { Ok(None) } else { Err("its list of parts is missing".to_owned()) };
        }
        let directory = FlushedDirectory::open(&files).map_err(|error| error.to_string())?;
        Ok(Some(Box::new(directory)))
    }

    /// Room for the files of a new index; those of an old one are gone.
    pub(super) fn new_directory(&self) -> Result<Box<dyn Directory>, IndexError> {
        let Some(folder) = self.folder() else { return Ok(Box::new(RamDirectory::create())) };
        let files = folder.join(FILES);
        let broken = |source| IndexError::Folder { path: files.clone(), source };
        if files.exists() {
            fs::remove_dir_all(&files).map_err(broken)?;
        }
        private::make_folder(&files).map_err(broken)?;
        let (name, rule) = IGNORED;
        private::write(&folder.join(name), rule.as_bytes()).map_err(broken)?;
        let directory =
            FlushedDirectory::open(&files).map_err(|error| IndexError::Damaged(error.to_string()))?;
        Ok(Box::new(directory))
    }
}
