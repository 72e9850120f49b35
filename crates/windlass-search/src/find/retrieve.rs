//! Retrieval: what each way of finding brings is fused, lifted by the symbol graph, made diverse and fitted into the
//! budget.
//!
//! Owns the order of these steps and what each counts. The definition of a name that was asked for stays first through
//! all of them. Knows no thread and no port.

use std::collections::{BTreeSet, HashMap};

use tantivy::{DocAddress, Searcher};
use windlass_core::ports::search::{Found, Passage, ScoreParts, SearchKind, SearchQuery};

use crate::find::budget;
use crate::find::diversity::{WordSet, deduplicate, pick_diverse};
use crate::find::fuse::{RANK_OFFSET, Ranking, fuse};
use crate::find::graph;
use crate::find::lexical::{self, QueryWords};
use crate::find::neighbours::lift_neighbours;
use crate::find::recency;
use crate::find::ties::Ties;
use crate::index::passage::{self, StoredPassage, fold, suffixes};
use crate::index::places::What;
use crate::index::{Index, IndexError};
use crate::limits::{POOL, RANKED, TOP_K_MAX};

/// What each part of retrieval counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tuning {
    /// The ranking by words.
    pub lexical: f64,
    /// The ranking by meaning, times what the embedder itself says of its vectors.
    pub vector: f64,
    /// The same for a query that is a name or a path, whatever the embedder.
    pub vector_of_names: f64,
    /// The ranking by names.
    pub symbol: f64,
    /// The share of its neighbours' scores that a passage gets; 0 for none.
    pub neighbours: f64,
    /// The share of relevance against diversity; 1 for relevance alone.
    pub relevance: f64,
}

impl Default for Tuning {
    fn default() -> Self {
        Self { lexical: 1.0, vector: 1.0, vector_of_names: 0.1, symbol: 1.0, neighbours: 0.0, relevance: 0.9 }
    }
}

/// Places with their scores, best first.
type Scored = Vec<(f32, DocAddress)>;

/// How exactly each passage is what was asked for, and where in the index it is, by owner and first byte.
type Aims = HashMap<(String, u64), (Aim, DocAddress)>;

/// What each way of finding brought.
#[derive(Default)]
struct Lists {
    by_words: Scored,
    by_meaning: Scored,
    by_names: Scored,
    /// Why one of them could not be asked.
    notice: Option<String>,
}

impl Lists {
    fn parts_of(&self, at: DocAddress) -> ScoreParts {
        let part = |list: &Scored| list.iter().find(|(_, it)| *it == at).map(|(score, _)| *score);
        ScoreParts {
            lexical: part(&self.by_words),
            vector: part(&self.by_meaning),
            symbol: part(&self.by_names),
            path: None,
        }
    }
}

pub(crate) fn search(index: &Index, query: &SearchQuery, tuning: &Tuning) -> Result<Found, IndexError> {
    let searcher = index.searcher()?;
    let words = QueryWords::of(&query.text);
    let top_k = query.top_k.min(TOP_K_MAX);
    let ties = Ties::new(&searcher);
    let mut lists = find(index, &searcher, query, &words)?;
    let is_fused = query.kind == SearchKind::Hybrid;
    let mut ranked = rank(&mut lists, &ties, is_fused.then(|| weights(index, &words, tuning)));
    ranked.truncate(RANKED.max(top_k));
    let mut kept: HashMap<DocAddress, StoredPassage> = HashMap::new();
    for (at, _) in &ranked {
        kept.insert(*at, passage::read(&searcher, index.fields(), *at)?);
    }
    if tuning.neighbours > 0.0 {
        ranked = lift_neighbours(&ranked, &edges(&kept), tuning.neighbours);
        ties.sort(&mut ranked, |(_, score)| score, |(at, _)| at);
    }
    if let Some(now_ms) = recency::counts_at(&query.scope) {
        ranked = recency::blend(&searcher, ranked, now_ms)?;
        ties.sort(&mut ranked, |(_, score)| score, |(at, _)| at);
    }
    let mut passages = Vec::with_capacity(ranked.len());
    let mut aims: Aims = HashMap::new();
    for (at, score) in ranked {
        let Some(kept) = kept.remove(&at) else { continue };
        let aim = Aim::of(&kept, &words);
        // What is the same is decided by owner: two sessions may have documents of one name.
        let mut passage = Passage { path: kept.owner, ..kept.passage };
        passage.score = score as f32;
        passage.parts = lists.parts_of(at);
        aims.insert((passage.path.clone(), passage.start), (aim, at));
        passages.push(passage);
    }
    let passages = diversify(deduplicate(passages), &aims, tuning.relevance, top_k);
    let mut passages = budget::fit(passages, &query.budget);
    for passage in &mut passages {
        if let Some((_, at)) = aims.get(&(passage.path.clone(), passage.start)) {
            passage.parts.path = lexical::path_score(&searcher, index.fields(), &words, *at)?;
        }
        passage.path = passage.id.rsplit_once('#').map_or("", |(path, _)| path).to_owned();
    }
    Ok(Found { passages, indexing: index.progress(), notice: lists.notice })
}

