//! One decoder for the Llama-like families; their differences are in `shape`.
//!
//! Owns weights and arithmetic: tokens and caches in, scores of the next token out. Knows no text and no session.

mod cache;
mod layer;
mod matrix;
mod rope;
pub(crate) mod shape;
mod softmax;

use candle_core::{Device, Tensor};
use candle_nn::ops::rms_norm;

pub(crate) use self::cache::KvCache;
use self::layer::{BatchSpan, DecoderLayer};
pub(crate) use self::matrix::Matrix;
use self::rope::Rope;
use self::shape::{ModelShape, WeightName};
pub(crate) use self::softmax::softmax;
use crate::error::LocalError;
use crate::file::ModelFile;

/// Most tokens that are read in one go: enough to use every multiplication well, few enough to stop soon.
pub(crate) const PIECE_TOKENS: usize = 128;

/// A model that is loaded.
#[derive(Debug)]
pub(crate) struct LoadedDecoder {
    shape: ModelShape,
    embedding: Matrix,
    layers: Vec<DecoderLayer>,
    last_norm: Tensor,
    head: Matrix,
    rope: Rope,
    device: Device,
}

/// What one session reads next.
#[derive(Debug)]
pub(crate) struct SessionInput<'a> {
    /// What it has read.
    pub(crate) cache: &'a mut KvCache,
    pub(crate) tokens: &'a [u32],
    /// Whether the scores of the token after these are wanted.
    pub(crate) wants_scores: bool,
}

impl LoadedDecoder {
    /// Loads the weights; on the CPU they stay in their file.
    pub(crate) fn load(file: &ModelFile, context_tokens: usize, device: &Device) -> Result<Self, LocalError> {
        let shape = file.shape().clone();
        let table = (shape.vocabulary, shape.hidden);
        let embedding = file.matrix(WeightName::Embedding, table, device)?;
        let head = file.matrix_if(WeightName::Head, table, device)?.unwrap_or_else(|| embedding.clone());
        let layers = (0..shape.layers)
            .map(|index| DecoderLayer::load(file, index, device))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            embedding,
            layers,
            last_norm: file.vector(WeightName::LastNorm, shape.hidden, device)?,
            head,
            rope: Rope::new(&shape.rope, shape.head_size, context_tokens, device)?,
            shape,
            device: device.clone(),
        })
    }

    /// A cache for this model.
    pub(crate) fn cache(&self) -> Result<KvCache, LocalError> {
        KvCache::new(&self.shape, &self.device)
    }

    /// Reads the next tokens of several sessions in one pass, and gives the scores of those that want them.
    pub(crate) fn read(
        &self,
        readings: &mut [SessionInput<'_>],
    ) -> Result<Vec<Option<Vec<f32>>>, LocalError> {
        let (mut tokens, mut positions) = (Vec::new(), Vec::new());
        for reading in readings.iter_mut() {
            reading.cache.reserve(reading.tokens.len())?;
            let begin = u32::try_from(reading.cache.len()).unwrap_or(u32::MAX);
            positions.extend((begin..).take(reading.tokens.len()));
            tokens.extend_from_slice(reading.tokens);
        }
        let turns = self.rope.rows(&positions)?;
        let mut spans = Vec::with_capacity(readings.len());
        let (mut begin, mut last_rows) = (0, Vec::new());
        for reading in readings.iter() {
            let count = reading.tokens.len();
            spans.push(BatchSpan { cache: reading.cache, begin, count });
            begin += count;
            if reading.wants_scores {
                last_rows.push(u32::try_from(begin.saturating_sub(1)).unwrap_or(u32::MAX));
            }
        }
        let mut rows = self.embedding.embedding(&Tensor::new(tokens.as_slice(), &self.device)?)?;
        for layer in &self.layers {
            rows = layer.pass(&rows, &turns, &spans)?;
        }
        drop(spans);
        for reading in readings.iter_mut() {
            reading.cache.advance(reading.tokens.len());
        }
        let mut scores = self.scores(&rows, &last_rows)?.into_iter();
        Ok(readings.iter().map(|reading| if reading.wants_scores { scores.next() } else { None }).collect())
    }

    fn scores(&self, rows: &Tensor, wanted: &[u32]) -> Result<Vec<Vec<f32>>, LocalError> {
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let rows = rows.index_select(&Tensor::new(wanted, &self.device)?, 0)?;
        let rows = rms_norm(&rows, &self.last_norm, self.shape.norm_epsilon as f32)?;
        Ok(self.head.forward(&rows)?.to_vec2()?)
    }
}

#[cfg(test)]
#[path = "decoder_tests.rs"]
mod tests;
