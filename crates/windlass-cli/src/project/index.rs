//! The index of the project, as tools and front ends of this process see it.
//!
//! Decides when it is opened and brought up to date; how it is made and searched is the index's own business.
//!
//! - Nothing is opened before it is needed. `serve` and the terminal app begin at once, in the background, and watch the
//!   files from then on; `run` and `tools call` begin with the first search, so that a run without one costs nothing.
//! - A search looks for changed files first, unless they are watched or that was done a moment ago, and waits a little
//!   for it: longer for an index that is new. What takes more time goes on in the background; the search answers from what is there and says so.
//! - A process that ends in the middle loses nothing but the last files: the next one goes on from there.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use sha2::{Digest, Sha256};
use tokio::sync::{OnceCell, watch};
use windlass_core::ports::search::embed::EmbedPort;
use windlass_core::ports::search::{
    DocumentRow, Found, IndexProgress, IndexStatus, NewDocument, SearchFailure, SearchPort, SearchQuery,
    SymbolPlace,
};
use windlass_search::{Index, IndexCondition, IndexConfig, IndexError, IndexWatch, Searcher};

use crate::config::CliConfig;
use crate::project::embedder;

/// How long the first search waits for an index that is new: shorter than the shortest time limit of a call.
const FIRST_WAIT_MS: u64 = 5_000;
/// How long a search waits for files that changed since the last time.
const WAIT_MS: u64 = 1_000;
/// How long an index counts as fresh: a model searches several times in a row.
const FRESH_MS: u64 = 2_000;

#[derive(Debug)]
pub(crate) struct ProjectIndex {
    folder: PathBuf,
    root: PathBuf,
    /// Says which embedder it has.
    config: Option<CliConfig>,
    /// Why it has none, if one was asked for that cannot be used.
    unembedded: OnceLock<String>,
    searcher: OnceCell<Searcher>,
    last: Mutex<Option<Update>>,
    /// Whether it is to be kept up to date without being asked.
    has_begun: AtomicBool,
    /// Tells of files that are saved, once there is one.
    watch: OnceLock<IndexWatch>,
}

/// The last update, which may still go on.
#[derive(Debug)]
struct Update {
    begun: Instant,
    state: watch::Receiver<UpdateState>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum UpdateState {
    GoingOn,
    Done(Instant),
    Failed(Instant, String),
}

/// Where the index of a root is kept.
pub(crate) fn folder_of(data: &Path, root: &Path) -> PathBuf {
    let digest = Sha256::digest(root.as_os_str().as_encoded_bytes());
    let name: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    data.join("index").join(name)
}

/// Opens an index, or makes an empty one.
pub(crate) fn open(
    folder: &Path,
    root: &Path,
    embedder: Option<Arc<dyn EmbedPort>>,
) -> Result<Index, IndexError> {
    Index::open(folder, root, IndexConfig { embedder, ..IndexConfig::default() })
}

impl ProjectIndex {
    /// The index of the configured root, unless search is switched off. Nothing is opened yet.
    pub(crate) fn of(config: &CliConfig) -> Option<Arc<Self>> {
        if !config.settings.is_on("search.enabled") {
            return None;
        }
        let folder = folder_of(&config.folders.data, &config.root);
        Some(Self::new(folder, config.root.clone(), Some(config.clone())))
    }

    /// The index of a root in a folder, without an embedder.
    #[cfg(test)]
    pub(crate) fn at(folder: PathBuf, root: PathBuf) -> Arc<Self> {
        Self::new(folder, root, None)
    }

    fn new(folder: PathBuf, root: PathBuf, config: Option<CliConfig>) -> Arc<Self> {
        Arc::new(Self {
            folder,
            root,
            config,
            unembedded: OnceLock::new(),
            searcher: OnceCell::new(),
            last: Mutex::new(None),
            has_begun: AtomicBool::new(false),
            watch: OnceLock::new(),
        })
    }

    /// Begins to bring it up to date and to watch the files, in the background. Needs a tokio runtime.
    pub(crate) fn begin(self: &Arc<Self>) {
        self.has_begun.store(true, Ordering::Relaxed);
        let own = Arc::clone(self);
        tokio::spawn(async move {
            match own.searcher().await {
                Ok(searcher) => {
                    drop(own.updating(searcher));
                    own.start_watch(searcher.clone()).await;
                }
                Err(failure) => tracing::warn!(%failure, "the project is not indexed"),
            }
        });
    }

    async fn start_watch(&self, searcher: Searcher) {
        match tokio::task::spawn_blocking(move || IndexWatch::start(searcher)).await {
            Ok(Ok(watch)) => drop(self.watch.set(watch)),
            // Then each search looks for changed files itself.
            Ok(Err(error)) => tracing::info!(%error, "files are not watched"),
            Err(_) => {}
        }
    }

    /// Whether there is one on disk.
    fn exists(&self) -> bool {
        self.folder.join("index").join("meta.json").exists()
    }

    async fn searcher(&self) -> Result<&Searcher, SearchFailure> {
        let opening = async {
            let (folder, root, config) = (self.folder.clone(), self.root.clone(), self.config.clone());
            let opening = tokio::task::spawn_blocking(move || {
                let embedder = config.as_ref().map_or(Ok(None), embedder::choose);
                let unembedded = embedder.as_ref().err().map(|complaint| complaint.what().to_owned());
                (open(&folder, &root, embedder.unwrap_or_default()), unembedded)
            });
            let (opened, unembedded) =
                opening.await.map_err(|_| SearchFailure::Broken("opening the index broke off".to_owned()))?;
            if let Some(why) = unembedded {
                tracing::warn!(why, "nothing is found by meaning");
                drop(self.unembedded.set(why));
            }
            Ok(Searcher::new(Arc::new(opened.map_err(SearchFailure::from)?)))
        };
        self.searcher.get_or_try_init(|| opening).await
    }

