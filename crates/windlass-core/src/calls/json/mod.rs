//! Reading JSON as models write it: strictly where it is JSON, through noise where that loses nothing.
//!
//! Everything here is a pure function of its text. It knows no tool, no dialect and no limit of a run: what
//! counts as a call, and which repairs are believed, is decided by those who ask.
//!
//! - `parse`: strict JSON to a value, or where and why it is none
//! - `skim`: whether a text is strict JSON, without building it
//! - `scan`: where a value ends, without building it; `growing`: whether one that comes in pieces has ended
//! - `repair`: strict JSON out of noise, every change named by a `note`
//! - `number`: numbers that are kept exactly
//! - `canonical`: one text for equal values
//! - `clip`: cutting text for people and models

pub mod canonical;
pub mod clip;
pub(crate) mod growing;
mod lenient;
pub mod note;
mod number;
pub mod parse;
mod reader;
pub mod repair;
pub mod scan;
pub mod skim;

/// Values nested this deep are refused, so that no text can exhaust the stack. It is the limit that
/// `serde_json` has too: what is read here can be written and read again elsewhere.
pub const DEPTH_MAX: u8 = 128;

/// Stands in a text for bytes of an answer that were no UTF-8, until the text is read as prose (then it becomes
/// U+FFFD) or as JSON (then it is refused: nothing runs with something else in the place of what was meant). It is
/// one of the code points that Unicode keeps free for such use inside programs.
pub const NOT_UTF8: char = '\u{fdd0}';

/// A text of a provider as a person may read it: U+FFFD where bytes were no UTF-8.
pub fn readable(text: String) -> String {
    if text.contains(NOT_UTF8) { text.replace(NOT_UTF8, "\u{fffd}") } else { text }
}

#[cfg(test)]
#[path = "samples_tests.rs"]
mod samples;
