//! `windlass search`: the best passages of the project and of documents, with what their scores are made of.

use std::sync::Arc;

use windlass_core::ports::search::{
    Found, Passage, ScoreParts, SearchFailure, SearchKind, SearchPort, SearchQuery, SearchScope, TokenBudget,
};
use windlass_search::Searcher;

use crate::args::{GlobalArgs, KindArg, ScopeArg, SearchArgs};
use crate::commands::config::resolve;
use crate::commands::index::{open_index, update};
use crate::commands::run::block_on;
use crate::complaint::{CommandError, Result};
use crate::exit::Exit;
use crate::terminal::out::{print, print_json, warn};
use crate::terminal::short_line::short_line;

/// Lines of a passage that are shown: enough to know it again.
const LINES_MAX: usize = 3;
/// Characters of a line that are shown.
const LINE_CHARS_MAX: usize = 120;
/// Text that is looked through for people: they see the first lines, programs all of it.
const BUDGET: TokenBudget = TokenBudget { total: 200_000, file: 100_000, passage: 4_000 };

pub(crate) fn run(global: &GlobalArgs, args: &SearchArgs) -> Result<Exit> {
    let config = resolve(global)?;
    let index = open_index(&config)?;
    // An index that another process writes can be searched all the same.
    if let Err(complaint) = update(global, &index)
        && !global.quiet
    {
        warn(complaint.what());
    }
    let query = SearchQuery {
        text: args.query.join(" "),
        top_k: usize::try_from(args.top_k).unwrap_or(usize::MAX),
        kind: kind(args.kind),
        scope: scope(args.scope),
        budget: BUDGET,
    };
    let searcher = Searcher::new(Arc::new(index));
    let found = block_on(async { searcher.search(query).await.map_err(complaint) })?;
    if global.json {
        print_json(&found)?;
    } else {
        print(&shown(&found))?;
    }
    Ok(Exit::Done)
}

fn kind(arg: KindArg) -> SearchKind {
    match arg {
        KindArg::Lexical => SearchKind::Lexical,
        KindArg::Semantic => SearchKind::Semantic,
        KindArg::Structural => SearchKind::Structural,
        KindArg::Hybrid => SearchKind::Hybrid,
    }
}

fn scope(arg: ScopeArg) -> SearchScope {
    match arg {
        ScopeArg::Project => SearchScope::Project,
        ScopeArg::Documents => SearchScope::AllSessions,
        ScopeArg::Everything => SearchScope::Everything,
    }
}

fn complaint(failure: SearchFailure) -> CommandError {
    match failure {
        SearchFailure::Missing(text) => CommandError::failed(text).cure("windlass index build"),
        SearchFailure::Invalid(text) | SearchFailure::Unsupported(text) => CommandError::usage(text),
        SearchFailure::Broken(text) => CommandError::failed(text),
    }
}

fn shown(found: &Found) -> String {
    let mut text: String = found.passages.iter().map(passage).collect();
    if found.passages.is_empty() {
        text.push_str("nothing found\n");
    }
    if let Some(notice) = &found.notice {
        text.push_str(&format!("{notice}\n"));
    }
    if let Some(progress) = found.indexing {
        text.push_str(&format!(
            "the index is not complete ({} of {} files); there may be more\n",
            progress.done, progress.total
        ));
    }
    text
}

/// Where, what, how good and why; then its first lines.
fn passage(passage: &Passage) -> String {
    let symbol = passage.symbol.as_deref().map(|symbol| format!("  {symbol}")).unwrap_or_default();
    let mark = if passage.document_id.is_some() { "document " } else { "" };
    let mut text = format!(
        "{mark}{}:{}{symbol}  {:.4}{}\n",
        passage.path,
        passage.line,
        passage.score,
        parts(&passage.parts)
    );
    let lines: Vec<&str> = passage.text.lines().filter(|line| !line.trim().is_empty()).collect();
    for line in lines.iter().take(LINES_MAX) {
        let indent: String = line.chars().take_while(|c| c.is_whitespace()).take(8).collect();
        text.push_str(&format!("    {indent}{}\n", short_line(line, LINE_CHARS_MAX)));
    }
    if lines.len() > LINES_MAX {
        text.push_str("    …\n");
    }
    text
}

/// `(lexical 12.31 · symbol 2.00)`.
fn parts(parts: &ScoreParts) -> String {
    let ScoreParts { lexical, vector, symbol, path } = *parts;
    let named = [("lexical", lexical), ("vector", vector), ("symbol", symbol), ("path", path)];
    let told: Vec<String> = named
        .into_iter()
        .filter_map(|(name, score)| score.map(|score| format!("{name} {score:.2}")))
        .collect();
    if told.is_empty() { String::new() } else { format!("  ({})", told.join(" · ")) }
}
