//! Meaning: texts become vectors, near one another when they are about the same.
//!
//! Owns the port of embedders and the cosine. The built-in embedder (`hashed`) needs no weights; others are plugged in
//! from outside. Knows no index and no HTTP.

mod concepts;
mod hashed;

use std::fmt;

use windlass_core::port::BoxFuture;

pub use hashed::HashedEmbedder;

/// Makes vectors of texts.
pub trait EmbedPort: Send + Sync + fmt::Debug {
    /// Its name with everything that changes its vectors: those of another name are made again.
    fn name(&self) -> &str;

    /// Numbers of a vector.
    fn dimension(&self) -> usize;

    /// A vector for each text, in their order.
    fn embed<'a>(
        &'a self,
        texts: &'a [&'a str],
        side: Side<'a>,
    ) -> BoxFuture<'a, Result<Vec<Vec<f32>>, EmbedFailure>>;
}

/// Which side of a search a text is on: many models are asked differently for each.
#[derive(Clone, Copy)]
pub enum Side<'a> {
    /// What is found.
    Passage,
    /// What is looked for, and the words of the index it is looked for in.
    Query(&'a dyn WordCounts),
}

/// How often words are in an index. Only queries are weighed by it, so vectors of passages never grow old when other
/// files change.
pub trait WordCounts: Send + Sync {
    /// Passages in the index.
    fn passages(&self) -> u64;
    /// Passages that hold a word, cut as `tokens` cuts it.
    fn holding(&self, word: &str) -> u64;
}

/// Why there are no vectors.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct EmbedFailure(pub String);

/// The cosine of two vectors: 1 for the same direction, 0 for nothing in common. Vectors of different lengths have
/// nothing in common.
pub fn cosine(one: &[f32], two: &[f32]) -> f32 {
    if one.len() != two.len() {
        return 0.0;
    }
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    let lengths = (dot(one, one) * dot(two, two)).sqrt();
    if lengths > 0.0 { dot(one, two) / lengths } else { 0.0 }
}

#[cfg(test)]
#[path = "embed_tests.rs"]
mod tests;
