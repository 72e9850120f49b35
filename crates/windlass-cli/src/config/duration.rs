//! Durations as people write them: `500ms`, `5s`, `2m`, `1h30m`.

/// Longest duration: a hundred years are a slip of the fingers, and sums of times must not overflow.
const DURATION_MS_MAX: u64 = 365 * 24 * 3_600_000;

/// Reads a duration in milliseconds.
pub(crate) fn parse_ms(text: &str) -> Result<u64, String> {
    let wrong = || format!("'{text}' is no duration; write a number with ms, s, m or h, such as 5s or 1h30m");
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err(wrong());
    }
    let mut total_ms: u64 = 0;
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, after) = rest.split_at(digits);
        let letters = after.len() - after.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
        let (unit, after) = after.split_at(letters);
        let number: u64 = number.parse().map_err(|_| wrong())?;
        let factor = match unit {
            "ms" => 1,
            "s" => 1_000,
            "m" => 60_000,
            "h" => 3_600_000,
            _ => return Err(wrong()),
        };
        total_ms = total_ms.saturating_add(number.saturating_mul(factor));
        rest = after;
    }
    if total_ms > DURATION_MS_MAX {
        return Err(format!("'{text}' is longer than a year"));
    }
    Ok(total_ms)
}

/// Reads a duration that something can happen in.
pub(crate) fn parse_positive_ms(text: &str) -> Result<u64, String> {
    match parse_ms(text)? {
        0 => Err(format!("'{text}' leaves no time at all")),
        ms => Ok(ms),
    }
}

/// Writes a duration for the eye: `3 ms`, `1.2 s`, `2 m 5 s`.
pub(crate) fn show_ms(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        _ => format!("{} m {} s", ms / 60_000, ms % 60_000 / 1_000),
    }
}

#[cfg(test)]
#[path = "duration_tests.rs"]
mod tests;
