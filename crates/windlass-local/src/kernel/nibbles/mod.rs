//! Products of rows with 4-bit weights (Q4_0), by the dot products of AVX-512.
//!
//! Weights stay as they lie in their file, sixteen columns to a thread: rows that come by the dozen meet them as
//! tiles, single rows column by column. Rows are rounded to 8 bits, each block of 32 numbers by a scale of its own.

mod pairs;
mod tiles;

use std::sync::{Mutex, OnceLock};

use candle_core::utils::barrier_pool;

use self::pairs::Pair;
use self::tiles::{Panel, ROWS, Tile};

/// Columns side by side: as many as a register has lanes of 32 bits.
const COLUMNS: usize = 16;

/// Weights that share a scale, and how they lie: the scale, then 16 bytes of a low and a high weight each.
const BLOCK: usize = 32;
const BLOCK_BYTES: usize = 18;

/// Weights are stored this much too high.
const EXCESS: i32 = 8;

/// Rows of the left side, rounded: most of them in panels, the rest one by one.
struct Rounded {
    panels: Vec<OnceLock<Vec<Panel>>>,
    singles: Vec<OnceLock<Vec<Pair>>>,
}

/// Multiplies, unless the processor lacks the instructions or the sizes do not fit.
pub(super) fn multiply(
    weights: &[u8],
    (count, width, columns): (usize, usize, usize),
    rows: &[f32],
    products: &mut [f32],
) -> bool {
    let row_bytes = width / BLOCK * BLOCK_BYTES;
    let fits = width.is_multiple_of(2 * BLOCK) && columns.is_multiple_of(COLUMNS) && width > 0 && columns > 0;
    let is_whole = weights.len() == columns.saturating_mul(row_bytes)
        && rows.len() == count.saturating_mul(width)
        && products.len() == count.saturating_mul(columns);
    let is_able = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vnni");
    if !(fits && is_whole && is_able) {
        return false;
    }
    let rounded = Rounded::of(rows, width);
    let cells = cells(products, columns);
    barrier_pool().execute_chunked(cells.len(), |range| {
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
    fn of(rows: &[f32], width: usize) -> Self {
        let whole = rows.len() / (ROWS * width) * (ROWS * width);
        let (many, few) = rows.split_at_checked(whole).unwrap_or((rows, &[]));
        Self {
            panels: round_all(many, ROWS * width, |rows| Panel::of_rows(rows, width)),
            singles: round_all(few, width, Pair::of_row),
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
            tiles.clear();
            tiles.extend((0..row_bytes / BLOCK_BYTES).map(|at| Tile::of_block(columns, row_bytes, at)));
        }
        let panels = self.panels.iter().filter_map(OnceLock::get);
        for (panels, cells) in panels.zip(many.as_chunks_mut().0) {
            // Invariant: only `multiply` comes here, which has found these instructions.
            unsafe { tiles::meet(tiles, panels, cells) };
        }
        for (row, cell) in self.singles.iter().filter_map(OnceLock::get).zip(few) {
            for (column, product) in columns.chunks_exact(row_bytes).zip(cell.iter_mut()) {
                // Invariant: as above.
                *product = unsafe { pairs::meet(column, row) };
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
    barrier_pool().execute_chunked(rounded.len(), |range| {
        let pieces = rows.chunks_exact(piece).zip(&rounded).skip(range.start).take(range.len());
        pieces.for_each(|(rows, rounded)| {
            rounded.get_or_init(|| round(rows));
        });
    });
    rounded
}

/// Eight bits of each number, and what one step of them is worth.
fn rounded(numbers: &[f32; BLOCK]) -> ([i8; BLOCK], f32) {
    /// Added to a small float, this leaves its nearest whole number in the last bits.
    const SHIFT: f32 = 12_582_912.0;
    let most = numbers.iter().fold(0.0_f32, |most, number| most.max(number.abs()));
    let per_step = if most > 0.0 { 127.0 / most } else { 0.0 };
    (numbers.map(|number| (number * per_step + SHIFT).to_bits() as i8), most / 127.0)
}

#[cfg(test)]
#[path = "nibbles_tests.rs"]
mod tests;
