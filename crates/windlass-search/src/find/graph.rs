//! Finding by names: where a name is defined, where it is used, and which passages a question is about by the names
//! in it.
//!
//! The graph is not kept apart: each passage has the names it defines and uses, so a step from a use to its definitions
//! is one look into the index. Names are not resolved; two definitions of one name are both found.

use std::collections::BTreeMap;

use tantivy::{DocAddress, Searcher};
use windlass_core::ports::search::{SearchScope, SymbolPlace};

use crate::find::lexical::{self, QueryWords, in_scope};
use crate::index::fields::IndexFields;
use crate::index::passage::{self, StoredPassage, fold};
use crate::index::places::{PassageName, What};
use crate::limits::{LINE_BYTES_MAX, NAMED_PASSAGES_MAX};

/// Kinds of definitions, the ones asked for most first.
const KINDS: [&str; 16] = [
    "struct",
    "class",
    "trait",
    "interface",
    "enum",
    "type",
    "function",
    "method",
    "macro",
    "constant",
    "module",
    "namespace",
    "variable",
    "field",
    "variant",
    "declaration",
];

/// Definitions of a name: those written exactly so first, then by kind and place.
pub(crate) fn definitions(
    searcher: &Searcher,
    fields: &IndexFields,
    name: &str,
    rows_max: usize,
) -> tantivy::Result<Vec<SymbolPlace>> {
    let folded = fold(name);
    let exact = name.trim().replace("::", ".");
    let mut found = Vec::new();
    for at in all(searcher, lexical::defining(fields, name))? {
        let kept = passage::read(searcher, fields, at)?;
        for place in kept.places() {
            let What::Defined { path, kind, end } = &place.what else { continue };
            let dotted = path.replace("::", ".");
            if !ends_with_path(&dotted.to_lowercase(), &folded) {
                continue;
            }
            let is_exact = ends_with_path(&dotted, &exact);
            let rank = KINDS.iter().position(|known| known == kind).unwrap_or(KINDS.len());
            if let Some(row) = row(&kept, &place, path, kind, *end) {
                found.push((!is_exact, rank, row));
            }
        }
    }
    found.sort_by(|one, two| {
        (one.0, one.1, &one.2.path, one.2.start).cmp(&(two.0, two.1, &two.2.path, two.2.start))
    });
    Ok(found.into_iter().map(|(_, _, row)| row).take(rows_max).collect())
}

/// Whether a path is this one or ends with it after a separator.
fn ends_with_path(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

/// Uses of a name: calls first, then imports and references, by place.
pub(crate) fn references(
    searcher: &Searcher,
    fields: &IndexFields,
    name: &str,
    rows_max: usize,
) -> tantivy::Result<Vec<SymbolPlace>> {
    // A use is written with its last name; the names around it are somewhere else.
    let dotted = name.trim().replace("::", ".");
    let last = dotted.rsplit('.').next().unwrap_or(&dotted);
    let mut found = Vec::new();
    for at in all(searcher, lexical::using(fields, last))? {
        let kept = passage::read(searcher, fields, at)?;
        for place in kept.places() {
            let What::Used(kind) = place.what else { continue };
            if kept.line_of(&place).is_none_or(|(used, _, _)| used != last) {
                continue;
            }
            if let Some(row) = row(&kept, &place, last, kind.word(), place.name.end) {
                found.push(row);
            }
        }
    }
    let order = |kind: &str| ["call", "import", "reference"].iter().position(|known| *known == kind);
    found.sort_by(|one, two| {
        (order(&one.kind), &one.path, one.start).cmp(&(order(&two.kind), &two.path, two.start))
    });
    found.truncate(rows_max);
    Ok(found)
}

fn row(
    kept: &StoredPassage,
    place: &PassageName,
    symbol: &str,
    kind: &str,
    end: usize,
) -> Option<SymbolPlace> {
    let (_, line_text, line) = kept.line_of(place)?;
    let shown = line_text.trim();
    Some(SymbolPlace {
        symbol: symbol.to_owned(),
        kind: kind.to_owned(),
        path: kept.passage.path.clone(),
        line,
        start: place.name.start as u64,
        end: end as u64,
        text: shown.get(..shown.floor_char_boundary(LINE_BYTES_MAX)).unwrap_or_default().to_owned(),
    })
}

/// All passages that fit, in the order of the index.
fn all(searcher: &Searcher, query: Box<dyn tantivy::query::Query>) -> tantivy::Result<Vec<DocAddress>> {
    let found = lexical::search(searcher, query, NAMED_PASSAGES_MAX)?;
    let mut places: Vec<DocAddress> = found.into_iter().map(|(_, at)| at).collect();
    places.sort_unstable();
    Ok(places)
}

/// Passages by the names of a query: those that define one, then those that use one; more names count more.
pub(crate) fn find(
    searcher: &Searcher,
    fields: &IndexFields,
    words: &QueryWords,
    scope: &SearchScope,
    limit: usize,
) -> tantivy::Result<Vec<(f32, DocAddress)>> {
    let mut scores: BTreeMap<DocAddress, f32> = BTreeMap::new();
    for name in &words.names {
        let last = name.rsplit([':', '.', '#']).next().unwrap_or(name);
        let mut of_name: BTreeMap<DocAddress, f32> = BTreeMap::new();
        for (query, score) in
            [(lexical::defining(fields, name), DEFINES), (lexical::using(fields, last), USES)]
        {
            for (_, at) in lexical::search(searcher, in_scope(fields, query, scope), NAMED_PASSAGES_MAX)? {
                of_name.entry(at).or_insert(score);
            }
        }
        if words.is_name {
            prefer_exact(searcher, fields, name, limit, &mut of_name)?;
        }
        for (at, score) in of_name {
            *scores.entry(at).or_default() += score;
        }
    }
    let mut found: Vec<(f32, DocAddress)> = scores.into_iter().map(|(at, score)| (score, at)).collect();
    found.sort_by(|(one, one_at), (two, two_at)| two.total_cmp(one).then(one_at.cmp(two_at)));
    found.truncate(limit);
    Ok(found)
}

/// Of the definitions of the one name that was asked for, those that are written otherwise (`Index`, `index`) count less.
fn prefer_exact(
    searcher: &Searcher,
    fields: &IndexFields,
    name: &str,
    limit: usize,
    scores: &mut BTreeMap<DocAddress, f32>,
) -> tantivy::Result<()> {
    let exact = name.trim().replace("::", ".");
    for (at, score) in scores.iter_mut().filter(|(_, score)| **score >= DEFINES).take(limit) {
        let is_exact = |place: &PassageName| match &place.what {
            What::Defined { path, .. } => ends_with_path(&path.replace("::", "."), &exact),
            What::Used(_) => false,
        };
        if !passage::read(searcher, fields, *at)?.places().iter().any(is_exact) {
            *score = DEFINES_OTHERWISE;
        }
    }
    Ok(())
}

/// A definition counts as many uses.
const DEFINES: f32 = 10.0;
/// The same of a name that differs in upper and lower case.
const DEFINES_OTHERWISE: f32 = 5.0;
const USES: f32 = 1.0;
