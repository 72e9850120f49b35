//! What the search tools share: the index they ask, how its failures are told, how what it found is shown.
//!
//! Knows no index but the port, and no tool. An index that is missing or broken is a failed call, never "nothing found".

use std::sync::Arc;

use serde_json::{Value, json};
use windlass_core::permission::{Inspection, Target};
use windlass_core::ports::ToolContext;
use windlass_core::ports::search::{
    Found, IndexProgress, Passage, SearchFailure, SearchPort, SharedSearch, SymbolPlace, TokenBudget,
};
use windlass_core::protocol::tool::{Category, Effects, Risk, Scope, ToolFailure, ToolSpec, Visibility};

/// Longest query that an index takes; what the user said may be longer.
const QUERY_BYTES_MAX: usize = 4_000;
/// Most tokens of one outcome, whatever the model asks for: twenty passages of the longest kind.
pub(crate) const TOKENS_MAX: u32 = 12_000;
/// Most tokens of one passage.
pub(crate) const PASSAGE_TOKENS_MAX: u32 = 800;

/// Characters of the largest outcome, with the lines that say where each passage is.
const RESULT_CHARS_MAX: usize = 64_000;

/// The spec of a tool that searches the whole project: it reads files and brings what others wrote.
pub(crate) fn project_spec(spec: ToolSpec, visibility: Visibility, examples: Vec<Value>) -> ToolSpec {
    ToolSpec {
        idempotent: true,
        inspected: true,
        untrusted_output: true,
        result_chars_max: Some(RESULT_CHARS_MAX),
        examples,
        ..spec
            .with_effects(Effects::Read, Risk::Medium)
            .with_scopes([Scope::ReadFiles])
            .with_place(Category::Search, visibility)
    }
}

/// What such a tool touches: all of the project is read.
pub(crate) fn whole_project() -> Inspection {
    Inspection { targets: vec![Target::Path(".".to_owned())], ..Inspection::default() }
}

/// The index, or why there is none.
pub(crate) fn index(search: Option<&SharedSearch>) -> Result<&dyn SearchPort, ToolFailure> {
    search.map(Arc::as_ref).ok_or_else(|| {
        ToolFailure::unavailable("There is no search index of this project")
            .hint("Use search_text and read_file instead; 'windlass index build' makes an index.")
    })
}

/// What was found, without passages of paths that rules close to reading.
pub(crate) fn open_to(mut found: Found, context: &ToolContext) -> Found {
    found.passages.retain(|passage| !context.targets.is_closed(&passage.path));
    found
}

/// Definitions or uses, without those in paths that rules close to reading.
pub(crate) fn open_places(mut places: Vec<SymbolPlace>, context: &ToolContext) -> Vec<SymbolPlace> {
    places.retain(|place| !context.targets.is_closed(&place.path));
    places
}

/// A failed search as the model reads it.
pub(crate) fn failed(failure: SearchFailure) -> ToolFailure {
    match failure {
        SearchFailure::Missing(text) => ToolFailure::unavailable(text)
            .hint("Use search_text and read_file instead; 'windlass index build' makes an index."),
        SearchFailure::Invalid(text) => {
            ToolFailure::invalid_args(text).hint("Change the query and send the call again.")
        }
        SearchFailure::Unsupported(text) => ToolFailure::unavailable(text)
            .hint("Search in another way: 'hybrid' and 'structural' always work."),
        SearchFailure::Broken(text) => ToolFailure::io_error(format!("The search failed: {text}"))
            .hint("This does not mean that nothing is there. Use search_text and read_file instead."),
    }
}

/// A query that says something, no longer than an index takes.
pub(crate) fn query(text: &str) -> Option<&str> {
    let text = text.trim();
    let head = text.get(..text.floor_char_boundary(QUERY_BYTES_MAX)).unwrap_or_default();
    (!head.is_empty()).then_some(head)
}

/// A budget for so many tokens: one file has at most half of them, so that it does not hide the others.
pub(crate) fn budget(total: u32) -> TokenBudget {
    let total = total.min(TOKENS_MAX);
    let passage = total.min(PASSAGE_TOKENS_MAX);
    TokenBudget { total, file: (total / 2).max(passage), passage }
}

/// Where a passage is and what it is.
pub(crate) fn heading(passage: &Passage) -> String {
    let symbol = passage.symbol.as_deref().map(|symbol| format!(" {symbol}")).unwrap_or_default();
    format!("{}:{}{symbol} ({})", passage.path, passage.line, passage.language)
}

/// Passages as a model reads them: place, then text.
pub(crate) fn shown(found: &Found) -> String {
    let mut parts: Vec<String> =
        found.passages.iter().map(|it| format!("{}\n{}", heading(it), it.text.trim_end())).collect();
    if parts.is_empty() {
        parts.push("Nothing found.".to_owned());
    }
    parts.extend(shortcoming(found));
    parts.join("\n\n")
}

/// What is said when not everything could be looked at: what was not found may still be there.
pub(crate) fn shortcoming(found: &Found) -> Option<String> {
    let unfinished = found.indexing.map(|IndexProgress { done, total }| {
        format!("[The index is being built ({done} of {total} files): there may be more than this.]")
    });
    let notice = found.notice.as_ref().map(|notice| format!("[{notice}]"));
    let said: Vec<String> = unfinished.into_iter().chain(notice).collect();
    (!said.is_empty()).then(|| said.join("\n\n"))
}

/// A score with the digits that it has.
pub(crate) fn score(score: f32) -> Value {
    // Through its shortest text: a widened number shows digits that nobody computed.
    score.to_string().parse::<f64>().map_or(Value::Null, Value::from)
}

/// A passage as programs read it.
pub(crate) fn passage_json(passage: &Passage) -> Value {
    json!({
        "id": passage.id,
        "path": passage.path,
        "line": passage.line,
        "language": passage.language,
        "symbol": passage.symbol,
        "score": score(passage.score),
        "text": passage.text,
    })
}

/// Definitions or uses, one a line.
pub(crate) fn shown_places(places: &[SymbolPlace]) -> String {
    let line =
        |it: &SymbolPlace| format!("{}:{} {} {}: {}", it.path, it.line, it.kind, it.symbol, it.text.trim());
    places.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// A definition or a use as programs read it.
pub(crate) fn place_json(place: &SymbolPlace) -> Value {
    json!({
        "symbol": place.symbol,
        "kind": place.kind,
        "path": place.path,
        "line": place.line,
        "text": place.text,
    })
}
