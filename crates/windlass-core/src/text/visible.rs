//! Text of models, tools and files on its way to a person: what would move a cursor, change colours, turn the
//! reading direction or take no room is written out, so that what is read is what is there.
//!
//! `web/src` has the same table; `fixtures/visible.json` holds both to the same words.

use std::borrow::Cow;
use std::fmt::Write;

/// What stands for a line end in a text that is shown on one line.
const LINE_END: char = '␊';
/// What stands for a tab in a text that is shown on one line.
const TAB: char = '␉';

/// The text with everything in it visible: hidden characters as `\u{…}`, line feeds and tabs as they are.
pub fn visible(text: &str) -> Cow<'_, str> {
    shown(text, |_| None)
}

/// The text on one line with everything in it visible: line feeds as `␊`, tabs as `␉`.
pub fn visible_line(text: &str) -> Cow<'_, str> {
    shown(text, |sign| match sign {
        '\n' => Some(LINE_END),
        '\t' => Some(TAB),
        _ => None,
    })
}

/// Whether a character is shown as `\u{…}` wherever it stands. Line feeds and tabs are not hidden.
pub fn is_hidden(sign: char) -> bool {
    match sign {
        '\n' | '\t' => false,
        // Marks and overrides of direction.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}' => true,
        // What takes no room, or looks like an empty place: separators, fillers, annotations.
        '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}' | '\u{2028}'
        | '\u{2029}' => true,
        '\u{2060}'..='\u{2065}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' => true,
        // Tags: a second text beside the one that is seen.
        '\u{e0000}'..='\u{e007f}' => true,
        _ => sign.is_control(),
    }
}

/// Scripts and emoji need joiners; after an ASCII character, or at the beginning, one joins nothing and only hides.
fn is_idle_joiner(before: Option<char>, sign: char) -> bool {
    matches!(sign, '\u{200c}' | '\u{200d}') && before.is_none_or(|before| before.is_ascii())
}

fn shown(text: &str, sign_for: impl Fn(char) -> Option<char>) -> Cow<'_, str> {
    // Nearly all text is of this kind, and all of it is looked at.
    let is_plain = |sign: char| {
        matches!(sign, ' '..='~')
            || !(is_hidden(sign) || matches!(sign, '\u{200c}' | '\u{200d}') || sign_for(sign).is_some())
    };
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut before = None;
    for sign in text.chars() {
        if is_hidden(sign) || is_idle_joiner(before, sign) {
            // Writing to a string cannot fail.
            let _ = write!(shown, "\\u{{{:x}}}", u32::from(sign));
        } else {
            shown.push(sign_for(sign).unwrap_or(sign));
        }
        before = Some(sign);
    }
    Cow::Owned(shown)
}

#[cfg(test)]
#[path = "visible_tests.rs"]
mod tests;
