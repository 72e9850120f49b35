//! Languages whose lines stand for themselves.

use super::Paint;
use crate::theme::TextRole;

/// What a line of a unified diff is.
pub(super) fn diff_role(line: &str) -> TextRole {
    const HEADS: [&str; 8] =
        ["+++", "---", "diff ", "index ", "new file", "deleted file", "rename ", "similarity "];
    match line.chars().next() {
        _ if HEADS.iter().any(|head| line.starts_with(head)) => TextRole::Muted,
        Some('@') => TextRole::Place,
        Some('+') => TextRole::Added,
        Some('-') => TextRole::Removed,
        _ => TextRole::Text,
    }
}

/// Markdown that is shown as it is written: what begins a line, and code between ticks.
pub(super) fn paint_markdown(paint: &mut Paint<'_>) {
    let line = paint.rest();
    let text = line.trim_start();
    let indent = line.len() - text.len();
    match text.chars().next() {
        Some('#') => return paint.put(line.len(), TextRole::Heading),
        Some('>') => return paint.put(line.len(), TextRole::Comment),
        Some('`' | '~') if text.starts_with("```") || text.starts_with("~~~") => {
            return paint.put(line.len(), TextRole::Muted);
        }
        Some('-' | '*' | '+') if text.get(1..).is_some_and(|rest| rest.starts_with(' ')) => {
            paint.put(indent, TextRole::Text);
            paint.put(1, TextRole::Keyword);
        }
        _ => {}
    }
    while let Some(open) = paint.rest().find('`') {
        paint.put(open, TextRole::Text);
        let Some(close) = paint.rest().get(1..).and_then(|inner| inner.find('`')) else { break };
        paint.put(close + 2, TextRole::Literal);
    }
    paint.put(paint.rest().len(), TextRole::Text);
}
