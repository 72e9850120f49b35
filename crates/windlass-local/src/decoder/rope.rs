//! Rotary positions, computed once for all tokens a context can have.

use candle_core::{Device, Tensor};

use super::shape::{RopeLayout, RopeScaling, RopeShape};
use crate::error::LocalError;

/// Sines and cosines of all positions.
#[derive(Debug)]
pub(crate) struct Rope {
    cosines: Tensor,
    sines: Tensor,
    layout: RopeLayout,
}

/// Those of the rows of one batch.
#[derive(Debug)]
pub(crate) struct RopeRows {
    cosines: Tensor,
    sines: Tensor,
    layout: RopeLayout,
}

impl Rope {
    pub(crate) fn new(
        shape: &RopeShape,
        head_size: usize,
        context_tokens: usize,
        device: &Device,
    ) -> Result<Self, LocalError> {
        let rates = rates(shape, head_size);
        let angles = (0..context_tokens).flat_map(|at| rates.iter().map(move |rate| at as f32 * rate));
        let (cosines, sines): (Vec<f32>, Vec<f32>) = angles.map(|angle| (angle.cos(), angle.sin())).unzip();
        let size = (context_tokens, rates.len());
        Ok(Self {
            cosines: Tensor::from_vec(cosines, size, device)?,
            sines: Tensor::from_vec(sines, size, device)?,
            layout: shape.layout,
        })
    }

    /// For rows at these positions.
    pub(crate) fn rows(&self, positions: &[u32]) -> Result<RopeRows, LocalError> {
        let positions = Tensor::new(positions, self.cosines.device())?;
        Ok(RopeRows {
            cosines: self.cosines.index_select(&positions, 0)?,
            sines: self.sines.index_select(&positions, 0)?,
            layout: self.layout,
        })
    }
}

impl RopeRows {
    /// Turns rows of heads: rows, heads, numbers.
    pub(crate) fn turn(&self, rows: &Tensor) -> Result<Tensor, LocalError> {
        let (count, heads, size) = rows.dims3()?;
        let turned = match self.layout {
            RopeLayout::Halves => {
                let rows = rows.reshape((1, count, heads, size))?;
                candle_nn::rotary_emb::rope_thd(&rows, &self.cosines, &self.sines)?
            }
            // Every row is a batch of its own, so that nothing is transposed.
            RopeLayout::Pairs => {
                let rows = rows.reshape((count, heads, 1, size))?;
                let (cosines, sines) = (self.cosines.unsqueeze(1)?, self.sines.unsqueeze(1)?);
                candle_nn::rotary_emb::rope_i(&rows, &cosines, &sines)?
            }
        };
        Ok(turned.reshape((count, heads, size))?)
    }
}

fn rates(shape: &RopeShape, head_size: usize) -> Vec<f32> {
    let plain = |at: usize| 1.0 / shape.theta.powf((2 * at) as f64 / head_size as f64);
    let scaled = |(at, rate): (usize, f64)| match &shape.scaling {
        RopeScaling::None => rate,
        RopeScaling::Linear(factor) => rate / factor,
        RopeScaling::Divisors(divisors) => rate / f64::from(divisors.get(at).copied().unwrap_or(1.0)),
        RopeScaling::Llama3 { factor, low, high, original_tokens } => {
            let turns = original_tokens * rate / std::f64::consts::TAU;
            let share = ((turns - low) / (high - low)).clamp(0.0, 1.0);
            rate / factor * (1.0 - share) + rate * share
        }
    };
    (0..head_size / 2).map(plain).enumerate().map(scaled).map(|rate| rate as f32).collect()
}
