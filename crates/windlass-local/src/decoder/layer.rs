//! One layer: attention over what was read, then the feed-forward net, for the rows of several sessions at once.

use candle_core::{D, Device, Tensor};
use candle_nn::ops::{rms_norm, silu, softmax_last_dim};

use super::cache::KvCache;
use super::matrix::Matrix;
use super::rope::RopeRows;
use super::shape::{LayerWeight, ModelShape, WeightName};
use super::softmax::CausalSoftmax;
use crate::error::LocalError;
use crate::file::ModelFile;
use crate::kernel::{FEW_ROWS, FewRows};

/// The weights of one layer.
#[derive(Debug)]
pub(crate) struct DecoderLayer {
    index: usize,
    attention_norm: Tensor,
    query: LayerProjection,
    key: LayerProjection,
    value: LayerProjection,
    query_norm: Option<Tensor>,
    key_norm: Option<Tensor>,
    output: Matrix,
    feed_forward_norm: Tensor,
    gate: Matrix,
    up: Matrix,
    down: Matrix,
    epsilon: f32,
    sizes: LayerSizes,
}

#[derive(Debug, Clone, Copy)]
struct LayerSizes {
    heads: usize,
    kv_heads: usize,
    head: usize,
    window: Option<usize>,
}

#[derive(Debug)]
struct LayerProjection {
    matrix: Matrix,
    bias: Option<Tensor>,
}

impl LayerProjection {
    fn biased(&self, rows: Tensor) -> candle_core::Result<Tensor> {
        match &self.bias {
            Some(bias) => rows.broadcast_add(bias),
            None => Ok(rows),
        }
    }
}

/// Rows of one session within a batch.
pub(crate) struct BatchSpan<'a> {
    pub(crate) cache: &'a KvCache,
    pub(crate) begin: usize,
    pub(crate) count: usize,
}

impl DecoderLayer {
    pub(crate) fn load(file: &ModelFile, index: usize, device: &Device) -> Result<Self, LocalError> {
        let shape = file.shape();
        let matrix = |weight| file.matrix(WeightName::Layer(index, weight), shape.size_of(weight), device);
        let vector = |weight| file.vector(WeightName::Layer(index, weight), shape.size_of(weight).1, device);
        let vector_if =
            |weight| file.vector_if(WeightName::Layer(index, weight), shape.size_of(weight).1, device);
        let projection = |weight, bias| -> Result<LayerProjection, LocalError> {
            Ok(LayerProjection { matrix: matrix(weight)?, bias: vector_if(bias)? })
        };
        Ok(Self {
            index,
            attention_norm: vector(LayerWeight::AttentionNorm)?,
            query: projection(LayerWeight::Query, LayerWeight::QueryBias)?,
            key: projection(LayerWeight::Key, LayerWeight::KeyBias)?,
            value: projection(LayerWeight::Value, LayerWeight::ValueBias)?,
            query_norm: vector_if(LayerWeight::QueryNorm)?,
            key_norm: vector_if(LayerWeight::KeyNorm)?,
            output: matrix(LayerWeight::Output)?,
            feed_forward_norm: vector(LayerWeight::FeedForwardNorm)?,
            gate: matrix(LayerWeight::Gate)?,
            up: matrix(LayerWeight::Up)?,
            down: matrix(LayerWeight::Down)?,
            epsilon: shape.norm_epsilon as f32,
            sizes: LayerSizes::of(shape),
        })
    }

