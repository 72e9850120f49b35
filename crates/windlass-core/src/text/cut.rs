//! Cutting text to a size: always on a character boundary, never by building the whole first.

use std::fmt::{self, Write};

use serde_json::Value;

/// The first `chars_max` characters of a text.
pub fn cut_chars(text: &str, chars_max: usize) -> &str {
    // A text of few bytes has few characters: most texts need no counting.
    if text.len() <= chars_max {
        return text;
    }
    text.char_indices().nth(chars_max).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// As many whole characters of a text as fit in `bytes_max`.
pub fn cut_bytes(text: &str, bytes_max: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes_max)).unwrap_or(text)
}

/// A value as compact JSON, cut to `chars_max` characters and marked with `…` if it was longer.
pub fn json_short(value: &Value, chars_max: usize) -> String {
    let mut short = ShortText::new(chars_max);
    if write!(short, "{value}").is_err() {
        short.text.push('…');
    }
    short.text
}

/// Bytes of a value as compact JSON, counted and not built.
pub fn json_bytes(value: &Value) -> u64 {
    let mut count = ByteCount(0);
    // Counting takes everything: it cannot fail.
    let _ = write!(count, "{value}");
    count.0
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        for half in [byte >> 4, byte & 15] {
            text.push(char::from_digit(u32::from(half), 16).unwrap_or('0'));
        }
        text
    })
}

struct ByteCount(u64);

impl Write for ByteCount {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        self.0 = self.0.saturating_add(piece.len() as u64);
        Ok(())
    }
}

/// Text that ends the writing with an error when it is full: a value of megabytes is not written out
/// to be cut afterwards.
#[derive(Debug)]
pub struct ShortText {
    text: String,
    chars_left: usize,
}

impl ShortText {
    /// Takes at most `chars_max` characters.
    pub fn new(chars_max: usize) -> Self {
        Self { text: String::new(), chars_left: chars_max }
    }

    /// What was written so far.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl Write for ShortText {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        let kept = cut_chars(piece, self.chars_left);
        self.text.push_str(kept);
        self.chars_left -= kept.chars().count();
        if kept.len() < piece.len() { Err(fmt::Error) } else { Ok(()) }
    }
}

#[cfg(test)]
#[path = "cut_tests.rs"]
mod tests;
