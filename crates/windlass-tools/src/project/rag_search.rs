//! `rag_search`: passages from the documents and notes that sessions added to the index (E-4, E-22).
//!
//! What is indexed, and how, is the index's business. Without one the tool says that it is not available, and never
//! "nothing found".

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use windlass_core::calls::json::clip::clip_chars;
use windlass_core::permission::Inspection;
use windlass_core::ports::ToolContext;
use windlass_core::ports::search::{
    Passage, SearchFailure, SearchKind, SearchQuery, SearchScope, SharedSearch,
};
use windlass_core::protocol::tool::{
    Category, Effects, Link, Risk, ToolFailure, ToolOutput, ToolSpec, Visibility,
};
use windlass_core::text::markdown::{code_block, quoted, readable};

use super::passages::{self, TOKENS_MAX, budget, failed, open_to, shortcoming};
use crate::summary::list_items;
use crate::typed::{TypedTool, count, text_arg};

/// Most passages of one answer.
const LIMIT_MAX: usize = 50;
/// Characters of a passage that are shown beside its document.
const SNIPPET_CHARS_MAX: usize = 200;

pub(crate) struct RagSearch(pub(crate) Option<SharedSearch>);

#[derive(Deserialize, JsonSchema)]
pub(crate) struct RagSearchArgs {
    /// What to look for
    query: String,
    /// How many passages
    #[serde(default = "count::<3>")]
    #[schemars(range(min = 1, max = LIMIT_MAX))]
    limit: usize,
    /// Search all conversations, not only this one
    #[serde(default)]
    global: bool,
}

impl TypedTool for RagSearch {
    const NAME: &'static str = "rag_search";
    const ABOUT: &'static str = "Search the indexed documents of this conversation, or of all of them. It does not search the \
                                 project: use search_text for that.";
    type Args = RagSearchArgs;

    fn declare(&self, spec: ToolSpec) -> ToolSpec {
        ToolSpec {
            idempotent: true,
            inspected: true,
            untrusted_output: true,
            examples: vec![json!({"query": "retry policy", "limit": 3})],
            ..spec.with_effects(Effects::Read, Risk::Safe).with_place(Category::Search, Visibility::Primary)
        }
    }

    async fn inspect(&self, args: RagSearchArgs, _: &ToolContext) -> Result<Inspection, ToolFailure> {
        // Other conversations are not this one's business: whoever started it may want to know.
        let risk = args.global.then_some(Risk::Medium);
        Ok(Inspection { risk, ..Inspection::default() })
    }

    async fn run(&self, args: RagSearchArgs, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        let Some(query) = passages::query(&args.query) else {
            return Err(ToolFailure::invalid_args("query is empty").at("query", "some words", "nothing"));
        };
        let Some(search) = &self.0 else { return Err(missing()) };
        let scope = match args.global {
            true => SearchScope::AllSessions,
            false => SearchScope::Session(context.session_id.clone()),
        };
        let asked = SearchQuery {
            text: query.to_owned(),
            top_k: args.limit,
            kind: SearchKind::Hybrid,
            scope,
            budget: budget(TOKENS_MAX),
        };
        let found = search.search(asked).await.map_err(|failure| match failure {
            SearchFailure::Missing(_) => missing(),
            SearchFailure::Invalid(_) | SearchFailure::Unsupported(_) | SearchFailure::Broken(_) => {
                failed(failure)
            }
        })?;
        let found = open_to(found, context);
        let note = shortcoming(&found);
        let passages: Vec<Passage> = found.passages.into_iter().take(args.limit).collect();
        let links = documents_of(&passages);
        let texts: Vec<String> = passages.into_iter().map(|passage| passage.text).collect();
        let mut text = texts.join("\n\n---\n\n");
        if text.is_empty() {
            "No passages found.".clone_into(&mut text);
        }
        if let Some(note) = note {
            text = format!("{text}\n\n{note}");
        }
        let mut output = ToolOutput::json(texts.into_iter().map(Value::String).collect()).with_text(text);
        output.links = links;
        Ok(output)
    }

    fn summary(&self, output: &ToolOutput) -> Option<String> {
        let texts = output.json.as_array()?.iter().filter_map(Value::as_str).map(str::to_owned);
        Some(list_items("RAG search", texts, "RAG search returned no chunks"))
    }

    fn display(&self, args: &Map<String, Value>, value: &Value) -> Option<String> {
        let about = quoted(text_arg(args, "query"));
        Some(format!("From your documents on {about}:\n\n{}", code_block("", &readable(value))))
    }
}

/// The documents that passages are of, each once: what an answer can cite.
fn documents_of(passages: &[Passage]) -> Vec<Link> {
    let mut links: Vec<Link> = Vec::new();
    for passage in passages {
        if !links.iter().any(|link| link.title == passage.path) {
            let snippet = clip_chars(passage.text.trim(), SNIPPET_CHARS_MAX).into_owned();
            links.push(Link { title: passage.path.clone(), url: String::new(), snippet });
        }
    }
    links
}

/// There is no index (E-25).
fn missing() -> ToolFailure {
    ToolFailure::unavailable("RAG not available")
        .hint("There is no search index in this installation. Use another tool, or answer without it.")
}
