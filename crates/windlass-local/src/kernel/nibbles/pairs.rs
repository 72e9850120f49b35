//! A single row: each column is read from one end to the other, two blocks at a time, as they lie.

use std::arch::x86_64::{
    __m128i, __m512, __m512i, _mm_cvtph_ps, _mm_cvtsi32_si128, _mm_loadu_si128, _mm256_and_si256,
    _mm256_set_m128i, _mm256_set1_epi8, _mm256_srli_epi16, _mm512_castps128_ps512, _mm512_castsi256_si512,
    _mm512_cvtepi32_ps, _mm512_dpbusd_epi32, _mm512_fmadd_ps, _mm512_inserti64x4, _mm512_loadu_ps,
    _mm512_loadu_si512, _mm512_mul_ps, _mm512_permutexvar_ps, _mm512_reduce_add_ps, _mm512_setr_epi32,
    _mm512_setzero_ps,
};

use super::{BLOCK, BLOCK_BYTES, EXCESS, rounded};

/// Two blocks of a row, in the order in which those of a column unfold: low halves of both, then high halves.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Pair {
    /// Four numbers of 8 bits each.
    quads: [i32; 16],
    /// What the excess of the weights adds to each four, taken off beforehand.
    offsets: [i32; 16],
    scales: [f32; 16],
}

impl Pair {
    /// Rounds one row.
    pub(super) fn of_row(row: &[f32]) -> Vec<Self> {
        let (blocks, _) = row.as_chunks::<BLOCK>();
        let (pairs, _) = blocks.as_chunks::<2>();
        pairs.iter().map(|[first, second]| Self::of_blocks(first, second)).collect()
    }

    fn of_blocks(first: &[f32; BLOCK], second: &[f32; BLOCK]) -> Self {
        let ((first, first_step), (second, second_step)) = (rounded(first), rounded(second));
        let mut pair = Self { quads: [0; 16], offsets: [0; 16], scales: [0.0; 16] };
        let (first, second) = (first.as_chunks::<4>().0, second.as_chunks::<4>().0);
        let quads = [(first, first_step), (second, second_step)].map(|(quads, step)| {
            let (low, high) = quads.split_at(4);
            (low.iter().map(move |quad| (quad, step)), high.iter().map(move |quad| (quad, step)))
        });
        let [(first_low, first_high), (second_low, second_high)] = quads;
        let ordered = first_low.chain(second_low).chain(first_high).chain(second_high);
        let lanes = pair.quads.iter_mut().zip(&mut pair.offsets).zip(&mut pair.scales);
        for ((quad, step), ((into, offset), scale)) in ordered.zip(lanes) {
            let sum: i32 = quad.iter().map(|number| i32::from(*number)).sum();
            *into = i32::from_le_bytes(quad.map(|number| number as u8));
            (*offset, *scale) = (-EXCESS * sum, step);
        }
        pair
    }
}

/// The product of a row with one column.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn meet(column: &[u8], row: &[Pair]) -> f32 {
    let low_half = _mm256_set1_epi8(0x0f);
    let by_block = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1);
    let mut sum = _mm512_setzero_ps();
    for (blocks, pair) in column.as_chunks::<{ 2 * BLOCK_BYTES }>().0.iter().zip(row) {
        let ([first, second], _) = blocks.as_chunks::<BLOCK_BYTES>() else { continue };
        let ([a, b, first @ ..], [c, d, second @ ..]) = (first, second);
        let both = _mm256_set_m128i(bytes(second), bytes(first));
        let (low, high) =
            (_mm256_and_si256(both, low_half), _mm256_and_si256(_mm256_srli_epi16::<4>(both), low_half));
        let weights = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high);
        let whole = _mm512_dpbusd_epi32(wholes(&pair.offsets), weights, wholes(&pair.quads));
        let scales = _mm_cvtph_ps(_mm_cvtsi32_si128(i32::from_le_bytes([*a, *b, *c, *d])));
        let scales = _mm512_permutexvar_ps(by_block, _mm512_castps128_ps512(scales));
        let scales = _mm512_mul_ps(scales, floats(&pair.scales));
        sum = _mm512_fmadd_ps(_mm512_cvtepi32_ps(whole), scales, sum);
    }
    _mm512_reduce_add_ps(sum)
}

#[allow(unsafe_code)]
#[inline]
#[target_feature(enable = "avx512f")]
fn bytes(bytes: &[u8; 16]) -> __m128i {
    // Invariant: these are the 16 bytes that are read.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

#[allow(unsafe_code)]
#[inline]
#[target_feature(enable = "avx512f")]
fn wholes(numbers: &[i32; 16]) -> __m512i {
    // Invariant: these are the 64 bytes that are read.
    unsafe { _mm512_loadu_si512(numbers.as_ptr().cast()) }
}

#[allow(unsafe_code)]
#[inline]
#[target_feature(enable = "avx512f")]
fn floats(numbers: &[f32; 16]) -> __m512 {
    // Invariant: these are the 64 bytes that are read.
    unsafe { _mm512_loadu_ps(numbers.as_ptr()) }
}
