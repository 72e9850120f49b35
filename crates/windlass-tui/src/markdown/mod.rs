//! Markdown as styled lines of a width: the text of models, files and pages.
//!
//! Owns how each piece of Markdown looks. Knows nothing of sessions and screens. HTML is text like any other, and
//! everything is cleaned piece by piece after it was parsed, since entities can spell control characters.
//!
//! # Layout
//!
//! - `blocks`: what stands under what: paragraphs, lists, quotes, and the blank lines between them
//! - `frames`: the signs before the lines of quotes and lists
//! - `inline`: text with emphasis, code and links
//! - `code`, `table`: the two blocks with a layout of their own
//! - `growing`, `seam`: a text that is still arriving, and where it can be cut

mod blocks;
mod code;
mod frames;
mod growing;
mod inline;
mod seam;
mod table;

use std::borrow::Cow;

use pulldown_cmark::{Options, Parser};
use ratatui::text::Line;

use self::blocks::{BlockWriter, WrittenBlocks};
use self::seam::Resume;
use crate::theme::Theme;

pub use growing::Growing;

/// Lays a text out.
pub fn render(source: &str, width: u16, theme: Theme) -> Vec<Line<'static>> {
    let source = one_kind_of_line_end(source);
    write(&source, width, theme, Resume::Start).0.lines
}

/// Lays out what comes after something; and whether it defines targets of links, which then may be used anywhere.
fn write(source: &str, width: u16, theme: Theme, resume: Resume) -> (WrittenBlocks, bool) {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let events = Parser::new_ext(source, options).into_offset_iter();
    let has_definitions = events.reference_definitions().iter().next().is_some();
    let mut writer = BlockWriter::new(source, usize::from(width), theme, resume);
    for (event, range) in events {
        writer.take(event, range);
    }
    (writer.end(), has_definitions)
}

fn one_kind_of_line_end(source: &str) -> Cow<'_, str> {
    if source.contains('\r') {
        Cow::Owned(source.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(source)
    }
}

#[cfg(test)]
#[path = "markdown_tests.rs"]
mod tests;
