//! The tripwire: whether the arguments of a call hold a piece of private text, as it is or encoded.
//!
//! Fingerprints of the arguments, one for each window of 24 bytes, are looked for in the private texts by a rolling hash, so
//! that nothing is kept of those texts. An encoding that is not known here passes: the gate, which reads no text, is the wall.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::text::base64;

/// Bytes that must be the same: shorter pieces stand in innocent texts as well.
const WINDOW_BYTES: usize = 24;
/// Different bytes in a window: fewer are rules and blanks, which every text has.
const WINDOW_VARIETY_MIN: usize = 8;
/// Bytes of one argument that are looked at, all its forms together: more is no message but a file.
const FORMS_BYTES_MAX: usize = 256 * 1024;
/// Encodings inside encodings that are taken off.
const DECODE_DEPTH: usize = 3;
/// The base of the rolling hash: odd, so that no byte of a window is lost.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;

/// The first argument that holds a piece of one of the private texts, and which text that is. What stands in the
/// user's own words is theirs to send.
pub(crate) fn find_leak<'a>(
    args: &Map<String, Value>,
    own: impl Iterator<Item = Cow<'a, str>>,
    private: impl Iterator<Item = Cow<'a, str>>,
) -> Option<(String, usize)> {
    let mut prints: Vec<(&str, HashSet<u64>)> = Vec::new();
    for (name, value) in args {
        let set: HashSet<u64> = forms_of(value).iter().flat_map(|form| windows(form)).collect();
        prints.push((name, set));
    }
    prints.retain(|(_, set)| !set.is_empty());
    if prints.is_empty() {
        return None;
    }
    for said in own {
        // In every form as well: what the user encoded themselves is as much theirs.
        for form in forms_of(&Value::String(said.into_owned())) {
            for print in windows(&form) {
                prints.iter_mut().for_each(|(_, set)| _ = set.remove(&print));
            }
        }
    }
    prints.retain(|(_, set)| !set.is_empty());
    private.enumerate().find_map(|(place, text)| {
        let text = unescaped(&text);
        let holder = |print| prints.iter().find(|(_, set)| set.contains(&print));
        windows(text.as_bytes()).find_map(holder).map(|(name, _)| ((*name).to_owned(), place))
    })
}

/// The hash of each window of a text that says something.
fn windows(text: &[u8]) -> impl Iterator<Item = u64> {
    let lead = (1..WINDOW_BYTES).fold(1_u64, |power, _| power.wrapping_mul(BASE));
    let mut hash = 0_u64;
    text.iter().enumerate().filter_map(move |(at, byte)| {
        let gone = at.checked_sub(WINDOW_BYTES).and_then(|first| text.get(first)).copied().unwrap_or(0);
        hash = hash.wrapping_sub(u64::from(gone).wrapping_mul(lead));
        hash = hash.wrapping_mul(BASE).wrapping_add(u64::from(*byte));
        let end = at.checked_add(1)?;
        let window = text.get(end.checked_sub(WINDOW_BYTES)?..end)?;
        is_telling(window).then_some(hash)
    })
}

/// Whether a window has enough different bytes to be more than a line of dashes.
fn is_telling(window: &[u8]) -> bool {
    let mut seen = [0_u64; 4];
    for byte in window {
        if let Some(word) = seen.get_mut(usize::from(byte >> 6)) {
            *word |= 1 << (byte & 63);
        }
    }
    let different: u32 = seen.iter().map(|word| word.count_ones()).sum();
    usize::try_from(different).is_ok_and(|different| different >= WINDOW_VARIETY_MIN)
}

/// What is written in a value, as it is and with its encodings taken off.
fn forms_of(value: &Value) -> Vec<Vec<u8>> {
    let mut forms = Vec::new();
    let mut room = FORMS_BYTES_MAX;
    let mut next = Vec::new();
    strings(value, &mut next);
    for _ in 0..=DECODE_DEPTH {
        let mut deeper = Vec::new();
        for text in next {
            let Some(left) = room.checked_sub(text.len()) else { return forms };
            room = left;
            deeper.extend(decoded(&text));
            forms.push(text.into_bytes());
        }
        next = deeper;
    }
    forms
}

/// Every text in a value; names of fields are texts too.
fn strings(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| strings(item, found)),
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            found.push(name.clone());
            strings(value, found);
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// What a text may stand for: each reading that says something else than the text.
fn decoded(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let lossy = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    if text.contains(['%', '+']) {
        found.push(lossy(percent_decoded(text.as_bytes())));
    }
    if text.contains('\\') {
        found.push(unescaped(text).into_owned());
    }
    match serde_json::from_str::<Value>(text) {
        Ok(value @ (Value::Object(_) | Value::Array(_) | Value::String(_))) => strings(&value, &mut found),
        Ok(Value::Null | Value::Bool(_) | Value::Number(_)) | Err(_) => {}
    }
    let is_digit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '-' | '_');
    for token in text.split(|c: char| !is_digit(c)).filter(|token| token.len() >= WINDOW_BYTES) {
        found.extend(hex_decoded(token).map(lossy));
        let usual: String = token.chars().map(|c| if c == '-' { '+' } else { c }).collect();
        let usual = usual.replace('_', "/");
        // A word before it may have run into it: each of the four places where groups can begin is tried.
        let starts = (0..4).filter_map(|skip| usual.get(skip..));
        for start in starts {
            // Without its last group it has no wrong length.
            let whole = start.len() - start.len() % 4;
            found.extend(start.get(..whole).and_then(base64::decode).map(lossy));
        }
    }
    found
}

/// `%41` and `+` read back; anything else stays. No address is parsed here, so no reader of addresses is needed.
fn percent_decoded(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        let pair =
            after.get(..2).and_then(|pair| Some((hex_digit(*pair.first()?)?, hex_digit(*pair.last()?)?)));
        match (first, pair) {
            (b'%', Some((high, low))) => {
                plain.push(high << 4 | low);
                rest = after.get(2..).unwrap_or_default();
            }
            (b'+', _) => {
                plain.push(b' ');
                rest = after;
            }
            (byte, _) => {
                plain.push(*byte);
                rest = after;
            }
        }
    }
    plain
}

fn hex_decoded(token: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = token.bytes().map(hex_digit).collect();
    let pairs = digits?;
    Some(pairs.chunks_exact(2).filter_map(|pair| Some(pair.first()? << 4 | pair.last()?)).collect())
}

fn hex_digit(byte: u8) -> Option<u8> {
    let digit = char::from(byte).to_digit(16)?;
    u8::try_from(digit).ok()
}

/// A text with the escapes of JSON strings read back: outcomes are told to models in such strings.
fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => plain.push('\n'),
            Some('t') => plain.push('\t'),
            Some('r') => plain.push('\r'),
            Some('u') => {
                let code: String = chars.by_ref().take(4).collect();
                plain.extend(u32::from_str_radix(&code, 16).ok().and_then(char::from_u32));
            }
            Some(other) => plain.push(other),
            None => {}
        }
    }
    Cow::Owned(plain)
}

#[cfg(test)]
#[path = "leak_tests.rs"]
mod tests;
