//! Markdown as styled lines of a width: the text of models, files and pages.
//!
//! Owns how each piece of Markdown looks. Knows nothing of sessions and screens. HTML is text like any other, and
//! everything is cleaned piece by piece after it was parsed, since entities can spell control characters.
//!
//! # Layout
//!
//! - `blocks`: what stands under what: paragraphs, lists, quotes, and the blank lines between them
//! - `inline`: text with emphasis, code and links
//! - `code`, `table`: the two blocks with a layout of their own
//! - `growing`: a text that is still arriving

mod blocks;
mod code;
mod growing;
mod inline;
mod table;

use pulldown_cmark::{Options, Parser};
use ratatui::text::Line;

use crate::theme::Theme;

pub use growing::Growing;

/// Lays a text out.
pub fn render(source: &str, width: u16, theme: Theme) -> Vec<Line<'static>> {
    let mut writer = blocks::Writer::new(source, usize::from(width), theme);
    for (event, range) in Parser::new_ext(source, options()).into_offset_iter() {
        writer.take(event, range);
    }
    writer.end()
}

fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS
}
