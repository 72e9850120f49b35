//! Vectors in memory: one byte a number, and the exact nearest of all.
//!
//! Owns how a vector is written (as the index keeps it) and the scan. Rows are named by their number; who they belong
//! to, the caller knows. A scan reads all rows once, which for hundreds of thousands takes milliseconds and needs no
//! structure that could be out of date.

use std::thread;

/// Rows from which on several threads scan: below, starting them costs more.
const ROWS_OF_A_THREAD: usize = 16_384;
/// More threads wait for the memory.
const THREADS_MAX: usize = 8;
/// Largest number of a query: with it the sum over the longest vectors stays within 32 bits.
const QUERY_MAX: f32 = 4_095.0;
/// Longest vector: larger ones than any embedder makes.
pub(crate) const DIMENSION_MAX: usize = 4_096;

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
    dimension: usize,
    numbers: Vec<i8>,
    /// One through the length of each row; 0 for a row without a direction.
    scales: Vec<f32>,
}

impl Vectors {
    /// No rows yet.
    pub(crate) fn new(dimension: usize) -> Self {
        Self { dimension: dimension.min(DIMENSION_MAX), ..Self::default() }
    }

    /// How many rows there are.
    pub(crate) fn rows(&self) -> usize {
        self.scales.len()
    }

    /// Makes room for more rows at once.
    pub(crate) fn reserve(&mut self, rows: usize) {
        self.numbers.reserve(rows.saturating_mul(self.dimension));
        self.scales.reserve(rows);
    }

    /// Adds a row; bytes of another dimension (or none) are a row that is never found.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let start = self.numbers.len();
        if bytes.len() == self.dimension {
            self.numbers.extend(bytes.iter().map(|byte| byte.cast_signed()));
        } else {
            self.numbers.resize(start + self.dimension, 0);
        }
        let row = self.numbers.get(start..).unwrap_or_default();
        let squares: f32 = row.iter().map(|x| f32::from(*x) * f32::from(*x)).sum();
        self.scales.push(if squares > 0.0 { squares.sqrt().recip() } else { 0.0 });
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
        if query.len() != self.dimension || count == 0 || !most.is_finite() || most <= 0.0 {
            return Vec::new();
        }
        let numbers: Vec<i16> = query.iter().map(|x| (x / most * QUERY_MAX).round() as i16).collect();
        let squares: f32 = numbers.iter().map(|x| f32::from(*x) * f32::from(*x)).sum();
        let scan = Scan { numbers: &numbers, scale: squares.sqrt().recip(), count };
        let threads = self.rows().div_ceil(ROWS_OF_A_THREAD).clamp(1, THREADS_MAX);
        let threads = threads.min(thread::available_parallelism().map_or(1, usize::from));
        let rows = self.rows().div_ceil(threads).max(1);
        let mut pieces = self.numbers.chunks(rows * self.dimension).zip(self.scales.chunks(rows)).enumerate();
        let found = if threads == 1 {
            pieces.next().map_or_else(Vec::new, |(_, (numbers, scales))| scan.run(numbers, scales, 0, &keep))
        } else {
            let (scan, keep) = (&scan, &keep);
            thread::scope(|scope| {
                let scans: Vec<_> = pieces
                    .map(|(at, (numbers, scales))| {
                        scope.spawn(move || scan.run(numbers, scales, at * rows, keep))
                    })
                    .collect();
                scans.into_iter().filter_map(|scan| scan.join().ok()).flatten().collect()
            })
        };
        best(found, count)
    }
}

struct Scan<'a> {
    numbers: &'a [i16],
    scale: f32,
    count: usize,
}

impl Scan<'_> {
    fn run(
        &self,
        numbers: &[i8],
        scales: &[f32],
        first: usize,
        keep: &(impl Fn(usize) -> bool + Sync),
    ) -> Vec<(usize, f32)> {
        let mut found = Vec::with_capacity(self.count * 2);
        let mut least = 0.0;
        for (row, (numbers, scale)) in numbers.chunks_exact(self.numbers.len()).zip(scales).enumerate() {
            let cosine = dot(self.numbers, numbers) as f32 * scale * self.scale;
            if cosine > least && keep(first + row) {
                found.push((first + row, cosine));
                if found.len() == self.count * 2 {
                    found = best(found, self.count);
                    least = found.last().map_or(0.0, |(_, cosine)| *cosine);
                }
            }
        }
        found
    }
}

/// Written so that the compiler makes it a loop over many numbers at once.
fn dot(query: &[i16], row: &[i8]) -> i32 {
    query.iter().zip(row).map(|(a, b)| i32::from(*a) * i32::from(i16::from(*b))).sum()
}

fn best(mut found: Vec<(usize, f32)>, count: usize) -> Vec<(usize, f32)> {
    found.sort_unstable_by(|(one_row, one), (two_row, two)| two.total_cmp(one).then(one_row.cmp(two_row)));
    found.truncate(count);
    found
}

#[cfg(test)]
#[path = "vectors_tests.rs"]
mod tests;
