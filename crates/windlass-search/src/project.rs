//! The index of a project as tools, hosts and programs see it: opened when it is needed, brought up to date, searched.
//!
//! Owns when that happens; how an index is made and searched is its own business. Knows no configuration: where it is,
//! and what makes its vectors, is told to it.
//!
//! - Nothing is opened before it is needed: at once and in the background where somebody stays ([`ProjectIndex::begin`]),
//!   and the files are watched from then on; with the first search otherwise, so that a run without one costs nothing.
//! - A search looks for changed files first, unless they are watched or that was done a moment ago, and waits a little
//!   for it: longer for an index that is new. What takes more time goes on in the background; the search answers from what is there and says so.
//! - A process that ends in the middle loses nothing but the last files: the next one goes on from there.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use tokio::sync::{OnceCell, watch};
use windlass_core::ports::search::{
    DocumentRow, Found, IndexProgress, IndexStatus, NewDocument, SearchFailure, SearchPort, SearchQuery,
    SymbolPlace,
};

use crate::embed::EmbedPort;
use crate::find::searcher::Searcher;
use crate::index::{Index, IndexCondition, IndexConfig, IndexError, IndexPlace};
use crate::source::pdf::PdfReading;
use crate::source::watch::IndexWatch;

/// How long the first search waits for an index that is new: shorter than the shortest time limit of a call.
const FIRST_WAIT_MS: u64 = 5_000;
/// How long a search waits for files that changed since the last time.
const WAIT_MS: u64 = 1_000;
/// How long an index counts as fresh: a model searches several times in a row.
const FRESH_MS: u64 = 2_000;

/// Gives the embedder of an index when that is opened, or says why there is none although one was wanted.
pub type EmbedderChoice = Arc<dyn Fn() -> Result<Option<Arc<dyn EmbedPort>>, String> + Send + Sync>;

/// An index that is opened with the first need for it. Its futures want a tokio runtime.
pub struct ProjectIndex {
    place: IndexPlace,
    root: Option<PathBuf>,
    choose_embedder: EmbedderChoice,
    pdfs: PdfReading,
    /// Why it has no embedder, if one was asked for that cannot be used.
    unembedded: OnceLock<String>,
    searcher: OnceCell<Searcher>,
    last: Mutex<Option<Update>>,
    /// Whether it is to be kept up to date without being asked.
    has_begun: AtomicBool,
    /// Tells of files that are saved, once there is one, and since when.
    watch: OnceLock<(Instant, IndexWatch)>,
    /// Ends updates.
    stop: Arc<AtomicBool>,
}

/// An update, which may still go on.
#[derive(Debug, Clone)]
struct Update {
    begun: Instant,
    state: watch::Receiver<UpdateState>,
}

#[derive(Debug, Clone, Default)]
struct UpdateState {
    progress: IndexProgress,
    ended: Option<UpdateEnd>,
}

#[derive(Debug, Clone)]
struct UpdateEnd {
    at: Instant,
    how: UpdateOutcome,
}

#[derive(Debug, Clone)]
enum UpdateOutcome {
    Done,
    /// Another process writes: it does the same work.
    Busy,
    Failed(String),
}

impl ProjectIndex {
    /// An index at a place of the files under a root, or of documents alone. Nothing is opened yet.
    pub fn new(
        place: IndexPlace,
        root: Option<PathBuf>,
        choose_embedder: EmbedderChoice,
        pdfs: PdfReading,
    ) -> Arc<Self> {
        Arc::new(Self {
            place,
            root,
            choose_embedder,
            pdfs,
            unembedded: OnceLock::new(),
            searcher: OnceCell::new(),
            last: Mutex::new(None),
            has_begun: AtomicBool::new(false),
            watch: OnceLock::new(),
            stop: Arc::default(),
        })
    }

    /// Begins to bring it up to date and to watch the files, in the background.
    pub fn begin(self: &Arc<Self>) {
        self.has_begun.store(true, Ordering::Relaxed);
        let own = Arc::clone(self);
        tokio::spawn(async move {
            match own.searcher().await {
                Ok(searcher) => {
                    drop(own.fresh_update(searcher));
                    own.start_watch(searcher.clone()).await;
                }
                Err(failure) => tracing::warn!(%failure, "nothing is indexed"),
            }
        });
    }

