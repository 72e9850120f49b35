//! Searching a large tree: our index beside raw tantivy and the crates that ripgrep is made of.
//!
//! Owns the tree, the queries and the three ways of answering them; `cargo xtask bench search` decides who takes turns
//! and when. Every side indexes the same files with the same threads, memory and commits.

pub mod ask;
pub mod grep;
pub mod index;
pub mod question;
pub mod tree;

/// Samples of one thing, in the order in which they came.
#[derive(Debug, Default, Clone)]
pub struct Samples(Vec<f64>);

impl Samples {
    pub fn push(&mut self, sample: f64) {
        self.0.push(sample);
    }

    /// The sample that so many of a hundred are not above.
    pub fn percentile(&self, percent: usize) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let at = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
        sorted.get(at).copied().unwrap_or(f64::NAN)
    }
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
