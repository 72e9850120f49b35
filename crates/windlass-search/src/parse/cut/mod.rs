//! Cutting texts into passages: code at syntax boundaries, prose at headings and sentences, everything else at blank
//! lines and indentation.
//!
//! Owns the promise that holds for all ways: cuts are in order, do not overlap, lie on character boundaries, are never
//! longer than a passage may be, and every character that is not blank is in one. Knows no file and no index.

mod code;
mod html;
mod join;
mod plain;
mod prose;
mod split;

use std::ops::Range;

use crate::parse::language::{CutManner, SourceLanguage};
use crate::parse::symbols::Symbols;

/// A piece of a text that is found on its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CutPassage {
    /// Where it is, in bytes.
    pub(crate) span: Range<usize>,
    /// Its first line, from 1.
    pub(crate) line: u32,
    /// What it defines, or the headings it is under.
    pub(crate) symbol: Option<String>,
    /// Its text where it is not the text of the span: markup that was taken out.
    pub(crate) text: Option<String>,
}

impl CutPassage {
    pub(crate) fn text<'a>(&'a self, source: &'a str) -> &'a str {
        self.text.as_deref().or_else(|| source.get(self.span.clone())).unwrap_or_default()
    }
}

/// A text, cut, with the names in it.
#[derive(Debug, Clone, Default)]
pub(crate) struct CutText {
    pub(crate) cuts: Vec<CutPassage>,
    pub(crate) symbols: Symbols,
}

/// A piece before lines are counted.
#[derive(Debug, Clone, PartialEq, Eq)]
struct UncountedPassage {
    span: Range<usize>,
    symbol: Option<String>,
    text: Option<String>,
}

impl UncountedPassage {
    fn plain(span: Range<usize>) -> Self {
        Self { span, symbol: None, text: None }
    }
}

pub(crate) fn cut(text: &str, language: SourceLanguage) -> CutText {
    match language.way {
        CutManner::Code(grammar) => match code::cut(text, grammar) {
            Some((pieces, symbols)) => CutText { cuts: finish(text, pieces), symbols },
            None => unparsed(text, plain::cut(text)),
        },
        CutManner::Markdown => unparsed(text, prose::cut_markdown(text)),
        CutManner::Html => unparsed(text, html::cut(text)),
        CutManner::Text => unparsed(text, prose::cut_text(text)),
        CutManner::Plain => unparsed(text, plain::cut(text)),
    }
}

fn unparsed(text: &str, pieces: Vec<UncountedPassage>) -> CutText {
    CutText { cuts: finish(text, pieces), symbols: Symbols::default() }
}

/// Trims blanks around pieces, drops empty ones and counts lines.
fn finish(text: &str, pieces: Vec<UncountedPassage>) -> Vec<CutPassage> {
    let mut cuts = Vec::with_capacity(pieces.len());
    let (mut line, mut counted) = (1_u32, 0);
    for piece in pieces {
        let span = trim(text, piece.span);
        let is_empty = piece.text.as_ref().map_or(span.is_empty(), |text| text.trim().is_empty());
        if is_empty {
            continue;
        }
        let between = text.as_bytes().get(counted..span.start).unwrap_or_default();
        line = line
            .saturating_add(u32::try_from(memchr::memchr_iter(b'\n', between).count()).unwrap_or(u32::MAX));
        counted = span.start;
        cuts.push(CutPassage { span, line, symbol: piece.symbol, text: piece.text });
    }
    cuts
}

/// Without blank lines before and blanks after; the first line keeps its indentation.
fn trim(text: &str, span: Range<usize>) -> Range<usize> {
    let Some(inner) = text.get(span.clone()) else { return span.start..span.start };
    let trimmed = inner.trim_start();
    let blank = inner.len() - trimmed.len();
    let lead = inner.get(..blank).unwrap_or_default();
    let start = span.start + lead.rfind('\n').map_or(0, |at| at + 1);
    let end = span.start + blank + trimmed.trim_end().len();
    start.min(end)..end
}

#[cfg(test)]
#[path = "mod_tests.rs"]
mod tests;
