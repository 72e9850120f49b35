//! A text that is still arriving: what cannot change any more is laid out once.
//!
//! Markdown is decided line by line: what is before a block or item is done as soon as that one is certain. In the last
//! block, lines of code and words of a paragraph that wait for nothing are done too. What remains, the end, is laid out
//! again with every piece. A definition of a link's target may change anything before it: with one, all is done again.

use ratatui::text::Line;

use super::blocks::{WrittenBlocks, follows_blank};
use super::seam::{MarkKind, Resume, SeamCut};
use super::{render, write};
use crate::theme::Theme;

/// So much of a paragraph after a blank line is certain to be one.
const CERTAIN_BYTES: usize = 64;

/// A text that mostly grows at its end, laid out as it grows.
#[derive(Debug, Default)]
pub struct Growing {
    look: (u16, Theme),
    source: String,
    /// Where the part begins that is laid out again, and how many lines there are before it.
    done: usize,
    done_lines: usize,
    resume: Resume,
    lines: Vec<Line<'static>>,
}

impl Growing {
    /// The lines of the text as it is now: exactly those of [`render`].
    pub fn update(&mut self, source: &str, width: u16, theme: Theme) -> &[Line<'static>] {
        match source.strip_prefix(self.source.as_str()) {
            Some("") if self.look == (width, theme) => return &self.lines,
            Some(more) if self.look == (width, theme) => self.source.push_str(more),
            _ => {
                self.look = (width, theme);
                source.clone_into(&mut self.source);
                self.forget();
            }
        }
        // The end of a line may itself be cut in two there; models do not write it.
        if self.source.get(self.done..).unwrap_or_default().contains('\r') {
            self.forget();
            self.lines = render(&self.source, width, theme);
        } else if !self.go_on() {
            self.forget();
            self.go_on();
        }
        &self.lines
    }

    /// The lines as they were last laid out.
    pub fn lines(&self) -> &[Line<'static>] {
        &self.lines
    }

    fn forget(&mut self) {
        self.done = 0;
        self.done_lines = 0;
        self.resume = Resume::Start;
    }

    /// Lays out the end. Fails if what was done before is not true any more.
    fn go_on(&mut self) -> bool {
        let opening = self.resume.opening();
        let mut open = String::with_capacity(opening.len() + self.source.len() - self.done);
        open.push_str(opening);
        let opening_bytes = opening.len();
        open.push_str(self.source.get(self.done..).unwrap_or_default());
        let (width, theme) = self.look;
        let (mut written, has_definitions) = write(&open, width, theme, self.resume.clone());
        if written.has_failed || (has_definitions && !matches!(self.resume, Resume::Start)) {
            return false;
        }
        self.lines.truncate(self.done_lines);
        self.lines.append(&mut written.lines);
        if !has_definitions && let Some(cut) = last_cut(&open, written) {
            self.done += cut.at - opening_bytes;
            self.done_lines += cut.lines;
            self.resume = cut.resume;
        }
        true
    }
}

/// The last place before which nothing can change.
fn last_cut(open: &str, written: WrittenBlocks) -> Option<SeamCut> {
    if written.cut.is_some() {
        return written.cut;
    }
    // What a line begins is certain when it has ended, and the next one too: that one can make a table of it.
    let certain = open.rmatch_indices('\n').nth(1).map(|(at, _)| at);
    let is_certain = |at: usize, kind: MarkKind| match kind {
        MarkKind::Block | MarkKind::Item { .. } => Some(at) <= certain,
        MarkKind::Paragraph => {
            Some(at) <= certain || (open.len() - at > CERTAIN_BYTES && follows_blank(open, at))
        }
    };
    let mark = written.marks.iter().skip(1).rev().find(|mark| is_certain(mark.at, mark.kind))?;
    let resume = match mark.kind {
        MarkKind::Paragraph | MarkKind::Block => Resume::Block,
        MarkKind::Item { number } => Resume::Item { number },
    };
    Some(SeamCut { at: mark.at, lines: mark.lines, resume })
}

#[cfg(test)]
#[path = "growing_tests.rs"]
mod tests;
