//! Text on its way to the screen: made harmless, measured, cut and wrapped. Keeps styles, knows no colours.

mod wrap;

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;
use windlass_core::text::visible;

pub use wrap::{break_spans, columns_of, wrap_spans};

/// What a tab becomes.
const TAB: &str = "    ";

/// Text that does nothing to a terminal: what models, tools and files say is not trusted. What cannot be seen is written
/// out (`windlass_core::text::visible`), and tabs become spaces.
pub fn clean(text: &str) -> Cow<'_, str> {
    let shown = visible(text);
    if shown.contains('\t') { Cow::Owned(shown.replace('\t', TAB)) } else { shown }
}

/// Whether a text is clean as it is.
pub fn is_clean(text: &str) -> bool {
    matches!(clean(text), Cow::Borrowed(_))
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
