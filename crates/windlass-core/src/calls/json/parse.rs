//! Strict JSON: a value, or where and why the text is none.
//!
//! What is JSON and what a value is, `serde_json` decides; only the way there is shorter. What it would change (a key
//! written twice, a number beyond what a value can hold) and what is no UTF-8 is refused. The size of the text is the
//! caller's limit, the depth is [`super::DEPTH_MAX`].

use serde_json::Value;
use serde_json::error::Category;

use super::NOT_UTF8;
use super::reader::{find_altered, read_value};
use crate::text::cut_chars;

/// Characters of the text shown on each side of the fault.
const SNIPPET_SIDE_CHARS: usize = 30;

/// Why a text is not JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} at line {line}, column {column}, near `{snippet}`")]
pub struct ParseFailure {
    /// What was wrong, without the place.
    pub message: String,
    /// Where, in bytes from the beginning; always between two characters.
    pub offset: usize,
    /// The line, counted from 1.
    pub line: usize,
    /// The character in the line, counted from 1.
    pub column: usize,
    /// The text around the place, in one line.
    pub snippet: String,
}

/// Reads a text as one strict JSON value.
pub fn parse_value(text: &str) -> Result<Value, ParseFailure> {
    if let Some(failure) = ParseFailure::of_bytes(text) {
        return Err(failure);
    }
    match read_value(text) {
        Some(value) => Ok(value),
        // Read again, slowly, only to say why: a good text never comes here.
        None => match (serde_json::from_str(text), ParseFailure::of_altered(text, text)) {
            (Err(error), _) => Err(ParseFailure::of(text, text, &error)),
            (Ok(_), Some(failure)) => Err(failure),
            // The readers disagree, which tests rule out: what is JSON, `serde_json` says.
            (Ok(value), None) => Ok(value),
        },
    }
}

impl ParseFailure {
    /// Why `part`, a piece of `whole`, is not JSON; the place is given in `whole`.
    pub(super) fn of_part(whole: &str, part: &str) -> Option<Self> {
        serde_json::from_str::<Value>(part).err().map(|error| Self::of(whole, part, &error))
    }

    /// Where a text had bytes that are no UTF-8.
    pub(super) fn of_bytes(text: &str) -> Option<Self> {
        let at = text.find(NOT_UTF8)?;
        Some(Self::at(text, at, "bytes that are not UTF-8 stand where text should be".to_owned()))
    }

    /// What of `part`, a piece of `whole`, would not come out as it was written.
    pub(super) fn of_altered(whole: &str, part: &str) -> Option<Self> {
        let altered = find_altered(part)?;
        Some(Self::at(whole, skipped(whole, part) + altered.offset, altered.message))
    }

    fn of(whole: &str, part: &str, error: &serde_json::Error) -> Self {
        let offset = match error.classify() {
            Category::Eof => part.len(),
            Category::Io | Category::Syntax | Category::Data => offset_of(part, error.line(), error.column()),
        };
        Self::at(whole, skipped(whole, part) + offset, message_of(error))
    }

    /// A failure at a place of a text.
    pub(super) fn at(text: &str, offset: usize, message: String) -> Self {
        let offset = text.floor_char_boundary(offset);
        let (before, behind) = text.split_at_checked(offset).unwrap_or((text, ""));
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let shown_start = before.char_indices().rev().take(SNIPPET_SIDE_CHARS).last();
        let shown_before = shown_start.and_then(|(start, _)| before.get(start..)).unwrap_or_default();
        let shown = [shown_before, cut_chars(behind, SNIPPET_SIDE_CHARS)].concat();
        Self {
            message,
            offset,
            line: before.matches('\n').count() + 1,
            column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
            snippet: shown.replace(char::is_control, " ").replace(NOT_UTF8, "\u{fffd}"),
        }
    }
}

/// Where `part`, a piece of `whole`, begins in it.
fn skipped(whole: &str, part: &str) -> usize {
    // Both are slices of one text, so that the distance of their beginnings is the offset.
    (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize)
}

/// `serde_json` counts lines from 1 and the bytes of a line from 1; 0 is the line break before.
fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let line_start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    line_start + column.saturating_sub(1)
}

fn message_of(error: &serde_json::Error) -> String {
    let whole = error.to_string();
    // It names a place in the part; ours is one in the whole text.
    let message = whole.rsplit_once(" at line ").map_or(whole.as_str(), |(message, _)| message);
    match message.strip_prefix("EOF while parsing ") {
        Some("a value") => "the text ends where a value should be".to_owned(),
        Some(open) => format!("the text ends inside {open}"),
        None => message.to_owned(),
    }
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;
