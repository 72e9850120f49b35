//! Languages whose lines stand for themselves.

use super::Paint;
use crate::theme::Role;

/// What a line of a unified diff is.
pub(super) fn diff_role(line: &str) -> Role {
    const HEADS: [&str; 8] =
        ["+++", "---", "diff ", "index ", "new file", "deleted file", "rename ", "similarity "];
    match line.chars().next() {
        _ if HEADS.iter().any(|head| line.starts_with(head)) => Role::Muted,
        Some('@') => Role::Place,
        Some('+') => Role::Added,
        Some('-') => Role::Removed,
        _ => Role::Text,
    }
}

/// Markdown that is shown as it is written: what begins a line, and code between ticks.
pub(super) fn paint_markdown(paint: &mut Paint<'_>) {
    let line = paint.rest();
    let text = line.trim_start();
    let indent = line.len() - text.len();
    match text.chars().next() {
        Some('#') => return paint.put(line.len(), Role::Heading),
        Some('>') => return paint.put(line.len(), Role::Comment),
        Some('`' | '~') if text.starts_with("```") || text.starts_with("~~~") => {
            return paint.put(line.len(), Role::Muted);
        }
        Some('-' | '*' | '+') if text.get(1..).is_some_and(|rest| rest.starts_with(' ')) => {
            paint.put(indent, Role::Text);
            paint.put(1, Role::Keyword);
        }
        _ => {}
    }
    while let Some(open) = paint.rest().find('`') {
        paint.put(open, Role::Text);
        let Some(close) = paint.rest().get(1..).and_then(|inner| inner.find('`')) else { break };
        paint.put(close + 2, Role::Literal);
    }
    paint.put(paint.rest().len(), Role::Text);
}