/// What the rankings by words, by meaning and by names count. A name is found by its letters; a sentence by what it
/// means, as far as the embedder knows.
fn weights(index: &Index, words: &QueryWords, tuning: &Tuning) -> [f64; 3] {
    let is_named = words.is_name || words.path.is_some();
    let vector = if is_named { tuning.vector_of_names } else { tuning.vector * index.embedder_weight() };
    [tuning.lexical, vector, tuning.symbol]
}

/// All lists as one, best first; a list alone has nothing to be weighed against and counts by its ranks.
fn rank(lists: &mut Lists, ties: &Ties<'_>, weights: Option<[f64; 3]>) -> Vec<(DocAddress, f64)> {
    ties.sort(&mut lists.by_words, |(score, _)| f64::from(score), |(_, at)| at);
    ties.sort(&mut lists.by_meaning, |(score, _)| f64::from(score), |(_, at)| at);
    // Most passages use a name as often as others do: the words around it decide, by less than one use counts.
    let places =
        (1_u32..).zip(&lists.by_words).map(|(rank, (_, at))| (*at, 1.0 / f64::from(RANK_OFFSET + rank)));
    let by_words: HashMap<DocAddress, f64> = places.collect();
    let worth =
        |(score, at): (f32, DocAddress)| f64::from(score) + by_words.get(&at).copied().unwrap_or_default();
    ties.sort(&mut lists.by_names, worth, |(_, at)| at);
    let ids = |list: &Scored| list.iter().map(|(_, at)| *at).collect::<Vec<_>>();
    let scored = |list: &Scored| list.iter().map(|(score, at)| (*at, f64::from(*score))).collect::<Vec<_>>();
    let rankings = match weights {
        None => [&lists.by_words, &lists.by_meaning, &lists.by_names]
            .map(|list| Ranking::weighted(ids(list), 1.0)),
        // Ranks are enough for words and names, which agree on what they find; a cosine says more than its rank.
        Some([lexical, vector, symbol]) if lists.by_meaning.is_empty() => [
            Ranking::weighted(ids(&lists.by_words), lexical),
            Ranking::weighted(Vec::new(), vector),
            Ranking::weighted(ids(&lists.by_names), symbol),
        ],
        Some([lexical, vector, symbol]) => [
            Ranking::stretched(scored(&lists.by_words), lexical),
            Ranking::leading(scored(&lists.by_meaning), vector),
            Ranking::stretched(scored(&lists.by_names), symbol),
        ],
    };
    let mut fused = fuse(&rankings);
    ties.sort(&mut fused, |(_, score)| score, |(at, _)| at);
    fused
}

fn find(
    index: &Index,
    searcher: &Searcher,
    query: &SearchQuery,
    words: &QueryWords,
) -> Result<Lists, IndexError> {
    let (by_words, by_meaning, by_names) = match query.kind {
        SearchKind::Lexical => (true, false, false),
        SearchKind::Semantic => (false, true, false),
        SearchKind::Structural => (false, false, true),
        SearchKind::Hybrid => (true, true, true),
    };
    let (fields, scope, pool) = (index.fields(), &query.scope, POOL.max(query.top_k));
    let mut lists = Lists::default();
    if by_words {
        lists.by_words = lexical::find(searcher, fields, words, scope, pool)?;
    }
    if by_names {
        lists.by_names = graph::find(searcher, fields, words, scope, pool)?;
    }
    if by_meaning {
        let is_only = query.kind == SearchKind::Semantic;
        match index.nearest(searcher, &query.text, scope, pool, is_only) {
            Ok(None) if is_only => return Err(IndexError::NoEmbedder),
            Ok(nearest) => lists.by_meaning = nearest.unwrap_or_default(),
            // Words and names answer without it, and it is said.
            Err(error @ IndexError::Embedder(_)) if !is_only => lists.notice = Some(error.to_string()),
            Err(error) => return Err(error),
        }
    }
    Ok(lists)
}

