//! What a body is and what its bytes say: media types and character sets.
//!
//! Owns the decision which bodies can be read as text. Knows no HTML beyond its declaration of a charset.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// How far into a page its charset may be declared.
const DECLARATION_BYTES_MAX: usize = 1_024;

/// What can be done with a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyKind {
    /// A page to be made readable.
    Html,
    /// Text to be given as it is.
    Text,
    /// Nothing that can be read.
    Unreadable,
}

/// Judges a body by its media type, or by its first bytes where it has none.
pub(crate) fn body_kind(content_type: Option<&str>, bytes: &[u8]) -> BodyKind {
    let Some(media_type) = content_type.map(media_type).filter(|media_type| !media_type.is_empty()) else {
        return sniffed_kind(bytes);
    };
    match media_type.as_str() {
        "text/html" | "application/xhtml+xml" => BodyKind::Html,
        "application/json"
        | "application/xml"
        | "application/javascript"
        | "application/yaml"
        | "application/x-yaml"
        | "application/toml"
        | "application/x-ndjson"
        | "application/jsonl"
        | "application/graphql"
        | "application/sql"
        | "application/x-sh" => BodyKind::Text,
        other if other.starts_with("text/") || other.ends_with("+json") || other.ends_with("+xml") => {
            BodyKind::Text
        }
        _ => BodyKind::Unreadable,
    }
}

/// `Text/HTML; charset=x` → `text/html`.
pub(crate) fn media_type(content_type: &str) -> String {
    content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn sniffed_kind(bytes: &[u8]) -> BodyKind {
    let head = bytes.get(..DECLARATION_BYTES_MAX).unwrap_or(bytes);
    if head.contains(&0) {
        return BodyKind::Unreadable;
    }
    let head = String::from_utf8_lossy(head).trim_start().to_ascii_lowercase();
    if head.starts_with("<!doctype html") || head.starts_with("<html") || head.contains("<body") {
        return BodyKind::Html;
    }
    BodyKind::Text
}

/// Decodes a body: by its byte order mark, the charset of its media type, the page's own declaration, and
/// else as UTF-8, or as what browsers take for text that is not.
pub(crate) fn decode(bytes: &[u8], content_type: Option<&str>) -> String {
    let encoding = Encoding::for_bom(bytes)
        .map(|(encoding, _)| encoding)
        .or_else(|| Encoding::for_label(charset_of(content_type?)?.as_bytes()))
        .or_else(|| declared_encoding(bytes))
        .unwrap_or_else(|| if is_utf8(bytes) { UTF_8 } else { WINDOWS_1252 });
    encoding.decode(bytes).0.into_owned()
}

/// A body may be cut inside a character.
fn is_utf8(bytes: &[u8]) -> bool {
    match std::str::from_utf8(bytes) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    }
}

fn charset_of(content_type: &str) -> Option<String> {
    let lower = content_type.to_ascii_lowercase();
    let after =
        lower.split(';').skip(1).find_map(|part| part.trim().strip_prefix("charset=").map(str::to_owned))?;
    Some(after.trim().trim_matches(['"', '\'']).to_owned())
}

/// `<meta charset="…">` or `<meta http-equiv … content="…; charset=…">`.
fn declared_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes.get(..DECLARATION_BYTES_MAX).unwrap_or(bytes);
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let meta = head.split("<meta").skip(1).find_map(|tag| tag.split('>').next()?.split_once("charset="))?;
    let label = meta.1.trim_start_matches(['"', '\'', ' ']);
    let label = label.split(['"', '\'', ' ', ';', '/', '>']).next()?;
    let encoding = Encoding::for_label(label.as_bytes())?;
    // The declaration was readable as ASCII, so it cannot be that.
    Some(if encoding == UTF_16BE || encoding == UTF_16LE { UTF_8 } else { encoding })
}

#[cfg(test)]
#[path = "page_text_tests.rs"]
mod tests;
