//! How good a ranking is: nDCG, recall and reciprocal rank, each of the first ten.

pub const RANKS: usize = 10;

#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Measures {
    /// Gain discounted by rank, against the best order there could be.
    pub ndcg: f64,
    /// Share of what is relevant that was found.
    pub recall: f64,
    /// One through the rank of the first relevant one.
    pub mrr: f64,
}

impl Measures {
    /// Of one query: which of the ranks are relevant, best first, and how many relevant ones there are.
    pub fn of(is_relevant: &[bool], relevant: usize) -> Self {
        let hits =
            || is_relevant.iter().take(RANKS).enumerate().filter(|(_, hit)| **hit).map(|(rank, _)| rank);
        let gain = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
        let ideal: f64 = (0..relevant.min(RANKS)).map(gain).sum();
        if relevant == 0 {
            return Self::default();
        }
        Self {
            ndcg: hits().map(gain).sum::<f64>() / ideal,
            recall: hits().count() as f64 / relevant as f64,
            mrr: hits().next().map_or(0.0, |rank| 1.0 / (rank as f64 + 1.0)),
        }
    }

    /// The mean of several.
    pub fn mean(all: &[Self]) -> Self {
        let mean = |of: fn(&Self) -> f64| all.iter().map(of).sum::<f64>() / all.len().max(1) as f64;
        Self { ndcg: mean(|it| it.ndcg), recall: mean(|it| it.recall), mrr: mean(|it| it.mrr) }
    }
}

#[cfg(test)]
#[path = "measures_tests.rs"]
mod tests;
