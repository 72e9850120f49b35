//! Rows for people: columns as wide as they must be.

use console::measure_text_width;
use windlass_core::text::visible_line;

/// Puts rows under each other, each on one line; the last column is not padded.
pub(crate) fn lay_out<const N: usize>(rows: &[[String; N]]) -> String {
    let rows: Vec<[String; N]> =
        rows.iter().map(|row| row.each_ref().map(|cell| visible_line(cell).into_owned())).collect();
    let mut widths = [0_usize; N];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(measure_text_width(cell));
        }
    }
    let mut text = String::new();
    for row in &rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(widths) {
            line.push_str(cell);
            line.push_str(&" ".repeat(width.saturating_sub(measure_text_width(cell)) + 2));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
