//! A single row: each column is read from one end to the other, two blocks at a time, as they lie.

use std::arch::x86_64::{
    __m128i, __m256i, __m512, __m512i, _mm_cvtph_ps, _mm_cvtsi32_si128, _mm_loadu_si128, _mm256_and_si256,
    _mm256_loadu_si256, _mm256_set_m128i, _mm256_set1_epi8, _mm256_srli_epi16, _mm512_castps128_ps512,
    _mm512_castsi256_si512, _mm512_cvtepi32_ps, _mm512_dpbusd_epi32, _mm512_fmadd_ps, _mm512_inserti64x4,
    _mm512_loadu_ps, _mm512_loadu_si512, _mm512_mul_ps, _mm512_permutexvar_ps, _mm512_reduce_add_ps,
    _mm512_set1_epi8, _mm512_setr_epi32, _mm512_setzero_ps, _mm512_shuffle_i64x2, _mm512_xor_si512,
};

use super::{BLOCK, rounded, sum_of};

/// Two blocks of a row, four numbers to a lane.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct BlockPair {
    quads: [i32; BLOCK / 2],
    /// What the excess of the weights adds to each four, taken off beforehand.
    offsets: [i32; BLOCK / 2],
    scales: [f32; BLOCK / 2],
}

impl BlockPair {
    pub(super) fn of_row(row: &[f32], excess: i32) -> Vec<Self> {
        let (blocks, _) = row.as_chunks::<BLOCK>();
        let (pairs, _) = blocks.as_chunks::<2>();
        pairs.iter().map(|pair| Self::of_blocks(pair, excess)).collect()
    }

    fn of_blocks(blocks: &[[f32; BLOCK]; 2], excess: i32) -> Self {
        let mut pair = Self { quads: [0; 16], offsets: [0; 16], scales: [0.0; 16] };
        let numbers = blocks.iter().flat_map(|block| {
            let (quads, step) = rounded(block);
            quads.into_iter().map(move |quad| (quad, step))
        });
        let lanes = pair.quads.iter_mut().zip(&mut pair.offsets).zip(&mut pair.scales);
        for ((quad, step), ((into, offset), scale)) in numbers.zip(lanes) {
            (*into, *offset, *scale) = (quad, -excess * sum_of(quad), step);
        }
        pair
    }
}

/// The product of a row with one column, whose blocks have half of `PAIR` bytes.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn meet<const PAIR: usize>(column: &[u8], row: &[BlockPair]) -> f32 {
    let by_block = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
    let mut sum = _mm512_setzero_ps();
    for (blocks, pair) in column.as_chunks::<PAIR>().0.iter().zip(row) {
        let ([a, b, first @ ..], [c, d, second @ ..]) = blocks.split_at(PAIR / 2) else { continue };
        let weights = match (first.as_array(), second.as_array()) {
            (Some(first), Some(second)) => of_nibbles(first, second),
            (None, _) | (_, None) => match (first.as_array(), second.as_array()) {
                (Some(first), Some(second)) => of_bytes(first, second),
                (None, _) | (_, None) => continue,
            },
        };
        let whole = _mm512_dpbusd_epi32(wholes(&pair.offsets), weights, wholes(&pair.quads));
        let scales = _mm_cvtph_ps(_mm_cvtsi32_si128(i32::from_le_bytes([*a, *b, *c, *d])));
        let scales = _mm512_permutexvar_ps(by_block, _mm512_castps128_ps512(scales));
        let scales = _mm512_mul_ps(scales, floats(&pair.scales));
        sum = _mm512_fmadd_ps(_mm512_cvtepi32_ps(whole), scales, sum);
    }
    _mm512_reduce_add_ps(sum)
}

/// The weights of two blocks of nibbles, in their order.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn of_nibbles(first: &[u8; 16], second: &[u8; 16]) -> __m512i {
    let low_half = _mm256_set1_epi8(0x0f);
    let both = _mm256_set_m128i(sixteen(second), sixteen(first));
    let (low, high) =
        (_mm256_and_si256(both, low_half), _mm256_and_si256(_mm256_srli_epi16::<4>(both), low_half));
    let halves = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high);
    // Low halves of both, high halves of both: quarters change places so that each block has its own together.
    _mm512_shuffle_i64x2::<0b11_01_10_00>(halves, halves)
}

/// The weights of two blocks of bytes: with its sign turned around, a byte is its value and 128 more.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn of_bytes(first: &[u8; 32], second: &[u8; 32]) -> __m512i {
    let both = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(thirty_two(first)), thirty_two(second));
    _mm512_xor_si512(both, _mm512_set1_epi8(i8::MIN))
}

#[allow(unsafe_code)]
#[inline]
#[target_feature(enable = "avx512f")]
fn sixteen(bytes: &[u8; 16]) -> __m128i {
    // Invariant: these are the bytes that are read.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

#[allow(unsafe_code)]
#[inline]
#[target_feature(enable = "avx512f")]
fn thirty_two(bytes: &[u8; 32]) -> __m256i {
    // Invariant: these are the bytes that are read.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
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
