//! Asking a tree in all ways, by turns, and changing one file of it again and again.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use tantivy::collector::TopDocs;
use tantivy::query::QueryParser;
use tantivy::{IndexReader, TantivyDocument};
use windlass_core::ports::search::{SearchKind, SearchPort as _, SearchQuery, SearchScope, TokenBudget};
use windlass_search::{Index, IndexConfig, Searcher, TouchOutcome};

use super::index::FIELD;
use super::question::QuestionSet;
use super::{Samples, grep};
use crate::resident_bytes;

/// Passages of an answer.
const TOP_K: usize = 10;
/// Rows of an answer of names.
const ROWS: usize = 20;
/// How often everything is asked after it was asked once to warm up.
const ROUNDS: usize = 3;
/// One question in so many is asked without an index: that takes long.
const GREP_SHARE: usize = 15;
/// How often a file is changed.
const CHANGES: usize = 60;

/// The indexes to be asked.
pub struct Sides<'a> {
    pub tree: &'a Path,
    pub ours: &'a Path,
    /// Where raw tantivy's is.
    pub raw: &'a Path,
}

/// The raw index, open.
struct Raw {
    reader: IndexReader,
    parser: QueryParser,
}

impl Raw {
    fn open(folder: &Path) -> tantivy::Result<Self> {
        let index = tantivy::Index::open_in_dir(folder)?;
        let field = index.schema().get_field(FIELD)?;
        Ok(Self { reader: index.reader()?, parser: QueryParser::for_index(&index, vec![field]) })
    }

    /// The texts of the best files.
    fn ask(&self, text: &str) -> tantivy::Result<Vec<TantivyDocument>> {
        let (query, _) = self.parser.parse_query_lenient(text);
        let searcher = self.reader.searcher();
        let best = searcher.search(&query, &TopDocs::with_limit(TOP_K).order_by_score())?;
        best.into_iter().map(|(_, at)| searcher.doc(at)).collect()
    }
}

fn query(text: &str, kind: SearchKind) -> SearchQuery {
    let budget = TokenBudget { total: 12_000, file: 6_000, passage: 800 };
    SearchQuery { text: text.to_owned(), top_k: TOP_K, kind, scope: SearchScope::Project, budget }
}

/// Asks everything in every way; gives milliseconds.
pub async fn all(sides: &Sides<'_>, questions: &QuestionSet) -> io::Result<Value> {
    let index = Index::open(sides.ours, sides.tree, IndexConfig::default()).map_err(io::Error::other)?;
    let searcher = Searcher::new(Arc::new(index));
    let raw = Raw::open(sides.raw).map_err(io::Error::other)?;
    let mut taken: [(&str, Times); 5] =
        ["lexical", "hybrid", "find_symbol", "raw", "ripgrep"].map(|name| (name, Times::default()));
    for round in 0..=ROUNDS {
        let is_measured = round > 0;
        let [lexical, hybrid, find_symbol, raw_times, ripgrep] = &mut taken;
        for (at, text) in questions.texts.iter().enumerate() {
            for (kind, times) in [(SearchKind::Lexical, &mut *lexical), (SearchKind::Hybrid, &mut *hybrid)] {
                let begun = SearchClock::now();
                searcher.search(query(text, kind)).await.map_err(io::Error::other)?;
                note(is_measured, &mut times.1, begun);
            }
            let begun = SearchClock::now();
            raw.ask(text).map_err(io::Error::other)?;
            note(is_measured, &mut raw_times.1, begun);
            if let Some(name) = questions.names.get(at) {
                let begun = SearchClock::now();
                searcher.find_symbol(name, ROWS).await.map_err(io::Error::other)?;
                note(is_measured, &mut find_symbol.1, begun);
            }
            if is_measured && at.is_multiple_of(GREP_SHARE) {
                let word = text.split_whitespace().max_by_key(|word| word.len()).unwrap_or_default();
                let begun = SearchClock::now();
                grep::count(sides.tree, word, IndexConfig::default().threads).map_err(io::Error::other)?;
                note(true, &mut ripgrep.1, begun);
            }
        }
    }
    let mut told = Map::new();
    for (name, times) in taken {
        told.insert(name.to_owned(), times.told());
    }
    told.insert("memory_mib".to_owned(), json!(resident_bytes() as f64 / 1_048_576.0));
    Ok(Value::Object(told))
}

/// What one kind of answer took, in milliseconds.
#[derive(Debug, Default)]
struct Times {
    wall: Samples,
    cpu: Samples,
}

/// A moment, on the wall and of this process.
#[derive(Clone, Copy)]
struct SearchClock(Instant, Duration);

impl SearchClock {
    fn now() -> Self {
        Self(Instant::now(), crate::cpu_time())
    }
}

impl Times {
    fn push(&mut self, begun: SearchClock) {
        self.wall.push(begun.0.elapsed().as_secs_f64() * 1e3);
        self.cpu.push((crate::cpu_time() - begun.1).as_secs_f64() * 1e3);
    }

    fn told(&self) -> Value {
        json!({
            "p50_ms": self.wall.percentile(50), "p99_ms": self.wall.percentile(99),
            "cpu_p50_ms": self.cpu.percentile(50), "cpu_p99_ms": self.cpu.percentile(99),
        })
    }
}

fn note(is_measured: bool, times: &mut Times, begun: SearchClock) {
    if is_measured {
        times.push(begun);
    }
}

/// Changes one file again and again; gives milliseconds from the change to an index that shows it.
pub fn change(tree: &Path, ours: &Path) -> io::Result<Value> {
    let index = Index::open(ours, tree, IndexConfig::default()).map_err(io::Error::other)?;
    let path = "part00/crates/windlass-core/src/ports/search.rs";
    let text = fs::read_to_string(tree.join(path))?;
    let mut times = Times::default();
    for change in 0..CHANGES {
        fs::write(
            tree.join(path),
            format!("{text}\n/// Change {change}.\npub fn changed_{change}() {{}}\n"),
        )?;
        let begun = SearchClock::now();
        let touched = index.touch(path).map_err(io::Error::other)?;
        // What waits in the background after a change belongs to its price.
        index.settle().map_err(io::Error::other)?;
        times.push(begun);
        if touched != TouchOutcome::Indexed {
            return Err(io::Error::other(format!("the changed file was not indexed: {touched:?}")));
        }
    }
    fs::write(tree.join(path), text)?;
    Ok(times.told())
}
