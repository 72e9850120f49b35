//! Diversity: the same thing is not given twice, and near-copies make room for something else.
//!
//! Owns what counts as the same passage, and maximal marginal relevance (MMR). Knows no index; similarity may be that
//! of words or of vectors.

use std::collections::{HashMap, HashSet};

use windlass_core::ports::search::Passage;

use crate::tokens::each_word;

/// Share of the shorter passage that must be in another of the same file for the two to be one.
const OVERLAP: f64 = 0.5;

/// Leaves out passages that say what a better one before them says: the same text anywhere, or mostly the same bytes of
/// one file.
pub(crate) fn deduplicate(passages: Vec<Passage>) -> Vec<Passage> {
    let mut texts: HashSet<String> = HashSet::new();
    let mut spans: HashMap<String, Vec<(u64, u64)>> = HashMap::new();
    let mut kept = Vec::with_capacity(passages.len());
    for passage in passages {
        let of_file = spans.entry(passage.path.clone()).or_default();
        let span = (passage.start, passage.end);
        if of_file.iter().any(|other| overlaps(*other, span)) || !texts.insert(squeeze(&passage.text)) {
            continue;
        }
        of_file.push(span);
        kept.push(passage);
    }
    kept
}

fn overlaps(one: (u64, u64), two: (u64, u64)) -> bool {
    let common = one.1.min(two.1).saturating_sub(one.0.max(two.0));
    let shorter = one.1.saturating_sub(one.0).min(two.1.saturating_sub(two.0));
    common > 0 && common as f64 > shorter as f64 * OVERLAP
}

/// A text without differences of space alone.
fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Picks `count` of the candidates, best first, by maximal marginal relevance: at each step the one with the largest
/// `share * relevance - (1 - share) * likeness to what was picked`. Relevances are scaled to 0..1 among the candidates;
/// `likeness` gives 0..1. Ties go to the earlier candidate.
pub(crate) fn pick_diverse(
    relevances: &[f64],
    likeness: impl Fn(usize, usize) -> f64,
    share: f64,
    count: usize,
) -> Vec<usize> {
    let most = relevances.iter().copied().fold(f64::MIN, f64::max);
    let least = relevances.iter().copied().fold(f64::MAX, f64::min);
    let scale = |relevance: f64| if most > least { (relevance - least) / (most - least) } else { 1.0 };
    // Of each candidate: its place, its relevance, and its likeness to the nearest that was picked.
    let mut rest: Vec<(usize, f64, f64)> =
        relevances.iter().enumerate().map(|(at, relevance)| (at, scale(*relevance), 0.0)).collect();
    let mut picked = Vec::with_capacity(count.min(rest.len()));
    while picked.len() < count {
        let worth = |(_, relevance, like): &(usize, f64, f64)| share * relevance - (1.0 - share) * like;
        let better = |best: usize, (at, one): (usize, &(usize, f64, f64))| {
            if rest.get(best).is_some_and(|best| worth(one) > worth(best)) { at } else { best }
        };
        let best = rest.iter().enumerate().fold(0, better);
        if best >= rest.len() {
            break;
        }
        let (at, _, _) = rest.remove(best);
        rest.iter_mut().for_each(|(other, _, like)| *like = like.max(likeness(at, *other)));
        picked.push(at);
    }
    picked
}

/// The words of a text as a set, for comparing it with others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct WordSet(Vec<u64>);

impl WordSet {
    pub(crate) fn of(text: &str) -> Self {
        let mut words = Vec::new();
        each_word(text, |word, _, _, _, _| {
            let hash = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            words.push(word.bytes().fold(0xcbf2_9ce4_8422_2325, hash));
        });
        words.sort_unstable();
        words.dedup();
        Self(words)
    }

    /// Common words among all words of both: 1 for the same words, 0 for none in common.
    pub(crate) fn likeness(&self, other: &Self) -> f64 {
        let common = self.0.iter().filter(|word| other.0.binary_search(word).is_ok()).count();
        let all = self.0.len() + other.0.len() - common;
        if all > 0 { common as f64 / all as f64 } else { 0.0 }
    }
}

#[cfg(test)]
#[path = "diversity_tests.rs"]
mod tests;