    /// Takes rows through the layer. Keys and values go into the caches, whose room is reserved.
    pub(crate) fn pass(
        &self,
        rows: &Tensor,
        turns: &RopeRows,
        spans: &[BatchSpan<'_>],
    ) -> Result<Tensor, LocalError> {
        let normed = rms_norm(rows, &self.attention_norm, self.epsilon)?;
        let attended = self.attend(&normed, turns, spans)?;
        let rows = (rows + self.output.forward(&attended)?)?;
        let normed = rms_norm(&rows, &self.feed_forward_norm, self.epsilon)?;
        let [gate, up] = Matrix::forward_all([&self.gate, &self.up], &normed)?;
        let inner = (silu(&gate)? * up)?;
        Ok((rows + self.down.forward(&inner)?)?)
    }

    fn attend(&self, rows: &Tensor, turns: &RopeRows, spans: &[BatchSpan<'_>]) -> Result<Tensor, LocalError> {
        let matrices = [&self.query.matrix, &self.key.matrix, &self.value.matrix];
        let [query, key, value] = Matrix::forward_all(matrices, rows)?;
        let LayerSizes { heads, kv_heads, head, .. } = self.sizes;
        let count = rows.dim(0)?;
        let query = self.query.biased(query)?.reshape((count, heads, head))?;
        let key = self.key.biased(key)?.reshape((count, kv_heads, head))?;
        let value = self.value.biased(value)?.reshape((count, kv_heads, head))?;
        let query = turns.turn(&self.normed(query, self.query_norm.as_ref())?)?;
        let key = turns.turn(&self.normed(key, self.key_norm.as_ref())?)?;
        let mut attended = Vec::with_capacity(spans.len());
        for span in spans {
            let part = |rows: &Tensor| rows.narrow(0, span.begin, span.count);
            let (keys, values) = span.cache.append(self.index, &part(&key)?, &part(&value)?)?;
            attended.push(self.sizes.attend(&part(&query)?, &keys, &values)?);
        }
        match attended.as_slice() {
            [only] => Ok(only.clone()),
            several => Ok(Tensor::cat(several, 0)?),
        }
    }

    fn normed(&self, rows: Tensor, norm: Option<&Tensor>) -> candle_core::Result<Tensor> {
        match norm {
            Some(norm) => rms_norm(&rows, norm, self.epsilon),
            None => Ok(rows),
        }
    }
}

impl LayerSizes {
    fn of(shape: &ModelShape) -> Self {
        Self {
            heads: shape.heads,
            kv_heads: shape.kv_heads,
            head: shape.head_size,
            window: shape.window_tokens,
        }
    }

    /// Attention of the last rows over all rows of a cache.
    fn attend(&self, query: &Tensor, keys: &Tensor, values: &Tensor) -> Result<Tensor, LocalError> {
        let (count, length) = (query.dim(0)?, keys.dim(1)?);
        if count <= FEW_ROWS && query.device().is_cpu() {
            let window = self.window.unwrap_or(usize::MAX);
            return Ok(query.contiguous()?.apply_op3_no_bwd(keys, values, &FewRows { window })?);
        }
        // The queries of all heads that share a key are the rows of one product.
        let group = self.heads / self.kv_heads;
        let query = (query * (1.0 / (self.head as f64).sqrt()))?.transpose(0, 1)?.contiguous()?;
        let query = query.reshape((self.kv_heads, group * count, self.head))?;
        let (mut keys, mut values) = (keys.clone(), values.clone());
        if !query.device().is_cpu() {
            // Only the products of the CPU take heads that lie apart.
            (keys, values) = (keys.contiguous()?, values.contiguous()?);
        }
        let scores = query.matmul(&keys.transpose(D::Minus2, D::Minus1)?)?;
        let shares = self.softmax(scores, count, length)?;
        let attended = shares.matmul(&values)?.reshape((self.heads, count, self.head))?;
        Ok(attended.transpose(0, 1)?.reshape((count, self.heads * self.head))?)
    }

    fn softmax(&self, scores: Tensor, count: usize, length: usize) -> Result<Tensor, LocalError> {
        let softmax = CausalSoftmax { count, length, window: self.window.unwrap_or(usize::MAX) };
        if scores.device().is_cpu() {
            scores.inplace_op1(&softmax)?;
            return Ok(scores);
        }
        let size = scores.dims3()?;
        let mask = (0..count).flat_map(|row| {
            let seen = softmax.seen(row);
            (0..length).map(move |at| if seen.contains(&at) { 0.0 } else { f32::NEG_INFINITY })
        });
        let mask = Tensor::from_vec(mask.collect(), (count, length), scores.device())?;
        let by_head = scores.reshape((self.heads, count, length))?.broadcast_add(&mask)?;
        Ok(softmax_last_dim(&by_head)?.reshape(size)?)
    }
}
