//! Products of rows with weights of 4 and 8 bits (Q4_0, Q8_0), by the dot products of AVX-512.
//!
//! Weights stay as they lie in their file, sixteen columns to a thread: rows that come by the dozen meet them as
//! tiles, single rows column by column. Rows are rounded to 8 bits, each block of 32 numbers by a scale of its own.

mod pairs;
mod tiles;

use std::sync::{Mutex, OnceLock};

use candle_core::quantized::GgmlDType;

use self::pairs::BlockPair;
use self::tiles::{Panel, ROWS, Tile};
use super::{ProductSizes, share};

/// Columns side by side: as many as a register has lanes of 32 bits.
const COLUMNS: usize = 16;

/// Weights, or numbers of a row, that share a scale.
const BLOCK: usize = 32;

/// How a block lies: its scale in 16 bits, then the weights.
const NIBBLES_BYTES: usize = 2 + BLOCK / 2;
const BYTES_BYTES: usize = 2 + BLOCK;

/// How weights are kept. The dot product wants them without a sign: they are taken as so much too high.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockKind {
    /// Bytes of two weights, the first sixteen in the low halves (Q4_0).
    Nibbles,
    /// A weight a byte (Q8_0).
    Bytes,
}

/// Rows of the left side, rounded: most of them in panels, the rest one by one.
struct Rounded {
    kind: BlockKind,
    panels: Vec<OnceLock<Vec<Panel>>>,
    singles: Vec<OnceLock<Vec<BlockPair>>>,
}

/// Whether the processor has the instructions, and the sizes fit them.
pub(super) fn can_multiply(width: usize, columns: usize) -> bool {
    let fits = width.is_multiple_of(2 * BLOCK) && columns.is_multiple_of(COLUMNS) && width > 0 && columns > 0;
    fits && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vnni")
}

impl BlockKind {
    /// The kind of a matrix, if it is one of these.
    pub(super) fn of(dtype: GgmlDType) -> Option<Self> {
        match dtype {
            GgmlDType::Q4_0 => Some(BlockKind::Nibbles),
            GgmlDType::Q8_0 => Some(BlockKind::Bytes),
            _ => None,
        }
    }

    fn block_bytes(self) -> usize {
        match self {
            BlockKind::Nibbles => NIBBLES_BYTES,
            BlockKind::Bytes => BYTES_BYTES,
        }
    }

    /// How much too high weights are taken.
    fn excess(self) -> i32 {
        match self {
            BlockKind::Nibbles => 8,
            BlockKind::Bytes => 128,
        }
    }

    /// Multiplies, unless the processor lacks the instructions or the sizes do not fit.
    pub(super) fn multiply(
        self,
        weights: &[u8],
        sizes: ProductSizes,
        rows: &[f32],
        products: &mut [f32],
    ) -> bool {
        let ProductSizes { count, width, columns } = sizes;
        let row_bytes = width / BLOCK * self.block_bytes();
        let is_whole = weights.len() == columns.saturating_mul(row_bytes)
            && rows.len() == count.saturating_mul(width)
            && products.len() == count.saturating_mul(columns);
        if !(is_whole && can_multiply(width, columns)) {
            return false;
        }
        let rounded = Rounded::of(self, rows, width);
        let cells = cells(products, columns);
        let multiplications = count.saturating_mul(width).saturating_mul(columns);
        share(cells.len(), multiplications, |range| {
            let mut tiles = Vec::new();
            let columns = weights.chunks_exact(COLUMNS * row_bytes).zip(&cells);
            for (columns, cells) in columns.skip(range.start).take(range.len()) {
                if let Ok(mut cells) = cells.lock() {
                    rounded.meet(columns, row_bytes, &mut tiles, &mut cells);
                }
            }
        });
        true
    }
}

