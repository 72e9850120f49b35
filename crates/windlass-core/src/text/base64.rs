//! Bytes in JSON: base64 with padding (RFC 4648 §4).
//!
//! Owns both directions; what the bytes mean is the caller's business.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Writes bytes as text.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let value = usize::try_from(bits >> (18 - 6 * digit) & 63).unwrap_or(0);
            let is_padding = digit > group.len();
            text.push(if is_padding { '=' } else { char::from(DIGITS.get(value).copied().unwrap_or(b'=')) });
        }
    }
    text
}

/// Reads text as bytes; `None` where it is no base64. Line breaks in it mean nothing.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let padding = digits.iter().rev().take_while(|byte| **byte == b'=').count();
    if !digits.len().is_multiple_of(4) || padding > 2 {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3);
    for group in digits.chunks(4) {
        let mut bits = 0_u32;
        for digit in group {
            bits = bits << 6 | if *digit == b'=' { 0 } else { value(*digit)? };
        }
        bytes.extend(bits.to_be_bytes().into_iter().skip(1));
    }
    // Padding in the middle is none: it would have been a digit of the last group.
    let is_at_end = digits.iter().take(digits.len() - padding).all(|byte| *byte != b'=');
    bytes.truncate(bytes.len() - padding);
    is_at_end.then_some(bytes)
}

fn value(digit: u8) -> Option<u32> {
    DIGITS.iter().position(|known| *known == digit).and_then(|at| u32::try_from(at).ok())
}

#[cfg(test)]
#[path = "base64_tests.rs"]
mod tests;
