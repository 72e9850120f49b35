//! Meaning: texts become vectors, near one another when they are about the same.
//!
//! Owns the built-in embedder (`hashed`), which needs no weights, and the cosine. Others are plugged in from outside by
//! the core's port. Knows no index and no HTTP.

mod hashed;

pub use hashed::HashedEmbedder;
pub use windlass_core::ports::search::embed::{EmbedFailure, EmbedPort, Side, WordCounts};

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