/// The products by sixteen columns, each for all rows. Every one has one thread; the locks are never waited for.
fn cells(products: &mut [f32], columns: usize) -> Vec<Mutex<Vec<&mut [f32; COLUMNS]>>> {
    let mut cells: Vec<Vec<&mut [f32; COLUMNS]>> = Vec::new();
    cells.resize_with(columns / COLUMNS, || Vec::with_capacity(products.len() / columns));
    for row in products.chunks_exact_mut(columns) {
        let (pieces, _) = row.as_chunks_mut();
        cells.iter_mut().zip(pieces).for_each(|(cell, piece)| cell.push(piece));
    }
    cells.into_iter().map(Mutex::new).collect()
}

impl Rounded {
    fn of(kind: BlockKind, rows: &[f32], width: usize) -> Self {
        let whole = rows.len() / (ROWS * width) * (ROWS * width);
        let (many, few) = rows.split_at_checked(whole).unwrap_or((rows, &[]));
        Self {
            kind,
            panels: round_all(many, ROWS * width, |rows| Panel::of_rows(rows, width, kind.excess())),
            singles: round_all(few, width, |row| BlockPair::of_row(row, kind.excess())),
        }
    }

    /// All rows meet sixteen columns.
    #[allow(unsafe_code)]
    fn meet(
        &self,
        columns: &[u8],
        row_bytes: usize,
        tiles: &mut Vec<Tile>,
        cells: &mut [&mut [f32; COLUMNS]],
    ) {
        let many = self.panels.len().saturating_mul(ROWS);
        let (many, few) = cells.split_at_mut_checked(many).unwrap_or((&mut [], &mut []));
        if !many.is_empty() {
            tiles::lay(self.kind, columns, row_bytes, tiles);
        }
        let panels = self.panels.iter().filter_map(OnceLock::get);
        for (panels, cells) in panels.zip(many.as_chunks_mut().0) {
            // Invariant: only `multiply` comes here, which has found these instructions.
            unsafe { tiles::meet(tiles, panels, cells) };
        }
        for (row, cell) in self.singles.iter().filter_map(OnceLock::get).zip(few) {
            for (column, product) in columns.chunks_exact(row_bytes).zip(cell.iter_mut()) {
                // Invariant: as above.
                *product = unsafe {
                    match self.kind {
                        BlockKind::Nibbles => pairs::meet::<{ 2 * NIBBLES_BYTES }>(column, row),
                        BlockKind::Bytes => pairs::meet::<{ 2 * BYTES_BYTES }>(column, row),
                    }
                };
            }
        }
    }
}

fn round_all<T: Send + Sync>(
    rows: &[f32],
    piece: usize,
    round: impl Fn(&[f32]) -> T + Sync,
) -> Vec<OnceLock<T>> {
    let mut rounded = Vec::new();
    rounded.resize_with(rows.len() / piece, OnceLock::new);
    share(rounded.len(), rows.len(), |range| {
        let pieces = rows.chunks_exact(piece).zip(&rounded).skip(range.start).take(range.len());
        pieces.for_each(|(rows, rounded)| {
            rounded.get_or_init(|| round(rows));
        });
    });
    rounded
}

/// Eight bits of each number, four to a word, and what one step of them is worth.
fn rounded(numbers: &[f32; BLOCK]) -> ([i32; BLOCK / 4], f32) {
    /// Added to a small float, this leaves its nearest whole number in the last bits.
    const SHIFT: f32 = 12_582_912.0;
    let most = numbers.iter().fold(0.0_f32, |most, number| most.max(number.abs()));
    let per_step = if most > 0.0 { 127.0 / most } else { 0.0 };
    let bytes = numbers.map(|number| (number * per_step + SHIFT).to_bits() as u8);
    let mut quads = [0; BLOCK / 4];
    for (quad, bytes) in quads.iter_mut().zip(bytes.as_chunks().0) {
        *quad = i32::from_le_bytes(*bytes);
    }
    (quads, most / 127.0)
}

/// The sum of four numbers of eight bits.
fn sum_of(quad: i32) -> i32 {
    quad.to_le_bytes().iter().map(|byte| i32::from(*byte as i8)).sum()
}

#[cfg(test)]
#[path = "blocks_tests.rs"]
mod tests;
