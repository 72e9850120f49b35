//! Bytes to text and back: UTF-8 and UTF-16 with their marks, and the old Western encoding.
//!
//! A file that is edited keeps its encoding. What is not text in any of these is binary.

use encoding_rs::{UTF_16BE, UTF_16LE, WINDOWS_1252};

/// How text is written in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    Utf8Marked,
    Utf16Le,
    Utf16Be,
    Windows1252,
}

impl Encoding {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Encoding::Utf8 | Encoding::Utf8Marked => "utf-8",
            Encoding::Utf16Le => "utf-16le",
            Encoding::Utf16Be => "utf-16be",
            Encoding::Windows1252 => "windows-1252",
        }
    }

    /// The byte order mark that files of this encoding begin with.
    fn mark(self) -> &'static [u8] {
        match self {
            Encoding::Utf8 | Encoding::Windows1252 => b"",
            Encoding::Utf8Marked => b"\xEF\xBB\xBF",
            Encoding::Utf16Le => b"\xFF\xFE",
            Encoding::Utf16Be => b"\xFE\xFF",
        }
    }
}

/// The text of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DecodedText {
    pub(crate) content: String,
    pub(crate) encoding: Encoding,
}

/// Reads bytes as text; `None` when they are binary.
pub(crate) fn decode(bytes: Vec<u8>) -> Option<DecodedText> {
    // Before the zeros are looked for: UTF-16 is full of them.
    for encoding in [Encoding::Utf8Marked, Encoding::Utf16Le, Encoding::Utf16Be] {
        if let Some(rest) = bytes.strip_prefix(encoding.mark()) {
            return decode_marked(rest, encoding);
        }
    }
    if bytes.contains(&0) {
        return None;
    }
    match String::from_utf8(bytes) {
        Ok(content) => Some(DecodedText { content, encoding: Encoding::Utf8 }),
        Err(error) => decode_western(error.as_bytes()),
    }
}

fn decode_marked(rest: &[u8], encoding: Encoding) -> Option<DecodedText> {
    let content = match encoding {
        Encoding::Utf16Le => UTF_16LE.decode_without_bom_handling_and_without_replacement(rest)?.into_owned(),
        Encoding::Utf16Be => UTF_16BE.decode_without_bom_handling_and_without_replacement(rest)?.into_owned(),
        Encoding::Utf8 | Encoding::Utf8Marked | Encoding::Windows1252 => {
            std::str::from_utf8(rest).ok()?.to_owned()
        }
    };
    (!content.contains('\0')).then_some(DecodedText { content, encoding })
}

/// Every byte is a character in this encoding, so only the share of control characters tells text.
fn decode_western(bytes: &[u8]) -> Option<DecodedText> {
    let controls = bytes.iter().filter(|byte| **byte < 32 && !b"\t\n\r\x0c\x1b".contains(byte)).count();
    if controls * 20 > bytes.len() {
        return None;
    }
    let (content, _) = WINDOWS_1252.decode_without_bom_handling(bytes);
    Some(DecodedText { content: content.into_owned(), encoding: Encoding::Windows1252 })
}

/// Writes text in an encoding; `None` when it has a character that the encoding lacks.
pub(crate) fn encode(content: &str, encoding: Encoding) -> Option<Vec<u8>> {
    let mut bytes = encoding.mark().to_vec();
    match encoding {
        Encoding::Utf8 | Encoding::Utf8Marked => bytes.extend_from_slice(content.as_bytes()),
        Encoding::Utf16Le => bytes.extend(content.encode_utf16().flat_map(u16::to_le_bytes)),
        Encoding::Utf16Be => bytes.extend(content.encode_utf16().flat_map(u16::to_be_bytes)),
        Encoding::Windows1252 => {
            let (encoded, _, has_unmappable) = WINDOWS_1252.encode(content);
            if has_unmappable {
                return None;
            }
            bytes.extend_from_slice(&encoded);
        }
    }
    Some(bytes)
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;
