//! Fusion: several rankings become one.
//!
//! Owns the formula, what a score is worth beside scores of other kinds, and the order of ties. A ranking without scores
//! counts by its ranks alone (reciprocal rank fusion). Knows nothing of what is ranked or how.

use std::collections::HashMap;
use std::hash::Hash;

/// How much the first ranks are ahead of later ones; the value of the method's authors, and of ploke (A.4).
pub(crate) const RANK_OFFSET: u32 = 60;

/// What a vector counts that is as near to the query as can be, in terms of the best by words.
const NEAREST_WORTH: f64 = 5.0;
/// How much more a long lead counts than a short one: in proportion at 1.
const LEAD_POWER: f64 = 1.5;

#[derive(Debug, Clone)]
pub(crate) struct Ranking<I> {
    /// Best first; of an id that is in it twice the first place counts.
    ids: Vec<I>,
    /// What each of them is worth; those without one count by rank.
    worths: Vec<f64>,
    /// What it counts beside the others.
    weight: f64,
}

impl<I> Ranking<I> {
    /// A ranking that counts by its ranks, and what it counts; 1 is as much as any other.
    pub(crate) fn weighted(ids: Vec<I>, weight: f64) -> Self {
        Self { ids, worths: Vec::new(), weight }
    }

    /// A ranking by scores without a scale, as BM25 gives: the best is worth 1, the last nothing.
    pub(crate) fn stretched(scored: Vec<(I, f64)>, weight: f64) -> Self {
        let most = scored.iter().map(|(_, score)| *score).fold(f64::MIN, f64::max);
        let least = least(&scored);
        let worth = |score: f64| if most > least { (score - least) / (most - least) } else { 1.0 };
        let (ids, worths) = scored.into_iter().map(|(id, score)| (id, worth(score))).unzip();
        Self { ids, worths, weight }
    }

    /// A ranking by cosines: each is worth how far it is on the way from the last of them to 1, long ways more
    /// than in proportion. Where one stands out it counts; where all are alike, whatever other rankings say does.
    pub(crate) fn leading(scored: Vec<(I, f64)>, weight: f64) -> Self {
        let least = least(&scored);
        let way = |score: f64| if least < 1.0 { (score - least) / (1.0 - least) } else { 0.0 };
        let worths = |(id, score)| (id, NEAREST_WORTH * way(score).powf(LEAD_POWER));
        let (ids, worths) = scored.into_iter().map(worths).unzip();
        Self { ids, worths, weight }
    }
}

fn least<I>(scored: &[(I, f64)]) -> f64 {
    scored.iter().map(|(_, score)| *score).fold(f64::MAX, f64::min)
}

/// The sum of `weight * worth` over all rankings, or of `weight / (60 + rank)`, ranks from 1, where a ranking has no
/// scores; best first, ties by id.
pub(crate) fn fuse<I: Ord + Hash + Clone>(rankings: &[Ranking<I>]) -> Vec<(I, f64)> {
    let mut shares: HashMap<&I, Vec<(usize, f64)>> = HashMap::new();
    for (list, ranking) in rankings.iter().enumerate() {
        let worths = ranking.worths.iter().copied().map(Some).chain(std::iter::repeat(None));
        for ((rank, id), worth) in (1_u32..).zip(&ranking.ids).zip(worths) {
            let of_id = shares.entry(id).or_default();
            if of_id.last().is_none_or(|(last, _)| *last != list) {
                let by_rank = || ranking.weight / f64::from(RANK_OFFSET + rank);
                of_id.push((list, worth.map_or_else(by_rank, |worth| ranking.weight * worth)));
            }
        }
    }
    let mut fused: Vec<(I, f64)> = shares.into_iter().map(|(id, shares)| (id.clone(), sum(shares))).collect();
    fused.sort_by(|(one_id, one), (two_id, two)| two.total_cmp(one).then_with(|| one_id.cmp(two_id)));
    fused
}

/// Adds in the order of size: equal shares from different rankings are then exactly a tie.
fn sum(mut shares: Vec<(usize, f64)>) -> f64 {
    shares.sort_by(|(_, one), (_, two)| one.total_cmp(two));
    shares.into_iter().map(|(_, share)| share).sum()
}

#[cfg(test)]
#[path = "fuse_tests.rs"]
mod tests;
