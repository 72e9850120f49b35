//! The search port over an index: fuses the ways of finding, fits the budget, keeps touched files up to date.
//!
//! Work with the index blocks, so it runs on threads that may. A failure is always told as one: an index that cannot be
//! read is never "nothing found".

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};
use std::{fmt, thread};

use async_trait::async_trait;
use windlass_core::ports::search::{
    DocumentRow, Found, IndexStatus, NewDocument, SearchFailure, SearchPort, SearchQuery, SymbolPlace,
};

use crate::find::graph;
use crate::find::retrieve;
pub use crate::find::retrieve::Tuning;
use crate::index::{Index, IndexError};
use crate::limits::{QUERY_BYTES_MAX, QUIET_MS, QUIET_MS_MAX, ROWS_MAX, TOUCHES_MAX};

/// Searches an index; cheap to clone.
#[derive(Clone)]
pub struct Searcher {
    index: Arc<Index>,
    errands: SyncSender<Errand>,
    tuning: Tuning,
}

impl fmt::Debug for Searcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Searcher").field("index", &self.index).finish_non_exhaustive()
    }
}

impl Searcher {
    /// A searcher over an index, with a thread that looks into touched files until the last clone is dropped.
    pub fn new(index: Arc<Index>) -> Self {
        let (errands, waiting) = sync_channel(TOUCHES_MAX);
        let watched = Arc::clone(&index);
        let spawned = thread::Builder::new()
            .name("search-touch".to_owned())
            .spawn(move || run_errands(&watched, &waiting));
        if let Err(error) = spawned {
            tracing::warn!(%error, "touched files are not looked into before the next update");
        }
        Self { index, errands, tuning: Tuning::default() }
    }

    /// The same searcher with other weights.
    #[must_use]
    pub fn tuned(mut self, tuning: Tuning) -> Self {
        self.tuning = tuning;
        self
    }

    /// Brings everything up to date soon, in the background.
    pub fn refresh(&self) {
        // A queue that is full has an update in it, or as much work as one.
        let _ = self.errands.try_send(Errand::Update);
    }

    pub fn index(&self) -> &Arc<Index> {
        &self.index
    }

    /// Does work that blocks, elsewhere.
    async fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Index) -> Result<T, IndexError> + Send + 'static,
    ) -> Result<T, SearchFailure> {
        let index = Arc::clone(&self.index);
        let asked = tokio::task::spawn_blocking(move || {
            let result = work(&index);
            if matches!(result, Err(IndexError::Damaged(_))) {
                index.suspect();
            }
            result
        });
        match asked.await {
            Ok(result) => result.map_err(SearchFailure::from),
            Err(_) => {
                self.index.suspect();
                let text = "searching stopped in the middle; the next update checks the index and repairs it";
                Err(SearchFailure::Broken(text.to_owned()))
            }
        }
    }
}

/// What is to be done beside searching.
enum Errand {
    /// To look into a file.
    Touch(String),
    /// To bring everything up to date.
    Update,
}

/// Does what waits, after a moment of quiet; a file that is named twice is looked into once.
fn run_errands(index: &Index, waiting: &Receiver<Errand>) {
    while let Ok(first) = waiting.recv()
        && !index.is_stopped()
    {
        let begun = Instant::now();
        let mut errands = vec![first];
        while begun.elapsed() < Duration::from_millis(QUIET_MS_MAX)
            && let Ok(errand) = waiting.recv_timeout(Duration::from_millis(QUIET_MS))
        {
            errands.push(errand);
        }
        let (mut paths, mut is_all) = (BTreeSet::new(), false);
        for errand in errands {
            match errand {
                Errand::Touch(path) => {
                    paths.insert(path);
                }
                Errand::Update => is_all = true,
            }
        }
        let done = if is_all { index.update(&mut |_| {}).map(drop) } else { touch_all(index, &paths) };
        if let Err(error) = done {
            tracing::warn!(%error, "changed files were not indexed");
        }
    }
}

fn touch_all(index: &Index, paths: &BTreeSet<String>) -> Result<(), IndexError> {
    for path in paths {
        index.touch(path)?;
    }
    index.settle().map(drop)
}

/// Says what is wrong with a query.
fn check(query: &SearchQuery) -> Result<(), SearchFailure> {
    if query.text.trim().is_empty() {
        return Err(SearchFailure::Invalid("the query is empty: say what to look for".to_owned()));
    }
    if query.text.len() > QUERY_BYTES_MAX {
        let text = format!("the query is longer than {QUERY_BYTES_MAX} bytes: say it in fewer words");
        return Err(SearchFailure::Invalid(text));
    }
    Ok(())
}

#[async_trait]
impl SearchPort for Searcher {
    async fn search(&self, query: SearchQuery) -> Result<Found, SearchFailure> {
        check(&query)?;
        let tuning = self.tuning;
        self.ask(move |index| retrieve::search(index, &query, &tuning)).await
    }

    async fn find_symbol(&self, name: &str, rows_max: usize) -> Result<Vec<SymbolPlace>, SearchFailure> {
        let name = name.to_owned();
        self.ask(move |index| {
            Ok(graph::definitions(&index.searcher()?, index.fields(), &name, rows_max.min(ROWS_MAX))?)
        })
        .await
    }

    async fn find_references(&self, name: &str, rows_max: usize) -> Result<Vec<SymbolPlace>, SearchFailure> {
        let name = name.to_owned();
        self.ask(move |index| {
            Ok(graph::references(&index.searcher()?, index.fields(), &name, rows_max.min(ROWS_MAX))?)
        })
        .await
    }

    async fn status(&self) -> Result<IndexStatus, SearchFailure> {
        self.ask(Index::status).await
    }

    fn touch(&self, path: &str) {
        // A queue that is full is an index far behind: the next update finds the file by its stamp.
        let _ = self.errands.try_send(Errand::Touch(path.to_owned()));
    }

    async fn add_document(&self, document: NewDocument) -> Result<DocumentRow, SearchFailure> {
        self.ask(move |index| index.add_document(document)).await
    }

    async fn documents(&self) -> Result<Vec<DocumentRow>, SearchFailure> {
        self.ask(Index::all_documents).await
    }

    async fn remove_document(&self, document_id: &str) -> Result<bool, SearchFailure> {
        let document_id = document_id.to_owned();
        self.ask(move |index| index.remove_document(&document_id)).await
    }
}
