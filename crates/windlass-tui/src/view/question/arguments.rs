//! The arguments of a call, complete: each on lines of its own, texts with their real line breaks, nothing cut.
//!
//! A text is shown as it is, unless that could be taken for something else (`"42"`, an empty one, blanks at its edges):
//! then it is quoted as JSON does.

use ratatui::text::{Line, Span};
use serde_json::Value;

use crate::text::{break_spans, clean, width};
use crate::theme::{Role, Theme};

/// Columns that a level is moved to the right.
const INDENT: usize = 2;

/// What stands before each line of a text of several lines.
const BAR: &str = "│ ";

/// Lays out arguments.
pub(super) fn lay_out(arguments: &str, columns: usize, theme: Theme) -> Vec<Line<'static>> {
    let mut sheet = Sheet { lines: Vec::new(), columns, theme };
    match serde_json::from_str::<Value>(arguments) {
        Ok(Value::Object(fields)) if fields.is_empty() => sheet.push(0, "none", Role::Muted),
        Ok(Value::Object(fields)) => {
            fields.iter().for_each(|(name, value)| sheet.argument(0, name, value));
        }
        Ok(_) | Err(_) => clean(arguments).lines().for_each(|line| sheet.push(0, line, Role::Text)),
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
        let name = clean(name).replace('\n', "␊");
        match value {
            Value::String(text) if text.contains('\n') => {
                self.push(level, &name, Role::Accent);
                self.block(level + 1, text);
            }
            Value::String(text) => self.pair(level, &name, &spelled(text)),
            Value::Array(items) if items.iter().any(|item| !is_scalar(item)) => {
                self.push(level, &name, Role::Accent);
                let numbered = items.iter().enumerate();
                numbered.for_each(|(at, item)| self.argument(level + 1, &(at + 1).to_string(), item));
            }
            Value::Object(fields) if !fields.is_empty() => {
                self.push(level, &name, Role::Accent);
                fields.iter().for_each(|(name, value)| self.argument(level + 1, name, value));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                self.pair(level, &name, &clean(&value.to_string()));
            }
        }
    }

    /// A name and a value that has one line, which may be longer than the screen is wide.
    fn pair(&mut self, level: usize, name: &str, value: &str) {
        let indent = self.indent(level);
        if width(&indent) + width(name) + 2 + width(value) > self.columns {
            self.push(level, name, Role::Accent);
            self.push(level + 1, value, Role::Text);
            return;
        }
        self.lines.push(Line::from(vec![
            Span::raw(indent),
            Span::styled(name.to_owned(), self.theme.style(Role::Accent)),
            Span::raw(format!("  {value}")),
        ]));
    }

    /// A text of several lines.
    fn block(&mut self, level: usize, text: &str) {
        let bar = [Span::styled(format!("{}{BAR}", self.indent(level)), self.theme.style(Role::Muted))];
        let text = clean(text);
        self.lines.extend(break_spans(&[Span::raw(text.as_ref())], self.columns, &bar, &bar));
        if !text.ends_with('\n') {
            self.push(level, "no line break at its end", Role::Muted);
        }
    }

    fn push(&mut self, level: usize, text: &str, role: Role) {
        let indent = [Span::raw(self.indent(level))];
        let spans = [Span::styled(text, self.theme.style(role))];
        self.lines.extend(break_spans(&spans, self.columns, &indent, &indent));
    }

    /// Deep values leave room for themselves.
    fn indent(&self, level: usize) -> String {
        " ".repeat((level * INDENT).min(self.columns / 3))
    }
}

fn is_scalar(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
        Value::String(text) => !text.contains('\n'),
        Value::Array(_) | Value::Object(_) => false,
    }
}

fn spelled(text: &str) -> String {
    let is_ambiguous = text.trim() != text || text.is_empty() || serde_json::from_str::<Value>(text).is_ok();
    let spelled = if is_ambiguous { Value::from(text).to_string() } else { text.to_owned() };
    clean(&spelled).into_owned()
}

#[cfg(test)]
#[path = "arguments_tests.rs"]
mod tests;
