//! The arguments of a call, complete: each on lines of its own, texts with their real line breaks, nothing cut.
//!
//! A text is shown as it is, unless that could be taken for something else (`"42"`, an empty one, blanks at its edges,
//! characters that cannot be seen): then it is quoted as JSON does.

use ratatui::text::{Line, Span};
use serde_json::Value;
use windlass_core::text::{is_hidden, visible_line};

use super::quote;
use crate::theme::{TextRole, Theme};

/// Columns that a level is moved to the right.
const INDENT: usize = 2;

/// What stands before each line of a text of several lines.
const BAR: &str = "│ ";

/// A tab in it, which is not so many blanks.
const TAB: &str = "␉   ";

pub(super) fn lay_out(arguments: &str, columns: usize, theme: Theme) -> Vec<Line<'static>> {
    let mut sheet = Sheet { lines: Vec::new(), columns, theme };
    match serde_json::from_str::<Value>(arguments) {
        Ok(Value::Object(fields)) if fields.is_empty() => {
            sheet.lines.push(Line::styled("none", theme.style(TextRole::Muted)));
        }
        Ok(Value::Object(fields)) => {
            fields.iter().for_each(|(name, value)| sheet.argument(0, name, value));
        }
        Ok(_) | Err(_) => sheet.lines = quote::text(arguments, "", columns, TextRole::Text, theme),
    }
    sheet.lines
}

struct Sheet {
    lines: Vec<Line<'static>>,
    columns: usize,
    theme: Theme,
}

impl Sheet {
    fn argument(&mut self, level: usize, name: &str, value: &Value) {
        match value {
            Value::String(text) if is_block(text) => {
                self.push(level, name, "");
                self.block(level + 1, text);
            }
            Value::String(text) => self.push(level, name, &spelled(text)),
            Value::Array(items) if items.iter().any(|item| !is_scalar(item)) => {
                self.push(level, name, "");
                let numbered = items.iter().enumerate();
                numbered.for_each(|(at, item)| self.argument(level + 1, &(at + 1).to_string(), item));
            }
            Value::Object(fields) if !fields.is_empty() => {
                self.push(level, name, "");
                fields.iter().for_each(|(name, value)| self.argument(level + 1, name, value));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                self.push(level, name, &value.to_string());
            }
        }
    }

    /// A name and a value that has one line, which may be longer than the screen is wide.
    fn push(&mut self, level: usize, name: &str, value: &str) {
        let name = Span::styled(visible_line(name).into_owned(), self.theme.style(TextRole::Accent));
        let value = match value {
            "" => Span::raw(""),
            value => Span::raw(format!("  {}", visible_line(value))),
        };
        self.lines.extend(quote::line(&[name, value], &self.indent(level), self.columns, self.theme));
    }

    /// A text of several lines.
    fn block(&mut self, level: usize, text: &str) {
        let lead = format!("{}{BAR}", self.indent(level));
        let shown = text.replace('\t', TAB);
        self.lines.extend(quote::text(&shown, &lead, self.columns, TextRole::Text, self.theme));
        if !text.ends_with('\n') {
            self.note(level, "no line break at its end");
        }
        if text.contains(is_hidden) {
            self.note(level, "\\u{…} stands for a character that cannot be seen");
        }
    }

    fn note(&mut self, level: usize, note: &'static str) {
        let note = Span::styled(note, self.theme.style(TextRole::Muted));
        self.lines.extend(quote::line(&[note], &self.indent(level), self.columns, self.theme));
    }

    /// Deep values leave room for themselves.
    fn indent(&self, level: usize) -> String {
        " ".repeat((level * INDENT).min(self.columns / 3))
    }
}

fn is_scalar(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
        Value::String(text) => !is_block(text),
        Value::Array(_) | Value::Object(_) => false,
    }
}

/// Whether a text is shown with its own lines. Not where it spells what stands for characters that cannot be seen, and
/// has such too: nobody could tell them apart.
fn is_block(text: &str) -> bool {
    text.contains('\n') && !(text.contains("\\u{") && text.contains(is_hidden))
}

fn spelled(text: &str) -> String {
    let is_ambiguous = text.trim() != text
        || text.is_empty()
        || text.contains(|sign| is_hidden(sign) || sign == '\t')
        || serde_json::from_str::<Value>(text).is_ok();
    if is_ambiguous { Value::from(text).to_string() } else { text.to_owned() }
}

#[cfg(test)]
#[path = "arguments_tests.rs"]
mod tests;
