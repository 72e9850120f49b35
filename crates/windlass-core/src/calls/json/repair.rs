//! Strict JSON out of what a model wrote around, over and into it.
//!
//! For texts that are meant to be one JSON object, such as the arguments of a call; whether an answer *is* a
//! call is never asked here (R-3). A text that is JSON already is returned as it is: the only exception is a
//! string that holds an object, which is the same object encoded once more.
//!
//! ```text
//! strict? ── no ──▶ peel: mark, reasoning, tokens, fence ──▶ strict? ── no ──▶ find the only object, leniently
//!   yes ▼                                              yes ▼                                          ▼
//!   value                                        value + notes                                  value + notes
//! ```
//!
//! Nothing is changed silently: each change is a [`RepairNote`], and [`RepairMode`] says which are accepted.

use serde_json::Value;

use super::NOT_UTF8;
use super::lenient::{LenientValue, read_lenient};
use super::note::NoteSet;
pub use super::note::RepairNote;
use super::parse::ParseFailure;
use super::reader::read_value;
use super::scan::value_end;

/// Layers taken off the outside; real texts have two or three.
const LAYERS_MAX: usize = 8;
/// Braces in prose that are tried as the beginning of an object, so that a text of braces costs no more.
const CANDIDATES_MAX: usize = 16;
/// Bytes of a special token; longer ones are text.
const TOKEN_BYTES_MAX: usize = 64;
/// What templates put before a call, apart from `<|…|>`.
const TOKENS_BEFORE: [&str; 8] = [
    "<tool_call>",
    "<tool_calls>",
    "<function_call>",
    "<arguments>",
    "<args>",
    "<json>",
    "[TOOL_CALLS]",
    "[ARGS]",
];
/// What templates put behind a call, apart from `<|…|>`.
const TOKENS_BEHIND: [&str; 9] = [
    "</tool_call>",
    "</tool_calls>",
    "</function_call>",
    "</arguments>",
    "</args>",
    "</json>",
    "</s>",
    "<eos>",
    "<end_of_turn>",
];

/// Which changes are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepairMode {
    /// Only those that lose nothing: for calls that will run.
    Lossless,
    /// Guesses too: for display and measurement, never for a call.
    Everything,
}

/// A value and what had to be changed to read it.
#[derive(Debug, Clone, PartialEq)]
pub struct Repaired {
    pub value: Value,
    /// The changes, each kind once; empty if the text was JSON, but for blanks around it.
    pub notes: Vec<RepairNote>,
}

/// A text that could not be repaired.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{failure}{}", guesses(.refused))]
pub struct Unrepairable {
    /// Where and why it is not JSON.
    pub failure: ParseFailure,
    /// The guesses that would have been needed; empty if no reading was found at all.
    pub refused: Vec<RepairNote>,
}

fn guesses(refused: &[RepairNote]) -> String {
    let words: Vec<String> = refused.iter().map(RepairNote::to_string).collect();
    if words.is_empty() { String::new() } else { format!(" ({})", words.join(", ")) }
}

/// Reads a text that is meant to be one JSON object.
pub fn repair(text: &str, mode: RepairMode) -> Result<Repaired, Unrepairable> {
    let mut notes = NoteSet::default();
    let mut part = text;
    let strict = read_value(text).or_else(|| {
        part = peel(text, &mut notes);
        // Nothing was peeled off: the same text would fail again.
        if notes.is_empty() { None } else { read_value(part) }
    });
    let Some(value) = strict.or_else(|| read_broken(part, &mut notes)) else {
        return Err(unrepairable(text, part, Vec::new()));
    };
    let value = decode_again(value, &mut notes);
    // Strict JSON has to be asked, too: to a reader the mark is a character like any other (U-11).
    if text.contains(NOT_UTF8) {
        notes.add(RepairNote::NotUtf8);
    }
    let refused: Vec<RepairNote> = notes.iter().filter(|note| !note.is_lossless()).collect();
    if mode == RepairMode::Lossless && !refused.is_empty() {
        return Err(unrepairable(text, part, refused));
    }
    Ok(Repaired { value, notes: notes.iter().collect() })
}

fn unrepairable(text: &str, part: &str, refused: Vec<RepairNote>) -> Unrepairable {
    // A part that is JSON by itself is refused only for what stands around it.
    let failure = ParseFailure::of_bytes(text)
        .or_else(|| ParseFailure::of_altered(text, part))
        .or_else(|| ParseFailure::of_part(text, part))
        .or_else(|| ParseFailure::of_part(text, text))
        .unwrap_or_else(|| ParseFailure::at(text, 0, "not one JSON object".to_owned()));
    Unrepairable { failure, refused }
}

/// Opens a string that holds an object and nothing else; any other string stays what it is.
fn decode_again(value: Value, notes: &mut NoteSet) -> Value {
    let Value::String(held) = &value else { return value };
    let mut inner = read_value(held);
    for _ in 0..LAYERS_MAX {
        match inner {
            Some(Value::String(deeper)) => inner = read_value(&deeper),
            Some(object @ Value::Object(_)) => {
                notes.add(RepairNote::DoubleEncoded);
                return object;
            }
            Some(_) | None => break,
        }
    }
    value
}

