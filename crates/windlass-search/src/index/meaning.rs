//! Vectors of passages: made when a file is indexed, read from the index when they are first looked for.
//!
//! What is in memory is kept part by part of the index, and parts never change, so after a commit only new parts are
//! read. Each vector carries the key of its embedder: those of another are as good as none. An embedder that fails
//! leaves passages without vectors and is left alone for a while; the next update tries again, and words still find
//! them.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use tantivy::columnar::BytesColumn;
use tantivy::index::SegmentId;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocAddress, DocId, DocSet, Searcher, SegmentReader, TERMINATED, Term};
use tokio::runtime::Handle;
use windlass_core::ports::BoxFuture;
use windlass_core::ports::search::SearchScope;

use super::fields::IndexFields;
use super::{Index, IndexError};
use crate::embed::{EmbedFailure, EmbedPort, Side, WordCounts};
use crate::find::lexical::scope_words;
use crate::find::vectors::{Vectors, to_bytes};
use crate::limits::EMBEDDER_REST_MS;
use crate::source::content;

/// Vectors of one part of the index.
#[derive(Debug)]
pub(super) struct PartVectors {
    vectors: Vectors,
    /// The passage of each row.
    passages: Vec<DocId>,
}

pub(super) type VectorsByPart = HashMap<SegmentId, Arc<PartVectors>>;

/// How the embedder is doing.
#[derive(Debug, Default)]
pub(super) struct Health {
    /// Why it last failed, until it next succeeds.
    failure: Option<String>,
    /// Until then nobody waits for it again.
    rests_until: Option<Instant>,
}

impl Index {
    /// The embedder's key in entries and vectors; 0 without one.
    pub(super) fn embedder_key(&self) -> u64 {
        self.config.embedder.as_ref().map_or(0, |embedder| content::hash(embedder.name().as_bytes()).max(1))
    }

    /// What a ranking by the embedder's vectors counts beside one by words.
    pub(crate) fn embedder_weight(&self) -> f64 {
        self.config.embedder.as_ref().map_or(1.0, |embedder| embedder.weight())
    }

    /// Why the embedder last failed, until it next succeeds.
    pub(crate) fn embedder_failure(&self) -> Option<String> {
        self.health.lock().unwrap_or_else(PoisonError::into_inner).failure.clone()
    }

    /// Whether the embedder answers now; without one there is nothing to ask. One that rests is asked all the same.
    pub(super) fn is_embedding(&self) -> bool {
        let Some(embedder) = &self.config.embedder else { return true };
        self.embed(embedder.as_ref(), &["windlass"], Side::Passage).is_ok()
    }

    /// Whether there is an embedder, and it does not rest.
    pub(super) fn makes_vectors(&self) -> bool {
        self.config.embedder.is_some() && !self.is_resting()
    }

    /// Vectors of texts and the embedder's key; none and 0 when there is no embedder, it failed or it rests.
    pub(super) fn embed_passages(&self, texts: &[String]) -> (Vec<Vec<u8>>, u64) {
        let Some(embedder) = self.config.embedder.as_ref().filter(|_| !self.is_resting()) else {
            return (Vec::new(), 0);
        };
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let key = self.embedder_key();
        match self.embed(embedder.as_ref(), &texts, Side::Passage) {
            Ok(vectors) => (vectors.iter().map(|vector| tagged(key, vector)).collect(), key),
            Err(error) => {
                tracing::warn!(%error, embedder = embedder.name(), "passages are indexed without vectors");
                (Vec::new(), 0)
            }
        }
    }

    fn is_resting(&self) -> bool {
        let health = self.health.lock().unwrap_or_else(PoisonError::into_inner);
        health.rests_until.is_some_and(|until| Instant::now() < until)
    }

    fn embed(
        &self,
        embedder: &dyn EmbedPort,
        texts: &[&str],
        side: Side<'_>,
    ) -> Result<Vec<Vec<f32>>, EmbedFailure> {
        let made = wait(embedder.embed(texts, side), self.runtime.as_ref()).and_then(|vectors| {
            let is_whole = vectors.len() == texts.len();
            is_whole
                .then_some(vectors)
                .ok_or_else(|| EmbedFailure("it gave another number of vectors".to_owned()))
        });
        let mut health = self.health.lock().unwrap_or_else(PoisonError::into_inner);
        *health = match &made {
            Ok(_) => Health::default(),
            Err(error) => Health {
                failure: Some(error.to_string()),
                rests_until: Instant::now().checked_add(Duration::from_millis(EMBEDDER_REST_MS)),
            },
        };
        made
    }

    /// The passages nearest in meaning; `None` without an embedder. One that failed a moment ago is only asked again by
    /// who insists.
    pub(crate) fn nearest(
        &self,
        searcher: &Searcher,
        query: &str,
        scope: &SearchScope,
        limit: usize,
        insists: bool,
    ) -> Result<Option<Vec<(f32, DocAddress)>>, IndexError> {
        let Some(embedder) = &self.config.embedder else { return Ok(None) };
        if !insists && self.is_resting() {
            return Err(IndexError::Embedder(self.embedder_failure().unwrap_or_default()));
        }
        let counts = IndexWordCounts { searcher, fields: &self.fields };
        let vectors = self.embed(embedder.as_ref(), &[query], Side::Query(&counts));
        let vectors = vectors.map_err(|error| IndexError::Embedder(error.to_string()))?;
        let query = vectors.into_iter().next().unwrap_or_default();
        let mut found = Vec::new();
        for (part, segment) in (0_u32..).zip(searcher.segment_readers()) {
            let held = self.part_vectors(segment)?;
            let allowed = Allowed::of(segment, &self.fields, scope)?;
            let keep =
                |row: usize| held.passages.get(row).is_some_and(|passage| allowed.has(segment, *passage));
            for (row, cosine) in held.vectors.nearest(&query, limit, keep) {
                if let Some(passage) = held.passages.get(row) {
                    found.push((cosine, DocAddress::new(part, *passage)));
                }
            }
        }
        found.sort_by(|(one, one_at), (two, two_at)| two.total_cmp(one).then(one_at.cmp(two_at)));
        found.truncate(limit);
        Ok(Some(found))
    }

