//! Unified diffs as styled lines.

use ratatui::text::{Line, Span};

use crate::text::{break_spans, clean};
use crate::theme::{Role, Theme};

/// Lays a diff out.
pub fn render(text: &str, width: u16, theme: Theme) -> Vec<Line<'static>> {
    let cleaned = clean(text);
    let mut lines = Vec::new();
    for line in cleaned.lines() {
        let role = match line.chars().next() {
            Some('+') => Role::Added,
            Some('-') => Role::Removed,
            Some('@') => Role::Place,
            _ => Role::Text,
        };
        let spans = [Span::styled(line, theme.style(role))];
        lines.extend(break_spans(&spans, usize::from(width), &[], &[Span::raw("  ")]));
    }
    lines
}
