//! Whether a text that comes in pieces is one whole JSON object yet. Every byte is looked at once.
//!
//! Like `scan` it follows brackets and strings alone. Whether what closed is really JSON, the caller finds out by
//! parsing it: once, because nothing that comes later can make JSON of it.

use super::DEPTH_MAX;
use super::scan::plain_run;

/// How far an object is whose text comes in pieces.
#[derive(Debug, Default)]
pub(crate) struct GrowingObject {
    place: JsonPosition,
    /// One bit for each open bracket, the innermost lowest: 1 is an object.
    open: u128,
    depth: u8,
    /// Bytes looked at: what a test counts instead of measuring time.
    #[cfg(test)]
    pub(crate) looked: usize,
}

/// Where the next byte belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum JsonPosition {
    /// Only blanks so far.
    #[default]
    Before,
    /// Inside the object, outside of strings.
    Inside,
    Text,
    /// In a string, behind a backslash.
    Escape,
    /// Behind the bracket that closed the object; blanks may follow.
    Closed,
    /// No continuation can make one object of it.
    Lost,
}

impl GrowingObject {
    /// Takes in the next piece of the text.
    pub(crate) fn push(&mut self, piece: &str) {
        let bytes = piece.as_bytes();
        #[cfg(test)]
        {
            self.looked += bytes.len();
        }
        let mut at = 0;
        while self.place != JsonPosition::Lost {
            if self.place == JsonPosition::Text {
                at = plain_run(bytes, at);
            }
            let Some(byte) = bytes.get(at).copied() else { return };
            self.place = self.next_place(byte);
            at += 1;
        }
    }

    /// Whether the text so far is one closed object and nothing else.
    pub(crate) fn is_closed(&self) -> bool {
        self.place == JsonPosition::Closed
    }

    /// What closed turned out not to be JSON.
    pub(crate) fn give_up(&mut self) {
        self.place = JsonPosition::Lost;
    }

    fn next_place(&mut self, byte: u8) -> JsonPosition {
        let is_blank = matches!(byte, b' ' | b'\n' | b'\t' | b'\r');
        match (self.place, byte) {
            (JsonPosition::Before | JsonPosition::Closed, _) if is_blank => self.place,
            (JsonPosition::Before, b'{') | (JsonPosition::Inside, b'{' | b'[') => self.descend(byte),
            (JsonPosition::Inside, b'}' | b']') => self.ascend(byte),
            (JsonPosition::Inside, b'"') => JsonPosition::Text,
            (JsonPosition::Inside, _) | (JsonPosition::Text, b'"') => JsonPosition::Inside,
            (JsonPosition::Text, b'\\') => JsonPosition::Escape,
            // A control character in a string is no JSON, but that is for the parser to say.
            (JsonPosition::Text | JsonPosition::Escape, _) => JsonPosition::Text,
            (JsonPosition::Before | JsonPosition::Closed | JsonPosition::Lost, _) => JsonPosition::Lost,
        }
    }

    fn descend(&mut self, bracket: u8) -> JsonPosition {
        self.depth = self.depth.saturating_add(1);
        // Also what keeps `open` whole: it has a bit for each level below the limit.
        if self.depth >= DEPTH_MAX {
            return JsonPosition::Lost;
        }
        self.open = self.open << 1 | u128::from(bracket == b'{');
        JsonPosition::Inside
    }

    fn ascend(&mut self, bracket: u8) -> JsonPosition {
        if (self.open & 1 == 1) != (bracket == b'}') {
            return JsonPosition::Lost;
        }
        self.open >>= 1;
        self.depth = self.depth.saturating_sub(1);
        if self.depth == 0 { JsonPosition::Closed } else { JsonPosition::Inside }
    }
}

#[cfg(test)]
#[path = "growing_tests.rs"]
mod tests;
