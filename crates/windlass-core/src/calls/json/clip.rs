//! Cutting text to a size and saying so, always between two characters.
//!
//! `crate::text` cuts; this module marks what was cut. Sizes are characters, because that is what models and
//! people are promised.

use std::borrow::Cow;
use std::fmt;

use crate::text::cut_chars;

/// At most `chars_max` characters; a text that is longer ends in `…`, which is one of them.
pub fn clip_chars(text: &str, chars_max: usize) -> Cow<'_, str> {
    if cut_chars(text, chars_max).len() == text.len() {
        return Cow::Borrowed(text);
    }
    match chars_max.checked_sub(1) {
        Some(kept) => Cow::Owned([cut_chars(text, kept), "…"].concat()),
        None => Cow::Borrowed(""),
    }
}

/// The beginning and the end of a text that was too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clipped<'a> {
    pub head: &'a str,
    pub tail: &'a str,
    /// Characters between them that were left out.
    pub omitted_chars: usize,
}

/// The two parts with a line between them that says how much is missing.
impl fmt::Display for Clipped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n[… {} characters left out …]\n{}", self.head, self.omitted_chars, self.tail)
    }
}

/// The beginning and the end of a text, together at most `chars_max` characters; `None` if it fits whole.
///
/// Both halves are equal: what a program says first and what it says last matter most.
pub fn clip_head_tail(text: &str, chars_max: usize) -> Option<Clipped<'_>> {
    // A character is at least a byte: most texts need no counting.
    if text.len() <= chars_max {
        return None;
    }
    let chars = text.chars().count();
    let omitted_chars = chars.checked_sub(chars_max).filter(|omitted| *omitted > 0)?;
    let tail_chars = chars_max / 2;
    let head = cut_chars(text, chars_max - tail_chars);
    let rest = text.get(head.len()..)?;
    let tail = rest.get(cut_chars(rest, omitted_chars).len()..)?;
    Some(Clipped { head, tail, omitted_chars })
}

#[cfg(test)]
#[path = "clip_tests.rs"]
mod tests;
