//! The short summary of an outcome for text dialects (E-26…E-29): at most 900 characters, three items of
//! at most 200 each, cut between characters and never inside one.
//!
//! Knows how the search tools shape their output; everything else is summed up by its readable text.

use serde_json::{Map, Value};
use windlass_core::tool::{ToolFailure, ToolOutput};

/// Most characters of a summary (E-26).
pub const SUMMARY_CHARS_MAX: usize = 900;
/// Most items that are told (E-27).
pub const ITEMS_MAX: usize = 3;
/// Most characters of one item (E-27).
pub const ITEM_CHARS_MAX: usize = 200;

/// Sums up what a call gave, in one line.
pub fn summarize(tool: &str, body: Result<&ToolOutput, &ToolFailure>) -> String {
    let summary = match body {
        Ok(output) => summarize_output(tool, output),
        Err(failure) => format!("{tool} failed: {}", one_line(&failure.message, SUMMARY_CHARS_MAX)),
    };
    cut(&summary, SUMMARY_CHARS_MAX)
}

/// Puts the summary into an output: the last thing a tool does.
pub(crate) fn summarized(tool: &str, output: ToolOutput) -> ToolOutput {
    let summary = summarize(tool, Ok(&output));
    output.with_summary(summary)
}

fn summarize_output(tool: &str, output: &ToolOutput) -> String {
    match (tool, &output.json) {
        ("web_search", Value::Array(found)) if found.is_empty() => "Web search returned no details".into(),
        ("web_search", Value::Array(found)) => list("Web search results", found),
        ("rag_search", Value::Array(found)) if found.is_empty() => "RAG search returned no chunks".into(),
        ("rag_search", Value::Array(found)) => list("RAG search results", found),
        ("system_stats", Value::Object(stats)) => format!("System stats: {}", pairs(stats)),
        _ => format!("{} results: {}", title(tool), one_line(&output.readable(), SUMMARY_CHARS_MAX)),
    }
}

fn list(heading: &str, found: &[Value]) -> String {
    let items: Vec<String> = found.iter().take(ITEMS_MAX).map(item).collect();
    format!("{heading}: {}", items.join(" | "))
}

fn item(value: &Value) -> String {
    let text = match value {
        Value::Object(fields) => {
            let told = ["title", "url", "snippet"].iter().filter_map(|name| fields.get(*name)?.as_str());
            told.filter(|text| !text.trim().is_empty()).collect::<Vec<_>>().join(" ")
        }
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    one_line(&text, ITEM_CHARS_MAX)
}

fn pairs(fields: &Map<String, Value>) -> String {
    let pairs: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={}", plain(value))).collect();
    pairs.join(", ")
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
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
    if text.chars().nth(chars_max).is_none() {
        return text.to_owned();
    }
    let mut kept: String = text.chars().take(chars_max.saturating_sub(1)).collect();
    kept.push('…');
    kept
}

#[cfg(test)]
#[path = "summary_tests.rs"]
mod tests;
