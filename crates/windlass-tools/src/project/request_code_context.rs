//! `request_code_context`: the passages of the project that matter for a task, within a token budget (P-2, P-12…P-18).
//!
//! Owns how many passages are asked for and which of them are shown with their text. The value of an outcome is
//! ploke's: query, number and ids with scores and, within the budget, texts; its text form is for other readers.

use std::collections::HashMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use windlass_core::limits::top_k_for_budget;
use windlass_core::permission::Inspection;
use windlass_core::ports::ToolContext;
use windlass_core::ports::search::{
    Found, Passage, SearchKind, SearchQuery, SearchScope, SharedSearch, TokenBudget,
};
use windlass_core::protocol::tool::{ToolFailure, ToolOutput, ToolSpec, Visibility};
use windlass_core::text::markdown::{code_block, quoted, readable};

use super::passages::{
    self, PASSAGE_TOKENS_MAX, budget, failed, heading, index, open_to, project_spec, shortcoming,
    whole_project,
};
use crate::typed::{TypedTool, text_arg};

/// Passages named, but not shown, when the budget is used up.
const UNSHOWN_NAMED_MAX: usize = 5;

pub(crate) struct RequestCodeContext(pub(crate) Option<SharedSearch>);

#[derive(Deserialize, JsonSchema)]
pub(crate) struct CodeContextArgs {
    /// How many tokens of text may come back.
    #[serde(default = "token_budget")]
    #[schemars(range(min = 0, max = u32::MAX))]
    token_budget: u32,
    /// What to look for: a question, words or a name of the code.
    hint: Option<String>,
}

/// The budget of a caller that names none: ploke's callers do (P-12), a small model may not.
fn token_budget() -> u32 {
    2_000
}

impl TypedTool for RequestCodeContext {
    const NAME: &'static str = "request_code_context";
    const ABOUT: &'static str = "Find the passages of the project's code and notes that matter for a question; gives their \
                                 text, best first, within a token budget. Say in 'hint' what you need to know; without it the \
                                 user's last message is looked for. Leaves out secrets, binaries and what .gitignore names. To \
                                 find an exact text, use search_text; to read a whole file, read_file.";
    type Args = CodeContextArgs;

    fn declare(&self, spec: ToolSpec) -> ToolSpec {
        let example = json!({"token_budget": 2000, "hint": "where are retries of failed requests decided"});
        project_spec(spec, Visibility::Primary, vec![example])
    }

    async fn inspect(&self, _args: CodeContextArgs, _: &ToolContext) -> Result<Inspection, ToolFailure> {
        Ok(whole_project())
    }

    async fn run(&self, args: CodeContextArgs, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        let hint = args.hint.as_deref().and_then(passages::query);
        let Some(query) = hint.or_else(|| passages::query(&context.user_message)) else {
            return Err(ToolFailure::invalid_args("There is nothing to look for: no hint, and no message")
                .at("hint", "a question, words or a name", "nothing")
                .hint("Say in 'hint' what you need to know."));
        };
        let top_k = top_k_for_budget(args.token_budget);
        // The ids of all of them are told; the budget is about the text that is shown.
        let whole = TokenBudget { total: u32::MAX, file: u32::MAX, passage: PASSAGE_TOKENS_MAX };
        let wanted = SearchQuery {
            text: query.to_owned(),
            top_k: usize::try_from(top_k).unwrap_or(usize::MAX),
            kind: SearchKind::Hybrid,
            scope: SearchScope::Project,
            budget: whole,
        };
        let found = index(self.0.as_ref())?.search(wanted).await.map_err(failed)?;
        let found = open_to(found, context);
        let root = std::path::absolute(&context.root).unwrap_or_else(|_| context.root.clone());
        let budget = budget(args.token_budget);
        let excerpts = excerpts(&found, &budget);
        let results = found.passages.iter().zip(&excerpts);
        let results: Vec<Value> =
            results.map(|(passage, text)| result(&root, passage, text.as_deref())).collect();
        let json = json!({"query": query, "top_k": top_k, "results": results});
        Ok(ToolOutput::json(json).with_text(shown(&found, &excerpts, &budget)))
    }

