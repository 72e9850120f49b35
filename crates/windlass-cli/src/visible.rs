//! Text of models, tools and pages on its way to a terminal: what would move the cursor, change colours
//! or turn the reading direction is written out, so that nothing can dress up as a question of ours.

use std::borrow::Cow;
use std::fmt::Write;

/// The text with everything in it visible; line breaks and tabs stay.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_hidden(c) {
            // Writing to a string cannot fail.
            let _ = write!(shown, "\\u{{{:x}}}", u32::from(c));
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// The text on one line, with everything in it visible, cut to so many characters.
pub(crate) fn visible_line(text: &str, chars_max: usize) -> String {
    let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown = visible(&one_line);
    if shown.chars().count() <= chars_max {
        return shown.into_owned();
    }
    shown.chars().take(chars_max.saturating_sub(1)).chain(['…']).collect()
}

fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        // Marks and overrides of direction.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        // What takes no room: separators, fillers, tags. Joiners stay: scripts and emoji need them.
        '\u{ad}' | '\u{200b}' | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{2064}' | '\u{feff}' => true,
        '\u{e0000}'..='\u{e007f}' => true,
        _ => c.is_control(),
    }
}

#[cfg(test)]
#[path = "visible_tests.rs"]
mod tests;
