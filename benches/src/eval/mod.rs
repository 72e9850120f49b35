//! The evaluation of searching: collections, measures, and how an index of ours does on them.
//!
//! Everything goes through the search port, so what is measured is what the tools give. Half of the queries may be looked
//! at when something is tuned; figures are reported on the other half.

pub mod collection;
pub mod house;
pub mod measures;

use std::io;
use std::path::Path;
use std::sync::Arc;

use windlass_core::search::{
    Found, Passage, SearchKind, SearchPort as _, SearchQuery, SearchScope, TokenBudget,
};
use windlass_search::{HashedEmbedder, Index, IndexConfig, Searcher, Tuning};

use collection::{Collection, Place, Query};
use measures::{Measures, RANKS};

/// What the search port takes of a query at most; a few are longer.
const QUERY_BYTES_MAX: usize = 4 * 1024;

/// Which half of the queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// Looked at while tuning.
    Tuned,
    /// Reported.
    Reported,
}

/// How each way of finding did on one set of queries.
#[derive(Debug)]
pub struct Row {
    /// The set.
    pub name: String,
    /// Queries that were asked.
    pub queries: usize,
    /// By words, by meaning, all fused.
    pub lexical: Measures,
    /// By meaning.
    pub vector: Measures,
    /// All of them, fused.
    pub hybrid: Measures,
}

impl Row {
    /// Whether the fusion is better than its parts.
    pub fn is_won(&self) -> bool {
        self.hybrid.ndcg > self.lexical.ndcg && self.hybrid.ndcg > self.vector.ndcg
    }
}

/// Indexes a collection in an empty folder.
pub fn index(collection: &Collection, folder: &Path) -> io::Result<Arc<Index>> {
    let root = folder.join("files");
    for (path, text) in &collection.files {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(&root))?;
        std::fs::write(path, text)?;
    }
    let config = IndexConfig { embedder: Some(Arc::new(HashedEmbedder)), ..IndexConfig::default() };
    let index = Index::open(&folder.join("index"), &root, config).map_err(io::Error::other)?;
    index.update(&mut |_| {}).map_err(io::Error::other)?;
    Ok(Arc::new(index))
}

/// Asks all queries of one half, in each way.
pub async fn measure(
    index: &Arc<Index>,
    name: &str,
    queries: &[Query],
    half: Half,
    tuning: Tuning,
) -> io::Result<Row> {
    let searcher = Searcher::new(Arc::clone(index)).tuned(tuning);
    let offset = usize::from(half == Half::Reported);
    let chosen: Vec<&Query> = queries.iter().skip(offset).step_by(2).collect();
    let mut row = Row {
        name: name.to_owned(),
        queries: chosen.len(),
        lexical: Measures::default(),
        vector: Measures::default(),
        hybrid: Measures::default(),
    };
    for (kind, mean) in [
        (SearchKind::Lexical, &mut row.lexical),
        (SearchKind::Semantic, &mut row.vector),
        (SearchKind::Hybrid, &mut row.hybrid),
    ] {
        let mut all = Vec::with_capacity(chosen.len());
        for query in &chosen {
            all.push(ask(&searcher, query, kind).await?);
        }
        *mean = Measures::mean(&all);
    }
    Ok(row)
}

async fn ask(searcher: &Searcher, query: &Query, kind: SearchKind) -> io::Result<Measures> {
    let budget = TokenBudget { total: u32::MAX, file: u32::MAX, passage: u32::MAX };
    let text = query.text.get(..query.text.floor_char_boundary(QUERY_BYTES_MAX)).unwrap_or_default();
    let asked =
        SearchQuery { text: text.to_owned(), top_k: RANKS, kind, scope: SearchScope::Project, budget };
    let Found { passages, .. } = searcher.search(asked).await.map_err(io::Error::other)?;
    let mut missing: Vec<&Place> = query.relevant.iter().collect();
    let is_relevant = passages.iter().map(|passage| {
        let before = missing.len();
        missing.retain(|place| !is_at(passage, place));
        missing.len() < before
    });
    Ok(Measures::of(&is_relevant.collect::<Vec<_>>(), query.relevant.len()))
}

fn is_at(passage: &Passage, place: &Place) -> bool {
    passage.path == place.path && place.byte.is_none_or(|byte| (passage.start..passage.end).contains(&byte))
}
