//! Bytes in JSON: base64 with padding (RFC 4648 §4).
//!
//! Owns which of the alphabets we speak, in both directions; what the bytes mean is the caller's business.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::general_purpose::{GeneralPurpose, PAD};

/// Bits behind the last byte are passed over, as the program `base64` does.
const ENGINE: GeneralPurpose = GeneralPurpose::new(&STANDARD, PAD.with_decode_allow_trailing_bits(true));

pub fn encode(bytes: &[u8]) -> String {
    ENGINE.encode(bytes)
}

/// `None` where the text is no base64. Line breaks in it mean nothing.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    ENGINE.decode(digits).ok()
}

#[cfg(test)]
#[path = "base64_tests.rs"]
mod tests;