/// Takes off what surrounds the JSON, layer by layer.
fn peel<'a>(text: &'a str, notes: &mut NoteSet) -> &'a str {
    let mut rest = text.trim();
    for _ in 0..LAYERS_MAX {
        // One layer a round: a fence may stand around tokens, and tokens around a fence.
        let layers: [(RepairNote, Option<&str>); 4] = [
            (RepairNote::ByteOrderMark, rest.strip_prefix('\u{feff}')),
            (RepairNote::ThinkPrefix, strip_think(rest)),
            (RepairNote::SpecialTokens, strip_token_before(rest).or_else(|| strip_token_behind(rest))),
            (RepairNote::CodeFence, strip_fence(rest)),
        ];
        let Some((note, inner)) = layers.into_iter().find_map(|(note, inner)| Some((note, inner?))) else {
            break;
        };
        notes.add(note);
        rest = inner.trim();
    }
    rest
}

/// Reasoning that was written before the JSON. Templates that open it themselves leave only its end, which
/// counts as long as no JSON has begun: later it is part of a string.
fn strip_think(text: &str) -> Option<&str> {
    let close = if text.starts_with("<thinking>") { "</thinking>" } else { "</think>" };
    let (thought, rest) = text.split_once(close)?;
    (thought.starts_with("<think") || !thought.contains(['{', '['])).then_some(rest)
}

fn strip_token_before(text: &str) -> Option<&str> {
    if let Some(rest) = TOKENS_BEFORE.iter().find_map(|token| text.strip_prefix(token)) {
        return Some(rest);
    }
    let (token, rest) = text.strip_prefix("<|")?.split_once("|>")?;
    is_token(token).then_some(rest)
}

fn strip_token_behind(text: &str) -> Option<&str> {
    if let Some(rest) = TOKENS_BEHIND.iter().find_map(|token| text.strip_suffix(token)) {
        return Some(rest);
    }
    // Some templates write their tokens with full-width bars.
    let bare = text.strip_suffix("|>").or_else(|| text.strip_suffix("｜>"))?;
    let (rest, token) = bare.rsplit_once("<|").or_else(|| bare.rsplit_once("<｜"))?;
    is_token(token).then_some(rest)
}

fn is_token(name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '▁' | ' ');
    (1..=TOKEN_BYTES_MAX).contains(&name.len()) && name.chars().all(is_part)
}

fn strip_fence(text: &str) -> Option<&str> {
    let body = text.strip_prefix("```")?.strip_suffix("```")?;
    Some(body.trim_start_matches(is_word_part))
}

/// Reads what is left when neither the text nor its inside is strict.
fn read_broken(text: &str, notes: &mut NoteSet) -> Option<Value> {
    if text.starts_with('[')
        && let Some(reading) = read_lenient(text, 0)
        && is_closers(text.get(reading.end..)?)
    {
        note_behind(text.get(reading.end..)?, notes);
        notes.join(reading.notes);
        return Some(reading.value);
    }
    let (start, reading) = find_object(text)?;
    let before = text.get(..start)?.trim();
    let behind = text.get(reading.end..)?;
    // An object inside reasoning that never ended is a thought, not a call.
    let is_thought = before.rfind("<think") > before.rfind("</think");
    if is_thought || is_fragment(before, behind) {
        return None;
    }
    note_before(before, notes);
    note_behind(behind, notes);
    notes.join(reading.notes);
    Some(reading.value)
}

/// The only object in a text, and where it begins.
///
/// Braces that hold no object and no colon are prose. Anything that could be a second object, or an object
/// that cannot be read, makes it `None`: taking the readable one would drop the other.
fn find_object(text: &str) -> Option<(usize, LenientValue)> {
    let mut found = None;
    let mut from = 0;
    for _ in 0..CANDIDATES_MAX {
        let Some(start) = text.get(from..)?.find('{').map(|brace| from + brace) else {
            return found;
        };
        match read_lenient(text, start) {
            Some(_) if found.is_some() => return None,
            Some(reading) => {
                from = reading.end;
                found = Some((start, reading));
            }
            None => {
                from = value_end(text, start).ok()?;
                if text.get(start..from)?.contains(':') {
                    return None;
                }
            }
        }
    }
    None
}

/// Whether what stands around an object is JSON too, so that the object is only a piece of what was meant.
fn is_fragment(before: &str, behind: &str) -> bool {
    before.ends_with([',', '[', '{', '}', ']'])
        || before.strip_suffix(':').is_some_and(|key| key.trim_end().ends_with(['"', '\'']))
        || behind.trim_start().starts_with([',', ':', '[', '"'])
}

fn note_before(before: &str, notes: &mut NoteSet) {
    let prose = match before.rsplit_once("```") {
        Some((prose, word)) if word.chars().all(is_word_part) => {
            notes.add(RepairNote::CodeFence);
            prose
        }
        Some(_) | None => before,
    };
    if !prose.trim().is_empty() {
        notes.add(RepairNote::ProseAround);
    }
}

fn note_behind(behind: &str, notes: &mut NoteSet) {
    let rest = behind.trim_start_matches(is_closer_or_blank);
    if behind.len() - rest.len() > behind.len() - behind.trim_start().len() {
        notes.add(RepairNote::ExtraClose);
    }
    if !rest.trim_matches(|c: char| c == '`' || c.is_whitespace()).is_empty() {
        notes.add(RepairNote::ProseAround);
    }
}

/// Part of the word that names the language of a code fence.
fn is_word_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+' | '.')
}

fn is_closers(text: &str) -> bool {
    text.chars().all(is_closer_or_blank)
}

fn is_closer_or_blank(c: char) -> bool {
    matches!(c, '}' | ']') || c.is_whitespace()
}

#[cfg(test)]
#[path = "repair_tests.rs"]
mod tests;
