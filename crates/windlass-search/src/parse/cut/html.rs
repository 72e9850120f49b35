//! Cutting HTML as text: tags, scripts and styles are taken out, block elements end a paragraph.
//!
//! Spans are those of the source, so a passage can be opened where it stands; its text is what a reader would see. Not
//! a browser: what is not well-formed is read as text.

use super::UncountedPassage;
use crate::limits::{FILLED_BYTES_MAX, SYMBOL_BYTES_MAX};

/// Elements that stand on lines of their own.
const BLOCKS: [&str; 31] = [
    "p",
    "div",
    "section",
    "article",
    "header",
    "footer",
    "main",
    "nav",
    "aside",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "ul",
    "ol",
    "li",
    "dl",
    "dt",
    "dd",
    "table",
    "tr",
    "td",
    "th",
    "pre",
    "blockquote",
    "title",
    "br",
    "hr",
    "body",
];

/// Elements whose content nobody reads.
const SILENT: [&str; 4] = ["script", "style", "template", "noscript"];

struct HtmlReader<'a> {
    source: &'a str,
    pieces: Vec<UncountedPassage>,
    /// Where the piece being read starts.
    start: usize,
    text: String,
    heading: Option<String>,
    /// Where in `text` a heading being read starts.
    heading_from: Option<usize>,
}

/// The pieces of a page.
pub(super) fn cut(source: &str) -> Vec<UncountedPassage> {
    let mut reader = HtmlReader {
        source,
        pieces: Vec::new(),
        start: 0,
        text: String::new(),
        heading: None,
        heading_from: None,
    };
    let mut at = 0;
    while let Some(rest) = source.get(at..).filter(|rest| !rest.is_empty()) {
        at = match rest.find('<') {
            Some(0) => reader.tag(at),
            Some(next) => reader.words(at, at + next),
            None => reader.words(at, source.len()),
        };
    }
    reader.end_piece(source.len());
    reader.pieces
}

impl HtmlReader<'_> {
    /// Adds text, with blanks as one and entities as characters; ends pieces that are full.
    fn words(&mut self, from: usize, to: usize) -> usize {
        let words = self.source.get(from..to).unwrap_or_default();
        let mut at = from;
        for word in words.split_inclusive(char::is_whitespace) {
            for part in super::split::split(word, 0..word.len(), FILLED_BYTES_MAX) {
                if self.text.len() + part.len() > FILLED_BYTES_MAX {
                    self.end_piece(at);
                }
                let part = word.get(part).unwrap_or_default();
                push_decoded(&mut self.text, part);
                at += part.len();
            }
        }
        to
    }

    /// Reads what starts with `<`; gives where to go on.
    fn tag(&mut self, at: usize) -> usize {
        let rest = self.source.get(at..).unwrap_or_default();
        if rest.starts_with("<!--") {
            return rest.find("-->").map_or(self.source.len(), |end| at + end + 3);
        }
        let is_tag = rest
            .get(1..2)
            .is_some_and(|next| next.starts_with(|c: char| c.is_ascii_alphabetic() || "/!?".contains(c)));
        let Some(close) = rest.find('>').filter(|_| is_tag) else {
            return self.words(at, at + 1);
        };
        let inner = rest.get(1..close).unwrap_or_default();
        let is_end = inner.starts_with('/');
        let name: String =
            inner.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
        let name = name.to_ascii_lowercase();
        let after = at + close + 1;
        if !is_end && SILENT.contains(&name.as_str()) {
            return self.skip_to_end(&name, after);
        }
        if BLOCKS.contains(&name.as_str()) {
            self.block(&name, is_end, at);
        }
        after
    }

    fn skip_to_end(&self, name: &str, from: usize) -> usize {
        let rest = self.source.get(from..).unwrap_or_default();
        let end = format!("</{name}");
        let found = rest
            .match_indices("</")
            .find(|(at, _)| rest.get(*at..at + end.len()).is_some_and(|tag| tag.eq_ignore_ascii_case(&end)));
        found.map_or(self.source.len(), |(at, _)| from + at)
    }

    fn block(&mut self, name: &str, is_end: bool, at: usize) {
        let is_heading = matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "title");
        if is_heading && !is_end {
            self.end_piece(at);
            self.heading_from = Some(self.text.len());
        } else if is_heading && let Some(from) = self.heading_from.take() {
            let title = self.text.get(from..).unwrap_or_default().trim();
            let end = title.floor_char_boundary(SYMBOL_BYTES_MAX);
            self.heading = title.get(..end).filter(|title| !title.is_empty()).map(str::to_owned);
        }
        let is_open = !self.text.is_empty() && !self.text.ends_with('\n');
        if is_open {
            self.text.push('\n');
        }
    }

    fn end_piece(&mut self, at: usize) {
        let text = std::mem::take(&mut self.text);
        self.heading_from = None;
        if !text.trim().is_empty() {
            let text = Some(text.trim().to_owned());
            self.pieces.push(UncountedPassage { span: self.start..at, symbol: self.heading.clone(), text });
        } else if let Some(last) = self.pieces.last_mut() {
            last.span.end = at;
        }
        self.start = at;
    }
}

/// Blanks become one; entities become what they stand for.
fn push_decoded(text: &mut String, words: &str) {
    let mut rest = words;
    while let Some(next) = rest.chars().next() {
        let size = if next == '&' { entity(rest) } else { None };
        match size {
            Some((c, bytes)) => {
                text.push(c);
                rest = rest.get(bytes..).unwrap_or_default();
            }
            None => {
                let is_second_blank =
                    next.is_whitespace() && (text.is_empty() || text.ends_with([' ', '\n']));
                if !is_second_blank {
                    text.push(if next.is_whitespace() { ' ' } else { next });
                }
                rest = rest.get(next.len_utf8()..).unwrap_or_default();
            }
        }
    }
}

fn entity(text: &str) -> Option<(char, usize)> {
    let end = text.get(..text.floor_char_boundary(12))?.find(';')?;
    let name = text.get(1..end)?;
    let c = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "mdash" => '—',
        "ndash" => '–',
        "hellip" => '…',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code).filter(|c| !c.is_control() || *c == '\n')?
        }
    };
    Some((c, end + 1))
}
