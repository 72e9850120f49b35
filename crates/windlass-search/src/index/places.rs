//! Where in a passage names are defined and used, as a few bytes kept with it.
//!
//! Offsets are those in the file. What cannot be read is no place: the bytes are checked when they are read.

use std::ops::Range;

use crate::parse::symbols::UseKind;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PassageName {
    pub(crate) what: What,
    pub(crate) name: Range<usize>,
}

/// What happens to the name there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    Defined {
        /// From the outside in.
        path: String,
        kind: String,
        /// The byte after the definition.
        end: usize,
    },
    Used(UseKind),
}

const DEFINED: u8 = 0;

fn tag(kind: UseKind) -> u8 {
    match kind {
        UseKind::Call => 1,
        UseKind::Import => 2,
        UseKind::Reference => 3,
    }
}

/// Writes places of a passage that starts at `base`.
pub(crate) fn encode(base: usize, places: &[PassageName]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(places.len() * 4);
    for place in places {
        match &place.what {
            What::Defined { path, kind, end } => {
                bytes.push(DEFINED);
                push_span(&mut bytes, base, &place.name);
                push_number(&mut bytes, end.saturating_sub(place.name.end));
                push_text(&mut bytes, path);
                push_text(&mut bytes, kind);
            }
            What::Used(kind) => {
                bytes.push(tag(*kind));
                push_span(&mut bytes, base, &place.name);
            }
        }
    }
    bytes
}

/// Reads places of a passage that starts at `base`, up to the first that is no place.
pub(crate) fn decode(base: usize, bytes: &[u8]) -> Vec<PassageName> {
    let mut reader = NamesReader { bytes };
    let mut places = Vec::new();
    while let Some(place) = reader.place(base) {
        places.push(place);
    }
    places
}

fn push_span(bytes: &mut Vec<u8>, base: usize, span: &Range<usize>) {
    push_number(bytes, span.start.saturating_sub(base));
    push_number(bytes, span.len());
}

fn push_text(bytes: &mut Vec<u8>, text: &str) {
    push_number(bytes, text.len());
    bytes.extend_from_slice(text.as_bytes());
}

/// Seven bits a byte, the lowest first.
fn push_number(bytes: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

struct NamesReader<'a> {
    bytes: &'a [u8],
}

impl NamesReader<'_> {
    fn place(&mut self, base: usize) -> Option<PassageName> {
        let tag = self.byte()?;
        let start = base.checked_add(self.number()?)?;
        let name = start..start.checked_add(self.number()?)?;
        let what = match tag {
            DEFINED => {
                let end = name.end.checked_add(self.number()?)?;
                What::Defined { path: self.text()?, kind: self.text()?, end }
            }
            1 => What::Used(UseKind::Call),
            2 => What::Used(UseKind::Import),
            3 => What::Used(UseKind::Reference),
            _ => return None,
        };
        Some(PassageName { what, name })
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(*first)
    }

    fn number(&mut self) -> Option<usize> {
        let mut number = 0_usize;
        for shift in (0..63).step_by(7) {
            let byte = self.byte()?;
            number |= usize::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn text(&mut self) -> Option<String> {
        let length = self.number()?;
        let text = self.bytes.get(..length)?;
        self.bytes = self.bytes.get(length..)?;
        Some(String::from_utf8_lossy(text).into_owned())
    }
}

#[cfg(test)]
#[path = "places_tests.rs"]
mod tests;
