//! Many rows: the blocks of sixteen columns are laid side by side once, and eight rows at a time meet them.

use std::arch::x86_64::{
    __m512, __m512i, _mm256_loadu_si256, _mm512_and_si512, _mm512_cvtepi32_ps, _mm512_cvtph_ps,
    _mm512_dpbusd_epi32, _mm512_fmadd_ps, _mm512_loadu_si512, _mm512_mul_ps, _mm512_set1_epi8,
    _mm512_set1_epi32, _mm512_set1_ps, _mm512_setzero_ps, _mm512_srli_epi16, _mm512_storeu_ps,
};

use super::{BLOCK, BLOCK_BYTES, COLUMNS, EXCESS, rounded};

/// Rows that meet the weights together: enough to hide how long a dot product takes.
pub(super) const ROWS: usize = 8;

/// One block of sixteen columns: four bytes of each column side by side, four times.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(64))]
pub(super) struct Tile {
    nibbles: [[[u8; 4]; COLUMNS]; 4],
    scales: [u16; COLUMNS],
}

/// One block of eight rows, in the order in which tiles are read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Panel {
    /// For each four bytes of a tile, the numbers that meet their low and their high weights.
    quads: [[[i32; 2]; ROWS]; 4],
    scales: [f32; ROWS],
    /// What the excess of the weights adds to the sum, taken off beforehand.
    offsets: [i32; ROWS],
}

impl Tile {
    /// Lays the blocks at a place of sixteen columns side by side.
    pub(super) fn of_block(columns: &[u8], row_bytes: usize, at: usize) -> Self {
        let mut tile = Self::default();
        let [first, second, third, fourth] = &mut tile.nibbles;
        let lanes = first.iter_mut().zip(second).zip(third).zip(fourth).zip(&mut tile.scales);
        for (column, ((((a, b), c), d), scale)) in columns.chunks_exact(row_bytes).zip(lanes) {
            let block = column.get(at * BLOCK_BYTES..).and_then(|rest| rest.first_chunk::<BLOCK_BYTES>());
            let Some([low, high, nibbles @ ..]) = block else { continue };
            if let ([one, two, three, four], _) = nibbles.as_chunks() {
                (*a, *b, *c, *d) = (*one, *two, *three, *four);
            }
            *scale = u16::from_le_bytes([*low, *high]);
        }
        tile
    }
}

impl Panel {
    /// Rounds eight rows.
    pub(super) fn of_rows(rows: &[f32], width: usize) -> Vec<Self> {
        let mut panels = vec![Self::default(); width / BLOCK];
        for (lane, row) in rows.chunks_exact(width).enumerate() {
            for (block, panel) in row.as_chunks().0.iter().zip(&mut panels) {
                panel.put(lane, block);
            }
        }
        panels
    }

    fn put(&mut self, lane: usize, numbers: &[f32; BLOCK]) {
        let (whole, step) = rounded(numbers);
        let sum: i32 = whole.iter().map(|number| i32::from(*number)).sum();
        let quads = whole.as_chunks::<4>().0.iter();
        let quads = quads.map(|quad| i32::from_le_bytes(quad.map(|number| number as u8)));
        let low_and_high = quads.clone().zip(quads.skip(4));
        for (rows, (low, high)) in self.quads.iter_mut().zip(low_and_high) {
            if let Some(into) = rows.get_mut(lane) {
                *into = [low, high];
            }
        }
        if let (Some(scale), Some(offset)) = (self.scales.get_mut(lane), self.offsets.get_mut(lane)) {
            (*scale, *offset) = (step, -EXCESS * sum);
        }
    }
}

/// The products of eight rows with sixteen columns.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn meet(tiles: &[Tile], panels: &[Panel], products: &mut [&mut [f32; COLUMNS]; ROWS]) {
    let low_half = _mm512_set1_epi8(0x0f);
    let mut sums = [_mm512_setzero_ps(); ROWS];
    for (tile, panel) in tiles.iter().zip(panels) {
        let mut wholes = [_mm512_set1_epi32(0); ROWS];
        for (whole, offset) in wholes.iter_mut().zip(&panel.offsets) {
            *whole = _mm512_set1_epi32(*offset);
        }
        for (nibbles, pairs) in tile.nibbles.iter().zip(&panel.quads) {
            let both = loaded(nibbles);
            let low = _mm512_and_si512(both, low_half);
            let high = _mm512_and_si512(_mm512_srli_epi16::<4>(both), low_half);
            for (whole, [with_low, with_high]) in wholes.iter_mut().zip(pairs) {
                *whole = _mm512_dpbusd_epi32(*whole, low, _mm512_set1_epi32(*with_low));
                *whole = _mm512_dpbusd_epi32(*whole, high, _mm512_set1_epi32(*with_high));
            }
        }
        let scales = widened(&tile.scales);
        for ((sum, whole), scale) in sums.iter_mut().zip(&wholes).zip(&panel.scales) {
            let scales = _mm512_mul_ps(scales, _mm512_set1_ps(*scale));
            *sum = _mm512_fmadd_ps(_mm512_cvtepi32_ps(*whole), scales, *sum);
        }
    }
    for (sum, into) in sums.iter().zip(products) {
        store(*sum, into);
    }
}

#[allow(unsafe_code)]
#[inline]
#[target_feature(enable = "avx512f")]
fn loaded(bytes: &[[u8; 4]; COLUMNS]) -> __m512i {
    // Invariant: these are the 64 bytes that are read.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

#[allow(unsafe_code)]
#[inline]
#[target_feature(enable = "avx512f")]
fn widened(halves: &[u16; COLUMNS]) -> __m512 {
    // Invariant: these are the 32 bytes that are read.
    _mm512_cvtph_ps(unsafe { _mm256_loadu_si256(halves.as_ptr().cast()) })
}

#[allow(unsafe_code)]
#[inline]
#[target_feature(enable = "avx512f")]
fn store(lanes: __m512, into: &mut [f32; COLUMNS]) {
    // Invariant: these are the 64 bytes that are written.
    unsafe { _mm512_storeu_ps(into.as_mut_ptr(), lanes) }
}
