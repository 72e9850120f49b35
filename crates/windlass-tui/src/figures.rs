//! Numbers for people: sizes, counts, money. Knows no language but English.

/// `512 B`, `4.2 kB`, `13 MB`.
pub fn bytes(count: u64) -> String {
    let mut size: u64 = 1;
    let mut units = ["B", "kB", "MB", "GB", "TB"].iter().peekable();
    while let Some(unit) = units.next() {
        // Half of the last digit that is shown decides which unit it is.
        let is_last = units.peek().is_none();
        if is_last || count < size.saturating_mul(1_000).saturating_sub(size / 2) {
            let tenths = count.saturating_mul(10).saturating_add(size / 2) / size;
            return match size {
                1 => format!("{count} {unit}"),
                _ if tenths < 100 => format!("{}.{} {unit}", tenths / 10, tenths % 10),
                _ => format!("{} {unit}", count.saturating_add(size / 2) / size),
            };
        }
        size = size.saturating_mul(1_000);
    }
    count.to_string()
}

/// A number of tokens: `950`, `12.3k`, `456k`, `1.2M`.
pub fn tokens(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..100_000 => format!("{}.{}k", count / 1_000, count / 100 % 10),
        100_000..1_000_000 => format!("{}k", count / 1_000),
        _ => format!("{}.{}M", count / 1_000_000, count / 100_000 % 10),
    }
}

/// Money: two digits that say something.
pub fn dollars(amount: f64) -> String {
    match amount {
        amount if amount >= 0.995 => format!("${amount:.2}"),
        amount if amount >= 0.01 => format!("${amount:.3}"),
        amount if amount > 0.0 && amount < 0.000_05 => "< $0.0001".to_owned(),
        amount if amount > 0.0 => format!("${amount:.4}"),
        _ => "$0".to_owned(),
    }
}

/// `1 call`, `3 calls`.
pub fn plural(count: usize, one: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        count => format!("{count} {one}s"),
    }
}

#[cfg(test)]
#[path = "figures_tests.rs"]
mod tests;
