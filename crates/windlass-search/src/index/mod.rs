//! The index: opened or created, repaired, brought up to date, read.
//!
//! Owns its place (`storage`): in a folder, `index/` is tantivy's, `documents/` holds what was added, `writer.lock` is the
//! right to write; or all of it is in memory and ends with the [`Index`].
//! Each commit carries a [`IndexState`] that says how complete the index is, in the same file that makes the commit valid,
//! so a process killed at any point leaves an index that opens and knows what it lacks. A damaged or older index is
//! emptied and built again by the next update, and says so. Readers never wait for writers.
//!
//! - `storage`: where it is kept; `flushed`: its folder on disk; `lock`: who may write; `fault`: what went wrong
//! - `fields`, `entry`, `passage`: what stands in it of passages and files; `places`: where names stand; `meaning`: vectors
//! - `update`: all of it brought up to date; `touch`: single files and documents; `batch`: many files by several threads;
//!   `write`: one of them

mod batch;
pub(crate) mod entry;
mod fault;
pub(crate) mod fields;
mod flushed;
mod lock;
mod meaning;
pub(crate) mod passage;
pub(crate) mod places;
mod storage;
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
use crate::source::documents::DocumentStore;
use crate::source::pdf::PdfReading;
pub use fault::IndexError;
use fields::{IndexFields, VERSION};
use lock::WriteLock;
pub use storage::{IndexPlace, index_folder};
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
    /// Who reads PDFs: nobody, unless it is said.
    pub pdfs: PdfReading,
    /// Set by the owner to end an update that goes on and to begin no other.
    pub stop: Arc<AtomicBool>,
}

impl Default for IndexConfig {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            file_bytes_max: FILE_BYTES_MAX,
            threads: cores.min(THREADS_MAX),
            batch_files: BATCH_FILES_MAX,
            embedder: None,
            pdfs: PdfReading::default(),
            stop: Arc::default(),
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
    /// What it is an index of; empty for documents alone.
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
    /// When that commit was made, by the clock of the file system; in memory nobody else makes one.
    committed: Option<SystemTime>,
}

/// An index of the files under a root and of documents of sessions.
pub struct Index {
    place: IndexPlace,
    /// `None` for documents alone.
    root: Option<PathBuf>,
    documents: DocumentStore,
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
        f.debug_struct("Index").field("place", &self.place).field("root", &self.root).finish_non_exhaustive()
    }
}

impl Index {
    /// Opens the index in `folder` of the files under `root`, or creates it.
    pub fn open(folder: &Path, root: &Path, config: IndexConfig) -> Result<Self, IndexError> {
        Self::open_at(IndexPlace::Folder(folder.to_owned()), Some(root), config)
    }

    /// Opens the index at a place, or creates it: of the files under a root, or of documents alone.
    pub fn open_at(place: IndexPlace, root: Option<&Path>, config: IndexConfig) -> Result<Self, IndexError> {
        let canonical = |root: &Path| {
            fs::canonicalize(root).map_err(|source| IndexError::Root { path: root.to_owned(), source })
        };
        let root = root.map(canonical).transpose()?;
        place.prepare()?;
        let (_, fields) = fields::schema();
        let (shelf, opened) = match TantivyIndex::open(&place, root.as_deref()) {
            Ok(Some(shelf)) => (shelf, IndexCondition::Found),
            Ok(None) => (TantivyIndex::create(&place, root.as_deref())?, IndexCondition::Created),
            Err(reason) => {
                tracing::warn!(?place, reason, "the index cannot be used and is built again");
                (TantivyIndex::create(&place, root.as_deref())?, IndexCondition::Emptied(reason))
            }
        };
        Ok(Self {
            documents: place.documents(),
            place,
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

    /// What it is an index of; `None` for documents alone.
    pub fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    pub(crate) fn fields(&self) -> &IndexFields {
        &self.fields
    }

    /// The last commit, of whichever process.
    pub(crate) fn searcher(&self) -> Result<Searcher, IndexError> {
        let committed = self.place.committed();
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
        let committed = self.place.committed();
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
            bytes: self.place.bytes(&searcher),
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
    fn write_lock(&self, wait: Duration) -> Result<(MutexGuard<'_, ()>, Option<WriteLock>), IndexError> {
        let guard = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        Ok((guard, self.place.lock(wait)?))
    }

    /// Empties the index; documents of sessions stay, and the next update reads them again.
    pub fn clear(&self) -> Result<(), IndexError> {
        let _lock = self.write_lock(Duration::from_millis(crate::limits::LOCK_GRACE_MS))?;
        self.empty()
    }

    /// Empties an index that cannot be used; the caller has the lock.
    fn empty(&self) -> Result<(), IndexError> {
        let fresh = TantivyIndex::create_locked(&self.place, self.root.as_deref())?;
        *self.shelf.write().unwrap_or_else(PoisonError::into_inner) = fresh;
        Ok(())
    }
}

impl TantivyIndex {
    /// Opens what is there; `None` when nothing is, and an error that says why it cannot be used.
    fn open(place: &IndexPlace, root: Option<&Path>) -> Result<Option<Self>, String> {
        let committed = place.committed();
        let Some(directory) = place.directory()? else { return Ok(None) };
        let index = tantivy::Index::open(directory).map_err(|error| error.to_string())?;
        let state = read_state(&index).map_err(|error| error.to_string())?;
        if state.version != VERSION || index.schema() != fields::schema().0 {
            return Err(format!("it was made by another version ({} instead of {VERSION})", state.version));
        }
        if state.root != root_text(root) {
            return Err(format!("it is an index of '{}'", state.root));
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

    fn create(place: &IndexPlace, root: Option<&Path>) -> Result<Self, IndexError> {
        let _lock = place.lock(Duration::from_millis(crate::limits::LOCK_WAIT_MS))?;
        // Another process may have made it while this one waited.
        if let Ok(Some(shelf)) = Self::open(place, root) {
            return Ok(shelf);
        }
        Self::create_locked(place, root)
    }

    fn create_locked(place: &IndexPlace, root: Option<&Path>) -> Result<Self, IndexError> {
        let (schema, _) = fields::schema();
        let index =
            tantivy::Index::create(place.new_directory()?, schema, tantivy::IndexSettings::default())?;
        let state = IndexState { version: VERSION, root: root_text(root), ..IndexState::default() };
        let mut writer = update::small_writer(&index)?;
        update::commit(&mut writer, &state)?;
        drop(writer);
        Ok(Self::around(index, state, place.committed())?)
    }
}

/// The state in the last commit.
fn read_state(index: &tantivy::Index) -> Result<IndexState, IndexError> {
    let payload = index.load_metas()?.payload;
    let payload =
        payload.ok_or_else(|| IndexError::Damaged("it does not say how complete it is".to_owned()))?;
    serde_json::from_str(&payload).map_err(|error| IndexError::Damaged(error.to_string()))
}

/// A root as the state names it.
fn root_text(root: Option<&Path>) -> String {
    root.map(|root| root.display().to_string()).unwrap_or_default()
}
