//! A model that only scores: tokens in, the scores of the next one out, with no answer around it.
//!
//! Owns one reading of one model. Knows no text, no grammar and no neighbours; it is how arithmetic is compared with
//! that of others.

use std::path::Path;

use candle_core::Device;

use crate::decoder::{KvCache, LoadedDecoder, PIECE_TOKENS, SessionInput};
use crate::error::LocalError;
use crate::file::ModelFile;

/// A model file with what it has read so far.
#[derive(Debug)]
pub struct Scorer {
    decoder: LoadedDecoder,
    cache: KvCache,
}

impl Scorer {
    /// Opens a GGUF file or a folder of safetensors, on the CPU.
    pub fn open(path: &Path, context_tokens: usize) -> Result<Self, LocalError> {
        let file = ModelFile::open(path)?;
        let decoder = LoadedDecoder::load(&file, context_tokens, &Device::Cpu)?;
        let cache = decoder.cache()?;
        Ok(Self { decoder, cache })
    }

    /// Reads tokens after those read before, and gives the scores of the next one.
    pub fn read(&mut self, tokens: &[u32]) -> Result<Vec<f32>, LocalError> {
        let mut scores = Vec::new();
        for piece in tokens.chunks(PIECE_TOKENS) {
            let reading = SessionInput { cache: &mut self.cache, tokens: piece, wants_scores: true };
            let read = self.decoder.read(&mut [reading])?;
            scores = read.into_iter().flatten().next_back().unwrap_or_default();
        }
        Ok(scores)
    }
}
