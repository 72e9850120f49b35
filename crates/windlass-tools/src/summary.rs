//! The short summary of an outcome for text dialects (E-26…E-29): at most 900 characters, three items of
//! at most 200 each, cut between characters and never inside one.

use windlass_core::calls::json::clip::clip_chars;
use windlass_core::limits::SUMMARY_CHARS_MAX;
use windlass_core::protocol::tool::ToolOutput;

/// Most items that are told (E-27).
const ITEMS_MAX: usize = 3;
/// Most characters of one item (E-27).
const ITEM_CHARS_MAX: usize = 200;

/// Sums an output up by its readable text: `"Fetch url results: …"`.
pub(crate) fn summarize(tool: &str, output: &ToolOutput) -> String {
    let text = one_line(&output.readable(), SUMMARY_CHARS_MAX);
    cut(&format!("{} results: {text}", title(tool)), SUMMARY_CHARS_MAX)
}

/// `"<label> results: item | item | item"`, or `empty` when there is nothing to show.
pub(crate) fn list_items(label: &str, items: impl IntoIterator<Item = String>, empty: &str) -> String {
    let items: Vec<String> = items
        .into_iter()
        .map(|item| one_line(&item, ITEM_CHARS_MAX))
        .filter(|item| !item.is_empty())
        .take(ITEMS_MAX)
        .collect();
    if items.is_empty() {
        return empty.to_owned();
    }
    cut(&format!("{label} results: {}", items.join(" | ")), SUMMARY_CHARS_MAX)
}

/// `fetch_url` → `Fetch url`.
fn title(tool: &str) -> String {
    let mut letters = tool.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).map(|c| if c == '_' { ' ' } else { c }).collect(),
        None => String::new(),
    }
}

/// The beginning of a text with its white space squeezed: reads no more of it than it needs.
pub(crate) fn one_line(text: &str, chars_max: usize) -> String {
    let mut line = String::new();
    let mut chars = 0;
    for word in text.split_whitespace() {
        if chars > chars_max {
            break;
        }
        if chars > 0 {
            line.push(' ');
            chars += 1;
        }
        // A single word can be megabytes long.
        let room = chars_max.saturating_sub(chars) + 1;
        line.extend(word.chars().take(room));
        chars += word.chars().take(room).count();
    }
    cut(&line, chars_max)
}

/// The text, or its first characters and an ellipsis; never more than `chars_max` in all.
pub(crate) fn cut(text: &str, chars_max: usize) -> String {
    clip_chars(text, chars_max).into_owned()
}

#[cfg(test)]
#[path = "summary_tests.rs"]
mod tests;
