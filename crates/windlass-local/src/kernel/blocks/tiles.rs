//! Many rows: the blocks of sixteen columns are laid side by side once, and eight rows at a time meet them.

use std::arch::x86_64::{
    __m512, __m512i, _mm256_loadu_si256, _mm512_cvtepi32_ps, _mm512_cvtph_ps, _mm512_dpbusd_epi32,
    _mm512_fmadd_ps, _mm512_loadu_si512, _mm512_mul_ps, _mm512_set1_epi32, _mm512_set1_ps, _mm512_setzero_ps,
    _mm512_storeu_ps,
};

use super::{BLOCK, BYTES_BYTES, BlockKind, COLUMNS, NIBBLES_BYTES, rounded, sum_of};

/// Rows that meet the weights together: enough to hide how long a dot product takes.
pub(super) const ROWS: usize = 8;

/// Four weights at a time, of the 32 of a block.
const QUADS: usize = BLOCK / 4;

/// One block of sixteen columns: four weights of each column side by side, eight times.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Tile {
    quads: [[u32; COLUMNS]; QUADS],
    scales: [u16; COLUMNS],
}

/// One block of eight rows, in the order in which tiles are read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Panel {
    quads: [[i32; ROWS]; QUADS],
    scales: [f32; ROWS],
    /// What the excess of the weights adds to the sum, taken off beforehand.
    offsets: [i32; ROWS],
}

/// Lays sixteen columns side by side, block after block.
pub(super) fn lay(kind: BlockKind, columns: &[u8], row_bytes: usize, tiles: &mut Vec<Tile>) {
    let empty = Tile { quads: [[0; COLUMNS]; QUADS], scales: [0; COLUMNS] };
    tiles.resize(row_bytes / kind.block_bytes(), empty);
    for (at, tile) in tiles.iter_mut().enumerate() {
        for (lane, column) in columns.chunks_exact(row_bytes).enumerate() {
            let rest = column.get(at * kind.block_bytes()..).unwrap_or_default();
            match kind {
                BlockKind::Nibbles => tile.put(lane, rest.first_chunk::<NIBBLES_BYTES>().map(nibbles)),
                BlockKind::Bytes => tile.put(lane, rest.first_chunk::<BYTES_BYTES>().map(bytes)),
            }
        }
    }
}

/// The weights of a block, and its scale.
fn nibbles([low, high, weights @ ..]: &[u8; NIBBLES_BYTES]) -> ([u32; QUADS], u16) {
    const LOW_HALVES: u32 = 0x0f0f_0f0f;
    let mut quads = [0; QUADS];
    let (first, second) = quads.split_at_mut(QUADS / 2);
    for ((first, second), bytes) in first.iter_mut().zip(second).zip(weights.as_chunks().0) {
        let both = u32::from_le_bytes(*bytes);
        (*first, *second) = (both & LOW_HALVES, (both >> 4) & LOW_HALVES);
    }
    (quads, u16::from_le_bytes([*low, *high]))
}

fn bytes([low, high, weights @ ..]: &[u8; BYTES_BYTES]) -> ([u32; QUADS], u16) {
    const SIGNS: u32 = 0x8080_8080;
    let mut quads = [0; QUADS];
    for (quad, bytes) in quads.iter_mut().zip(weights.as_chunks().0) {
        // With its sign turned around, a byte is its value and 128 more.
        *quad = u32::from_le_bytes(*bytes) ^ SIGNS;
    }
    (quads, u16::from_le_bytes([*low, *high]))
}

impl Tile {
    fn put(&mut self, lane: usize, block: Option<([u32; QUADS], u16)>) {
        let (Some((quads, scale)), Some(into)) = (block, self.scales.get_mut(lane)) else { return };
        *into = scale;
        for (columns, quad) in self.quads.iter_mut().zip(quads) {
            if let Some(into) = columns.get_mut(lane) {
                *into = quad;
            }
        }
    }
}

impl Panel {
    pub(super) fn of_rows(rows: &[f32], width: usize, excess: i32) -> Vec<Self> {
        let empty = Self { quads: [[0; ROWS]; QUADS], scales: [0.0; ROWS], offsets: [0; ROWS] };
        let mut panels = vec![empty; width / BLOCK];
        for (lane, row) in rows.chunks_exact(width).enumerate() {
            for (block, panel) in row.as_chunks().0.iter().zip(&mut panels) {
                panel.put(lane, block, excess);
            }
        }
        panels
    }

    fn put(&mut self, lane: usize, numbers: &[f32; BLOCK], excess: i32) {
        let (quads, step) = rounded(numbers);
        let sum: i32 = quads.iter().map(|quad| sum_of(*quad)).sum();
        for (rows, quad) in self.quads.iter_mut().zip(quads) {
            if let Some(into) = rows.get_mut(lane) {
                *into = quad;
            }
        }
        if let (Some(scale), Some(offset)) = (self.scales.get_mut(lane), self.offsets.get_mut(lane)) {
            (*scale, *offset) = (step, -excess * sum);
        }
    }
}

/// The products of eight rows with sixteen columns.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn meet(tiles: &[Tile], panels: &[Panel], products: &mut [&mut [f32; COLUMNS]; ROWS]) {
    let mut sums = [_mm512_setzero_ps(); ROWS];
    for (tile, panel) in tiles.iter().zip(panels) {
        let mut wholes = [_mm512_set1_epi32(0); ROWS];
        for (whole, offset) in wholes.iter_mut().zip(&panel.offsets) {
            *whole = _mm512_set1_epi32(*offset);
        }
        for (weights, numbers) in tile.quads.iter().zip(&panel.quads) {
            let weights = loaded(weights);
            for (whole, quad) in wholes.iter_mut().zip(numbers) {
                *whole = _mm512_dpbusd_epi32(*whole, weights, _mm512_set1_epi32(*quad));
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
fn loaded(quads: &[u32; COLUMNS]) -> __m512i {
    // Invariant: these are the 64 bytes that are read.
    unsafe { _mm512_loadu_si512(quads.as_ptr().cast()) }
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
