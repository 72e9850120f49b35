//! The evaluation of searching: collections, measures, and how an index of ours does on them.
//!
//! Everything goes through the search port, so what is measured is what the tools give. Half of the queries may be looked
//! at when something is tuned; figures are reported on the other half.

pub mod cached;
pub mod collection;
pub mod house;
pub mod measures;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use windlass_core::ports::search::embed::EmbedPort;
use windlass_core::ports::search::{
    Found, Passage, SearchKind, SearchPort as _, SearchQuery, SearchScope, TokenBudget,
};
use windlass_search::{Index, IndexConfig, Searcher};

use collection::{AnswerPlace, Collection, Query};
use measures::{Measures, RANKS};

/// What the search port takes of a query at most; a few are longer.
const QUERY_BYTES_MAX: usize = 4 * 1024;

/// Which half of the queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// Looked at while tuning.
    Tuned,
    Reported,
}

/// How each way of finding did on one set of queries.
#[derive(Debug)]
pub struct SetScores {
    pub name: String,
    /// Queries that were asked.
    pub queries: usize,
    pub lexical: Measures,
    /// By meaning, and all fused, for each embedder.
    pub by_embedder: Vec<(Measures, Measures)>,
}

impl SetScores {
    /// Whether the fusion is better than both of its parts in every measure, by embedder.
    pub fn is_won(&self) -> Vec<bool> {
        let better = |one: &Measures, two: &Measures| {
            one.ndcg > two.ndcg && one.recall >= two.recall && one.mrr > two.mrr
        };
        let won =
            |(vector, hybrid): &(Measures, Measures)| better(hybrid, &self.lexical) && better(hybrid, vector);
        self.by_embedder.iter().map(won).collect()
    }

    /// Whether the fusion is better than words alone in every measure, by embedder.
    pub fn is_worth_it(&self) -> Vec<bool> {
        let worth = |(_, hybrid): &(Measures, Measures)| {
            hybrid.ndcg > self.lexical.ndcg
                && hybrid.mrr > self.lexical.mrr
                && hybrid.recall >= self.lexical.recall
        };
        self.by_embedder.iter().map(worth).collect()
    }
}

/// Writes the files of a collection into an empty folder; gives their root.
pub fn lay_out(collection: &Collection, folder: &Path) -> io::Result<PathBuf> {
    let root = folder.join("files");
    for (path, text) in &collection.files {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(&root))?;
        std::fs::write(path, text)?;
    }
    Ok(root)
}

/// Indexes files with an embedder.
pub fn index(root: &Path, folder: &Path, embedder: Arc<dyn EmbedPort>) -> io::Result<Arc<Index>> {
    let config = IndexConfig { embedder: Some(embedder), ..IndexConfig::default() };
    let index = Index::open(folder, root, config).map_err(io::Error::other)?;
    let report = index.update(&mut |_| {}).map_err(io::Error::other)?;
    match report.embedder_failure {
        Some(failure) => Err(io::Error::other(failure)),
        None => Ok(Arc::new(index)),
    }
}

/// The queries of one half.
pub fn half_of(queries: &[Query], half: Half) -> Vec<&Query> {
    queries.iter().skip(usize::from(half == Half::Reported)).step_by(2).collect()
}

/// Asks queries in one way.
pub async fn measure(searcher: &Searcher, queries: &[&Query], kind: SearchKind) -> io::Result<Measures> {
    let mut all = Vec::with_capacity(queries.len());
    for query in queries {
        all.push(ask(searcher, query, kind).await?);
    }
    Ok(Measures::mean(&all))
}

async fn ask(searcher: &Searcher, query: &Query, kind: SearchKind) -> io::Result<Measures> {
    let budget = TokenBudget { total: u32::MAX, file: u32::MAX, passage: u32::MAX };
    let text = query.text.get(..query.text.floor_char_boundary(QUERY_BYTES_MAX)).unwrap_or_default();
    let asked =
        SearchQuery { text: text.to_owned(), top_k: RANKS, kind, scope: SearchScope::Project, budget };
    let Found { passages, .. } = searcher.search(asked).await.map_err(io::Error::other)?;
    let mut missing: Vec<&AnswerPlace> = query.relevant.iter().collect();
    let is_relevant = passages.iter().map(|passage| {
        let before = missing.len();
        missing.retain(|place| !is_at(passage, place));
        missing.len() < before
    });
    Ok(Measures::of(&is_relevant.collect::<Vec<_>>(), query.relevant.len()))
}

fn is_at(passage: &Passage, place: &AnswerPlace) -> bool {
    passage.path == place.path && place.byte.is_none_or(|byte| (passage.start..passage.end).contains(&byte))
}
