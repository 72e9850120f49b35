//! Blocks of code: coloured where the language is known, never wrapped by words. What is wider than the screen goes on
//! in the next line behind a sign, so that nothing is lost.

use ratatui::text::{Line, Span};

use crate::highlight::Highlighter;
use crate::text::{break_spans, clean, columns_of, cut};
use crate::theme::{TextRole, Theme};

/// What stands before a line of code.
const MARGIN: &str = "  ";
/// What stands before the rest of a line that was too wide.
const CONTINUED: &str = "╰ ";

/// Lays code out line by line.
#[derive(Debug, Clone)]
pub(super) struct Code {
    theme: Theme,
    columns: usize,
    highlighter: Highlighter,
}

impl Code {
    /// For lines of a language after so many columns of indent.
    pub(super) fn new(language: &str, columns: usize, theme: Theme) -> Self {
        Self { theme, columns, highlighter: Highlighter::new(language) }
    }

    /// The line that names the language.
    pub(super) fn label(&self, language: &str, indent: &[Span<'static>]) -> Option<Line<'static>> {
        let label = clean(language.trim()).replace('\n', " ");
        if label.is_empty() {
            return None;
        }
        let mut spans = indent.to_vec();
        let room = self.columns.saturating_sub(columns_of(indent));
        let label = cut(&format!("{MARGIN}{label}"), room).into_owned();
        spans.push(Span::styled(label, self.theme.style(TextRole::Muted)));
        Some(Line::from(spans))
    }

    /// Lays out the next line.
    pub(super) fn line(
        &mut self,
        line: &str,
        first_indent: &[Span<'static>],
        hanging_indent: &[Span<'static>],
    ) -> Vec<Line<'static>> {
        let line = clean(line);
        let spans: Vec<Span<'_>> = self
            .highlighter
            .line(&line)
            .into_iter()
            .map(|(text, role)| Span::styled(text, self.theme.style(role)))
            .collect();
        let behind = |indent: &[Span<'static>], sign: &'static str| {
            let mut spans = indent.to_vec();
            spans.push(Span::styled(sign, self.theme.style(TextRole::Muted)));
            spans
        };
        break_spans(&spans, self.columns, &behind(first_indent, MARGIN), &behind(hanging_indent, CONTINUED))
    }
}
