//! Attention of a few rows over everything read: one pass over keys and values, where they lie in the cache.
//!
//! A word at a time there is nothing for a product of matrices to share: packing its sides costs more than
//! multiplying them. Knows no cache: keys and values are tensors of heads, tokens and numbers.

use std::ops::Range;
use std::sync::Mutex;

use candle_core::{CpuStorage, CustomOp3, Layout, Shape};

use super::share;
use crate::decoder::softmax;

/// More rows than these are better multiplied as matrices.
pub(crate) const FEW_ROWS: usize = 4;

/// The last rows of a text look at all of it: queries (rows, heads, numbers), keys and values (shared heads, tokens,
/// numbers).
#[derive(Debug, Clone, Copy)]
pub(crate) struct FewRows {
    /// How far back a row sees.
    pub(crate) window: usize,
}

impl CustomOp3 for FewRows {
    fn name(&self) -> &'static str {
        "attention-of-few-rows"
    }

    fn cpu_fwd(
        &self,
        queries: &CpuStorage,
        queries_layout: &Layout,
        keys: &CpuStorage,
        keys_layout: &Layout,
        values: &CpuStorage,
        values_layout: &Layout,
    ) -> candle_core::Result<(CpuStorage, Shape)> {
        let (count, heads, head) = queries_layout.shape().dims3()?;
        let (shared, length, _) = keys_layout.shape().dims3()?;
        let queries = floats(queries)?.get(queries_layout.start_offset()..).unwrap_or_default();
        let (keys, values) = (floats(keys)?, floats(values)?);
        let group = heads / shared.max(1);
        let mut attended = vec![0.0_f32; count * heads * head];
        // The heads that share keys go together: what is read once serves them all. Every part has one thread; the
        // locks are never waited for.
        let parts: Vec<_> = queries
            .chunks_exact((group * head).max(1))
            .zip(attended.chunks_exact_mut((group * head).max(1)))
            .map(Mutex::new)
            .collect();
        let multiplications = 2 * count * heads * head * length;
        share(parts.len(), multiplications, |range| {
            for at in range {
                let Some(Ok(mut part)) = parts.get(at).map(Mutex::lock) else { continue };
                let (row, shared_head) = (at / shared, at % shared);
                let end = (length + row + 1).saturating_sub(count);
                let seen = end.saturating_sub(self.window)..end;
                let (queries, attended) = &mut *part;
                let keys = rows(keys, keys_layout, shared_head, &seen);
                let values = rows(values, values_layout, shared_head, &seen);
                attend(queries, head, keys, values, attended);
            }
        });
        Ok((CpuStorage::F32(attended), (count, heads * head).into()))
    }
}

fn floats(storage: &CpuStorage) -> candle_core::Result<&[f32]> {
    match storage {
        CpuStorage::F32(numbers) => Ok(numbers),
        _ => candle_core::bail!("attention is of 32-bit floats"),
    }
}

/// What is seen of a head, in one piece.
fn rows<'a>(numbers: &'a [f32], layout: &Layout, head: usize, seen: &Range<usize>) -> &'a [f32] {
    let [of_head, of_token, _] = layout.stride() else { return &[] };
    let begin = layout.start_offset() + head * of_head;
    numbers.get(begin + seen.start * of_token..begin + seen.end * of_token).unwrap_or_default()
}

/// One group of heads of one row.
fn attend(queries: &[f32], head: usize, keys: &[f32], values: &[f32], into: &mut [f32]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        #[allow(unsafe_code)]
        // Invariant: these are the instructions that it is compiled for.
        unsafe {
            wide::attend(queries, head, keys, values, into);
        }
        return;
    }
    attend_by(dot, queries, head, keys, values, into);
}

/// Generic over how two rows are multiplied, and compiled anew for the instructions of its caller.
#[inline(always)]
fn attend_by(
    dot: impl Fn(&[f32], &[f32]) -> f32,
    queries: &[f32],
    head: usize,
    keys: &[f32],
    values: &[f32],
    into: &mut [f32],
) {
    let head = head.max(1);
    let length = (keys.len() / head).max(1);
    let per_root = 1.0 / (head as f32).sqrt();
    let mut shares = vec![0.0_f32; queries.len() / head * length];
    for (at, key) in keys.chunks_exact(head).enumerate() {
        for (query, scores) in queries.chunks_exact(head).zip(shares.chunks_exact_mut(length)) {
            if let Some(score) = scores.get_mut(at) {
                *score = dot(query, key) * per_root;
            }
        }
    }
    shares.chunks_exact_mut(length).for_each(|scores| softmax(scores, 0..length));
    for (at, value) in values.chunks_exact(head).enumerate() {
        for (into, shares) in into.chunks_exact_mut(head).zip(shares.chunks_exact(length)) {
            let share = shares.get(at).copied().unwrap_or_default();
            into.iter_mut().zip(value).for_each(|(sum, number)| *sum += share * number);
        }
    }
}

fn dot(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

/// Eight floats to a register.
#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::x86_64::{
        __m256, _mm_add_ps, _mm_cvtss_f32, _mm_hadd_ps, _mm256_add_ps, _mm256_castps256_ps128,
        _mm256_extractf128_ps, _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_setzero_ps,
    };

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn attend(queries: &[f32], head: usize, keys: &[f32], values: &[f32], into: &mut [f32]) {
        super::attend_by(|left, right| dot(left, right), queries, head, keys, values, into);
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn dot(left: &[f32], right: &[f32]) -> f32 {
        let (left, left_rest) = left.as_chunks::<16>();
        let (right, right_rest) = right.as_chunks::<16>();
        let (mut one, mut two) = (_mm256_setzero_ps(), _mm256_setzero_ps());
        for (left, right) in left.iter().zip(right) {
            if let (([a, b], _), ([c, d], _)) = (left.as_chunks(), right.as_chunks()) {
                one = _mm256_fmadd_ps(loaded(a), loaded(c), one);
                two = _mm256_fmadd_ps(loaded(b), loaded(d), two);
            }
        }
        let eight = _mm256_add_ps(one, two);
        let four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps::<1>(eight));
        let two = _mm_hadd_ps(four, four);
        _mm_cvtss_f32(_mm_hadd_ps(two, two)) + super::dot(left_rest, right_rest)
    }

    #[allow(unsafe_code)]
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn loaded(floats: &[f32; 8]) -> __m256 {
        // Invariant: these are the 32 bytes that are read.
        unsafe { _mm256_loadu_ps(floats.as_ptr()) }
    }
}

#[cfg(test)]
#[path = "attention_tests.rs"]
mod tests;
