//! Reciprocal rank fusion: several rankings become one, by ranks alone.
//!
//! Owns the formula and the order of ties. Knows nothing of what is ranked or how; scores of different kinds cannot be
//! added, ranks can.

use std::collections::HashMap;
use std::hash::Hash;

/// How much the first ranks are ahead of later ones; the value of the method's authors, and of ploke (A.4).
pub(crate) const RANK_OFFSET: u32 = 60;

/// One ranking.
#[derive(Debug, Clone)]
pub(crate) struct Ranking<I> {
    /// Best first; of an id that is in it twice the first place counts.
    pub(crate) ids: Vec<I>,
    /// What it counts beside the others.
    pub(crate) weight: f64,
}

impl<I> Ranking<I> {
    /// A ranking and what it counts; 1 is as much as any other.
    pub(crate) fn weighted(ids: Vec<I>, weight: f64) -> Self {
        Self { ids, weight }
    }
}

/// The sum of `weight / (60 + rank)` over all rankings, ranks from 1, best first; ties by id.
pub(crate) fn fuse<I: Ord + Hash + Clone>(rankings: &[Ranking<I>]) -> Vec<(I, f64)> {
    let mut shares: HashMap<&I, Vec<(usize, f64)>> = HashMap::new();
    for (list, ranking) in rankings.iter().enumerate() {
        for (rank, id) in (1_u32..).zip(&ranking.ids) {
            let of_id = shares.entry(id).or_default();
            if of_id.last().is_none_or(|(last, _)| *last != list) {
                of_id.push((list, ranking.weight / f64::from(RANK_OFFSET + rank)));
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
