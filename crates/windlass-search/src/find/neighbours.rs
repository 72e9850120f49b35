//! Reranking by the symbol graph: a passage next to good ones in the graph is better than it looks alone.
//!
//! Owns the formula, a pure function over edges. Knows neither symbols nor how edges are found.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// Ranks anew: each passage also gets `share` of the mean score of its neighbours that were found, once, from the
/// scores as they were. Edges count in both directions; those to passages that were not found do not count. Ties by id.
pub(crate) fn lift_neighbours<I: Ord + Hash + Clone>(
    ranked: &[(I, f64)],
    edges: &[(I, I)],
    share: f64,
) -> Vec<(I, f64)> {
    let scores: HashMap<&I, f64> = ranked.iter().map(|(id, score)| (id, *score)).collect();
    let mut beside: HashMap<&I, HashSet<&I>> = HashMap::new();
    for (from, to) in edges {
        if from != to && scores.contains_key(from) && scores.contains_key(to) {
            beside.entry(from).or_default().insert(to);
            beside.entry(to).or_default().insert(from);
        }
    }
    let lifted = |id: &I, score: f64| {
        let Some(neighbours) = beside.get(id) else { return score };
        // Sorted, so that the sum is the same on every run.
        let mut found: Vec<f64> = neighbours.iter().filter_map(|id| scores.get(*id).copied()).collect();
        found.sort_by(f64::total_cmp);
        score + share * found.iter().sum::<f64>() / found.len().max(1) as f64
    };
    let mut ranked: Vec<(I, f64)> =
        ranked.iter().map(|(id, score)| (id.clone(), lifted(id, *score))).collect();
    ranked.sort_by(|(one_id, one), (two_id, two)| two.total_cmp(one).then_with(|| one_id.cmp(two_id)));
    ranked
}

#[cfg(test)]
#[path = "neighbours_tests.rs"]
mod tests;
