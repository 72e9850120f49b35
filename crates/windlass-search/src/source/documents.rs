//! Documents and notes that users added, each a file beside the index.
//!
//! These files are the truth about documents: an index that was damaged is built again from them. A document is
//! replaced as a whole, by renaming a complete file over the old one. What is kept is its text, whatever it came as.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use windlass_core::ports::search::{DocumentRow, NewDocument};
use windlass_core::protocol::ids::SessionId;

use crate::index::IndexError;
use crate::limits::{DOCUMENT_BYTES_MAX, DOCUMENT_NAME_BYTES_MAX, DOCUMENTS_MAX};
use crate::source::content;
use crate::source::pdf;
use crate::source::walk::Stamp;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Document {
    #[serde(default)]
    pub(crate) session_id: Option<SessionId>,
    pub(crate) name: String,
    pub(crate) added_ms: u64,
    pub(crate) text: String,
}

#[derive(Debug, Clone)]
pub(crate) struct DocumentFolder {
    folder: PathBuf,
}

/// Keys of documents start with what no path has.
pub(crate) const KEY_MARK: char = '\u{1}';
const ENDING: &str = ".json";
/// Hexadecimal digits of an id.
const ID_DIGITS: usize = 32;

impl Document {
    /// Reads what a user gave.
    pub(crate) fn read(new: NewDocument, added_ms: u64) -> Result<Self, IndexError> {
        let NewDocument { name, session_id, bytes } = new;
        if name.trim().is_empty() || name.len() > DOCUMENT_NAME_BYTES_MAX || name.contains('\0') {
            let text = format!("a document needs a name of 1 to {DOCUMENT_NAME_BYTES_MAX} bytes");
            return Err(IndexError::Document(text));
        }
        if bytes.len() > DOCUMENT_BYTES_MAX {
            let text = format!("the document '{name}' is larger than {DOCUMENT_BYTES_MAX} bytes: split it");
            return Err(IndexError::Document(text));
        }
        let refused = |why: &str| IndexError::Document(format!("the document '{name}' is not taken: {why}"));
        let text = if pdf::is_pdf(&name, &bytes) {
            pdf::text(bytes).map_err(|failure| refused(failure.text()))?
        } else {
            content::decode(bytes).map_err(|skip| refused(&format!("it is no text ({})", skip.word())))?
        };
        Ok(Self { session_id, name, added_ms, text })
    }

    fn document_id(&self) -> String {
        let session = self.session_id.as_ref().map_or("", SessionId::as_str);
        let digest =
            Sha256::new().chain_update(session).chain_update([0]).chain_update(&self.name).finalize();
        digest.iter().take(ID_DIGITS / 2).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Its key in the index.
    pub(crate) fn key(&self) -> String {
        DocumentFolder::key(&self.document_id())
    }

    /// How it is listed.
    pub(crate) fn row(&self) -> DocumentRow {
        DocumentRow {
            document_id: self.document_id(),
            name: self.name.clone(),
            session_id: self.session_id.clone(),
            added_ms: self.added_ms,
            bytes: self.text.len() as u64,
        }
    }
}

impl DocumentFolder {
    pub(crate) fn in_folder(index_folder: &Path) -> Self {
        Self { folder: index_folder.join("documents") }
    }

    /// The key of a document in the index.
    pub(crate) fn key(document_id: &str) -> String {
        format!("{KEY_MARK}{document_id}{ENDING}")
    }

    /// The document that a key is of, if it is one's.
    pub(crate) fn id(key: &str) -> Option<&str> {
        key.strip_prefix(KEY_MARK)?.strip_suffix(ENDING)
    }

    fn broken(&self, source: io::Error) -> IndexError {
        IndexError::Folder { path: self.folder.clone(), source }
    }

    /// Keeps a document; gives its stamp.
    pub(crate) fn put(&self, document: &Document) -> Result<Stamp, IndexError> {
        let path = self.folder.join(format!("{}{ENDING}", document.document_id()));
        if !path.exists() && self.all()?.len() >= DOCUMENTS_MAX {
            let text = format!("there are {DOCUMENTS_MAX} documents already: remove some first");
            return Err(IndexError::Document(text));
        }
        self.write(document, &path).map_err(|source| self.broken(source))
    }

    fn write(&self, document: &Document, path: &Path) -> io::Result<Stamp> {
        fs::create_dir_all(&self.folder)?;
        let unfinished = path.with_extension("part");
        let mut file = File::create(&unfinished)?;
        file.write_all(&serde_json::to_vec(document)?)?;
        file.sync_all()?;
        drop(file);
        fs::rename(&unfinished, path)?;
        Ok(Stamp::of(&fs::metadata(path)?))
    }

    /// Removes a document; whether there was one.
    pub(crate) fn remove(&self, document_id: &str) -> Result<bool, IndexError> {
        // What is no id is no path either.
        if document_id.len() != ID_DIGITS || !document_id.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Ok(false);
        }
        match fs::remove_file(self.folder.join(format!("{document_id}{ENDING}"))) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(self.broken(source)),
        }
    }

    /// Keys and stamps of all documents.
    pub(crate) fn all(&self) -> Result<Vec<(String, Stamp)>, IndexError> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(self.broken(source)),
        };
        let mut found = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|source| self.broken(source))?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            if name.ends_with(ENDING) {
                let metadata = entry.metadata().map_err(|source| self.broken(source))?;
                found.push((format!("{KEY_MARK}{name}"), Stamp::of(&metadata)));
            }
        }
        found.sort_by(|(one, _), (two, _)| one.cmp(two));
        Ok(found)
    }

    /// All documents that can be read, by name.
    pub(crate) fn rows(&self) -> Result<Vec<DocumentRow>, IndexError> {
        let keys = self.all()?;
        let mut rows: Vec<DocumentRow> = keys
            .iter()
            .filter_map(|(key, _)| self.read(key).ok())
            .map(|(document, _)| document.row())
            .collect();
        rows.sort_by(|one, two| (&one.name, &one.document_id).cmp(&(&two.name, &two.document_id)));
        Ok(rows)
    }

    /// Reads a document by its key, with its bytes for hashing.
    pub(crate) fn read(&self, key: &str) -> io::Result<(Document, Vec<u8>)> {
        let bytes = fs::read(self.folder.join(key.trim_start_matches(KEY_MARK)))?;
        let document = serde_json::from_slice(&bytes)?;
        Ok((document, bytes))
    }
}