/// Who uses what whom defines, among the passages that were found.
fn edges(kept: &HashMap<DocAddress, StoredPassage>) -> Vec<(DocAddress, DocAddress)> {
    let mut defined: HashMap<String, Vec<DocAddress>> = HashMap::new();
    let mut used: Vec<(DocAddress, BTreeSet<String>)> = Vec::new();
    for (at, kept) in kept {
        let mut names = BTreeSet::new();
        for place in kept.places() {
            match &place.what {
                What::Defined { path, .. } => {
                    let name = suffixes(path).pop().unwrap_or_default();
                    defined.entry(name).or_default().push(*at);
                }
                What::Used(_) => names.extend(kept.line_of(&place).map(|(name, _, _)| name.to_lowercase())),
            }
        }
        used.push((*at, names));
    }
    let mut edges = Vec::new();
    for (at, names) in used {
        for name in names {
            // A name that many define says nothing on which of them is meant.
            let defining = defined.get(&name).filter(|defining| defining.len() <= AMBIGUOUS_MAX);
            edges.extend(defining.into_iter().flatten().map(|definition| (at, *definition)));
        }
    }
    edges
}

/// Definitions of one name that are still linked to its uses.
const AMBIGUOUS_MAX: usize = 3;

/// How exactly a passage is what was asked for; what is asked for by name comes before what is only about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Aim {
    /// It is the definition of the one name, or in the one file, that was asked for.
    Asked,
    /// The name is defined somewhere in it.
    Holding,
    About,
}

impl Aim {
    fn of(kept: &StoredPassage, words: &QueryWords) -> Self {
        let is_named = |symbol: &str| {
            let defined = suffixes(symbol);
            words.names.iter().any(|name| defined.contains(&fold(name)))
        };
        let passage = &kept.passage;
        let path = passage.path.to_lowercase();
        if words.path.as_ref().is_some_and(|asked| path == *asked || path.ends_with(&format!("/{asked}"))) {
            return Aim::Asked;
        }
        if !words.is_name {
            return Aim::About;
        }
        if passage.symbol.as_deref().is_some_and(is_named) {
            return Aim::Asked;
        }
        let defines = |what: &What| match what {
            What::Defined { path, .. } => is_named(path),
            What::Used(_) => false,
        };
        if kept.places().iter().any(|place| defines(&place.what)) { Aim::Holding } else { Aim::About }
    }
}

/// The best of them, near-copies later; what was asked for by name is first in any case.
fn diversify(passages: Vec<Passage>, aims: &Aims, relevance: f64, count: usize) -> Vec<Passage> {
    let aim = |passage: &Passage| {
        aims.get(&(passage.path.clone(), passage.start)).map_or(Aim::About, |(aim, _)| *aim)
    };
    let (mut first, rest): (Vec<Passage>, Vec<Passage>) =
        passages.into_iter().partition(|passage| aim(passage) != Aim::About);
    first.sort_by_key(aim);
    let sets: Vec<WordSet> = rest.iter().map(|passage| WordSet::of(&passage.text)).collect();
    let scores: Vec<f64> = rest.iter().map(|passage| f64::from(passage.score)).collect();
    let likeness = |one: usize, two: usize| match (sets.get(one), sets.get(two)) {
        (Some(one), Some(two)) => one.likeness(two),
        _ => 0.0,
    };
    let picked = pick_diverse(&scores, likeness, relevance, count.saturating_sub(first.len()));
    let mut rest: Vec<Option<Passage>> = rest.into_iter().map(Some).collect();
    first.extend(picked.into_iter().filter_map(|at| rest.get_mut(at)?.take()));
    first.truncate(count);
    first
}