    fn part_vectors(&self, segment: &SegmentReader) -> Result<Arc<PartVectors>, IndexError> {
        let id = segment.segment_id();
        if let Some(held) = self.parts.lock().unwrap_or_else(PoisonError::into_inner).get(&id) {
            return Ok(Arc::clone(held));
        }
        let read = Arc::new(read_part(segment, self.embedder_key())?);
        self.parts.lock().unwrap_or_else(PoisonError::into_inner).insert(id, Arc::clone(&read));
        Ok(read)
    }

    /// Forgets vectors of parts that are no more.
    pub(super) fn forget_parts(&self, searcher: &Searcher) {
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        parts.retain(|id, _| searcher.segment_readers().iter().any(|segment| segment.segment_id() == *id));
    }
}

/// Waits for an embedder, on the runtime of whoever opened the index if there was one.
///
/// One that has to be waited for is waited for on a thread of its own: this one may belong to a runtime.
fn wait(
    mut future: BoxFuture<'_, Result<Vec<Vec<f32>>, EmbedFailure>>,
    runtime: Option<&Handle>,
) -> Result<Vec<Vec<f32>>, EmbedFailure> {
    let inside = runtime.map(Handle::enter);
    if let Poll::Ready(result) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        return result;
    }
    drop(inside);
    let waiting = move || match runtime {
        Some(runtime) => runtime.block_on(future),
        None => {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.map_err(|error| EmbedFailure(error.to_string()))?.block_on(future)
        }
    };
    thread::scope(|scope| scope.spawn(waiting).join())
        .unwrap_or_else(|_| Err(EmbedFailure("it stopped in the middle".to_owned())))
}

/// A vector with the key of its embedder in front, so that vectors of two are never taken for one another.
fn tagged(key: u64, vector: &[f32]) -> Vec<u8> {
    let bytes = to_bytes(vector);
    if bytes.is_empty() { bytes } else { [&key.to_le_bytes()[..], &bytes].concat() }
}

/// Reads an embedder's vectors of a part in the order in which they are kept: by their bytes.
fn read_part(segment: &SegmentReader, key: u64) -> tantivy::Result<PartVectors> {
    let mut held = PartVectors { vectors: Vectors::default(), passages: Vec::new() };
    let Some(column) = segment.fast_fields().bytes("vector")? else { return Ok(held) };
    let mut rows = ordinals(&column, segment);
    rows.sort_unstable();
    let all = rows.len();
    let mut kept = column.dictionary().stream()?;
    let mut rows = rows.into_iter().peekable();
    while kept.advance() {
        let own = kept.key().strip_prefix(&key.to_le_bytes());
        while let Some((_, passage)) = rows.next_if(|(ordinal, _)| *ordinal == kept.term_ord()) {
            let Some(bytes) = own else { continue };
            if held.vectors.dimension() == 0 {
                held.vectors = Vectors::new(bytes.len());
                held.vectors.reserve(all);
            }
            held.vectors.push(bytes);
            held.passages.push(passage);
        }
    }
    Ok(held)
}

fn ordinals(column: &BytesColumn, segment: &SegmentReader) -> Vec<(u64, DocId)> {
    let of = |passage: DocId| column.term_ords(passage).next().map(|ordinal| (ordinal, passage));
    (0..segment.max_doc()).filter_map(of).collect()
}

/// Which passages of a part may be found.
enum Allowed {
    All,
    Some(HashSet<DocId>),
}

impl Allowed {
    fn of(segment: &SegmentReader, fields: &IndexFields, scope: &SearchScope) -> tantivy::Result<Self> {
        let Some(words) = scope_words(scope) else { return Ok(Allowed::All) };
        let inverted = segment.inverted_index(fields.scope)?;
        let mut allowed = HashSet::new();
        for word in words {
            let term = Term::from_field_text(fields.scope, &word);
            // A part that holds nothing else needs no list.
            if inverted.terms().num_terms() == 1 && inverted.doc_freq(&term)? > 0 {
                return Ok(Allowed::All);
            }
            let Some(mut postings) = inverted.read_postings(&term, IndexRecordOption::Basic)? else {
                continue;
            };
            while postings.doc() != TERMINATED {
                allowed.insert(postings.doc());
                postings.advance();
            }
        }
        Ok(Allowed::Some(allowed))
    }

    fn has(&self, segment: &SegmentReader, passage: DocId) -> bool {
        let is_in_scope = match self {
            Allowed::All => true,
            Allowed::Some(passages) => passages.contains(&passage),
        };
        is_in_scope && !segment.is_deleted(passage)
    }
}

/// How often words are in the index.
struct IndexWordCounts<'a> {
    searcher: &'a Searcher,
    fields: &'a IndexFields,
}

impl WordCounts for IndexWordCounts<'_> {
    fn passages(&self) -> u64 {
        self.searcher.num_docs()
    }

    fn holding(&self, word: &str) -> u64 {
        // A word that cannot be counted weighs as much as one that is nowhere.
        self.searcher.doc_freq(&Term::from_field_text(self.fields.text, word)).unwrap_or(0)
    }
}
