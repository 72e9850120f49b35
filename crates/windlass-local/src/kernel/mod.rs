//! Arithmetic where candle's own is not enough: products with 4-bit weights, and attention of a few rows.
//!
//! Owns the choice of instructions by what the processor has, and the unsafe lines that this takes: a function
//! compiled for instructions is called where they were found, registers are read from and written to arrays of their
//! own size. Without those instructions everything here is left to candle, or computed plainly. Knows no model.

mod attention;
#[cfg(target_arch = "x86_64")]
mod nibbles;

pub(crate) use self::attention::{FEW_ROWS, FewRows};

/// Multiplies rows with a matrix of Q4_0 blocks as its file has them; `false`, and nothing done, where this machine
/// has no better way than candle's.
pub(crate) fn multiply_nibbles(
    weights: &[u8],
    sizes: (usize, usize, usize),
    rows: &[f32],
    products: &mut [f32],
) -> bool {
    #[cfg(target_arch = "x86_64")]
    return nibbles::multiply(weights, sizes, rows, products);
    #[cfg(not(target_arch = "x86_64"))]
    return {
        let _ = (weights, sizes, rows, products);
        false
    };
}