    /// Ends the update that goes on and begins no other; what is in the index is found all the same. Dropping it does so.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Waits until the index is complete and has everything that was saved before the call; says what it holds then. An
    /// error is one of the whole index: single files that cannot be read are among `skipped`.
    pub async fn complete(&self) -> Result<IndexStatus, SearchFailure> {
        let searcher = self.searcher().await?;
        let asked = Instant::now();
        loop {
            // One that began earlier may have passed by what was saved meanwhile: it is waited for, and another made.
            let mut update = self.updating(searcher, Update::goes_on);
            match update.end().await {
                UpdateOutcome::Failed(why) => return Err(SearchFailure::Broken(why)),
                UpdateOutcome::Done if update.begun >= asked => return self.status().await,
                // Another update, which waits for that process itself.
                UpdateOutcome::Done | UpdateOutcome::Busy => {}
            }
        }
    }

    /// Follows the update that goes on, or that is begun now if the index is not fresh.
    pub async fn follow_update(&self) -> Result<UpdateProgress, SearchFailure> {
        let update = self.fresh_update(self.searcher().await?);
        Ok(UpdateProgress { state: update.state, told: IndexProgress::default(), is_over: false })
    }

    async fn start_watch(&self, searcher: Searcher) {
        if self.root.is_none() {
            return;
        }
        match tokio::task::spawn_blocking(move || IndexWatch::start(searcher)).await {
            Ok(Ok(watch)) => drop(self.watch.set((Instant::now(), watch))),
            // Then each search looks for changed files itself.
            Ok(Err(error)) => tracing::info!(%error, "files are not watched"),
            Err(_) => {}
        }
    }

