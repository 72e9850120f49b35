//! Markdown for people, written so that text of files, pages and programs is material: it stands in code and never
//! becomes markup.

use std::borrow::Cow;

use serde_json::Value;

/// Lines of a file, a page or a program that are shown.
const LINES_MAX: usize = 120;
/// Characters of the same: one line can be a megabyte.
const CHARS_MAX: usize = 8_000;

/// A value as text: itself where it is text, else JSON on several lines.
pub fn readable(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => text.as_str().into(),
        other => serde_json::to_string_pretty(other).unwrap_or_default().into(),
    }
}

/// Text as text: what Markdown would take for its own is escaped, line ends become blanks.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '\n' | '\r' => escaped.push(' '),
            // Those that are markup only beside white space (`_`, `!`, `#`) are left: names are full of them.
            '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '|' | '~' => {
                escaped.push('\\');
                escaped.push(sign);
            }
            sign => escaped.push(sign),
        }
    }
    escaped
}

/// Escaped text in quotation marks.
pub fn quoted(text: &str) -> String {
    format!("\u{201c}{}\u{201d}", escape(text))
}

/// A code span: its fence is longer than any inside.
pub fn code_span(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    let fence = "`".repeat(longest_run(&text, '`') + 1);
    // Blanks inside a longer fence: a backtick at the edge would become part of it.
    if fence.len() == 1 { format!("`{text}`") } else { format!("{fence} {text} {fence}") }
}

/// A code block: its fence is longer than any inside; what is too long is cut, and said to be.
pub fn code_block(language: &str, text: &str) -> String {
    let text = text.trim_end();
    let by_chars =
        text.char_indices().nth(CHARS_MAX).map_or(text, |(end, _)| text.get(..end).unwrap_or(text));
    let shown: Vec<&str> = by_chars.lines().take(LINES_MAX).collect();
    let shown = shown.join("\n");
    let fence = "`".repeat(longest_run(&shown, '`').max(2) + 1);
    let left = text.lines().count().saturating_sub(shown.lines().count());
    let more = match (left, shown.len() < text.len()) {
        (0, false) => String::new(),
        (0, true) => "\n\n… and more.".to_owned(),
        (left, _) => format!("\n\n… and {left} more lines."),
    };
    format!("{fence}{language}\n{shown}\n{fence}{more}")
}

fn longest_run(text: &str, sign: char) -> usize {
    let (mut longest, mut run) = (0, 0);
    for other in text.chars() {
        run = if other == sign { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}
