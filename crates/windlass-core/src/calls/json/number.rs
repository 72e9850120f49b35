//! Numbers as they were written: kept exactly, or not kept.
//!
//! A value holds integers of 64 bits and floating point numbers of 64 bits. Whatever is written so that neither
//! comes out as the same number again would be rounded on its way to a tool, and is no number here.

use serde_json::Number;

/// A number that was read.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ReadNumber {
    /// It comes out as it went in.
    Exact(Number),
    /// It is a number, but this is only the nearest one that can be kept.
    Rounded(Number),
}

/// Reads the spelling of a number in JSON; `None` if it is none.
pub(super) fn read_number(text: &str) -> Option<ReadNumber> {
    let number: Number = text.parse().ok()?;
    Some(if is_exact(text, &number) { ReadNumber::Exact(number) } else { ReadNumber::Rounded(number) })
}

fn is_exact(text: &str, number: &Number) -> bool {
    if number.is_i64() || number.is_u64() {
        return true;
    }
    if !text.contains(['.', 'e', 'E']) {
        // An integer that became a floating point number: only zero with its sign is still itself.
        return text == "-0";
    }
    // As it will be written for the tool.
    digits_of(text).is_some_and(|written| digits_of(&number.to_string()) == Some(written))
}

/// The digits of a decimal spelling without zeros at either end, and the power of ten behind the last of them.
fn digits_of(text: &str) -> Option<(String, i64)> {
    let text = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = [whole, fraction].concat();
    let significant = digits.trim_end_matches('0');
    if significant.trim_start_matches('0').is_empty() {
        return Some((String::new(), 0));
    }
    let dropped = i64::try_from(digits.len() - significant.len()).ok()?;
    let places = i64::try_from(fraction.len()).ok()?;
    let exponent: i64 = exponent.parse().ok()?;
    let power = exponent.checked_sub(places)?.checked_add(dropped)?;
    Some((significant.trim_start_matches('0').to_owned(), power))
}

#[cfg(test)]
#[path = "number_tests.rs"]
mod tests;
