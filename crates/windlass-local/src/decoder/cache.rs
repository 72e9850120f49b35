//! Keys and values of the tokens read so far, one pair of tensors a layer, appended in place.
//!
//! Each head has its rows in one piece, in the order of the tokens: a token that looks back reads from one end to the
//! other. Knows no tokens: whoever keeps a cache keeps them beside it.

use candle_core::{DType, Device, Tensor};

use super::shape::ModelShape;
use crate::error::LocalError;

/// Room is made in steps of this many tokens at least.
const GROWTH_TOKENS: usize = 256;

/// What a model remembers of one text.
#[derive(Debug)]
pub(crate) struct KvCache {
    layers: Vec<(Tensor, Tensor)>,
    capacity: usize,
    length: usize,
    row: (usize, usize),
    device: Device,
}

impl KvCache {
    pub(crate) fn new(shape: &ModelShape, device: &Device) -> Result<Self, LocalError> {
        let row = (shape.kv_heads, shape.head_size);
        let empty = Tensor::zeros((row.0, 0, row.1), DType::F32, device)?;
        let layers = vec![(empty.clone(), empty); shape.layers];
        Ok(Self { layers, capacity: 0, length: 0, row, device: device.clone() })
    }

    /// How many tokens are in it.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// What it takes in memory.
    pub(crate) fn bytes(&self) -> u64 {
        let numbers = 2 * self.layers.len() * self.capacity * self.row.0 * self.row.1;
        u64::try_from(numbers).unwrap_or(u64::MAX).saturating_mul(4)
    }

    /// Forgets everything after the first `length` tokens.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.length = self.length.min(length);
    }

    /// A copy of the first `length` tokens.
    pub(crate) fn fork(&self, length: usize) -> Result<Self, LocalError> {
        let length = length.min(self.length);
        let capacity = length.next_multiple_of(GROWTH_TOKENS);
        let mut layers = Vec::with_capacity(self.layers.len());
        for (keys, values) in &self.layers {
            layers.push((self.moved(keys, length, capacity)?, self.moved(values, length, capacity)?));
        }
        Ok(Self { layers, capacity, length, row: self.row, device: self.device.clone() })
    }

    /// Makes room for so many more tokens; what is there is moved only when it must be.
    pub(crate) fn reserve(&mut self, more: usize) -> Result<(), LocalError> {
        let needed = self.length.saturating_add(more);
        if needed <= self.capacity {
            return Ok(());
        }
        // Half as much again, so that a long answer moves its past only a few times.
        let capacity = needed.saturating_add(self.length / 2).next_multiple_of(GROWTH_TOKENS);
        let mut layers = Vec::with_capacity(self.layers.len());
        for (keys, values) in &self.layers {
            layers
                .push((self.moved(keys, self.length, capacity)?, self.moved(values, self.length, capacity)?));
        }
        (self.layers, self.capacity) = (layers, capacity);
        Ok(())
    }

    fn moved(&self, rows: &Tensor, length: usize, capacity: usize) -> Result<Tensor, LocalError> {
        let moved = Tensor::zeros((self.row.0, capacity, self.row.1), DType::F32, &self.device)?;
        if length > 0 {
            moved.slice_set(&rows.narrow(1, 0, length)?.contiguous()?, 1, 0)?;
        }
        Ok(moved)
    }

    /// Writes rows (tokens, heads, numbers) of a layer behind those that are there, and gives all of them (heads,
    /// tokens, numbers). Room was reserved.
    pub(crate) fn append(
        &self,
        layer: usize,
        keys: &Tensor,
        values: &Tensor,
    ) -> Result<(Tensor, Tensor), LocalError> {
        let Some((all_keys, all_values)) = self.layers.get(layer) else {
            return Err(LocalError::Compute(format!("the cache has no layer {layer}")));
        };
        let length = self.length + keys.dim(0)?;
        for (all, rows) in [(all_keys, keys), (all_values, values)] {
            all.slice_set(&rows.transpose(0, 1)?.contiguous()?, 1, self.length)?;
        }
        Ok((all_keys.narrow(1, 0, length)?, all_values.narrow(1, 0, length)?))
    }

    /// Counts tokens whose rows all layers have written.
    pub(crate) fn advance(&mut self, tokens: usize) {
        self.length = self.length.saturating_add(tokens);
    }
}
