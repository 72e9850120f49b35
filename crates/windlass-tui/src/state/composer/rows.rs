//! How lines fall into rows of a width: at words where it goes, inside a word where it must.
//!
//! Spaces never begin a row: those that do not fit hang over its end. Knows no colours.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation as _;

use crate::text::{clean, width};

/// A row of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComposerRow {
    pub line: usize,
    /// The byte of the line at which it begins.
    pub start: usize,
    /// The byte behind it.
    pub end: usize,
    /// Characters of the line before it.
    pub start_column: usize,
    /// Whether the line ends with it.
    pub is_last: bool,
}

impl ComposerRow {
    pub fn of<'a>(&self, line: &'a str) -> &'a str {
        line.get(self.start..self.end).unwrap_or_default()
    }
}

/// What is drawn for a sign.
pub fn shown(sign: &str) -> Cow<'_, str> {
    clean(sign)
}

pub fn lay_out(lines: &[String], columns: usize) -> Vec<ComposerRow> {
    let mut rows = Vec::with_capacity(lines.len());
    for (number, line) in lines.iter().enumerate() {
        let mut start_column = 0;
        let ends = row_ends(line, columns.max(1));
        let mut start = 0;
        for (place, end) in ends.iter().enumerate() {
            let row = ComposerRow {
                line: number,
                start,
                end: *end,
                start_column,
                is_last: place + 1 == ends.len(),
            };
            start_column += row.of(line).chars().count();
            start = *end;
            rows.push(row);
        }
    }
    rows
}

/// Where the rows of a line end.
fn row_ends(line: &str, columns: usize) -> Vec<usize> {
    let mut ends = Vec::new();
    let (mut start, mut taken) = (0, 0);
    // The last place in the row at which it may end.
    let mut gap = None;
    for (at, sign) in line.grapheme_indices(true) {
        let columns_of_sign = width(&shown(sign));
        let behind = at + sign.len();
        if sign.chars().all(char::is_whitespace) {
            taken += columns_of_sign;
            gap = Some(behind);
            continue;
        }
        // Scripts with wide signs have no spaces: a row may end at each of them.
        let is_wide = columns_of_sign > 1;
        if is_wide {
            gap = Some(at);
        }
        while taken + columns_of_sign > columns && at > start {
            let end = gap.filter(|gap| *gap > start).unwrap_or(at);
            ends.push(end);
            start = end;
            taken = width(&clean(line.get(end..at).unwrap_or_default()));
            gap = None;
        }
        taken += columns_of_sign;
        if is_wide {
            gap = Some(behind);
        }
    }
    ends.push(line.len());
    ends
}

/// The row and column on the screen of a place in a line.
pub fn cell_of(
    rows: &[ComposerRow],
    lines: &[String],
    line: usize,
    column: usize,
    columns: usize,
) -> (usize, usize) {
    let found = rows.iter().enumerate().rfind(|(_, row)| row.line == line && row.start_column <= column);
    let Some((place, row)) = found else { return (0, 0) };
    let text = lines.get(line).map_or("", |line| row.of(line));
    let before = column.saturating_sub(row.start_column);
    let end = text.char_indices().nth(before).map_or(text.len(), |(at, _)| at);
    (place, width(&clean(text.get(..end).unwrap_or_default())).min(columns))
}

/// The place in its line that is nearest to a column of a row, not behind it.
pub fn column_at(row: &ComposerRow, line: &str, goal: usize) -> usize {
    let mut taken = 0;
    let mut column = row.start_column;
    let mut signs = row.of(line).graphemes(true).peekable();
    while let Some(sign) = signs.next() {
        taken += width(&shown(sign));
        // Behind the last sign of a row is the beginning of the next one, unless the line ends there.
        if taken > goal || (signs.peek().is_none() && !row.is_last) {
            break;
        }
        column += sign.chars().count();
    }
    column
}

#[cfg(test)]
#[path = "rows_tests.rs"]
mod tests;
