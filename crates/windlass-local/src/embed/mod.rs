//! Sentences as vectors by a BERT-class encoder in the process: weights from a folder, nothing fetched.
//!
//! Owns the port to it and how texts are put together into batches. A folder is looked at when it is opened and its
//! weights are read with the first text, so that whoever never searches by meaning never waits for them. Knows no
//! index.

mod bert;
mod encoder;
mod folder;

use std::fmt;
use std::path::Path;
use std::sync::OnceLock;

use async_trait::async_trait;
use windlass_core::ports::search::embed::{EmbedFailure, EmbedPort, Side};

use encoder::Encoder;
use folder::Folder;

/// Tokens of a text that are read: what encoders of this class were trained on.
const TOKENS_MAX: usize = 256;
/// Tokens of one batch, padding included: more at a time is no faster and needs more memory.
const BATCH_TOKENS_MAX: usize = 4_096;
/// What a ranking by such vectors counts beside one by words: measured with all-MiniLM-L6-v2 (docs/search.md).
const WEIGHT: f64 = 2.0;

/// A sentence encoder of a folder with `config.json`, `tokenizer.json` and `model.safetensors`.
pub struct FolderEmbedder {
    folder: Folder,
    name: String,
    encoder: OnceLock<Result<Encoder, EmbedFailure>>,
}

impl fmt::Debug for FolderEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FolderEmbedder").field("name", &self.name).finish_non_exhaustive()
    }
}

impl FolderEmbedder {
    /// Looks at a folder: whether the files are there and what the model is. Weights are read with the first text.
    pub fn open(path: &Path) -> Result<Self, EmbedFailure> {
        let folder = Folder::open(path)?;
        let name = folder.name()?;
        Ok(Self { folder, name, encoder: OnceLock::new() })
    }

    /// A vector of length 1 for each text, in their order.
    pub fn encode(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedFailure> {
        let encoder =
            self.encoder.get_or_init(|| Encoder::load(&self.folder)).as_ref().map_err(Clone::clone)?;
        let tokens = encoder.tokens(texts)?;
        // Texts of one length share a batch, so that little of it is padding.
        let mut order: Vec<(usize, &Vec<u32>)> = tokens.iter().enumerate().collect();
        order.sort_by_key(|(at, tokens)| (tokens.len(), *at));
        let mut vectors = vec![Vec::new(); texts.len()];
        let mut rest = order.as_slice();
        while let Some((batch, after)) = split_batch(rest) {
            let rows: Vec<&[u32]> = batch.iter().map(|(_, tokens)| tokens.as_slice()).collect();
            for ((at, _), vector) in batch.iter().zip(encoder.forward(&rows)?) {
                if let Some(place) = vectors.get_mut(*at) {
                    *place = vector;
                }
            }
            rest = after;
        }
        Ok(vectors)
    }
}

/// Texts by their place and tokens.
type TokenRows<'a> = &'a [(usize, &'a Vec<u32>)];

/// The next batch of texts that are sorted by length, and the rest; `None` when there are no more.
fn split_batch<'a>(rest: TokenRows<'a>) -> Option<(TokenRows<'a>, TokenRows<'a>)> {
    let fits = |count: usize| {
        let longest = rest.get(count.saturating_sub(1)).map_or(0, |(_, tokens)| tokens.len());
        count * longest <= BATCH_TOKENS_MAX
    };
    let count = (1..=rest.len()).take_while(|count| *count == 1 || fits(*count)).last()?;
    rest.split_at_checked(count)
}

#[async_trait]
impl EmbedPort for FolderEmbedder {
    fn name(&self) -> &str {
        &self.name
    }

    fn weight(&self) -> f64 {
        WEIGHT
    }

    async fn embed(&self, texts: &[&str], _side: Side<'_>) -> Result<Vec<Vec<f32>>, EmbedFailure> {
        self.encode(texts)
    }
}

#[cfg(test)]
#[path = "embed_tests.rs"]
mod tests;
