//! Passages as they are kept in the index, and read back.

use std::collections::BTreeSet;

use tantivy::schema::Value;
use tantivy::{DocAddress, Searcher, TantivyDocument};
use windlass_core::ports::search::{Passage, ScoreParts};

use super::fields::IndexFields;
use super::places::{self, PassageName, What};
use crate::parse::cut::{CutPassage, CutText};
use crate::parse::symbols::Symbols;
use crate::source::documents::DocumentStore;

/// Where passages of the project are looked for.
pub(crate) const PROJECT: &str = "project";
/// Where passages of all sessions' documents are looked for.
pub(crate) const SESSIONS: &str = "sessions";
/// Where passages of documents of no session are looked for.
pub(crate) const SHARED: &str = "shared";

/// Whose passages are written.
#[derive(Debug, Clone)]
pub(crate) struct Owner<'a> {
    /// As in the file's entry.
    pub(crate) key: &'a str,
    /// The path or name that is shown.
    pub(crate) shown: &'a str,
    pub(crate) scopes: Vec<String>,
    pub(crate) language: &'a str,
    pub(crate) time_ms: u64,
}

/// Makes the documents of a text, in order.
pub(crate) fn documents(
    fields: &IndexFields,
    owner: &Owner<'_>,
    source: &str,
    cut_text: &CutText,
    vectors: &[Vec<u8>],
) -> Vec<TantivyDocument> {
    let mut names = in_order(&cut_text.symbols).into_iter().peekable();
    let mut documents = Vec::with_capacity(cut_text.cuts.len());
    for (number, cut) in cut_text.cuts.iter().enumerate() {
        let mut places = Vec::new();
        while let Some(place) = names.next_if(|place| place.name.start < cut.span.end) {
            places.push(place);
        }
        let mut document = document(fields, owner, source, cut, &places);
        if let Some(vector) = vectors.get(number).filter(|vector| !vector.is_empty()) {
            document.add_bytes(fields.vector, vector);
        }
        documents.push(document);
    }
    documents
}

/// What an embedder is given of a passage: where it stands, what it is called, what it says.
pub(crate) fn meant(owner: &Owner<'_>, source: &str, cut: &CutPassage) -> String {
    let name = owner.shown.rsplit('/').next().unwrap_or(owner.shown);
    let symbol = cut.symbol.as_deref().unwrap_or_default();
    format!("{name} {symbol}\n{}", cut.text(source))
}

fn in_order(symbols: &Symbols) -> Vec<PassageName> {
    let defined = symbols.definitions.iter().map(|defined| PassageName {
        what: What::Defined {
            path: defined.path.clone(),
            kind: defined.kind.to_owned(),
            end: defined.span.end,
        },
        name: defined.name.clone(),
    });
    let used =
        symbols.uses.iter().map(|used| PassageName { what: What::Used(used.kind), name: used.name.clone() });
    let mut places: Vec<PassageName> = defined.chain(used).collect();
    places.sort_by_key(|place| place.name.start);
    places
}

fn document(
    fields: &IndexFields,
    owner: &Owner<'_>,
    source: &str,
    cut: &CutPassage,
    places: &[PassageName],
) -> TantivyDocument {
    let mut document = TantivyDocument::new();
    document.add_text(fields.owner, owner.key);
    for scope in &owner.scopes {
        document.add_text(fields.scope, scope);
    }
    document.add_text(fields.path, owner.shown);
    document.add_text(fields.language, owner.language);
    document.add_text(fields.text, cut.text(source));
    if let Some(symbol) = &cut.symbol {
        document.add_text(fields.symbol, symbol);
    }
    for number in [cut.span.start as u64, cut.span.end as u64, u64::from(cut.line)] {
        document.add_u64(fields.span, number);
    }
    document.add_u64(fields.time_ms, owner.time_ms);
    let (mut defines, mut uses) = (BTreeSet::new(), BTreeSet::new());
    for place in places {
        match &place.what {
            What::Defined { path, .. } => defines.extend(suffixes(path)),
            What::Used(_) => uses.extend(source.get(place.name.clone())),
        }
    }
    for name in &defines {
        document.add_text(fields.defines, name);
    }
    for name in uses {
        document.add_text(fields.uses, name);
    }
    if !places.is_empty() {
        document.add_bytes(fields.places, &places::encode(cut.span.start, places));
    }
    document
}

/// `deck::Windlass::haul` is found by `haul`, `windlass.haul` and `deck.windlass.haul`.
pub(crate) fn suffixes(path: &str) -> Vec<String> {
    let folded = fold(path);
    let mut suffixes = vec![folded.clone()];
    suffixes.extend(folded.match_indices('.').filter_map(|(at, _)| folded.get(at + 1..).map(str::to_owned)));
    suffixes.retain(|suffix| !suffix.is_empty());
    suffixes
}

/// Lower case, with `.` between names whatever the language writes.
pub(crate) fn fold(path: &str) -> String {
    path.trim().replace("::", ".").replace(['#', '/'], ".").to_lowercase()
}

/// Reads a passage back.
pub(crate) fn read(
    searcher: &Searcher,
    fields: &IndexFields,
    at: DocAddress,
) -> tantivy::Result<StoredPassage> {
    let document: TantivyDocument = searcher.doc(at)?;
    let text = |field| document.get_first(field).and_then(|value| value.as_str().map(str::to_owned));
    let mut span = document.get_all(fields.span).filter_map(|value| value.as_u64());
    let (start, end, line) =
        (span.next().unwrap_or_default(), span.next().unwrap_or_default(), span.next().unwrap_or(1));
    let path = text(fields.path).unwrap_or_default();
    let places = document.get_first(fields.places).and_then(|value| value.as_bytes().map(<[u8]>::to_vec));
    let owner = text(fields.owner).unwrap_or_default();
    let passage = Passage {
        id: format!("{path}#{start}:{end}"),
        path,
        document_id: DocumentStore::id(&owner).map(str::to_owned),
        start,
        end,
        line: u32::try_from(line).unwrap_or(u32::MAX),
        language: text(fields.language).unwrap_or_default(),
        symbol: text(fields.symbol),
        text: text(fields.text).unwrap_or_default(),
        score: 0.0,
        parts: ScoreParts::default(),
    };
    Ok(StoredPassage { owner, passage, places: places.unwrap_or_default() })
}

/// A passage with what is kept beside it.
#[derive(Debug, Clone)]
pub(crate) struct StoredPassage {
    /// Its file or document: names of documents are not unique.
    pub(crate) owner: String,
    pub(crate) passage: Passage,
    places: Vec<u8>,
}

impl StoredPassage {
    pub(crate) fn places(&self) -> Vec<PassageName> {
        places::decode(usize::try_from(self.passage.start).unwrap_or(usize::MAX), &self.places)
    }

    /// The text of a place and its line in the file; `None` where they do not fit its text.
    pub(crate) fn line_of(&self, place: &PassageName) -> Option<(&str, &str, u32)> {
        let base = usize::try_from(self.passage.start).ok()?;
        let (start, end) = (place.name.start.checked_sub(base)?, place.name.end.checked_sub(base)?);
        let text = self.passage.text.as_str();
        let name = text.get(start..end)?;
        let before = text.get(..start)?;
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let rest = text.get(line_start..)?;
        let line = rest.get(..rest.find('\n').unwrap_or(rest.len()))?;
        let lines = u32::try_from(before.matches('\n').count()).unwrap_or(u32::MAX);
        Some((name, line, self.passage.line.saturating_add(lines)))
    }
}
