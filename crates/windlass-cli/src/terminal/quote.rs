//! Words of models, tools and files on a terminal: the first two columns of each of their rows are ours.
//!
//! What is quoted in a question has a gutter there, what is told has a sign of ours or two blanks. Rows are broken
//! here and not by the terminal, so that no such text ever begins a row: a line of ours cannot be imitated.

use console::{AnsiCodeIterator, measure_text_width, strip_ansi_codes, style};
use windlass_core::text::{visible, visible_line};

/// Before a line of what is quoted.
const LINE: &str = "│ ";
/// Before the rest of a line that is longer than the terminal is wide.
const REST: &str = "┊ ";
/// Before words that are told, where no sign stands.
const BLANK: &str = "  ";
/// Columns before the words.
const GUTTER_COLUMNS: usize = 2;
/// What a tab becomes: how far one goes is the terminal's business otherwise.
const TAB: &str = "    ";

/// How many rows and columns a terminal has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Room {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
}

impl Room {
    /// The room of a terminal; one that does not know its size has the usual one.
    pub(crate) fn of(terminal: &console::Term) -> Self {
        match terminal.size() {
            (0, _) | (_, 0) => Self { rows: 24, columns: 80 },
            (rows, columns) => Self { rows: rows.into(), columns: columns.into() },
        }
    }
}

/// Text in a gutter, row by row.
pub(crate) fn quote(text: &str, columns: usize) -> Vec<String> {
    let text = visible(text.strip_suffix('\n').unwrap_or(text)).into_owned();
    text.split('\n').flat_map(|line| gutter(line, columns, |row| row)).collect()
}

/// Text that has one line, in a gutter: line ends in it are signs.
pub(crate) fn quote_line(text: &str, columns: usize) -> Vec<String> {
    gutter(&visible_line(text), columns, |row| row)
}

/// A diff in a gutter, with colours.
pub(crate) fn quote_diff(diff: &str, columns: usize) -> Vec<String> {
    let diff = visible(diff.strip_suffix('\n').unwrap_or(diff)).into_owned();
    let paint = |line: &str, row: String| {
        let row = style(row).for_stderr();
        match line.chars().next() {
            Some('+') => row.green(),
            Some('-') => row.red(),
            Some('@') => row.cyan(),
            Some(_) | None => row,
        }
        .to_string()
    };
    diff.split('\n').flat_map(|line| gutter(line, columns, |row| paint(line, row))).collect()
}

/// One line in a gutter.
fn gutter(line: &str, columns: usize, paint: impl Fn(String) -> String) -> Vec<String> {
    let line = line.replace('\t', TAB);
    // One column stays free: some terminals break a row that is full.
    let room = columns.saturating_sub(GUTTER_COLUMNS + 1).max(1);
    let mut rows = vec![String::new()];
    let mut used = 0;
    for sign in line.chars() {
        let taken = columns_of(sign);
        if used + taken > room && used > 0 {
            rows.push(String::new());
            used = 0;
        }
        if let Some(row) = rows.last_mut() {
            row.push(sign);
        }
        used += taken;
    }
    let lead = |at: usize| if at == 0 { LINE } else { REST };
    rows.into_iter().enumerate().map(|(at, row)| format!("{}{}", lead(at), paint(row))).collect()
}

/// A line that begins with a sign of ours, on as many rows as it needs: those after the first are indented. It may have
/// colours of ours; what others say in it was made visible before.
pub(crate) fn hang(text: &str, columns: Option<usize>) -> String {
    let mut hung = String::with_capacity(text.len());
    for (at, line) in text.split('\n').enumerate() {
        if at > 0 {
            hung.push('\n');
            if !strip_ansi_codes(line).starts_with(BLANK) {
                hung.push_str(BLANK);
            }
        }
        match columns {
            Some(columns) => break_coloured(&mut hung, line, columns),
            None => hung.push_str(line),
        }
    }
    hung
}

fn break_coloured(hung: &mut String, line: &str, columns: usize) {
    let mut used = 0;
    for (piece, is_colour) in AnsiCodeIterator::new(line) {
        if is_colour {
            hung.push_str(piece);
            continue;
        }
        for sign in piece.replace('\t', TAB).chars() {
            let taken = columns_of(sign);
            if used + taken >= columns && used > GUTTER_COLUMNS {
                hung.push('\n');
                hung.push_str(BLANK);
                used = GUTTER_COLUMNS;
            }
            hung.push(sign);
            used += taken;
        }
    }
}

/// Prose that comes piece by piece, indented.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    /// Where the cursor stands.
    column: usize,
}

impl Flow {
    /// The next piece, as it is written.
    pub(crate) fn put(&mut self, text: &str, columns: usize) -> String {
        let mut put = String::with_capacity(text.len() + GUTTER_COLUMNS);
        for sign in visible(text).replace('\t', TAB).chars() {
            if sign == '\n' {
                put.push(sign);
                self.column = 0;
                continue;
            }
            let taken = columns_of(sign);
            if self.column + taken >= columns && self.column > GUTTER_COLUMNS {
                put.push('\n');
                self.column = 0;
            }
            if self.column == 0 {
                put.push_str(BLANK);
                self.column = GUTTER_COLUMNS;
            }
            put.push(sign);
            self.column += taken;
        }
        put
    }

    /// Whether the cursor stands behind text.
    pub(crate) fn is_mid_line(&self) -> bool {
        self.column > 0
    }

    /// A line break, if the cursor stands behind text.
    pub(crate) fn break_line(&mut self) -> String {
        if std::mem::take(&mut self.column) > 0 { "\n".into() } else { String::new() }
    }
}

/// Columns of a character by itself: one that joins others counts as if it did not, since not every terminal joins.
fn columns_of(sign: char) -> usize {
    match sign {
        // The sign that asks for a picture of the one before it, which may be wider.
        ' '..='~' | '\u{fe0f}' => 1,
        _ => measure_text_width(sign.encode_utf8(&mut [0; 4])),
    }
}

#[cfg(test)]
#[path = "quote_tests.rs"]
mod tests;
