//! Finding where a JSON value ends, by brackets and strings alone.
//!
//! Nothing is built and nothing is judged: a scanned object may still fail to parse. The point of scanning is
//! that a bracket or a fence inside a string is text (R-4), and that the caller can ask exact questions ("is
//! this whole text one object?") instead of looking for a brace somewhere in an answer (R-3).

use super::DEPTH_MAX;

/// Why no end was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ScanFailure {
    /// There is nothing that could begin a value.
    #[error("no JSON value begins here")]
    NoValue,
    /// The text ends inside the value.
    #[error("the text ends before the JSON value does")]
    Unfinished,
    /// A bracket closes what another kind opened.
    #[error("the bracket at byte {offset} closes nothing that is open")]
    Mismatched {
        /// Where the bracket stands, in bytes.
        offset: usize,
    },
    /// The value is nested deeper than [`DEPTH_MAX`] allows.
    #[error("the JSON value is nested too deeply at byte {offset}")]
    TooDeep {
        /// Where the limit was passed, in bytes.
        offset: usize,
    },
}

/// The offset just behind the value that begins at `start`, after blanks.
///
/// Strings, escapes and nesting are followed; numbers and words are taken as far as they reach.
pub fn value_end(text: &str, start: usize) -> Result<usize, ScanFailure> {
    let bytes = text.as_bytes();
    let mut at = skip_blanks(bytes, start);
    // One bit for each open bracket, the innermost lowest: 1 is an object.
    let mut open = 0_u128;
    let mut depth = 0_u8;
    while let Some(byte) = bytes.get(at).copied() {
        match byte {
            b'"' => {
                at = string_end(bytes, at + 1).ok_or(ScanFailure::Unfinished)?;
                if depth == 0 {
                    return Ok(at);
                }
                continue;
            }
            b'{' | b'[' => {
                depth += 1;
                // Also what keeps `open` whole: it has a bit for each level below the limit.
                if depth >= DEPTH_MAX {
                    return Err(ScanFailure::TooDeep { offset: at });
                }
                open = open << 1 | u128::from(byte == b'{');
            }
            b'}' | b']' => {
                if depth == 0 || (open & 1 == 1) != (byte == b'}') {
                    return Err(ScanFailure::Mismatched { offset: at });
                }
                open >>= 1;
                depth -= 1;
                if depth == 0 {
                    return Ok(at + 1);
                }
            }
            _ if depth == 0 => return scalar_end(bytes, at),
            _ => {}
        }
        at += 1;
    }
    Err(if depth == 0 { ScanFailure::NoValue } else { ScanFailure::Unfinished })
}

/// The one JSON object that the whole trimmed text is, if it is one.
///
/// Text before or behind the object, or a second object, makes it `None`: such a text is an answer.
pub fn whole_object(text: &str) -> Option<&str> {
    let text = text.trim();
    let is_whole = text.starts_with('{') && value_end(text, 0) == Ok(text.len());
    is_whole.then_some(text)
}

/// The one JSON object in the only fenced block of the text.
///
/// The block ends where its object ends and a fence follows, so a string in the object may itself hold a
/// fence. Prose may stand around the block; a second block, or anything but one object inside, makes it
/// `None`.
pub fn fenced_object(text: &str) -> Option<&str> {
    let fence = find_fence(text)?;
    let start = skip_blanks(text.as_bytes(), fence.body_start);
    if !text.get(start..)?.starts_with('{') {
        return None;
    }
    let end = value_end(text, start).ok()?;
    let behind = text.get(end..)?.trim_start();
    let ticks = behind.len() - behind.trim_start_matches('`').len();
    let behind = behind.get(ticks..)?;
    let line = behind.lines().next().unwrap_or_default();
    let is_closed = ticks >= fence.ticks && line.trim().is_empty();
    let is_only = find_fence(behind.get(line.len()..)?).is_none();
    if is_closed && is_only { text.get(start..end) } else { None }
}

/// A line that opens or closes a block.
struct Fence {
    ticks: usize,
    /// Behind the fence and the word that may name a language.
    body_start: usize,
}

fn find_fence(text: &str) -> Option<Fence> {
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        let fence = line.trim_start();
        let word = fence.trim_start_matches('`');
        let ticks = fence.len() - word.len();
        if ticks >= 3 {
            let body = word.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "_+-.".contains(c));
            return Some(Fence { ticks, body_start: line_start + line.len() - body.len() });
        }
        line_start += line.len();
    }
    None
}

/// The first byte from `at` on that is no blank.
pub(super) fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\t' | b'\r') = bytes.get(at) {
        at += 1;
    }
    at
}

/// The first byte from `at` on that is not plain text of a string: a quote, a backslash or a control
/// character; the end of the text if there is none.
#[inline]
pub(super) fn plain_run(bytes: &[u8], mut at: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = ONES << 7;
    // Eight bytes at a time. A subtraction borrows out of a byte only if that byte was below what is taken
    // off, so the lowest marked byte is always a true one.
    while let Some(Ok(word)) = bytes.get(at..at + 8).map(<[u8; 8]>::try_from) {
        let word = u64::from_le_bytes(word);
        let quote = word ^ (ONES * b'"' as u64);
        let backslash = word ^ (ONES * b'\\' as u64);
        let marked = (quote.wrapping_sub(ONES) & !quote)
            | (backslash.wrapping_sub(ONES) & !backslash)
            | (word.wrapping_sub(ONES * 0x20) & !word);
        match marked & HIGHS {
            0 => at += 8,
            marked => return at + marked.trailing_zeros() as usize / 8,
        }
    }
    while bytes.get(at).is_some_and(|byte| *byte >= 0x20 && *byte != b'"' && *byte != b'\\') {
        at += 1;
    }
    at
}

/// The offset behind the quote that closes a string whose text begins at `at`.
fn string_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at = plain_run(bytes, at);
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            // What is escaped ends nothing; of `\u0022` only the letter has to be passed over.
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

fn scalar_end(bytes: &[u8], start: usize) -> Result<usize, ScanFailure> {
    let rest = bytes.get(start..).unwrap_or_default();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    match rest.iter().take_while(|byte| is_part(byte)).count() {
        0 => Err(ScanFailure::NoValue),
        length => Ok(start + length),
    }
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
