//! Recency: of documents that sessions keep, new ones count more (EDISON).
//!
//! Owns the formula, 0.85 of relevance and 0.15 of recency, which falls evenly to nothing within thirty days. Files of
//! the project are not weighed so: old code is not worse.

use std::time::{SystemTime, UNIX_EPOCH};

use tantivy::{DocAddress, Searcher};
use windlass_core::ports::search::SearchScope;

/// What relevance counts; recency counts the rest.
const RELEVANCE: f64 = 0.85;
/// After so long a document counts as old.
const OLD_MS: f64 = 30.0 * 24.0 * 3_600_000.0;
/// Ranks after which a passage counts half: as far as people read.
const HALF_RANK: f64 = 10.0;

/// The time to judge by, where documents of sessions alone are looked for.
pub(crate) fn counts_at(scope: &SearchScope) -> Option<u64> {
    match scope {
        SearchScope::Session(_) | SearchScope::AllSessions => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            u64::try_from(now.as_millis()).ok()
        }
        SearchScope::Project | SearchScope::Reachable(_) | SearchScope::Everything => None,
    }
}

/// Scores anew what is ranked best first.
pub(crate) fn blend(
    searcher: &Searcher,
    ranked: Vec<(DocAddress, f64)>,
    now_ms: u64,
) -> tantivy::Result<Vec<(DocAddress, f64)>> {
    let mut blended = Vec::with_capacity(ranked.len());
    for (rank, (at, _)) in ranked.into_iter().enumerate() {
        let times = searcher.segment_reader(at.segment_ord).fast_fields().u64("time_ms")?;
        let time_ms = times.first(at.doc_id).unwrap_or_default();
        blended.push((at, RELEVANCE * relevance(rank) + (1.0 - RELEVANCE) * recency(time_ms, now_ms)));
    }
    Ok(blended)
}

/// 1 for the first, and evenly less in proportion to the rank: fused scores lie too close together to be weighed.
fn relevance(rank: usize) -> f64 {
    HALF_RANK / (HALF_RANK + rank as f64)
}

/// 1 for now, 0 from thirty days on.
fn recency(time_ms: u64, now_ms: u64) -> f64 {
    (1.0 - now_ms.saturating_sub(time_ms) as f64 / OLD_MS).clamp(0.0, 1.0)
}

#[cfg(test)]
#[path = "recency_tests.rs"]
mod tests;
