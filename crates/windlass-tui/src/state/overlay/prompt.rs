//! One line to be written.

use ratatui::style::Style;
use ratatui_textarea::{CursorMove, TextArea};
use windlass_core::protocol::ids::SessionId;

use super::Overlay;
use crate::effect::Proposal;

/// One line to be written.
#[derive(Debug)]
pub struct LinePrompt {
    /// What is asked for.
    pub title: String,
    pub area: TextArea<'static>,
    /// What becomes of it.
    pub kind: PromptKind,
    /// What it lies on.
    pub under: Option<Box<Overlay>>,
}

/// What becomes of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromptKind {
    /// The title of a session.
    Rename(SessionId),
    /// The word that lets a critical edit be made.
    Confirmation(Box<Proposal>),
}

impl LinePrompt {
    /// Asks for a line, beginning with a text.
    pub fn new(title: impl Into<String>, kind: PromptKind, text: &str) -> Self {
        let mut area = TextArea::new(vec![crate::text::one_line(text)]);
        area.move_cursor(CursorMove::End);
        area.set_cursor_line_style(Style::default());
        Self { title: title.into(), area, kind, under: None }
    }

    pub fn text(&self) -> String {
        self.area.lines().concat()
    }
}
