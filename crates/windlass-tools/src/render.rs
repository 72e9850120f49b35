//! Summaries of the file and command tools, in the form of E-28, and cuts by bytes.

use crate::summary::{ITEM_CHARS_MAX, ITEMS_MAX, SUMMARY_CHARS_MAX, cut, one_line};

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

/// The longest beginning of at most `bytes_max` bytes that ends on a character boundary.
pub(crate) fn head(text: &str, bytes_max: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes_max)).unwrap_or_default()
}

#[cfg(test)]
#[path = "render_tests.rs"]
mod tests;
