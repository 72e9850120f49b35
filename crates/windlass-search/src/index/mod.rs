//! The index on disk: opened or created, repaired, brought up to date, read.
//!
//! Owns the folder: `index/` is tantivy's, `documents/` holds what sessions added, `writer.lock` is the right to write.
//! Each commit carries a [`IndexState`] that says how complete the index is, in the same file that makes the commit valid,
//! so a process killed at any point leaves an index that opens and knows what it lacks. A damaged or older index is
//! emptied and built again by the next update, and says so. Readers never wait for writers.

mod batch;
pub(crate) mod entry;
mod fault;
pub(crate) mod fields;
mod flushed;
mod lock;
mod meaning;
pub(crate) mod passage;
pub(crate) mod places;
mod touch;
mod update;
mod write;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use tantivy::{IndexReader, ReloadPolicy, Searcher};
use windlass_core::ports::search::{IndexProgress, IndexStatus};

use crate::embed::EmbedPort;
use crate::find::lexical;
use crate::limits::{BATCH_FILES_MAX, FILE_BYTES_MAX, THREADS_MAX};
use crate::source::documents::DocumentFolder;
pub use fault::IndexError;
use fields::{IndexFields, VERSION};
use flushed::FlushedDirectory;
use lock::WriteLock;
pub use touch::TouchOutcome;
pub use update::UpdateReport;
pub(crate) use write::session_scope;

/// What the owner of an index decides.
#[derive(Debug, Clone)]
pub struct IndexConfig {
    /// Largest file that is indexed.
    pub file_bytes_max: u64,
    /// Threads that read and cut files.
    pub threads: usize,
    /// Files between two commits.
    pub batch_files: usize,
    /// Makes vectors of passages and queries; without one nothing is found by meaning.
    pub embedder: Option<Arc<dyn EmbedPort>>,
}

impl Default for IndexConfig {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            file_bytes_max: FILE_BYTES_MAX,
            threads: cores.min(THREADS_MAX),
            batch_files: BATCH_FILES_MAX,
            embedder: None,
        }
    }
}

/// How an index was found when it was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IndexCondition {
    /// There was none: it is empty.
    Created,
    Found,
    /// It was there but could not be used, so it is empty; why.
    Emptied(String),
}

/// How complete the index is, kept with each commit.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct IndexState {
    pub(crate) version: u32,
    /// What it is an index of.
    pub(crate) root: String,
    /// When an update last went through to its end; `None` while one has not.
    pub(crate) completed_ms: Option<u64>,
    /// Files of the unfinished update that are done, and all of them.
    pub(crate) done: u64,
    pub(crate) total: u64,
    /// What the last walk left out, by reason.
    pub(crate) left_out: BTreeMap<String, u64>,
}

impl IndexState {
    fn progress(&self) -> Option<IndexProgress> {
        if self.completed_ms.is_some() {
            return None;
        }
        Some(IndexProgress { done: self.done, total: self.total })
    }
}

/// The open tantivy index.
#[derive(Clone)]
struct TantivyIndex {
    index: tantivy::Index,
    reader: IndexReader,
    /// Of the commit that the reader shows.
    state: IndexState,
    /// When that commit was made, by the clock of the file system.
    committed: Option<SystemTime>,
}

/// An index of the files under a root and of documents of sessions.
pub struct Index {
    folder: PathBuf,
    root: PathBuf,
    config: IndexConfig,
    fields: IndexFields,
    shelf: RwLock<TantivyIndex>,
    /// Held while this process writes.
    writing: Mutex<()>,
    /// Set while an update of this process goes on.
    progress: Mutex<Option<IndexProgress>>,
    /// Set when reading it failed: the next update checks all of it.
    is_suspect: AtomicBool,
    parts: Mutex<meaning::VectorsByPart>,
    health: Mutex<meaning::Health>,
    /// The runtime that embedders are waited for on.
    runtime: Option<tokio::runtime::Handle>,
    opened: IndexCondition,
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Index")
            .field("folder", &self.folder)
            .field("root", &self.root)
            .finish_non_exhaustive()
    }
}

