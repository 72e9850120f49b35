//! How numbers are written where there is little room: how full something is.

pub(crate) use crate::figures::{dollars, tokens};

const GAUGE_CELLS: u64 = 6;

/// How full something is: a gauge, and percent.
pub(crate) fn gauge(part: u64, whole: u64) -> (String, u64) {
    let percent = part.saturating_mul(100).checked_div(whole).unwrap_or(0);
    let filled = (percent.saturating_mul(GAUGE_CELLS).saturating_add(50) / 100).min(GAUGE_CELLS);
    // What is not empty does not look empty.
    let filled = usize::try_from(filled.max(u64::from(part > 0))).unwrap_or(0);
    let empty = usize::try_from(GAUGE_CELLS).unwrap_or(0).saturating_sub(filled);
    (format!("▕{}{}▏ {percent} %", "█".repeat(filled), "░".repeat(empty)), percent)
}

#[cfg(test)]
#[path = "figures_tests.rs"]
mod tests;
