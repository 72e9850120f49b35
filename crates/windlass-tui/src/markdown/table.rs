//! Tables: columns side by side while they fit, shrunk from the widest and wrapped inside their cells when they do not,
//! and one field a line when even that would be unreadable.

use pulldown_cmark::{Alignment, Event, TagEnd};
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

use super::inline::Inline;
use crate::text::{columns_of, wrap_spans};
use crate::theme::{TextRole, Theme};

/// What stands between two columns.
const BETWEEN: &str = " │ ";
/// Columns of `BETWEEN`.
const BETWEEN_COLUMNS: usize = 3;
/// A column that is shrunk to less than this cannot be read.
const CELL_COLUMNS_MIN: usize = 7;

type TableCell = Vec<Span<'static>>;

/// A table that is being collected.
#[derive(Debug)]
pub(super) struct MarkdownTable {
    theme: Theme,
    alignments: Vec<Alignment>,
    head: Vec<TableCell>,
    rows: Vec<Vec<TableCell>>,
    row: Vec<TableCell>,
    cell: Option<Inline>,
    is_in_body: bool,
}

impl MarkdownTable {
    pub(super) fn new(alignments: Vec<Alignment>, theme: Theme) -> Self {
        Self {
            theme,
            alignments,
            head: Vec::new(),
            rows: Vec::new(),
            row: Vec::new(),
            cell: None,
            is_in_body: false,
        }
    }

    /// The text of the cell that is open.
    pub(super) fn inline(&mut self) -> &mut Inline {
        let style = self.theme.style(TextRole::Text);
        let style = if self.is_in_body { style } else { style.add_modifier(Modifier::BOLD) };
        self.cell.get_or_insert_with(|| Inline::new(self.theme, style))
    }

    /// A cell, row or head ends, or something in a cell.
    pub(super) fn close(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::TableCell => {
                self.row.push(self.cell.take().map(Inline::into_spans).unwrap_or_default());
            }
            TagEnd::TableHead => {
                self.head = std::mem::take(&mut self.row);
                self.is_in_body = true;
            }
            TagEnd::TableRow => self.rows.push(std::mem::take(&mut self.row)),
            tag => self.inline().take(Event::End(tag)),
        }
    }

    pub(super) fn lay_out(self, columns: usize) -> Vec<Line<'static>> {
        match fit(&self.natural_columns(), columns) {
            Some(widths) => self.side_by_side(&widths),
            None => self.field_by_field(columns),
        }
    }

    fn natural_columns(&self) -> Vec<usize> {
        let mut widths = vec![1; self.alignments.len()];
        for row in std::iter::once(&self.head).chain(&self.rows) {
            for (widest, cell) in widths.iter_mut().zip(row) {
                *widest = columns_of(cell).max(*widest);
            }
        }
        widths
    }

    fn side_by_side(&self, widths: &[usize]) -> Vec<Line<'static>> {
        let muted = self.theme.style(TextRole::Muted);
        let rule: Vec<String> = widths.iter().map(|columns| "─".repeat(*columns)).collect();
        let rule = Line::from(Span::styled(rule.join("─┼─"), muted));
        let rows: Vec<Vec<Line<'static>>> = self.rows.iter().map(|row| self.row_lines(row, widths)).collect();
        // Rows of several lines run together without something between them.
        let is_ruled = rows.iter().any(|lines| lines.len() > 1);
        let mut lines = self.row_lines(&self.head, widths);
        lines.push(rule.clone());
        for (index, row) in rows.into_iter().enumerate() {
            if is_ruled && index > 0 {
                lines.push(rule.clone());
            }
            lines.extend(row);
        }
        lines
    }

    fn row_lines(&self, row: &[TableCell], widths: &[usize]) -> Vec<Line<'static>> {
        let empty = TableCell::new();
        let cells: Vec<Vec<Line<'static>>> = widths
            .iter()
            .enumerate()
            .map(|(index, columns)| wrap_spans(row.get(index).unwrap_or(&empty), *columns, &[], &[]))
            .collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or_default();
        (0..height)
            .map(|index| {
                let mut spans = Vec::new();
                for ((cell, columns), alignment) in cells.iter().zip(widths).zip(&self.alignments) {
                    if !spans.is_empty() {
                        spans.push(Span::styled(BETWEEN, self.theme.style(TextRole::Muted)));
                    }
                    let text = cell.get(index).map(|line| line.spans.clone()).unwrap_or_default();
                    let (before, after) = padding(columns.saturating_sub(columns_of(&text)), *alignment);
                    spans.push(Span::raw(" ".repeat(before)));
                    spans.extend(text);
                    spans.push(Span::raw(" ".repeat(after)));
                }
                Line::from(spans)
            })
            .collect()
    }

    fn field_by_field(self, columns: usize) -> Vec<Line<'static>> {
        let hanging = [Span::raw("  ")];
        let mut lines = Vec::new();
        for row in &self.rows {
            if !lines.is_empty() {
                lines.push(Line::default());
            }
            for (name, cell) in self.head.iter().zip(row) {
                let mut spans = name.clone();
                if columns_of(name) > 0 {
                    spans.push(Span::styled(": ", self.theme.style(TextRole::Muted)));
                }
                spans.extend(cell.iter().cloned());
                lines.extend(wrap_spans(&spans, columns, &[], &hanging));
            }
        }
        if self.rows.is_empty() {
            for name in &self.head {
                lines.extend(wrap_spans(name, columns, &[], &hanging));
            }
        }
        lines
    }
}

fn padding(free: usize, alignment: Alignment) -> (usize, usize) {
    match alignment {
        Alignment::None | Alignment::Left => (0, free),
        Alignment::Center => (free / 2, free - free / 2),
        Alignment::Right => (free, 0),
    }
}

/// The width of each column, so that all fit; nothing if they would be too narrow to read. The widest give first: none
/// is wider than a limit, and the limit is as high as possible.
fn fit(natural: &[usize], columns: usize) -> Option<Vec<usize>> {
    let room = columns.checked_sub(BETWEEN_COLUMNS * natural.len().saturating_sub(1))?;
    let total = |limit: usize| natural.iter().map(|wide| *wide.min(&limit)).sum::<usize>();
    let widest = natural.iter().copied().max().unwrap_or_default();
    if total(widest) <= room {
        return Some(natural.to_vec());
    }
    // The first limit that is too high; sums grow with it.
    let mut limit = room;
    while total(limit) > room {
        limit = limit.checked_sub(1)?;
    }
    if limit < CELL_COLUMNS_MIN {
        return None;
    }
    // What the limit left over goes to the columns it cut, from the left.
    let mut left = room - total(limit);
    let widths = natural.iter().map(|wide| {
        let is_cut = *wide > limit && left > 0;
        left -= usize::from(is_cut);
        wide.min(&limit) + usize::from(is_cut)
    });
    Some(widths.collect())
}