impl Index {
    /// Opens the index in `folder` of the files under `root`, or creates it.
    pub fn open(folder: &Path, root: &Path, config: IndexConfig) -> Result<Self, IndexError> {
        let root =
            fs::canonicalize(root).map_err(|source| IndexError::Root { path: root.to_owned(), source })?;
        let broken = |source| IndexError::Folder { path: folder.to_owned(), source };
        fs::create_dir_all(folder.join("index")).map_err(broken)?;
        let (_, fields) = fields::schema();
        let (shelf, opened) = match TantivyIndex::open(folder, &root) {
            Ok(Some(shelf)) => (shelf, IndexCondition::Found),
            Ok(None) => (TantivyIndex::create(folder, &root)?, IndexCondition::Created),
            Err(reason) => {
                tracing::warn!(folder = %folder.display(), reason, "the index cannot be used and is built again");
                (TantivyIndex::create(folder, &root)?, IndexCondition::Emptied(reason))
            }
        };
        Ok(Self {
            folder: folder.to_owned(),
            root,
            config,
            fields,
            shelf: RwLock::new(shelf),
            writing: Mutex::new(()),
            progress: Mutex::new(None),
            is_suspect: AtomicBool::new(false),
            parts: Mutex::default(),
            health: Mutex::default(),
            runtime: tokio::runtime::Handle::try_current().ok(),
            opened,
        })
    }

    /// How it was found when it was opened.
    pub fn opened(&self) -> &IndexCondition {
        &self.opened
    }

    /// What it is an index of.
    pub fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn fields(&self) -> &IndexFields {
        &self.fields
    }

    pub(crate) fn documents(&self) -> DocumentFolder {
        DocumentFolder::in_folder(&self.folder)
    }

    /// The last commit, of whichever process.
    pub(crate) fn searcher(&self) -> Result<Searcher, IndexError> {
        let committed = committed(&self.folder);
        {
            let shelf = self.shelf.read().unwrap_or_else(PoisonError::into_inner);
            if shelf.committed == committed {
                return Ok(shelf.reader.searcher());
            }
        }
        self.reload()
    }

    fn reload(&self) -> Result<Searcher, IndexError> {
        let mut shelf = self.shelf.write().unwrap_or_else(PoisonError::into_inner);
        let committed = committed(&self.folder);
        shelf.state = read_state(&shelf.index)?;
        shelf.reader.reload()?;
        shelf.committed = committed;
        let searcher = shelf.reader.searcher();
        self.forget_parts(&searcher);
        Ok(searcher)
    }

    pub(crate) fn state(&self) -> IndexState {
        self.shelf.read().unwrap_or_else(PoisonError::into_inner).state.clone()
    }

    /// How far indexing is, unless the index is complete.
    pub(crate) fn progress(&self) -> Option<IndexProgress> {
        let running = *self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        running.or_else(|| self.state().progress())
    }

    pub fn status(&self) -> Result<IndexStatus, IndexError> {
        let searcher = self.searcher()?;
        let state = self.state();
        let mut skipped = state.left_out.clone();
        let (mut files, mut passages, mut symbols, mut files_without_vectors) = (0, 0, 0, 0);
        let embedder = self.embedder_key();
        for entry in entry::all(&searcher)?.into_values() {
            match entry.skip {
                Some(skip) => *skipped.entry(skip.word().to_owned()).or_default() += 1,
                None => files += 1,
            }
            files_without_vectors += u64::from(embedder != 0 && !entry.has_vectors_of(embedder));
            passages += entry.passages;
            symbols += entry.symbols;
        }
        Ok(IndexStatus {
            files,
            passages,
            symbols,
            bytes: bytes_on_disk(&self.folder.join("index")),
            completed_ms: state.completed_ms,
            indexing: self.progress(),
            skipped: skipped.into_iter().collect(),
            embedder: self.config.embedder.as_ref().map(|embedder| embedder.name().to_owned()),
            files_without_vectors,
            embedder_failure: self.embedder_failure(),
        })
    }

    /// Notes that reading failed; the next update checks every byte and builds the index again if it must.
    pub(crate) fn suspect(&self) {
        self.is_suspect.store(true, Ordering::Relaxed);
    }

    /// Checks every byte and that each file has the passages it should.
    pub fn verify(&self) -> Result<(), IndexError> {
        let searcher = self.searcher()?;
        let damaged = searcher.index().validate_checksum()?;
        if !damaged.is_empty() {
            self.suspect();
            return Err(IndexError::Damaged(format!("{} of its files are damaged", damaged.len())));
        }
        let mut known = 0;
        for (key, entry) in entry::all(&searcher)? {
            let passages =
                searcher.search(&*lexical::owned(&self.fields, &key), &tantivy::collector::Count)? as u64;
            if passages != entry.passages {
                self.suspect();
                let text = format!("'{key}' has {passages} passages instead of {}", entry.passages);
                return Err(IndexError::Damaged(text));
            }
            known += 1 + passages;
        }
        if known != searcher.num_docs() {
            self.suspect();
            return Err(IndexError::Damaged("it has passages of no file".to_owned()));
        }
        Ok(())
    }

