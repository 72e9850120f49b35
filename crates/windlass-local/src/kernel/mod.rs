//! Arithmetic where candle's own is slow or rough: products with weights of 4 and 8 bits, and attention of a few rows.
//!
//! Owns the choice of instructions by what the processor has, and the unsafe lines that this takes: a function
//! compiled for instructions is called where they were found, registers are read from and written to arrays of their
//! own size. Without those instructions products are left to candle and attention is computed plainly. Knows no model.

mod attention;
#[cfg(target_arch = "x86_64")]
mod blocks;

use std::ops::Range;

use candle_core::quantized::GgmlDType;
use candle_core::utils::barrier_pool;

pub(crate) use self::attention::{FEW_ROWS, FewRows};

/// A product: rows of a width with a matrix of so many columns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProductSizes {
    pub(crate) count: usize,
    /// Numbers of a row, and weights of a column.
    pub(crate) width: usize,
    /// Columns, and numbers of a product.
    pub(crate) columns: usize,
}

/// Whether this machine has a better way than candle's to multiply with such a matrix.
pub(crate) fn can_multiply(dtype: GgmlDType, width: usize, columns: usize) -> bool {
    #[cfg(target_arch = "x86_64")]
    return blocks::BlockKind::of(dtype).is_some() && blocks::can_multiply(width, columns);
    #[cfg(not(target_arch = "x86_64"))]
    return {
        let _ = (dtype, width, columns);
        false
    };
}

/// Multiplies rows with a matrix of blocks as its file has them; `false`, and nothing done, where `can_multiply` says
/// no or a side has not its size.
pub(crate) fn multiply(
    dtype: GgmlDType,
    weights: &[u8],
    sizes: ProductSizes,
    rows: &[f32],
    products: &mut [f32],
) -> bool {
    #[cfg(target_arch = "x86_64")]
    return blocks::BlockKind::of(dtype).is_some_and(|kind| kind.multiply(weights, sizes, rows, products));
    #[cfg(not(target_arch = "x86_64"))]
    return {
        let _ = (dtype, weights, sizes, rows, products);
        false
    };
}

/// Multiplications that are over before other threads would have come, all the more on a machine that is busy.
const ALONE: usize = 1 << 19;

/// Does so many parts, by all threads where they are worth it.
fn share(parts: usize, multiplications: usize, work: impl Fn(Range<usize>) + Sync) {
    if multiplications < ALONE {
        work(0..parts);
    } else {
        barrier_pool().execute_chunked(parts, work);
    }
}
