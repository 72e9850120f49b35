//! Text on its way to the screen: made harmless, measured, cut and wrapped. Keeps styles, knows no colours.

mod wrap;

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

pub use wrap::{break_spans, columns_of, wrap_spans};

/// Columns of a tab.
const TAB_COLUMNS: usize = 4;

/// Text that does nothing to a terminal: what models, tools and files say is not trusted. Tabs become spaces, other
/// control characters but line feeds become signs that can be seen, and marks that turn the direction of text go.
pub fn clean(text: &str) -> Cow<'_, str> {
    if is_clean(text) {
        return Cow::Borrowed(text);
    }
    let mut cleaned = String::with_capacity(text.len());
    for sign in text.replace("\r\n", "\n").chars() {
        match sign {
            '\n' => cleaned.push('\n'),
            '\t' => cleaned.extend(std::iter::repeat_n(' ', TAB_COLUMNS)),
            '\u{7f}' => cleaned.push('\u{2421}'),
            sign if u32::from(sign) < 0x20 => {
                cleaned.push(char::from_u32(0x2400 + u32::from(sign)).unwrap_or('\u{fffd}'));
            }
            sign if is_unsafe(sign) => {}
            sign => cleaned.push(sign),
        }
    }
    Cow::Owned(cleaned)
}

/// Whether a text is clean as it is.
pub fn is_clean(text: &str) -> bool {
    // Nearly all text is of this kind, and all of it is looked at.
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\n');
    text.bytes().all(is_plain) || !text.contains(is_unsafe)
}

fn is_unsafe(sign: char) -> bool {
    (sign.is_control() && sign != '\n')
        || matches!(sign, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Columns that a text takes.
pub fn width(text: &str) -> usize {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) { text.len() } else { text.width() }
}

/// The beginning of a text that fits into so many columns, with an ellipsis if that is not all of it.
pub fn cut(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let mut taken = 0;
    let mut kept = String::new();
    for sign in text.graphemes(true) {
        taken += width(sign);
        if taken + 1 > columns {
            break;
        }
        kept.push_str(sign);
    }
    if columns > 0 {
        kept.push('…');
    }
    Cow::Owned(kept)
}

/// A text on one line: the first line that has something on it, cleaned.
pub fn one_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    clean(line).into_owned()
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;
