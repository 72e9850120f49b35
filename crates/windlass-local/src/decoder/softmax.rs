//! Softmax over what each token may see, in place and by all threads: nothing hidden is computed, and no mask is made.

use std::sync::Mutex;

use candle_core::utils::barrier_pool;
use candle_core::{CpuStorage, InplaceOp1, Layout};

/// Scores of the last tokens of a text against all of it, rows in the order of the tokens, heads outermost.
#[derive(Debug, Clone, Copy)]
pub(super) struct CausalSoftmax {
    /// Rows of one head.
    pub(super) count: usize,
    /// Numbers of a row.
    pub(super) length: usize,
    /// How far back a token sees.
    pub(super) window: usize,
}

impl CausalSoftmax {
    /// What the row of a head sees.
    pub(super) fn seen(&self, row: usize) -> std::ops::Range<usize> {
        let end = self.length.saturating_sub(self.count).saturating_add(row % self.count.max(1) + 1);
        let end = end.min(self.length);
        end.saturating_sub(self.window)..end
    }
}

impl InplaceOp1 for CausalSoftmax {
    fn name(&self) -> &'static str {
        "causal-softmax"
    }

    fn cpu_fwd(&self, storage: &mut CpuStorage, layout: &Layout) -> candle_core::Result<()> {
        let CpuStorage::F32(numbers) = storage else { candle_core::bail!("scores are 32-bit floats") };
        let range = layout.contiguous_offsets();
        let Some(numbers) = range.and_then(|(begin, end)| numbers.get_mut(begin..end)) else {
            candle_core::bail!("scores lie in one piece")
        };
        // Every row has one thread; the locks are never waited for.
        let rows: Vec<Mutex<&mut [f32]>> =
            numbers.chunks_exact_mut(self.length.max(1)).map(Mutex::new).collect();
        barrier_pool().execute_chunked(rows.len(), |range| {
            for at in range {
                if let Some(Ok(mut row)) = rows.get(at).map(Mutex::lock) {
                    softmax(&mut row, self.seen(at));
                }
            }
        });
        Ok(())
    }
}

/// Softmax of what is seen of a row; the rest becomes zero.
#[inline(always)]
pub(crate) fn softmax(row: &mut [f32], seen: std::ops::Range<usize>) {
    let (hidden_before, rest) = row.split_at_mut_checked(seen.start).unwrap_or_default();
    let (seen, hidden_after) = rest.split_at_mut_checked(seen.len()).unwrap_or_default();
    hidden_before.fill(0.0);
    hidden_after.fill(0.0);
    let most = seen.iter().fold(f32::NEG_INFINITY, |most, score| if *score > most { *score } else { most });
    seen.iter_mut().for_each(|score| *score = exp(*score - most));
    let sum: f32 = seen.iter().sum();
    let share = 1.0 / sum;
    seen.iter_mut().for_each(|score| *score *= share);
}

/// `e` to a power of at most 0, to six digits; plain enough to be computed for several numbers at once.
#[inline(always)]
fn exp(exponent: f32) -> f32 {
    // 2^(n + f) with n whole and f between -0.5 and 0.5: n goes into the float's own exponent.
    let scaled = (exponent * std::f32::consts::LOG2_E).max(-126.0);
    let whole = (scaled + 12_582_912.0) - 12_582_912.0;
    let rest = (scaled - whole) * std::f32::consts::LN_2;
    let series = 1.0 / 720.0;
    let series = series * rest + 1.0 / 120.0;
    let series = series * rest + 1.0 / 24.0;
    let series = series * rest + 1.0 / 6.0;
    let series = series * rest + 0.5;
    let series = series * rest + 1.0;
    let series = series * rest + 1.0;
    let exponent_bits = ((whole as i32 + 127) << 23) as u32;
    series * f32::from_bits(exponent_bits)
}

#[cfg(test)]
#[path = "softmax_tests.rs"]
mod tests;