    /// The update that goes on, that was made a moment ago, or that is begun now.
    fn updating(&self, searcher: &Searcher) -> watch::Receiver<UpdateState> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(update) = last.as_ref().filter(|update| update.is_fresh(self.watch.get().is_some())) {
            return update.state.clone();
        }
        let (told, state) = watch::channel(UpdateState::GoingOn);
        *last = Some(Update { begun: Instant::now(), state: state.clone() });
        let index = Arc::clone(searcher.index());
        tokio::task::spawn_blocking(move || {
            let state = match index.update(&mut |_| {}) {
                Ok(_) => UpdateState::Done(Instant::now()),
                // Whoever writes does the same work.
                Err(IndexError::Busy { .. }) => UpdateState::Done(Instant::now()),
                Err(error) => {
                    tracing::warn!(%error, "the index was not brought up to date");
                    UpdateState::Failed(Instant::now(), error.to_string())
                }
            };
            told.send_replace(state);
        });
        state
    }

    /// Whether an update goes on.
    fn goes_on(&self) -> bool {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.as_ref().is_some_and(|update| *update.state.borrow() == UpdateState::GoingOn)
    }

    /// The index as fresh as it gets in a moment, and why it is not fresher, if something broke.
    async fn ready(&self) -> Result<(&Searcher, Option<String>), SearchFailure> {
        let searcher = self.searcher().await?;
        let mut state = self.updating(searcher);
        let wait_ms = match searcher.index().opened() {
            IndexCondition::Found => WAIT_MS,
            IndexCondition::Created | IndexCondition::Emptied(_) => FIRST_WAIT_MS,
        };
        let ended = state.wait_for(|state| *state != UpdateState::GoingOn);
        let failure = match tokio::time::timeout(Duration::from_millis(wait_ms), ended).await {
            Ok(Ok(state)) => match &*state {
                UpdateState::Failed(_, why) => Some(why.clone()),
                UpdateState::GoingOn | UpdateState::Done(_) => None,
            },
            // It takes longer, or the process ends: the search answers from what is there.
            Ok(Err(_)) | Err(_) => None,
        };
        Ok((searcher, failure))
    }
}

impl Update {
    fn is_fresh(&self, is_watched: bool) -> bool {
        let fresh = |at: &Instant| at.elapsed() < Duration::from_millis(FRESH_MS);
        match &*self.state.borrow() {
            UpdateState::Done(at) => is_watched || fresh(at),
            UpdateState::Failed(at, _) => fresh(at),
            // A thread that is gone without a word is no update any more.
            UpdateState::GoingOn => self.state.has_changed().is_ok() || fresh(&self.begun),
        }
    }
}

#[async_trait]
impl SearchPort for ProjectIndex {
    async fn search(&self, query: SearchQuery) -> Result<Found, SearchFailure> {
        let (searcher, failure) = self.ready().await?;
        let found = searcher.search(query).await?;
        match failure {
            // An index that never was complete and cannot be completed has no right to say "nothing found".
            Some(why) if found.indexing.is_some() => Err(SearchFailure::Broken(why)),
            Some(_) | None => Ok(found),
        }
    }

    async fn find_symbol(&self, name: &str, rows_max: usize) -> Result<Vec<SymbolPlace>, SearchFailure> {
        self.ready().await?.0.find_symbol(name, rows_max).await
    }

    async fn find_references(&self, name: &str, rows_max: usize) -> Result<Vec<SymbolPlace>, SearchFailure> {
        self.ready().await?.0.find_references(name, rows_max).await
    }

    async fn status(&self) -> Result<IndexStatus, SearchFailure> {
        let has_begun = self.has_begun.load(Ordering::Relaxed);
        if self.searcher.get().is_none() && !has_begun && !self.exists() {
            let root = self.root.display();
            let text = format!("there is no index of {root} yet; the first search makes it");
            return Err(SearchFailure::Missing(text));
        }
        let searcher = self.searcher().await?;
        let is_first = self.last.lock().unwrap_or_else(PoisonError::into_inner).is_none();
        if has_begun && is_first {
            drop(self.updating(searcher));
        }
        let mut status = searcher.status().await?;
        status.embedder_failure = status.embedder_failure.or_else(|| self.unembedded.get().cloned());
        // Before it is known what there is to do, an update has no figures of its own.
        if status.indexing.is_none() && self.goes_on() {
            status.indexing = Some(IndexProgress::default());
        }
        Ok(status)
    }

    fn touch(&self, path: &str) {
        // An index that is not open looks at everything when it is opened.
        if let Some(searcher) = self.searcher.get() {
            searcher.touch(path);
        }
    }

    async fn add_document(&self, document: NewDocument) -> Result<DocumentRow, SearchFailure> {
        self.searcher().await?.add_document(document).await
    }

    async fn documents(&self) -> Result<Vec<DocumentRow>, SearchFailure> {
        // Documents lie beside the index, and nobody makes one to find none.
        if self.searcher.get().is_none() && !self.folder.join("documents").exists() {
            return Ok(Vec::new());
        }
        self.searcher().await?.documents().await
    }

    async fn remove_document(&self, document_id: &str) -> Result<bool, SearchFailure> {
        self.searcher().await?.remove_document(document_id).await
    }
}
