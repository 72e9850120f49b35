//! Finding by words: BM25 over text, symbols and paths.
//!
//! A query is words, never a language: whatever is typed is cut into words as texts are, so nothing in it can be wrong.
//! Owns how much each field counts. Knows no fusion.

use tantivy::collector::TopDocs;
use tantivy::query::{
    BooleanQuery, BoostQuery, ConstScoreQuery, EmptyQuery, Occur, PhrasePrefixQuery, PhraseQuery, Query,
    TermQuery,
};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocAddress, Searcher, Term};
use windlass_core::ports::search::SearchScope;

use crate::index::fields::{self, IndexFields};
use crate::index::passage::{PROJECT, SESSIONS, SHARED, fold};
use crate::index::session_scope;
use crate::limits::{PREFIX_WORDS_MAX, QUERY_BYTES_MAX, QUERY_WORDS_MAX};

/// A word in the name of a definition or in a heading counts once more, but little: names are short, so what is found in
/// them scores high already.
const SYMBOL_BOOST: f32 = 0.3;
/// A word in a path holds for all of the file.
const PATH_BOOST: f32 = 0.6;
/// Words in the order of a path: somebody named the file.
const PATH_PHRASE_BOOST: f32 = 4.0;
/// The whole query is a name: its definition is first, whatever else speaks of it.
const DEFINITION_BOOST: f32 = 60.0;
/// A word of the query is a name that is defined here.
const NAMED_BOOST: f32 = 3.0;

/// A query, cut into words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct QueryWords {
    /// As the fields have them, with their positions.
    terms: Vec<(usize, String)>,
    /// Names in it, as they are written: `Windlass::haul`, `read_file`.
    pub(crate) names: Vec<String>,
    /// Whether it is one name and nothing else.
    pub(crate) is_name: bool,
    /// Set when it looks like a path or a file name: in lower case.
    pub(crate) path: Option<String>,
}

impl QueryWords {
    pub(crate) fn of(query: &str) -> Self {
        let query = query.get(..query.floor_char_boundary(QUERY_BYTES_MAX)).unwrap_or_default().trim();
        let mut terms: Vec<(usize, String)> = Vec::new();
        let mut analyzer = fields::analyzer();
        let mut stream = analyzer.token_stream(query);
        stream.process(&mut |token| {
            if terms.len() < QUERY_WORDS_MAX && !terms.iter().any(|(_, term)| *term == token.text) {
                terms.push((token.position, token.text.clone()));
            }
        });
        let words: Vec<&str> =
            query.split_whitespace().map(trim_marks).filter(|word| !word.is_empty()).collect();
        let names: Vec<String> = words
            .iter()
            .filter(|word| is_identifier(word) && (words.len() == 1 || has_shape(word)))
            .take(QUERY_WORDS_MAX)
            .map(|word| (*word).to_owned())
            .collect();
        let is_path = words.len() == 1 && query.contains(['/', '.']) && !query.contains("::");
        let path = is_path.then(|| query.trim_start_matches("./").to_lowercase());
        Self { terms, is_name: words.len() == 1 && names.len() == 1, names, path }
    }
}

/// Without the marks that people put around names: backquotes, brackets, `()` and punctuation.
fn trim_marks(word: &str) -> &str {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '(' | ')'));
    word.trim_end_matches("()").trim_matches(['(', ')'])
}

/// Whether a word could be a name or a path of names.
fn is_identifier(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':' | '.' | '#' | '$'))
}

/// Whether a word is written as only names are: `snake_case`, `camelCase`, `a::b`, `a.b`.
fn has_shape(word: &str) -> bool {
    let inner = word.get(1..).unwrap_or_default();
    word.contains(['_', ':', '.'])
        || inner.contains(|c: char| c.is_uppercase()) && word.contains(char::is_lowercase)
}

/// The best passages by words.
pub(crate) fn find(
    searcher: &Searcher,
    fields: &IndexFields,
    words: &QueryWords,
    scope: &SearchScope,
    limit: usize,
) -> tantivy::Result<Vec<(f32, DocAddress)>> {
    search(searcher, in_scope(fields, by_words(fields, words), scope), limit)
}

/// How well the path of a passage fits, for showing.
pub(crate) fn path_score(
    searcher: &Searcher,
    fields: &IndexFields,
    words: &QueryWords,
    at: DocAddress,
) -> tantivy::Result<Option<f32>> {
    let query = by_path(fields, words);
    let weight = query.weight(tantivy::query::EnableScoring::enabled_from_searcher(searcher))?;
    let mut scorer = weight.scorer(searcher.segment_reader(at.segment_ord), 1.0)?;
    let is_there =
        scorer.doc() == at.doc_id || (scorer.doc() < at.doc_id && scorer.seek(at.doc_id) == at.doc_id);
    Ok(is_there.then(|| scorer.score()))
}

