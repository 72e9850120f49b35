//! Cutting prose: Markdown at headings, then at paragraphs; text at paragraphs, then at sentences.
//!
//! A passage of Markdown carries the headings it is under, as its symbol.

use std::ops::Range;

use super::UncountedPassage;
use super::join::{Stretch, join};
use super::plain::blocks;
use super::split::split;
use crate::limits::{FILLED_BYTES_MAX, PASSAGE_BYTES_MAX, SMALL_BYTES, SYMBOL_BYTES_MAX};

/// The pieces of a text without markup.
pub(super) fn cut_text(text: &str) -> Vec<UncountedPassage> {
    fill(text, 0..text.len()).into_iter().map(UncountedPassage::plain).collect()
}

/// Paragraphs, filled up; what is too long is split at sentences.
fn fill(text: &str, span: Range<usize>) -> Vec<Range<usize>> {
    let inner = text.get(span.clone()).unwrap_or_default();
    let mut stretches = Vec::new();
    for block in blocks(inner) {
        let block = span.start + block.start..span.start + block.end;
        let bytes_max = if block.len() > PASSAGE_BYTES_MAX { FILLED_BYTES_MAX } else { PASSAGE_BYTES_MAX };
        let parts = split(text, block, bytes_max);
        stretches.extend(parts.into_iter().map(|span| Stretch { span, whole: 0, is_item: false }));
    }
    join(stretches).into_iter().map(|stretch| stretch.span).collect()
}

/// A heading and what is under it, up to the next.
struct ProseSection {
    span: Range<usize>,
    level: usize,
    title: String,
}

/// The pieces of a Markdown text.
pub(super) fn cut_markdown(text: &str) -> Vec<UncountedPassage> {
    let mut pieces: Vec<UncountedPassage> = Vec::new();
    let mut above: Vec<(usize, String)> = Vec::new();
    // A heading with little under it opens the next section's passage.
    let mut short: Option<(Range<usize>, Option<String>)> = None;
    for section in sections(text) {
        if section.level > 0 {
            above.retain(|(level, _)| *level < section.level);
            above.push((section.level, section.title));
        }
        let symbol = headings(&above);
        let (span, symbol) = match short.take() {
            Some((before, first)) if before.start + PASSAGE_BYTES_MAX > section.span.end => {
                let is_under = section.span.len() >= before.len();
                (before.start..section.span.end, if is_under { symbol } else { first })
            }
            Some((span, symbol)) => {
                pieces.push(UncountedPassage { span, symbol, text: None });
                (section.span, headings(&above))
            }
            None => (section.span, symbol),
        };
        if span.len() < SMALL_BYTES {
            short = Some((span, symbol));
            continue;
        }
        let parts = fill(text, span);
        pieces.extend(parts.into_iter().map(|span| UncountedPassage {
            span,
            symbol: symbol.clone(),
            text: None,
        }));
    }
    if let Some((span, symbol)) = short {
        pieces.push(UncountedPassage { span, symbol, text: None });
    }
    pieces
}

/// `Search > Index`; outer headings are dropped when there is no room.
fn headings(above: &[(usize, String)]) -> Option<String> {
    let mut path = String::new();
    for (_, title) in above.iter().rev() {
        if path.len() + title.len() > SYMBOL_BYTES_MAX {
            break;
        }
        path = if path.is_empty() { title.clone() } else { format!("{title} > {path}") };
    }
    (!path.is_empty()).then_some(path)
}

fn sections(text: &str) -> Vec<ProseSection> {
    let mut sections = vec![ProseSection { span: 0..0, level: 0, title: String::new() }];
    let (mut at, mut fence): (usize, Option<&str>) = (0, None);
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let mark = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        match (fence, mark) {
            (None, Some(_)) => fence = mark,
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        let heading =
            if fence.is_some() || mark.is_some() { None } else { heading(line, lines.peek().copied()) };
        if let Some((level, title)) = heading {
            sections.push(ProseSection { span: at..at, level, title });
        }
        at += line.len();
        if let Some(section) = sections.last_mut() {
            section.span.end = at;
        }
    }
    sections.retain(|section| !section.span.is_empty());
    sections
}

/// The level and title of a heading, by its marks or by the line drawn under it.
fn heading(line: &str, next: Option<&str>) -> Option<(usize, String)> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let title = line.get(level..)?;
    if (1..=6).contains(&level) && title.starts_with([' ', '\t', '\n']) {
        return Some((level, shorten(title.trim().trim_end_matches('#').trim_end())));
    }
    let under = next?.trim_end();
    let is_title = !line.trim().is_empty() && !line.starts_with([' ', '>', '-', '|', '#']);
    let is_line = |mark: char| under.len() >= 3 && under.chars().all(|c| c == mark);
    match is_title {
        true if is_line('=') => Some((1, shorten(line.trim()))),
        true if is_line('-') => Some((2, shorten(line.trim()))),
        _ => None,
    }
}

fn shorten(title: &str) -> String {
    title.get(..title.floor_char_boundary(SYMBOL_BYTES_MAX / 2)).unwrap_or_default().to_owned()
}
