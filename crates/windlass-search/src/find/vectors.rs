//! Vectors in memory: one byte a number, and the nearest of all.
//!
//! Owns how a vector is written (as the index keeps it) and the scan. Rows are named by their number; who they belong
//! to, the caller knows. A scan reads a short sketch of every row, and the whole of the rows whose sketches are nearest:
//! hundreds of thousands take milliseconds, and there is no structure that could be out of date.

use std::thread;

/// Rows from which on several threads scan: below, starting them costs more.
const ROWS_OF_A_THREAD: usize = 16_384;
/// More threads wait for the memory.
const THREADS_MAX: usize = 8;
/// Largest number of a query: with it the sum over the longest vectors stays within 32 bits.
const QUERY_MAX: f32 = 4_095.0;
/// Longest vector: larger ones than any embedder makes.
pub(crate) const DIMENSION_MAX: usize = 4_096;
/// Numbers of a sketch: with as many, a cosine is known to about a tenth.
const SKETCH: usize = 128;
/// Vectors that are longer than this have sketches.
const SKETCHED_FROM: usize = 2 * SKETCH;
/// Rows whose whole vectors are looked at, for each that is asked for, and at least: what a sketch is wrong by.
const LOOKED_AT: usize = 32;
const LOOKED_AT_MIN: usize = 4_096;

/// A vector as the index keeps it: the direction, each number in one byte. Empty for a vector without a direction.
pub(crate) fn to_bytes(vector: &[f32]) -> Vec<u8> {
    let most = vector.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
    if !most.is_finite() || most <= 0.0 {
        return Vec::new();
    }
    vector.iter().map(|x| ((x / most * 127.0).round() as i8).cast_unsigned()).collect()
}

/// Rows of vectors of one dimension.
#[derive(Debug, Clone, Default)]
pub(crate) struct Vectors {
    whole: QuantizedRows,
    /// Empty for short vectors.
    sketches: QuantizedRows,
}

/// Rows of numbers, one after another.
#[derive(Debug, Clone, Default)]
struct QuantizedRows {
    dimension: usize,
    numbers: Vec<i8>,
    /// What a number of each row stands for; 0 for a row without a direction.
    scales: Vec<f32>,
}

impl Vectors {
    pub(crate) fn new(dimension: usize) -> Self {
        let dimension = dimension.min(DIMENSION_MAX);
        let sketch = if dimension > SKETCHED_FROM { SKETCH } else { 0 };
        Self { whole: QuantizedRows::new(dimension), sketches: QuantizedRows::new(sketch) }
    }

    /// Numbers of a row.
    pub(crate) fn dimension(&self) -> usize {
        self.whole.dimension
    }

    /// How many rows there are.
    pub(crate) fn rows(&self) -> usize {
        self.whole.scales.len()
    }

    /// Makes room for more rows at once.
    pub(crate) fn reserve(&mut self, rows: usize) {
        for table in [&mut self.whole, &mut self.sketches] {
            table.numbers.reserve(rows.saturating_mul(table.dimension));
            table.scales.reserve(rows);
        }
    }

    /// Adds a row; bytes of another dimension (or none) are a row that is never found.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let is_whole = bytes.len() == self.whole.dimension;
        let row: Vec<i8> = match is_whole {
            true => bytes.iter().map(|byte| byte.cast_signed()).collect(),
            false => vec![0; self.whole.dimension],
        };
        let squares: f32 = row.iter().map(|x| f32::from(*x) * f32::from(*x)).sum();
        let scale = if squares > 0.0 { squares.sqrt().recip() } else { 0.0 };
        if self.sketches.dimension > 0 {
            let sketch = sketch(row.iter().map(|x| f32::from(*x)));
            let most = sketch.iter().fold(0.0_f32, |most, x| most.max(x.abs())).max(1.0);
            self.sketches.numbers.extend(sketch.iter().map(|x| (x / most * 127.0).round() as i8));
            self.sketches.scales.push(scale * most / 127.0);
        }
        self.whole.numbers.extend(row);
        self.whole.scales.push(scale);
    }

    /// The nearest rows to a vector with their cosines, best first, of those to be kept; ties by row. Rows with nothing in
    /// common are not found.
    pub(crate) fn nearest(
        &self,
        query: &[f32],
        count: usize,
        keep: impl Fn(usize) -> bool + Sync,
    ) -> Vec<(usize, f32)> {
        let most = query.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
        if query.len() != self.whole.dimension || count == 0 || !most.is_finite() || most <= 0.0 {
            return Vec::new();
        }
        let asked = QuantizedQuery::of(query);
        let looked_at = count.saturating_mul(LOOKED_AT).max(LOOKED_AT_MIN);
        if self.sketches.dimension == 0 || self.rows() <= looked_at {
            return self.whole.nearest(&asked, count, &keep);
        }
        // What is near by its sketch alone may be near by nothing else; the whole vectors tell.
        let sketch = QuantizedQuery::of(&sketch(query.iter().copied()));
        let likely = self.sketches.nearest(&sketch, looked_at, &keep);
        let found = likely.into_iter().filter_map(|(row, _)| Some((row, self.whole.cosine(row, &asked)?)));
        best(found.filter(|(_, cosine)| *cosine > 0.0).collect(), count)
    }
}

