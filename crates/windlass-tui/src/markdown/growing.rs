//! A text that is still arriving.

use ratatui::text::Line;

use super::render;
use crate::theme::Theme;

/// A text that mostly grows at its end, laid out as it grows.
#[derive(Debug, Default)]
pub struct Growing {
    lines: Vec<Line<'static>>,
}

impl Growing {
    /// The lines of the text as it is now: exactly those of [`render`].
    pub fn update(&mut self, source: &str, width: u16, theme: Theme) -> &[Line<'static>] {
        self.lines = render(source, width, theme);
        &self.lines
    }
}
