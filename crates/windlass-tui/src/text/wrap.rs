//! Styled text broken into lines: by words for prose, by columns for code. Keeps styles, knows none.

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation as _;

use super::width;

/// Wraps by words. The first line begins with `first_indent`, the others with `hanging_indent`; line feeds break, words
/// that are wider than a line are broken by columns, and blanks at a break go. There is always at least one line, and a
/// line always takes at least one sign, however few columns there are.
pub fn wrap_spans(
    spans: &[Span<'_>],
    columns: usize,
    first_indent: &[Span<'static>],
    hanging_indent: &[Span<'static>],
) -> Vec<Line<'static>> {
    let mut words = StyledWords::new(WrappedRows::new(columns, first_indent, hanging_indent));
    for span in spans {
        words.take(&span.content, span.style);
    }
    words.end()
}

/// Breaks by columns alone: nothing of the text goes, blanks neither.
pub fn break_spans(
    spans: &[Span<'_>],
    columns: usize,
    first_indent: &[Span<'static>],
    hanging_indent: &[Span<'static>],
) -> Vec<Line<'static>> {
    let mut rows = WrappedRows::new(columns, first_indent, hanging_indent);
    for span in spans {
        rows.put_broken(&span.content, span.style);
    }
    rows.end()
}

/// Columns of several spans.
pub fn columns_of(spans: &[Span<'_>]) -> usize {
    spans.iter().map(|span| width(&span.content)).sum()
}

/// The lines so far, and the one that is being filled.
struct WrappedRows<'a> {
    columns: usize,
    hanging_indent: &'a [Span<'static>],
    hanging_columns: usize,
    lines: Vec<Line<'static>>,
    row: Vec<Span<'static>>,
    /// How many spans of the row are its indent: text never runs together with it.
    indent_spans: usize,
    used: usize,
    is_bare: bool,
}

impl<'a> WrappedRows<'a> {
    fn new(columns: usize, first_indent: &[Span<'static>], hanging_indent: &'a [Span<'static>]) -> Self {
        Self {
            columns,
            hanging_indent,
            hanging_columns: columns_of(hanging_indent),
            lines: Vec::new(),
            row: first_indent.to_vec(),
            indent_spans: first_indent.len(),
            used: columns_of(first_indent),
            is_bare: true,
        }
    }

    fn room(&self) -> usize {
        self.columns.saturating_sub(self.used)
    }

    fn put(&mut self, text: &str, style: Style, columns: usize) {
        self.used += columns;
        self.is_bare = false;
        let can_join = self.row.len() > self.indent_spans;
        match self.row.last_mut() {
            Some(last) if can_join && last.style == style => last.content.to_mut().push_str(text),
            _ => self.row.push(Span::styled(text.to_owned(), style)),
        }
    }

    fn put_broken(&mut self, text: &str, style: Style) {
        let is_narrow = text.is_ascii();
        if is_narrow && text.len() <= self.room() && !text.contains('\n') {
            if !text.is_empty() {
                self.put(text, style, text.len());
            }
            return;
        }
        for sign in text.graphemes(true) {
            if sign == "\n" {
                self.end_row();
                continue;
            }
            let columns = if is_narrow { 1 } else { width(sign) };
            if columns > self.room() && !self.is_bare {
                self.end_row();
            }
            self.put(sign, style, columns);
        }
    }

    fn end_row(&mut self) {
        self.lines.push(Line::from(std::mem::take(&mut self.row)));
        self.row.extend_from_slice(self.hanging_indent);
        self.indent_spans = self.hanging_indent.len();
        self.used = self.hanging_columns;
        self.is_bare = true;
    }

    fn end(mut self) -> Vec<Line<'static>> {
        if !self.is_bare || self.lines.is_empty() {
            self.lines.push(Line::from(self.row));
        }
        self.lines
    }
}

/// A piece of a word or of the blanks before it: a word may change its style inside.
type WordPiece<'a> = (&'a str, Style, usize);

/// Rows that are filled word by word.
struct StyledWords<'a, 't> {
    rows: WrappedRows<'a>,
    blanks: Vec<WordPiece<'t>>,
    word: Vec<WordPiece<'t>>,
}

impl<'a, 't> StyledWords<'a, 't> {
    fn new(rows: WrappedRows<'a>) -> Self {
        Self { rows, blanks: Vec::new(), word: Vec::new() }
    }

    fn take(&mut self, mut text: &'t str, style: Style) {
        while let Some(at) = text.find([' ', '\n']) {
            let (word, rest) = text.split_at(at);
            self.take_word(word, style);
            self.end_word();
            let blank_end = rest.find(|sign| sign != ' ').unwrap_or(rest.len());
            let (blank, rest) = rest.split_at(blank_end);
            if !blank.is_empty() {
                self.blanks.push((blank, style, blank.len()));
            }
            text = match rest.strip_prefix('\n') {
                Some(rest) => {
                    self.blanks.clear();
                    self.rows.end_row();
                    rest
                }
                None => rest,
            };
        }
        self.take_word(text, style);
    }

    /// Scripts with wide signs have no blanks between words: a line may end before and after each sign.
    fn take_word(&mut self, word: &'t str, style: Style) {
        if word.is_empty() {
            return;
        }
        if word.is_ascii() {
            self.word.push((word, style, word.len()));
            return;
        }
        for sign in word.graphemes(true) {
            let columns = width(sign);
            if columns > 1 {
                self.end_word();
                self.word.push((sign, style, columns));
                self.end_word();
            } else {
                self.word.push((sign, style, columns));
            }
        }
    }

    fn end_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        let columns = |pieces: &[WordPiece<'_>]| pieces.iter().map(|piece| piece.2).sum::<usize>();
        let (word_columns, blank_columns) = (columns(&self.word), columns(&self.blanks));
        let whole_row = self.rows.columns.saturating_sub(self.rows.hanging_columns);
        if blank_columns + word_columns <= self.rows.room() {
            for (text, style, columns) in self.blanks.drain(..).chain(self.word.drain(..)) {
                self.rows.put(text, style, columns);
            }
            return;
        }
        if !self.rows.is_bare {
            self.rows.end_row();
        }
        self.blanks.clear();
        for (text, style, columns) in self.word.drain(..) {
            if word_columns <= whole_row {
                self.rows.put(text, style, columns);
            } else {
                self.rows.put_broken(text, style);
            }
        }
    }

    fn end(mut self) -> Vec<Line<'static>> {
        self.end_word();
        self.rows.end()
    }
}

#[cfg(test)]
#[path = "wrap_tests.rs"]
mod tests;
