//! A project and the folder of its index.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use windlass_core::ports::search::{
    Found, SearchKind, SearchPort as _, SearchQuery, SearchScope, TokenBudget,
};
use windlass_search::{HashedEmbedder, Index, IndexConfig, PdfReading, Searcher, UpdateReport};

/// A project with an index folder beside it.
pub(crate) struct PassageName {
    folder: tempfile::TempDir,
}

impl PassageName {
    pub(crate) fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(place.root()).unwrap();
        place
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    pub(crate) fn index_folder(&self) -> PathBuf {
        self.folder.path().join("index")
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn remove(&self, path: &str) {
        fs::remove_file(self.root().join(path)).unwrap();
    }

    /// Makes everything in it somebody else's.
    #[cfg(target_os = "linux")]
    pub(crate) fn give_to(&self, user: u32) {
        let mut waiting = vec![self.folder.path().to_owned()];
        while let Some(path) = waiting.pop() {
            std::os::unix::fs::lchown(&path, Some(user), None).unwrap();
            if path.is_dir() {
                waiting.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            }
        }
    }

    pub(crate) fn open(&self) -> Index {
        Index::open(&self.index_folder(), &self.root(), IndexConfig::default()).unwrap()
    }

    /// An index for which somebody reads PDFs.
    pub(crate) fn open_with(&self, pdfs: PdfReading) -> Index {
        let config = IndexConfig { pdfs, ..IndexConfig::default() };
        Index::open(&self.index_folder(), &self.root(), config).unwrap()
    }

    /// An index with the built-in embedder.
    pub(crate) fn open_embedded(&self) -> Index {
        let config = IndexConfig { embedder: Some(Arc::new(HashedEmbedder)), ..IndexConfig::default() };
        Index::open(&self.index_folder(), &self.root(), config).unwrap()
    }

    /// An index that is up to date.
    pub(crate) fn indexed(&self) -> Index {
        let index = self.open();
        update(&index);
        index
    }
}

pub(crate) fn update(index: &Index) -> UpdateReport {
    index.update(&mut |_| {}).unwrap()
}

pub(crate) fn query(text: &str) -> SearchQuery {
    SearchQuery {
        text: text.to_owned(),
        top_k: 10,
        kind: SearchKind::Hybrid,
        scope: SearchScope::Project,
        budget: TokenBudget { total: 100_000, file: 100_000, passage: 10_000 },
    }
}

/// Runs a future that only waits for threads.
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

pub(crate) fn search(index: &Arc<Index>, query: SearchQuery) -> Found {
    wait(Searcher::new(Arc::clone(index)).search(query)).unwrap()
}

/// Paths that are found, best first, each once.
pub(crate) fn paths(index: &Arc<Index>, text: &str) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    for passage in search(index, query(text)).passages {
        if !paths.contains(&passage.path) {
            paths.push(passage.path);
        }
    }
    paths
}
