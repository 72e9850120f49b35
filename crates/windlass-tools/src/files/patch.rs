//! Edits of a text: exact replacements and line ranges, all or none.
//!
//! Every edit speaks of the text as it was read, so their order means nothing and line numbers do not
//! move. Knows text only, no file.

use schemars::JsonSchema;
use serde::Deserialize;
use windlass_core::protocol::tool::ToolFailure;

use super::limits::AMBIGUOUS_SHOWN_MAX;
use super::root::shown;

// One edit: either `old`, or `start_line` and `end_line`. Both forms share one flat object: several providers cannot
// express "one of".
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct TextEdit {
    /// Exact text to replace, without line numbers.
    #[schemars(length(min = 1))]
    pub(crate) old: Option<String>,
    /// What comes in its place.
    pub(crate) new: String,
    /// With 'old': replace every occurrence.
    pub(crate) replace_all: Option<bool>,
    /// First line to replace, counted from 1.
    #[schemars(range(min = 1))]
    pub(crate) start_line: Option<usize>,
    /// Last line to replace; start_line - 1 inserts before start_line.
    pub(crate) end_line: Option<usize>,
}

/// A piece of the text and what comes in its place.
struct EditSpan {
    start: usize,
    end: usize,
    new: String,
    /// Which edit it belongs to, from 1.
    edit: usize,
}

/// The text after all edits.
pub(crate) fn apply(path: &str, content: &str, edits: &[TextEdit]) -> Result<String, ToolFailure> {
    let mut spans = Vec::new();
    for (index, edit) in edits.iter().enumerate() {
        let number = index + 1;
        let found = match (&edit.old, edit.start_line) {
            (Some(old), None) if edit.end_line.is_none() => exact_spans(path, content, old, edit, number)?,
            (None, Some(start)) if edit.replace_all.is_none() => {
                vec![line_span(path, content, start, edit, number)?]
            }
            _ => return Err(wrong(number, "give either 'old' or 'start_line' (with 'end_line'), not both")),
        };
        spans.extend(found);
    }
    // Two insertions at one place keep the order in which they were sent.
    spans.sort_by_key(|span| (span.start, span.end, span.edit));
    splice(content, &spans)
}

fn wrong(number: usize, what: impl std::fmt::Display) -> ToolFailure {
    let failure = ToolFailure::invalid_args(format!("Edit {number}: {what}"));
    ToolFailure { field: Some(format!("edits[{}]", number.saturating_sub(1))), ..failure }
}

fn exact_spans(
    path: &str,
    content: &str,
    old: &str,
    edit: &TextEdit,
    number: usize,
) -> Result<Vec<EditSpan>, ToolFailure> {
    if old.is_empty() {
        return Err(wrong(number, "'old' is empty; insert with start_line and end_line instead"));
    }
    if old == edit.new {
        return Err(wrong(number, "'old' and 'new' are the same"));
    }
    let mut old = old.to_owned();
    let mut places: Vec<usize> = content.match_indices(&old).map(|(at, _)| at).collect();
    if places.is_empty() {
        // Only now: a file may mix both ends, and then the text is meant as it was sent.
        old = fit_newlines(content, &old);
        places = content.match_indices(&old).map(|(at, _)| at).collect();
    }
    let lines = || {
        let at = places.iter().take(AMBIGUOUS_SHOWN_MAX);
        let lines: Vec<String> = at.map(|at| line_of(content, *at).to_string()).collect();
        lines.join(", ")
    };
    match places.len() {
        0 => return Err(not_found(path, content, &old, number)),
        1 => {}
        count if edit.replace_all != Some(true) => {
            let what = format!(
                "'old' matches {count} times in '{}' (at lines {}{})",
                shown(path),
                lines(),
                if count > AMBIGUOUS_SHOWN_MAX { ", …" } else { "" }
            );
            return Err(wrong(number, what)
                .hint("Add surrounding lines to 'old' until it is unique, or set replace_all to true."));
        }
        _ => {}
    }
    let new = fit_newlines(content, &edit.new);
    let span = |start: usize| EditSpan { start, end: start + old.len(), new: new.clone(), edit: number };
    Ok(places.into_iter().map(span).collect())
}

/// Says that a text is not there and, if white space is all that differs, where it would be.
fn not_found(path: &str, content: &str, old: &str, number: usize) -> ToolFailure {
    let failure = wrong(number, format!("'old' was not found in '{}'", shown(path)));
    let wanted = old.lines().map(str::trim).find(|line| !line.is_empty());
    let near = wanted.and_then(|wanted| content.lines().position(|line| line.trim() == wanted));
    match near {
        Some(line) => failure.hint(format!(
            "Line {} is like its first line but for white space, or what follows differs: read it again and \
             copy the text exactly. Every edit speaks of the file as it was read.",
            line + 1
        )),
        None => failure.hint(
            "Copy the text exactly from read_file, without line numbers. Every edit speaks of the file as it \
             was read, not as another edit of the same call leaves it.",
        ),
    }
}

fn line_span(
    path: &str,
    content: &str,
    start: usize,
    edit: &TextEdit,
    number: usize,
) -> Result<EditSpan, ToolFailure> {
    let end = edit.end_line.unwrap_or(start);
    let total = content.split_inclusive('\n').count();
    if start == 0 || end + 1 < start || end > total || start > total + 1 {
        let what = format!("there are no lines {start} to {end}: '{}' has {total} lines", shown(path));
        return Err(wrong(number, what).hint("Lines count from 1; end_line = start_line - 1 inserts."));
    }
    let offset = |lines: usize| content.split_inclusive('\n').take(lines).map(str::len).sum::<usize>();
    let (from, to) = (offset(start - 1), offset(end));
    let newline = newline_of(content);
    let mut new = fit_newlines(content, &edit.new);
    let is_unfinished = !content.is_empty() && !content.ends_with('\n');
    let stays_unfinished = is_unfinished && to == content.len();
    if !new.is_empty() && !new.ends_with('\n') && !stays_unfinished {
        new.push_str(newline);
    }
    if is_unfinished && from == content.len() && !new.is_empty() {
        new.insert_str(0, newline);
    }
    Ok(EditSpan { start: from, end: to, new, edit: number })
}

/// Puts the spans in, sorted by place, unless two of them touch the same text.
fn splice(content: &str, spans: &[EditSpan]) -> Result<String, ToolFailure> {
    let mut text = String::with_capacity(content.len());
    let mut done = 0;
    let mut last_edit = 0;
    for span in spans {
        // A range that would run backwards: the span begins inside the one before it.
        let Some(between) = content.get(done..span.start) else {
            let what = format!("it touches the same text as edit {last_edit}");
            return Err(wrong(span.edit, what).hint("Join the two into one edit."));
        };
        text.push_str(between);
        text.push_str(&span.new);
        (done, last_edit) = (span.end, span.edit);
    }
    text.push_str(content.get(done..).unwrap_or_default());
    Ok(text)
}

/// The line, from 1, in which a byte is.
fn line_of(content: &str, at: usize) -> usize {
    content.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

fn newline_of(content: &str) -> &'static str {
    let all = content.matches('\n').count();
    if all > 0 && content.matches("\r\n").count() == all { "\r\n" } else { "\n" }
}

/// Models write `\n`; a text whose lines all end in `\r\n` keeps to that.
fn fit_newlines(content: &str, text: &str) -> String {
    match newline_of(content) {
        "\r\n" if !text.contains('\r') => text.replace('\n', "\r\n"),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
#[path = "patch_tests.rs"]
mod tests;