pub(crate) fn search(
    searcher: &Searcher,
    query: Box<dyn Query>,
    limit: usize,
) -> tantivy::Result<Vec<(f32, DocAddress)>> {
    searcher.search(&query, &TopDocs::with_limit(limit.max(1)).order_by_score())
}

/// The word of a scope in the index; `None` for everything.
pub(crate) fn scope_words(scope: &SearchScope) -> Option<Vec<String>> {
    match scope {
        SearchScope::Project => Some(vec![PROJECT.to_owned()]),
        SearchScope::AllSessions => Some(vec![SESSIONS.to_owned()]),
        SearchScope::Session(session_id) => Some(vec![session_scope(session_id)]),
        SearchScope::Reachable(session_id) => {
            Some(vec![PROJECT.to_owned(), SHARED.to_owned(), session_scope(session_id)])
        }
        SearchScope::Everything => None,
    }
}

/// Keeps a query to where may be looked.
pub(crate) fn in_scope(fields: &IndexFields, query: Box<dyn Query>, scope: &SearchScope) -> Box<dyn Query> {
    let Some(words) = scope_words(scope) else { return query };
    let places = words.iter().map(|word| (Occur::Should, raw(fields.scope, word))).collect();
    let inside = ConstScoreQuery::new(Box::new(BooleanQuery::new(places)), 0.0);
    Box::new(BooleanQuery::new(vec![(Occur::Must, query), (Occur::Must, Box::new(inside))]))
}

fn raw(field: Field, word: &str) -> Box<dyn Query> {
    Box::new(TermQuery::new(Term::from_field_text(field, word), IndexRecordOption::Basic))
}

/// Passages of a file or document.
pub(crate) fn owned(fields: &IndexFields, key: &str) -> Box<dyn Query> {
    raw(fields.owner, key)
}

/// Passages that define a name.
pub(crate) fn defining(fields: &IndexFields, name: &str) -> Box<dyn Query> {
    raw(fields.defines, &fold(name))
}

/// Passages that use a name.
pub(crate) fn using(fields: &IndexFields, name: &str) -> Box<dyn Query> {
    raw(fields.uses, name)
}

fn by_words(fields: &IndexFields, words: &QueryWords) -> Box<dyn Query> {
    let mut clauses: Vec<(Occur, Box<dyn Query>)> = Vec::new();
    for (_, term) in &words.terms {
        for (field, boost) in [(fields.text, 1.0), (fields.symbol, SYMBOL_BOOST)] {
            let term = Term::from_field_text(field, term);
            clauses.push((
                Occur::Should,
                boosted(Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs)), boost),
            ));
        }
    }
    clauses.push((Occur::Should, by_path(fields, words)));
    for name in &words.names {
        let boost = if words.is_name { DEFINITION_BOOST } else { NAMED_BOOST };
        let defines = ConstScoreQuery::new(defining(fields, name), boost);
        clauses.push((Occur::Should, Box::new(defines)));
    }
    Box::new(BooleanQuery::new(clauses))
}

/// Words of the path; of a query that is a path, the words in their order, because each alone is in half of all paths.
fn by_path(fields: &IndexFields, words: &QueryWords) -> Box<dyn Query> {
    let terms = words.terms.iter().map(|(at, term)| (*at, Term::from_field_text(fields.path, term)));
    let terms: Vec<(usize, Term)> = terms.collect();
    let mut clauses: Vec<(Occur, Box<dyn Query>)> = Vec::new();
    if words.path.is_some() && terms.len() > 1 {
        let phrase = PhraseQuery::new_with_offset(terms.clone());
        clauses.push((Occur::Should, boosted(Box::new(phrase), PATH_PHRASE_BOOST)));
        let mut begun = PhrasePrefixQuery::new_with_offset(terms);
        begun.set_max_expansions(PREFIX_WORDS_MAX);
        clauses.push((Occur::Should, boosted(Box::new(begun), PATH_PHRASE_BOOST / 2.0)));
    } else {
        for (_, term) in terms {
            let query = TermQuery::new(term, IndexRecordOption::WithFreqs);
            clauses.push((Occur::Should, boosted(Box::new(query), PATH_BOOST)));
        }
    }
    if clauses.is_empty() { Box::new(EmptyQuery) } else { Box::new(BooleanQuery::new(clauses)) }
}

fn boosted(query: Box<dyn Query>, boost: f32) -> Box<dyn Query> {
    Box::new(BoostQuery::new(query, boost))
}

#[cfg(test)]
#[path = "lexical_tests.rs"]
mod tests;
