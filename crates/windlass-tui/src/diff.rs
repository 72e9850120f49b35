//! Unified diffs as styled lines: a gutter with the number of the line and the sign of the change, and what is wider
//! than the screen goes on behind the gutter.
//!
//! Reads whatever it is given: a diff without numbers, or with wrong ones, is still shown line by line.

use ratatui::text::{Line, Span};

use crate::text::{break_spans, clean};
use crate::theme::{TextRole, Theme};

/// What begins the lines that say which file it is.
const HEADS: [&str; 9] =
    ["--- ", "+++ ", "diff ", "index ", "new file", "deleted file", "rename ", "similarity ", "\\ "];

/// Lays a diff out.
pub fn render(text: &str, width: u16, theme: Theme) -> Vec<Line<'static>> {
    let text = clean(text);
    let number_columns = number_columns(&text);
    let muted = theme.style(TextRole::Muted);
    let mut hunk = Hunk::default();
    let mut lines = Vec::new();
    for line in text.lines() {
        let (number, sign, role, rest) = hunk.read(line);
        let style = theme.style(role);
        let Some(sign) = sign else {
            lines.extend(break_spans(&[Span::styled(rest, style)], usize::from(width), &[], &[]));
            continue;
        };
        let number = number.map(|number| number.to_string()).unwrap_or_default();
        let gutter = |number: &str, sign: char| {
            let mut spans = vec![Span::styled(format!("{sign} "), style)];
            if number_columns > 0 {
                spans.insert(0, Span::styled(format!("{number:>number_columns$} "), muted));
            }
            spans
        };
        let (first, hanging) = (gutter(&number, sign), gutter("", '╰'));
        lines.extend(break_spans(&[Span::styled(rest, style)], usize::from(width), &first, &hanging));
    }
    lines
}

/// Where in the two files the next line is, and how many lines of each the hunk still has.
#[derive(Debug, Default)]
struct Hunk {
    old: Option<usize>,
    new: Option<usize>,
    old_left: usize,
    new_left: usize,
}

impl Hunk {
    /// The number and sign of a line, what it is, and its text. Lines about the diff itself have no sign.
    fn read<'t>(&mut self, line: &'t str) -> (Option<usize>, Option<char>, TextRole, &'t str) {
        let is_inside = self.old_left + self.new_left > 0;
        if let Some((old, new)) = read_place(line) {
            *self = Self { old: Some(old.0), new: Some(new.0), old_left: old.1, new_left: new.1 };
            return (None, None, TextRole::Place, line);
        }
        let is_head = HEADS.iter().any(|head| line.starts_with(head));
        // `\ No newline` stands inside too; a character that was written out begins with a backslash as well.
        if (!is_inside && is_head) || line.starts_with("\\ ") {
            return (None, None, TextRole::Muted, line);
        }
        let step = |number: &mut Option<usize>, left: &mut usize| {
            *left = left.saturating_sub(1);
            let at = *number;
            *number = at.map(|at| at.saturating_add(1));
            at
        };
        if let Some(text) = line.strip_prefix('+') {
            (step(&mut self.new, &mut self.new_left), Some('+'), TextRole::Added, text)
        } else if let Some(text) = line.strip_prefix('-') {
            (step(&mut self.old, &mut self.old_left), Some('-'), TextRole::Removed, text)
        } else {
            step(&mut self.old, &mut self.old_left);
            let text = line.strip_prefix(' ').unwrap_or(line);
            (step(&mut self.new, &mut self.new_left), Some(' '), TextRole::Text, text)
        }
    }
}

/// First line and number of lines.
type LineRange = (usize, usize);

/// Reads `@@ -1,2 +3,4 @@`.
fn read_place(line: &str) -> Option<(LineRange, LineRange)> {
    let mut words = line.strip_prefix("@@ ")?.split(' ');
    let mut place = |sign: char| {
        let word = words.next()?.strip_prefix(sign)?;
        let (first, lines) = word.split_once(',').unwrap_or((word, "1"));
        Some((first.parse().ok()?, lines.parse().ok()?))
    };
    Some((place('-')?, place('+')?))
}

/// Columns of the greatest number there can be; none if there are no numbers.
fn number_columns(text: &str) -> usize {
    let last = |(first, lines): LineRange| first.saturating_add(lines.saturating_sub(1));
    let greatest = text.lines().filter_map(read_place).map(|(old, new)| last(old).max(last(new))).max();
    greatest.map_or(0, |greatest| greatest.to_string().len())
}

#[cfg(test)]
#[path = "diff_tests.rs"]
mod tests;