    fn display(&self, args: &Map<String, Value>, value: &Value) -> Option<String> {
        let about = quoted(text_arg(args, "hint"));
        Some(format!("What the project has on {about}:\n\n{}", code_block("", &readable(value))))
    }
}

/// ploke's line of a result: `/abs/path#start:end` and the score (P-17), and the text where the budget has room for it.
fn result(root: &Path, passage: &Passage, text: Option<&str>) -> Value {
    let path = root.join(&passage.path);
    let id = format!("{}#{}:{}", path.display(), passage.start, passage.end);
    match text {
        Some(text) => json!({"id": id, "score": passages::score(passage.score), "text": text}),
        None => json!({"id": id, "score": passages::score(passage.score)}),
    }
}

/// The texts of the passages that fit.
fn excerpts(found: &Found, budget: &TokenBudget) -> Vec<Option<String>> {
    let mut left = budget.total;
    let mut left_of_file: HashMap<&str, u32> = HashMap::new();
    let excerpts = found.passages.iter().map(|passage| {
        let of_file = left_of_file.entry(&passage.path).or_insert(budget.file);
        let excerpt = excerpt(passage, budget.passage)?;
        let cost = tokens(&part(passage, &excerpt));
        if cost > left.min(*of_file) {
            return None;
        }
        left = left.saturating_sub(cost);
        *of_file = of_file.saturating_sub(cost);
        Some(excerpt)
    });
    excerpts.collect()
}

/// The passages that fit, with their text; the next ones by their place alone.
fn shown(found: &Found, excerpts: &[Option<String>], budget: &TokenBudget) -> String {
    let (mut text, mut unshown) = (String::new(), Vec::new());
    for (passage, excerpt) in found.passages.iter().zip(excerpts) {
        match excerpt {
            Some(excerpt) => text.push_str(&part(passage, excerpt)),
            None => unshown.push(heading(passage)),
        }
    }
    if found.passages.is_empty() {
        text.push_str("Nothing found.\n\n");
    }
    if !unshown.is_empty() {
        let named = unshown.iter().take(UNSHOWN_NAMED_MAX).cloned().collect::<Vec<_>>().join(", ");
        let line = format!("[{} more did not fit into {} tokens: {named}]\n\n", unshown.len(), budget.total);
        text.push_str(&line);
    }
    text.extend(shortcoming(found));
    text.truncate(text.trim_end().len());
    text
}

/// A passage with its heading and the blank line after it.
fn part(passage: &Passage, text: &str) -> String {
    format!("{}\n{text}\n\n", heading(passage))
}

/// The text of a passage. One that alone is too long is cut, unless nothing of it would be left.
fn excerpt(passage: &Passage, tokens_max: u32) -> Option<String> {
    let text = passage.text.trim_end();
    if tokens(&part(passage, text)) <= tokens_max {
        return Some(text.to_owned());
    }
    let bytes_max = usize::try_from(tokens_max).unwrap_or(usize::MAX).saturating_mul(4);
    let around = part(passage, CUT_END).len();
    let room = bytes_max.checked_sub(around).filter(|room| *room >= CUT_BYTES_MIN)?;
    let head = text.get(..text.floor_char_boundary(room))?;
    Some(format!("{head}{CUT_END}"))
}

/// Stands where a passage was cut.
const CUT_END: &str = "\n…";
/// Less of a passage says nothing.
const CUT_BYTES_MIN: usize = 40;

/// Four bytes are a token, as everywhere in the house.
fn tokens(text: &str) -> u32 {
    u32::try_from(text.len().div_ceil(4)).unwrap_or(u32::MAX)
}
