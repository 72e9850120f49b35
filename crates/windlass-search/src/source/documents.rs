//! Documents and notes that users added, each a file beside the index, or in memory where that is.
//!
//! These files are the truth about documents: an index that was damaged is built again from them. A document is
//! replaced as a whole, by renaming a complete file over the old one. What is kept is its text, whatever it came as.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use windlass_core::ports::search::{DocumentRow, NewDocument};
use windlass_core::protocol::ids::SessionId;

use crate::index::IndexError;
use crate::limits::{DOCUMENT_BYTES_MAX, DOCUMENT_NAME_BYTES_MAX, DOCUMENTS_MAX};
use crate::private;
use crate::source::content;
use crate::source::pdf::{self, PdfReading};
use crate::source::walk::Stamp;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Document {
    #[serde(default)]
    pub(crate) session_id: Option<SessionId>,
    pub(crate) name: String,
    pub(crate) added_ms: u64,
    pub(crate) text: String,
}

/// Where documents are kept.
#[derive(Debug)]
pub(crate) enum DocumentStore {
    Folder(PathBuf),
    /// By the names that files would have.
    Memory(Mutex<BTreeMap<String, (Vec<u8>, Stamp)>>),
}

/// Keys of documents start with what no path has.
pub(crate) const KEY_MARK: char = '\u{1}';
const ENDING: &str = ".json";
/// Hexadecimal digits of an id.
const ID_DIGITS: usize = 32;

impl Document {
    /// Reads what a user gave.
    pub(crate) fn read(new: NewDocument, added_ms: u64, pdfs: &PdfReading) -> Result<Self, IndexError> {
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
            pdf::text(bytes, pdfs).map_err(|failure| refused(failure.text()))?
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
        DocumentStore::key(&self.document_id())
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

impl DocumentStore {
    pub(crate) fn in_folder(folder: PathBuf) -> Self {
        Self::Folder(folder)
    }

    pub(crate) fn in_memory() -> Self {
        Self::Memory(Mutex::default())
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
        let path = match self {
            Self::Folder(folder) => folder.clone(),
            Self::Memory(_) => PathBuf::new(),
        };
        IndexError::Folder { path, source }
    }

    /// Keeps a document; gives its stamp.
    pub(crate) fn put(&self, document: &Document) -> Result<Stamp, IndexError> {
        let name = format!("{}{ENDING}", document.document_id());
        let known = self.names().map_err(|source| self.broken(source))?;
        if known.len() >= DOCUMENTS_MAX && !known.iter().any(|(known, _)| *known == name) {
            let text = format!("there are {DOCUMENTS_MAX} documents already: remove some first");
            return Err(IndexError::Document(text));
        }
        let write = |bytes: Vec<u8>| self.write(&name, bytes);
        let written = serde_json::to_vec(document).map_err(io::Error::from).and_then(write);
        written.map_err(|source| self.broken(source))
    }

    fn write(&self, name: &str, bytes: Vec<u8>) -> io::Result<Stamp> {
        match self {
            Self::Folder(folder) => write_file(folder, &folder.join(name), &bytes),
            Self::Memory(held) => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                let changed_ns = u64::try_from(since.as_nanos()).unwrap_or(u64::MAX);
                let stamp = Stamp { bytes: bytes.len() as u64, changed_ns };
                let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
                held.insert(name.to_owned(), (bytes, stamp));
                Ok(stamp)
            }
        }
    }

    /// Removes a document; whether there was one.
    pub(crate) fn remove(&self, document_id: &str) -> Result<bool, IndexError> {
        // What is no id is no path either.
        if document_id.len() != ID_DIGITS || !document_id.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Ok(false);
        }
        let name = format!("{document_id}{ENDING}");
        match self {
            Self::Folder(folder) => match fs::remove_file(folder.join(name)) {
                Ok(()) => Ok(true),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
                Err(source) => Err(self.broken(source)),
            },
            Self::Memory(held) => {
                Ok(held.lock().unwrap_or_else(PoisonError::into_inner).remove(&name).is_some())
            }
        }
    }

    /// Keys and stamps of all documents.
    pub(crate) fn all(&self) -> Result<Vec<(String, Stamp)>, IndexError> {
        let mut found = self.names().map_err(|source| self.broken(source))?;
        found.iter_mut().for_each(|(name, _)| name.insert(0, KEY_MARK));
        found.sort_by(|(one, _), (two, _)| one.cmp(two));
        Ok(found)
    }

    fn names(&self) -> io::Result<Vec<(String, Stamp)>> {
        match self {
            Self::Folder(folder) => names_in(folder),
            Self::Memory(held) => {
                let held = held.lock().unwrap_or_else(PoisonError::into_inner);
                Ok(held.iter().map(|(name, (_, stamp))| (name.clone(), *stamp)).collect())
            }
        }
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
        let name = key.trim_start_matches(KEY_MARK);
        let bytes = match self {
            Self::Folder(folder) => fs::read(folder.join(name))?,
            Self::Memory(held) => {
                let held = held.lock().unwrap_or_else(PoisonError::into_inner);
                held.get(name).map(|(bytes, _)| bytes.clone()).ok_or(io::ErrorKind::NotFound)?
            }
        };
        let document = serde_json::from_slice(&bytes)?;
        Ok((document, bytes))
    }
}

fn write_file(folder: &Path, path: &Path, bytes: &[u8]) -> io::Result<Stamp> {
    private::make_folder(folder)?;
    let unfinished = path.with_extension("part");
    let mut file = private::options().create(true).truncate(true).open(&unfinished)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    drop(file);
    fs::rename(&unfinished, path)?;
    Ok(Stamp::of(&fs::metadata(path)?))
}

/// Names and stamps of the documents in a folder.
fn names_in(folder: &Path) -> io::Result<Vec<(String, Stamp)>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if name.ends_with(ENDING) {
            found.push((name, Stamp::of(&entry.metadata()?)));
        }
    }
    Ok(found)
}