/// A shorter vector whose dot product with another sketch is about that of the vectors themselves: each number is
/// added to or taken from one of few sums, always in the same way.
fn sketch(numbers: impl Iterator<Item = f32>) -> Vec<f32> {
    let mut sums = vec![0.0; SKETCH];
    for (at, number) in (0_u64..).zip(numbers) {
        let mut bits = at.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits ^= bits >> 29;
        if let Some(sum) = sums.get_mut((bits >> 1) as usize % SKETCH) {
            *sum += if bits & 1 == 1 { number } else { -number };
        }
    }
    sums
}

/// A query in whole numbers.
struct QuantizedQuery {
    numbers: Vec<i16>,
    scale: f32,
}

impl QuantizedQuery {
    fn of(query: &[f32]) -> Self {
        let most = query.iter().fold(f32::MIN_POSITIVE, |most, x| most.max(x.abs()));
        let numbers: Vec<i16> = query.iter().map(|x| (x / most * QUERY_MAX).round() as i16).collect();
        let squares: f32 = numbers.iter().map(|x| f32::from(*x) * f32::from(*x)).sum();
        Self { numbers, scale: squares.sqrt().recip() }
    }
}

impl QuantizedRows {
    fn new(dimension: usize) -> Self {
        Self { dimension, ..Self::default() }
    }

    fn cosine(&self, row: usize, asked: &QuantizedQuery) -> Option<f32> {
        let start = row.checked_mul(self.dimension)?;
        let numbers = self.numbers.get(start..start.checked_add(self.dimension)?)?;
        Some(dot(&asked.numbers, numbers) as f32 * self.scales.get(row)? * asked.scale)
    }

    fn nearest(
        &self,
        asked: &QuantizedQuery,
        count: usize,
        keep: &(impl Fn(usize) -> bool + Sync),
    ) -> Vec<(usize, f32)> {
        let all = self.scales.len();
        let threads = all.div_ceil(ROWS_OF_A_THREAD).clamp(1, THREADS_MAX);
        let threads = threads.min(thread::available_parallelism().map_or(1, usize::from));
        let rows = all.div_ceil(threads).max(1);
        let mut pieces = self.numbers.chunks(rows * self.dimension).zip(self.scales.chunks(rows)).enumerate();
        let found = if threads == 1 {
            pieces
                .next()
                .map_or_else(Vec::new, |(_, (numbers, scales))| scan(asked, count, numbers, scales, 0, keep))
        } else {
            thread::scope(|scope| {
                let scans: Vec<_> = pieces
                    .map(|(at, (numbers, scales))| {
                        scope.spawn(move || scan(asked, count, numbers, scales, at * rows, keep))
                    })
                    .collect();
                scans.into_iter().filter_map(|scan| scan.join().ok()).flatten().collect()
            })
        };
        best(found, count)
    }
}

fn scan(
    asked: &QuantizedQuery,
    count: usize,
    numbers: &[i8],
    scales: &[f32],
    first: usize,
    keep: &(impl Fn(usize) -> bool + Sync),
) -> Vec<(usize, f32)> {
    let mut found = Vec::with_capacity(count * 2);
    let mut least = 0.0;
    for (row, (numbers, scale)) in numbers.chunks_exact(asked.numbers.len().max(1)).zip(scales).enumerate() {
        let cosine = dot(&asked.numbers, numbers) as f32 * scale * asked.scale;
        if cosine > least && keep(first + row) {
            found.push((first + row, cosine));
            if found.len() == count * 2 {
                found.select_nth_unstable_by(count.saturating_sub(1), by_worth);
                found.truncate(count);
                least = found.last().map_or(0.0, |(_, cosine)| *cosine);
            }
        }
    }
    found
}

/// Written so that the compiler makes it a loop over many numbers at once.
fn dot(query: &[i16], row: &[i8]) -> i32 {
    query.iter().zip(row).map(|(a, b)| i32::from(*a) * i32::from(i16::from(*b))).sum()
}

fn by_worth((one_row, one): &(usize, f32), (two_row, two): &(usize, f32)) -> std::cmp::Ordering {
    two.total_cmp(one).then(one_row.cmp(two_row))
}

fn best(mut found: Vec<(usize, f32)>, count: usize) -> Vec<(usize, f32)> {
    found.sort_unstable_by(by_worth);
    found.truncate(count);
    found
}

#[cfg(test)]
#[path = "vectors_tests.rs"]
mod tests;
