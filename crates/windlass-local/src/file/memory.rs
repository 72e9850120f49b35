//! What a model needs in memory, estimated from its header before anything is loaded.
//!
//! Owns the estimate, and what is known of candle's kernels for it: which matrices they lay out anew, and how large
//! that copy is. Knows no model that runs.

use candle_core::quantized::GgmlDType;

use super::header::TensorEntry;
use super::{ModelFile, count};
use crate::decoder::PIECE_TOKENS;
use crate::decoder::shape::ModelShape;

/// Rows of a tile of the fast kernels; a matrix that does not divide into tiles is used as it is.
const TILE_ROWS: usize = 16;
const TILE_COLUMNS: usize = 256;
/// What a token of the vocabulary takes, measured: its bytes, its places in tables, in merges and in the tree of the grammars.
const VOCABULARY_BYTES: u64 = 1_024;

/// What a model needs in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryEstimate {
    /// The weights: the file, which is mapped, and what is copied of it.
    pub weights_bytes: u64,
    /// The cache of one token.
    pub cache_bytes_per_token: u64,
    /// The scores of attention for one token of the context, while a piece is read.
    pub scores_bytes_per_token: u64,
    /// Everything else while it runs.
    pub scratch_bytes: u64,
}

impl MemoryEstimate {
    pub(super) fn of(file: &ModelFile, parameters: u64) -> Self {
        let (mapped, copied) = match file {
            ModelFile::Gguf(gguf) => {
                let layouts = Layouts::of_machine();
                let copied = gguf
                    .entries_looked_up()
                    .map(|(entry, is_looked_up)| layouts.copied_bytes(entry, is_looked_up));
                (gguf.file_bytes(), copied.fold(0, u64::saturating_add))
            }
            // All numbers are widened to 32 bits.
            ModelFile::Folder(files) => (files.file_bytes(), parameters.saturating_mul(4)),
        };
        let shape = file.shape();
        Self {
            weights_bytes: count(mapped).saturating_add(copied),
            cache_bytes_per_token: shape.cache_bytes_of_token(),
            scores_bytes_per_token: count(shape.heads.saturating_mul(PIECE_TOKENS)).saturating_mul(4),
            scratch_bytes: scratch_bytes(shape),
        }
    }

    /// All of it, for one context of so many tokens.
    pub fn total_bytes(&self, context_tokens: usize) -> u64 {
        let scores = self.scores_bytes_per_token.saturating_mul(count(context_tokens));
        let cache = self.cache_bytes(context_tokens);
        // A cache that grows lies beside its old self for a moment: measured, half as much again.
        [self.weights_bytes, cache, cache / 2, scores, self.scratch_bytes]
            .into_iter()
            .fold(0, u64::saturating_add)
    }

    /// The cache for so many tokens.
    pub fn cache_bytes(&self, tokens: usize) -> u64 {
        self.cache_bytes_per_token.saturating_mul(count(tokens))
    }
}

/// The widest activations of one piece, the scores of all tokens, and the vocabulary.
fn scratch_bytes(shape: &ModelShape) -> u64 {
    let widest = shape.feed_forward.saturating_mul(3).saturating_add(shape.hidden.saturating_mul(4));
    let numbers = widest.saturating_mul(PIECE_TOKENS).saturating_add(shape.vocabulary);
    let vocabulary = count(shape.vocabulary).saturating_mul(VOCABULARY_BYTES);
    count(numbers).saturating_mul(4).saturating_add(vocabulary)
}

/// What the kernels of this machine lay out anew when they first use a matrix. The copy stays beside the mapped one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Layouts {
    /// Tiles of 16 rows (x86-64 with AVX2).
    has_tiles: bool,
    /// Tiles of 8-bit numbers too (VNNI of 256 bits; with AVX-512 our own products take them as they lie).
    has_byte_tiles: bool,
    /// A second layout of 4-bit numbers, for reading (AMX).
    has_wide_tiles: bool,
    /// Rows that take turns (64-bit ARM); as large as they were.
    has_woven_rows: bool,
}

impl Layouts {
    #[cfg(target_arch = "x86_64")]
    fn of_machine() -> Self {
        let has_tiles = is_x86_feature_detected!("avx2");
        let has_wide = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vnni");
        let has_byte_tiles = has_tiles && !has_wide && is_x86_feature_detected!("avxvnni");
        // Nothing in the language says it yet; where the system does not either, it is left out.
        let says_amx =
            || std::fs::read_to_string("/proc/cpuinfo").is_ok_and(|text| text.contains(" amx_int8"));
        Self { has_tiles, has_byte_tiles, has_wide_tiles: has_wide && says_amx(), has_woven_rows: false }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn of_machine() -> Self {
        let has_woven_rows = cfg!(target_arch = "aarch64");
        Self { has_tiles: false, has_byte_tiles: false, has_wide_tiles: false, has_woven_rows }
    }

    /// Bytes that a tensor takes beside its place in the file.
    fn copied_bytes(self, entry: &TensorEntry, is_looked_up: bool) -> u64 {
        use GgmlDType as D;
        let bytes = count(entry.range.len());
        let part = |times: u64, of: u64| bytes.saturating_mul(times) / of;
        match entry.dtype {
            D::F32 => return bytes,
            D::F16 | D::BF16 => return part(2, 1),
            _ if is_looked_up => return 0,
            _ => {}
        }
        if self.has_woven_rows {
            let is_woven = matches!(entry.dtype, D::Q4_0 | D::Q8_0 | D::Q4K | D::Q5K | D::Q6K);
            return if is_woven { bytes } else { 0 };
        }
        let &[rows, columns] = entry.shape.as_slice() else { return 0 };
        let is_tiled =
            self.has_tiles && rows.is_multiple_of(TILE_ROWS) && columns.is_multiple_of(TILE_COLUMNS);
        match entry.dtype {
            // 3,072 bytes of a tile for 2,304 of the file, and 5,120 more of the wide one.
            D::Q4K if is_tiled && self.has_wide_tiles => part(32, 9),
            D::Q4K if is_tiled => part(4, 3),
            // 5,120 bytes for 3,360.
            D::Q6K if is_tiled => part(32, 21),
            D::Q8_0 if is_tiled && self.has_byte_tiles => bytes,
            _ => 0,
        }
    }
}

/// Memory that may be used when nobody says how much: what the system has left, where it tells.
pub(crate) fn available_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes.saturating_mul(1024))
}

#[cfg(test)]
#[path = "memory_tests.rs"]
mod tests;
