use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{Device, Tensor};

use super::*;

/// Numbers that differ in size from block to block, the same each time.
fn numbers(count: usize, seed: u32) -> Vec<f32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / 8_388_608.0 - 1.0
    };
    (0..count).map(|at| next() * (1.0 + (at / 32 % 7) as f32)).collect()
}

fn is_able() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vnni")
}

#[test]
fn products_are_those_of_the_weights_written_out() {
    for (dtype, (count, width, columns)) in [
        (GgmlDType::Q4_0, (1, 64, 16)),
        (GgmlDType::Q8_0, (1, 64, 16)),
        (GgmlDType::Q4_0, (3, 128, 48)),
        (GgmlDType::Q8_0, (8, 192, 32)),
        (GgmlDType::Q4_0, (21, 768, 112)),
        (GgmlDType::Q8_0, (21, 768, 112)),
    ] {
        let weights = Tensor::from_vec(numbers(columns * width, 7), (columns, width), &Device::Cpu).unwrap();
        let blocks = QTensor::quantize(&weights, dtype).unwrap();
        let exact = blocks.dequantize(&Device::Cpu).unwrap();
        let rows = numbers(count * width, 11);
        let mut products = vec![f32::NAN; count * columns];
        let bytes = blocks.data().unwrap();
        let is_done = BlockKind::of(dtype).unwrap().multiply(
            &bytes,
            ProductSizes { count, width, columns },
            &rows,
            &mut products,
        );
        assert_eq!(is_done, is_able(), "where the instructions are, they are used");
        if !is_done {
            return;
        }
        let rows = Tensor::from_vec(rows, (count, width), &Device::Cpu).unwrap();
        let expected =
            rows.matmul(&exact.t().unwrap()).unwrap().flatten_all().unwrap().to_vec1::<f32>().unwrap();
        let size =
            (expected.iter().map(|number| number * number).sum::<f32>() / expected.len() as f32).sqrt();
        for (ours, exact) in products.iter().zip(&expected) {
            // Rows have 8 bits: half a step of each number, and they cancel out for the most part.
            assert!((ours - exact).abs() < 0.02 * size, "{count}×{width}×{columns}: {ours} and {exact}");
        }
    }
}

#[test]
fn rows_of_zeros_give_zeros() {
    let weights = Tensor::from_vec(numbers(16 * 64, 3), (16, 64), &Device::Cpu).unwrap();
    let blocks = QTensor::quantize(&weights, GgmlDType::Q4_0).unwrap();
    let mut products = vec![0.0; 16];
    let sizes = ProductSizes { count: 1, width: 64, columns: 16 };
    BlockKind::Nibbles.multiply(&blocks.data().unwrap(), sizes, &[0.0; 64], &mut products);
    assert_eq!(products, [0.0; 16]);
}

#[test]
fn sizes_that_do_not_fit_are_left_alone() {
    let multiplied = |bytes: usize, (count, width, columns): (usize, usize, usize)| {
        let mut products = vec![7.0; count * columns];
        let is_done = BlockKind::Nibbles.multiply(
            &vec![0; bytes],
            ProductSizes { count, width, columns },
            &vec![1.0; count * width],
            &mut products,
        );
        assert_eq!(products, vec![7.0; count * columns]);
        is_done
    };
    assert!(!multiplied(15 * 36, (1, 64, 15)), "no sixteen columns");
    assert!(!multiplied(16 * 36 - 1, (1, 64, 16)), "a byte is missing");
    assert!(!multiplied(16 * 18, (1, 32, 16)), "half a pair");
    assert!(!multiplied(0, (0, 0, 0)), "nothing");
    assert_eq!(BlockKind::of(GgmlDType::Q4K), None);
}
