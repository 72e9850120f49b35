//! Unified diffs: what a change would do, for the question, and what it did, for the outcome.

use std::time::Duration;

use similar::TextDiff;

use super::limits::{DIFF_MS_MAX, OUTCOME_DIFF_BYTES_MAX};
use super::text::decode;
use super::workspace::FileChange;
use windlass_core::text::cut_bytes;

/// The whole change as a unified diff.
pub(crate) fn unified(change: &FileChange) -> String {
    let path = change.place.path();
    let text = |bytes: Option<&Vec<u8>>| match bytes {
        Some(bytes) => decode(bytes.clone()).map(|text| text.content),
        None => Some(String::new()),
    };
    let before = text(change.before.as_ref().map(|before| &before.bytes));
    let (Some(before), Some(after)) = (before, text(change.after.as_ref())) else {
        let size = |bytes: Option<usize>| bytes.map_or("none".to_owned(), |bytes| format!("{bytes} bytes"));
        return format!(
            "Binary file {path}: {} before, {} after\n",
            size(change.before.as_ref().map(|before| before.bytes.len())),
            size(change.after.as_ref().map(Vec::len))
        );
    };
    let old_name = if change.before.is_some() { format!("a/{path}") } else { "/dev/null".to_owned() };
    let new_name = if change.after.is_some() { format!("b/{path}") } else { "/dev/null".to_owned() };
    TextDiff::configure()
        .timeout(Duration::from_millis(DIFF_MS_MAX))
        .diff_lines(&before, &after)
        .unified_diff()
        .header(&old_name, &new_name)
        .to_string()
}

/// A diff cut to what an outcome may hold.
pub(crate) fn shorten(diff: &str) -> String {
    let short = cut_bytes(diff, OUTCOME_DIFF_BYTES_MAX);
    if short.len() == diff.len() {
        return diff.to_owned();
    }
    format!("{short}\n… ({} more bytes of diff)\n", diff.len() - short.len())
}
