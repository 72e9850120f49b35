//! What is quoted in a question: each of its rows has a gutter that no line of ours has.

use ratatui::text::{Line, Span};
use windlass_core::text::visible_line;

use crate::text::{break_spans, clean};
use crate::theme::{TextRole, Theme};

const LINE: &str = "│ ";
/// Before the rest of a line that is longer than the screen is wide.
const REST: &str = "┊ ";

pub(super) const GUTTER_COLUMNS: usize = 2;

/// One line on as many rows as it needs, each with the gutter and `lead`. There are no line feeds in it.
pub(super) fn line(spans: &[Span<'_>], lead: &str, columns: usize, theme: Theme) -> Vec<Line<'static>> {
    let gutter = |sign: &str| [Span::styled(format!("{sign}{lead}"), theme.style(TextRole::Muted))];
    break_spans(spans, columns, &gutter(LINE), &gutter(REST))
}

/// A text with its own lines.
pub(super) fn text(
    text: &str,
    lead: &str,
    columns: usize,
    role: TextRole,
    theme: Theme,
) -> Vec<Line<'static>> {
    let text = clean(text.strip_suffix('\n').unwrap_or(text));
    let style = theme.style(role);
    text.split('\n').flat_map(|row| line(&[Span::styled(row, style)], lead, columns, theme)).collect()
}

/// A text that has one line: line ends in it are signs.
pub(super) fn one_line(label: &str, text: &str, columns: usize, theme: Theme) -> Vec<Line<'static>> {
    let label = Span::styled(label.to_owned(), theme.style(TextRole::Muted));
    line(&[label, Span::styled(visible_line(text), theme.style(TextRole::Strong))], "", columns, theme)
}

/// Rows that were laid out already.
pub(super) fn rows(rows: Vec<Line<'static>>, theme: Theme) -> impl Iterator<Item = Line<'static>> {
    rows.into_iter().map(move |mut row| {
        row.spans.insert(0, Span::styled(LINE, theme.style(TextRole::Muted)));
        row
    })
}
