//! Spans of texts: what may be copied, and how it is written as JSON.
//!
//! A text is cut into words, single marks and blanks; a span is a run of such pieces that neither begins nor ends
//! with a blank. So a copied string is never garbled: no half word, no half escape.

use std::sync::Arc;

use serde_json::json;

/// Bytes of one text that spans are taken of; what is longer is cut at its end.
pub const SOURCE_BYTES_MAX: usize = 16 * 1024;

/// A piece of a text that a span takes whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SpanPiece {
    Word,
    Blank,
    /// A mark, or a letter of a script that has no blanks between words.
    Single,
}

fn piece_of(c: char) -> SpanPiece {
    match c {
        _ if c.is_whitespace() => SpanPiece::Blank,
        '\u{0E00}'..='\u{0EFF}'
        | '\u{1000}'..='\u{109F}'
        | '\u{1780}'..='\u{17FF}'
        | '\u{2E80}'..='\u{A4CF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3FFFF}' => SpanPiece::Single,
        _ if c.is_alphanumeric() || c == '_' => SpanPiece::Word,
        // Marks that belong to the letter before them.
        '\u{0300}'..='\u{036F}' | '\u{200C}' | '\u{200D}' | '\u{FE00}'..='\u{FE0F}' => SpanPiece::Word,
        _ => SpanPiece::Single,
    }
}

/// Cuts a text into the pieces that spans are made of: runs of letters, digits and `_`; runs of blanks; each other
/// mark alone.
pub fn pieces(text: &str) -> Vec<&str> {
    let end = (0..=SOURCE_BYTES_MAX.min(text.len())).rev().find(|&at| text.is_char_boundary(at));
    let text = text.get(..end.unwrap_or_default()).unwrap_or_default();
    let mut cuts = Vec::new();
    let mut before = None;
    for (at, c) in text.char_indices() {
        let piece = piece_of(c);
        if before.is_some_and(|before| before != piece || piece == SpanPiece::Single) {
            cuts.push(at);
        }
        before = Some(piece);
    }
    cuts.push(text.len());
    let starts = std::iter::once(0).chain(cuts.iter().copied());
    starts
        .zip(&cuts)
        .filter_map(|(start, &end)| text.get(start..end))
        .filter(|piece| !piece.is_empty())
        .collect()
}

/// A text as it stands between the quotes of a JSON string.
pub fn escaped(text: &str) -> String {
    let quoted = json!(text).to_string();
    quoted.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or_default().to_owned()
}

/// A terminal of a Lark grammar that is a JSON string with a span of one of the texts in it.
pub(crate) fn span_terminal(name: &str, texts: &[Arc<str>]) -> String {
    let runs: Vec<String> = texts
        .iter()
        .map(|text| pieces(text).into_iter().map(escaped).collect::<Vec<_>>())
        .filter(|chunks| chunks.iter().any(|chunk| !is_blank(chunk)))
        .map(|chunks| format!("%regex {}", json!({ "substring_chunks": chunks })))
        .collect();
    if runs.is_empty() {
        // Nothing can be copied but nothing itself.
        return format!("{name}: \"\\\"\\\"\"\n");
    }
    let inner = format!("{name}_COPY: {}\n", runs.join(" | "));
    let any = r#"(\\u[0-9a-f]{4}|\\["\\\/bfnrt]|[^"\\])"#;
    let solid = r#"(\\u[0-9a-f]{4}|\\["\\\/bf]|[^"\\\s])"#;
    format!(
        "{inner}{name}_EDGES: /{solid}({any}*{solid})?/\n{name}: \"\\\"\" ({name}_COPY & {name}_EDGES) \"\\\"\"\n"
    )
}

fn is_blank(chunk: &str) -> bool {
    chunk.chars().all(char::is_whitespace) || matches!(chunk, "\\n" | "\\r" | "\\t")
}

#[cfg(test)]
#[path = "spans_tests.rs"]
mod tests;
