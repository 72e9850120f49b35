//! A text on one short line, for progress and lists.

use windlass_core::text::visible;

/// The text on one line, with everything in it visible, cut to so many characters.
pub(crate) fn short_line(text: &str, chars_max: usize) -> String {
    let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown = visible(&one_line);
    if shown.chars().count() <= chars_max {
        return shown.into_owned();
    }
    shown.chars().take(chars_max.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
#[path = "short_line_tests.rs"]
mod tests;
