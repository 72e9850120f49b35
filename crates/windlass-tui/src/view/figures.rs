//! How numbers are written: times, tokens, money, how full something is.

/// A time that goes on: `7s`, `1m 05s`, `2h 03m`.
pub(crate) fn elapsed(ms: u64) -> String {
    let seconds = ms / 1_000;
    let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60);
    match (hours, minutes) {
        (0, 0) => format!("{seconds}s"),
        (0, minutes) => format!("{minutes}m {:02}s", seconds % 60),
        (hours, minutes) => format!("{hours}h {minutes:02}m"),
    }
}

/// A number of tokens: `950`, `12.3k`, `456k`, `1.2M`.
pub(crate) fn tokens(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..100_000 => format!("{}.{}k", count / 1_000, count / 100 % 10),
        100_000..1_000_000 => format!("{}k", count / 1_000),
        _ => format!("{}.{}M", count / 1_000_000, count / 100_000 % 10),
    }
}

/// Money: two digits that say something.
pub(crate) fn dollars(amount: f64) -> String {
    match amount {
        amount if amount >= 0.995 => format!("${amount:.2}"),
        amount if amount >= 0.01 => format!("${amount:.3}"),
        amount if amount > 0.0 => format!("${amount:.4}"),
        _ => "$0".to_owned(),
    }
}

/// Cells of a gauge.
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