    /// The right to write, in this process and among all.
    fn write_lock(&self, wait: Duration) -> Result<(MutexGuard<'_, ()>, WriteLock), IndexError> {
        let guard = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        Ok((guard, WriteLock::take(&self.folder, wait)?))
    }

    /// Empties the index; documents of sessions stay, and the next update reads them again.
    pub fn clear(&self) -> Result<(), IndexError> {
        let _lock = self.write_lock(Duration::from_millis(crate::limits::LOCK_GRACE_MS))?;
        self.empty()
    }

    /// Empties an index that cannot be used; the caller has the lock.
    fn empty(&self) -> Result<(), IndexError> {
        let fresh = TantivyIndex::create_locked(&self.folder, &self.root)?;
        *self.shelf.write().unwrap_or_else(PoisonError::into_inner) = fresh;
        Ok(())
    }
}

impl TantivyIndex {
    /// Opens what is there; `None` when nothing is, and an error that says why it cannot be used.
    fn open(folder: &Path, root: &Path) -> Result<Option<Self>, String> {
        let place = folder.join("index");
        if !place.join("meta.json").exists() {
            let is_empty = fs::read_dir(&place).is_ok_and(|mut entries| entries.next().is_none());
            return if is_empty { Ok(None) } else { Err("its list of parts is missing".to_owned()) };
        }
        let committed = committed(folder);
        let directory = FlushedDirectory::open(&place).map_err(|error| error.to_string())?;
        let index = tantivy::Index::open(directory).map_err(|error| error.to_string())?;
        let state = read_state(&index).map_err(|error| error.to_string())?;
        if state.version != VERSION || index.schema() != fields::schema().0 {
            return Err(format!("it was made by another version ({} instead of {VERSION})", state.version));
        }
        if Path::new(&state.root) != root {
            return Err(format!("it is an index of {}", state.root));
        }
        let shelf = Self::around(index, state, committed).map_err(|error| error.to_string())?;
        // Parts that are missing or cut short are found here, not by the first search.
        entry::all(&shelf.reader.searcher()).map_err(|error| error.to_string())?;
        Ok(Some(shelf))
    }

    fn around(
        index: tantivy::Index,
        state: IndexState,
        committed: Option<SystemTime>,
    ) -> tantivy::Result<Self> {
        fields::register(&index);
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(Self { index, reader, state, committed })
    }

    fn create(folder: &Path, root: &Path) -> Result<Self, IndexError> {
        let _lock = WriteLock::take(folder, Duration::from_millis(crate::limits::LOCK_WAIT_MS))?;
        // Another process may have made it while this one waited.
        if let Ok(Some(shelf)) = Self::open(folder, root) {
            return Ok(shelf);
        }
        Self::create_locked(folder, root)
    }

    fn create_locked(folder: &Path, root: &Path) -> Result<Self, IndexError> {
        let place = folder.join("index");
        let broken = |source| IndexError::Folder { path: place.clone(), source };
        if place.exists() {
            fs::remove_dir_all(&place).map_err(broken)?;
        }
        fs::create_dir_all(&place).map_err(broken)?;
        let directory =
            FlushedDirectory::open(&place).map_err(|error| IndexError::Damaged(error.to_string()))?;
        let (schema, _) = fields::schema();
        let index = tantivy::Index::create(directory, schema, tantivy::IndexSettings::default())?;
        let state =
            IndexState { version: VERSION, root: root.display().to_string(), ..IndexState::default() };
        let mut writer = update::small_writer(&index)?;
        update::commit(&mut writer, &state)?;
        drop(writer);
        Ok(Self::around(index, state, committed(folder))?)
    }
}

/// The state in the last commit.
fn read_state(index: &tantivy::Index) -> Result<IndexState, IndexError> {
    let payload = index.load_metas()?.payload;
    let payload =
        payload.ok_or_else(|| IndexError::Damaged("it does not say how complete it is".to_owned()))?;
    serde_json::from_str(&payload).map_err(|error| IndexError::Damaged(error.to_string()))
}

/// When the last commit was made.
fn committed(folder: &Path) -> Option<SystemTime> {
    fs::metadata(folder.join("index").join("meta.json")).and_then(|metadata| metadata.modified()).ok()
}

fn bytes_on_disk(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    entries.filter_map(|entry| entry.ok()?.metadata().ok()).map(|metadata| metadata.len()).sum()
}
