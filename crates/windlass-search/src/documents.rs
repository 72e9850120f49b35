//! Documents and notes of sessions, each a file beside the index.
//!
//! These files are the truth about documents: an index that was damaged is built again from them. A document is
//! replaced as a whole, by renaming a complete file over the old one.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use windlass_core::ids::SessionId;

use crate::index::IndexError;
use crate::limits::{DOCUMENT_BYTES_MAX, DOCUMENT_NAME_BYTES_MAX};
use crate::walk::Stamp;

/// A document of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Document {
    pub(crate) session_id: SessionId,
    pub(crate) name: String,
    pub(crate) added_ms: u64,
    pub(crate) text: String,
}

/// The folder of documents.
#[derive(Debug, Clone)]
pub(crate) struct Documents {
    folder: PathBuf,
}

/// Keys of documents start with what no path has.
pub(crate) const KEY_MARK: char = '\u{1}';

impl Documents {
    pub(crate) fn in_folder(index_folder: &Path) -> Self {
        Self { folder: index_folder.join("documents") }
    }

    /// The key of a document in the index.
    pub(crate) fn key(session_id: &SessionId, name: &str) -> String {
        format!("{KEY_MARK}{}", file_name(session_id, name))
    }

    /// Keeps a document; gives its stamp.
    pub(crate) fn put(&self, document: &Document) -> Result<Stamp, IndexError> {
        let name = &document.name;
        if name.trim().is_empty() || name.len() > DOCUMENT_NAME_BYTES_MAX || name.contains('\0') {
            let text = format!("a document needs a name of 1 to {DOCUMENT_NAME_BYTES_MAX} bytes");
            return Err(IndexError::Document(text));
        }
        if document.text.len() > DOCUMENT_BYTES_MAX {
            let text = format!("the document '{name}' is larger than {DOCUMENT_BYTES_MAX} bytes: split it");
            return Err(IndexError::Document(text));
        }
        self.write(document).map_err(|source| IndexError::Folder { path: self.folder.clone(), source })
    }

    fn write(&self, document: &Document) -> io::Result<Stamp> {
        fs::create_dir_all(&self.folder)?;
        let path = self.folder.join(file_name(&document.session_id, &document.name));
        let unfinished = path.with_extension("part");
        let mut file = File::create(&unfinished)?;
        file.write_all(&serde_json::to_vec(document)?)?;
        file.sync_all()?;
        drop(file);
        fs::rename(&unfinished, &path)?;
        Ok(Stamp::of(&fs::metadata(&path)?))
    }

    /// Removes a document; whether there was one.
    pub(crate) fn remove(&self, session_id: &SessionId, name: &str) -> Result<bool, IndexError> {
        match fs::remove_file(self.folder.join(file_name(session_id, name))) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(IndexError::Folder { path: self.folder.clone(), source }),
        }
    }

    /// Keys and stamps of all documents.
    pub(crate) fn all(&self) -> Result<Vec<(String, Stamp)>, IndexError> {
        let broken = |source| IndexError::Folder { path: self.folder.clone(), source };
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(broken(source)),
        };
        let mut found = Vec::new();
        for entry in entries {
            let entry = entry.map_err(broken)?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            if name.ends_with(".json") {
                let metadata = entry.metadata().map_err(broken)?;
                found.push((format!("{KEY_MARK}{name}"), Stamp::of(&metadata)));
            }
        }
        found.sort_by(|(one, _), (two, _)| one.cmp(two));
        Ok(found)
    }

    /// Reads a document by its key, with its bytes for hashing.
    pub(crate) fn read(&self, key: &str) -> io::Result<(Document, Vec<u8>)> {
        let bytes = fs::read(self.folder.join(key.trim_start_matches(KEY_MARK)))?;
        let document = serde_json::from_slice(&bytes)?;
        Ok((document, bytes))
    }
}

/// Names of documents may be anything, so files are named after their hash.
fn file_name(session_id: &SessionId, name: &str) -> String {
    let digest =
        Sha256::new().chain_update(session_id.as_str()).chain_update([0]).chain_update(name).finalize();
    let hex: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    format!("{hex}.json")
}
