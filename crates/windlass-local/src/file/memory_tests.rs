use super::super::describe;
use super::*;
use crate::file::ModelFamily;
use crate::tiny::Tiny;

const ALL: Layouts =
    Layouts { has_tiles: true, has_byte_tiles: true, has_wide_tiles: false, has_woven_rows: false };
const NONE: Layouts = Layouts { has_tiles: false, has_byte_tiles: false, ..ALL };

fn entry(dtype: GgmlDType, rows: usize, columns: usize) -> TensorEntry {
    let bytes = rows * columns / dtype.block_size() * dtype.type_size();
    TensorEntry { shape: vec![rows, columns], dtype, range: 0..bytes }
}

#[test]
fn a_copy_is_counted_where_the_kernels_make_one() {
    let bytes = |layouts: Layouts, dtype| layouts.copied_bytes(&entry(dtype, 32, 512), false);
    // A number of the tiles takes 12, 20 and 17 sixteenths of a byte.
    assert_eq!(bytes(ALL, GgmlDType::Q4K), 32 * 512 * 12 / 16);
    assert_eq!(bytes(ALL, GgmlDType::Q6K), 32 * 512 * 20 / 16);
    assert_eq!(bytes(ALL, GgmlDType::Q8_0), 32 * 512 * 17 / 16);
    assert_eq!(bytes(Layouts { has_wide_tiles: true, ..ALL }, GgmlDType::Q4K), 32 * 512 * 2);
    assert_eq!(bytes(Layouts { has_byte_tiles: false, ..ALL }, GgmlDType::Q8_0), 0);
    assert_eq!(bytes(NONE, GgmlDType::Q4K), 0);
    assert_eq!(bytes(NONE, GgmlDType::F16), 32 * 512 * 4);
    // Shapes that are no tiles, and a table that is only looked up, stay where they are.
    assert_eq!(ALL.copied_bytes(&entry(GgmlDType::Q8_0, 24, 512), false), 0);
    assert_eq!(ALL.copied_bytes(&entry(GgmlDType::Q8_0, 32, 128), false), 0);
    assert_eq!(ALL.copied_bytes(&entry(GgmlDType::Q8_0, 32, 512), true), 0);
    assert_eq!(bytes(ALL, GgmlDType::Q5K), 0);
}

fn estimate(tiny: &Tiny) -> (MemoryEstimate, u64) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tiny.gguf");
    std::fs::write(&path, tiny.gguf()).unwrap();
    let about = describe(&path).unwrap();
    (about.memory, about.file_bytes)
}

#[test]
fn the_estimate_is_the_file_its_copy_the_context_and_what_a_piece_needs() {
    let tiny = Tiny::wide(ModelFamily::Qwen2, GgmlDType::Q8_0);
    let (memory, file_bytes) = estimate(&tiny);
    let layouts = Layouts::of_machine();
    let matrices = |tensor: &candle_core::Tensor| tensor.rank() == 2;
    let copied: u64 = tiny
        .tensors()
        .iter()
        .filter(|(name, ..)| name != "token_embd.weight")
        .map(|(_, _, tensor)| match (matrices(tensor), tensor.dims()) {
            (true, &[rows, columns]) if layouts.has_byte_tiles && rows % 16 == 0 => {
                count(rows * columns * 34 / 32)
            }
            (true, _) => 0,
            (false, _) => count(tensor.elem_count() * 4),
        })
        .sum();
    assert_eq!(memory.weights_bytes, file_bytes + copied);
    let context = 450 * memory.cache_bytes_per_token + 300 * memory.scores_bytes_per_token;
    assert_eq!(memory.total_bytes(300), memory.weights_bytes + context + memory.scratch_bytes);
    assert_eq!(memory.scores_bytes_per_token, 4 * 4 * count(PIECE_TOKENS));
}
