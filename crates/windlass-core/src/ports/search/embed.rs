//! Meaning: the port by which texts become vectors, near one another when they are about the same.
//!
//! An index asks, an embedder answers; neither knows the other. How vectors are kept and compared is the index's
//! business, where they come from (weights in the process, a server, none at all) the embedder's.

use std::fmt;

use async_trait::async_trait;

/// Makes vectors of texts.
#[async_trait]
pub trait EmbedPort: Send + Sync + fmt::Debug {
    /// Its name with everything that changes its vectors: those of another name are made again.
    fn name(&self) -> &str;

    /// What a ranking by its vectors counts beside one by words, for a query that is a sentence.
    fn weight(&self) -> f64 {
        1.0
    }

    /// A vector for each text, in their order and all of one length. May take a while and may compute in the thread that
    /// waits: to be waited for where blocking is allowed.
    async fn embed(&self, texts: &[&str], side: Side<'_>) -> Result<Vec<Vec<f32>>, EmbedFailure>;
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
    /// Passages that hold a word, cut as the index cuts it.
    fn holding(&self, word: &str) -> u64;
}

/// Why there are no vectors, for people: what was wrong, where, what to do. No key is in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct EmbedFailure(pub String);
