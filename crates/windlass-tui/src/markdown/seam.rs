//! Where a text that is still arriving can be cut, so that what is before the cut never changes again and what is after
//! it can be laid out alone. Knows how Markdown goes on, not how it looks.

use std::ops::Range;

use pulldown_cmark::Event;
use ratatui::text::Span;

use super::code::Code;
use super::inline::Inline;
use crate::text::is_clean;

/// What is known where laying out goes on.
#[derive(Debug, Clone, Default)]
pub(super) enum Resume {
    /// Nothing: this is the beginning.
    #[default]
    Start,
    /// There are blocks before.
    Block,
    /// The next item of a list.
    Item { number: Option<u64> },
    /// The next line of a block of code.
    Code { opening: String, code: Code },
    /// The next word of a paragraph, after those of the line that is not full yet.
    Text { line: Vec<Span<'static>> },
}

/// A word that stands for the part of a paragraph that is not parsed again: what comes after it is a paragraph too.
const STAND_IN: &str = "x";

impl Resume {
    /// What has to stand before the rest, so that it is parsed as what it is.
    pub(super) fn opening(&self) -> &str {
        match self {
            Resume::Start | Resume::Block | Resume::Item { .. } => "",
            Resume::Code { opening, .. } => opening,
            Resume::Text { .. } => STAND_IN,
        }
    }
}

/// The beginning of a block or list item that is in nothing else.
#[derive(Debug)]
pub(super) struct Mark {
    /// Where its first line begins.
    pub(super) at: usize,
    /// How many lines there are before it.
    pub(super) lines: usize,
    pub(super) kind: MarkKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MarkKind {
    Paragraph,
    Block,
    Item { number: Option<u64> },
}

/// A place inside the last block.
#[derive(Debug)]
pub(super) struct SeamCut {
    pub(super) at: usize,
    pub(super) lines: usize,
    pub(super) resume: Resume,
}

/// Signs that change what is after them if their partner still comes. One that found its partner is not in the text any
/// more. The last one can make a table of two lines.
const OPENERS: [char; 7] = ['*', '_', '~', '`', '[', '<', '|'];

/// The last end of a word in a paragraph before which nothing waits for a partner.
#[derive(Debug, Default)]
pub(super) struct Seam {
    is_lost: bool,
    place: Option<SeamPosition>,
}

/// A place in the source, and the same place in the spans made of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct SeamPosition {
    pub(super) at: usize,
    pub(super) span: usize,
    pub(super) bytes: usize,
}

impl Seam {
    /// Looks at an event before the text takes it.
    pub(super) fn look(&mut self, event: &Event<'_>, range: &Range<usize>, inline: &Inline) {
        let Event::Text(text) = event else { return };
        self.is_lost |= text.contains(OPENERS);
        if self.is_lost || inline.is_nested() || text.len() != range.len() || !is_clean(text) {
            return;
        }
        if let Some(bytes) = last_word_end(text) {
            self.place = Some(SeamPosition { at: range.start + bytes, span: inline.spans(), bytes });
        }
    }

    pub(super) fn place(&self) -> Option<SeamPosition> {
        self.place
    }
}

fn last_word_end(text: &str) -> Option<usize> {
    let mut rest = text;
    while let Some(at) = rest.rfind(' ') {
        rest = rest.get(..at)?;
        if !rest.is_empty() && !rest.ends_with(' ') {
            return Some(at);
        }
    }
    None
}