    async fn searcher(&self) -> Result<&Searcher, SearchFailure> {
        let opening = async {
            let (place, root, stop) = (self.place.clone(), self.root.clone(), Arc::clone(&self.stop));
            let (choose_embedder, pdfs) = (Arc::clone(&self.choose_embedder), self.pdfs.clone());
            let opening = tokio::task::spawn_blocking(move || {
                let chosen = choose_embedder();
                let unembedded = chosen.as_ref().err().cloned();
                let embedder = chosen.unwrap_or_default();
                let config = IndexConfig { embedder, pdfs, stop, ..IndexConfig::default() };
                (Index::open_at(place, root.as_deref(), config), unembedded)
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
    fn fresh_update(&self, searcher: &Searcher) -> Update {
        let watched_since = self.watch.get().map(|(since, _)| *since);
        self.updating(searcher, |last| last.is_fresh(watched_since))
    }

    /// The last update if it is good enough, or one that is begun now.
    fn updating(&self, searcher: &Searcher, is_enough: impl Fn(&Update) -> bool) -> Update {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(update) = last.as_ref().filter(|update| is_enough(update)) {
            return update.clone();
        }
        let (told, state) = watch::channel(UpdateState::default());
        let update = Update { begun: Instant::now(), state };
        *last = Some(update.clone());
        let index = Arc::clone(searcher.index());
        tokio::task::spawn_blocking(move || {
            let done = index.update(&mut |progress| told.send_modify(|state| state.progress = progress));
            let how = match done {
                Ok(_) => UpdateOutcome::Done,
                Err(IndexError::Busy { .. }) => UpdateOutcome::Busy,
                Err(error) => {
                    if !index.is_stopped() {
                        tracing::warn!(%error, "the index was not brought up to date");
                    }
                    UpdateOutcome::Failed(error.to_string())
                }
            };
            told.send_modify(|state| state.ended = Some(UpdateEnd { at: Instant::now(), how }));
        });
        update
    }

    /// Whether an update goes on.
    fn goes_on(&self) -> bool {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.as_ref().is_some_and(Update::goes_on)
    }

    /// The index as fresh as it gets in a moment, and why it is not fresher, if something broke.
    async fn ready(&self) -> Result<(&Searcher, Option<String>), SearchFailure> {
        let searcher = self.searcher().await?;
        let mut update = self.fresh_update(searcher);
        let wait_ms = match searcher.index().opened() {
            IndexCondition::Found => WAIT_MS,
            IndexCondition::Created | IndexCondition::Emptied(_) => FIRST_WAIT_MS,
        };
        let failure = match tokio::time::timeout(Duration::from_millis(wait_ms), update.end()).await {
            Ok(UpdateOutcome::Failed(why)) => Some(why),
            // One that takes longer goes on: the search answers from what is there.
            Ok(UpdateOutcome::Done | UpdateOutcome::Busy) | Err(_) => None,
        };
        Ok((searcher, failure))
    }
}

impl std::fmt::Debug for ProjectIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProjectIndex")
            .field("place", &self.place)
            .field("root", &self.root)
            .finish_non_exhaustive()
    }
}

impl Drop for ProjectIndex {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Update {
    fn goes_on(&self) -> bool {
        // A thread that is gone without a word is no update any more.
        self.state.borrow().ended.is_none() && self.state.has_changed().is_ok()
    }

    /// Whether nothing can have changed since, as far as it is known. Files that are watched have not changed since an
    /// update that began when they were.
    fn is_fresh(&self, watched_since: Option<Instant>) -> bool {
        let is_recent = |at: Instant| at.elapsed() < Duration::from_millis(FRESH_MS);
        match &self.state.borrow().ended {
            Some(UpdateEnd { how: UpdateOutcome::Done | UpdateOutcome::Busy, at }) => {
                watched_since.is_some_and(|since| self.begun >= since) || is_recent(*at)
            }
            Some(UpdateEnd { how: UpdateOutcome::Failed(_), at }) => is_recent(*at),
            None => self.state.has_changed().is_ok() || is_recent(self.begun),
        }
    }

    async fn end(&mut self) -> UpdateOutcome {
        let ended = self.state.wait_for(|state| state.ended.is_some()).await;
        let how = ended.ok().and_then(|state| state.ended.as_ref().map(|end| end.how.clone()));
        how.unwrap_or_else(|| UpdateOutcome::Failed("indexing broke off".to_owned()))
    }
}

/// How far an update is, until it has ended.
#[derive(Debug)]
pub struct UpdateProgress {
    state: watch::Receiver<UpdateState>,
    told: IndexProgress,
    is_over: bool,
}

impl UpdateProgress {
    /// The newest figures, once they are others; the error if the update failed; `None` after its end. The last figures
    /// are never left out.
    pub async fn next(&mut self) -> Option<Result<IndexProgress, SearchFailure>> {
        if self.is_over {
            return None;
        }
        let told = self.told;
        let news = self.state.wait_for(|state| state.progress != told || state.ended.is_some()).await;
        let Ok(news) = news else {
            self.is_over = true;
            return Some(Err(SearchFailure::Broken("indexing broke off".to_owned())));
        };
        if news.progress != told {
            self.told = news.progress;
            return Some(Ok(news.progress));
        }
        self.is_over = true;
        match news.ended.as_ref().map(|end| &end.how) {
            Some(UpdateOutcome::Failed(why)) => Some(Err(SearchFailure::Broken(why.clone()))),
            Some(UpdateOutcome::Done | UpdateOutcome::Busy) | None => None,
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
        if self.searcher.get().is_none() && !has_begun && !self.place.has_index() {
            let of =
                self.root.as_ref().map_or_else(|| "documents".to_owned(), |root| root.display().to_string());
            let text = format!("there is no index of {of} yet; the first search makes it");
            return Err(SearchFailure::Missing(text));
        }
        let searcher = self.searcher().await?;
        let is_first = self.last.lock().unwrap_or_else(PoisonError::into_inner).is_none();
        if has_begun && is_first {
            drop(self.fresh_update(searcher));
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
        if self.searcher.get().is_none() && !self.place.has_documents() {
            return Ok(Vec::new());
        }
        self.searcher().await?.documents().await
    }

    async fn remove_document(&self, document_id: &str) -> Result<bool, SearchFailure> {
        self.searcher().await?.remove_document(document_id).await
    }
}
