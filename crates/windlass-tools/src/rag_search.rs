//! `rag_search`: passages from the documents and notes that sessions added to the index (E-4, E-22).
//!
//! What is indexed, and how, is the index's business. Without one the tool says that it is not available, and never
//! "nothing found".

use serde_json::{Map, Value, json};
use windlass_core::json::clip::clip_chars;
use windlass_core::port::{BoxFuture, ToolContext, ToolPort};
use windlass_core::search::{Passage, SearchFailure, SearchKind, SearchQuery, SearchScope, SharedSearch};
use windlass_core::tool::{Category, Effects, Link, Risk, ToolFailure, ToolOutput, ToolSpec, Visibility};

use crate::argument;
use crate::passages::{self, TOKENS_MAX, budget, failed, shortcoming};
use crate::summary::summarized;

/// The tool's name.
const NAME: &str = "rag_search";

const ABOUT: &str = "Search the indexed documents of this conversation, or of all of them. It does not search the \
                     project: use search_text for that.";
/// Most passages of one answer.
const LIMIT_MAX: i64 = 50;
/// Characters of a passage that are shown beside its document.
const SNIPPET_CHARS_MAX: usize = 200;

/// The tool.
#[derive(Debug)]
pub(crate) struct RagSearch {
    spec: ToolSpec,
    search: Option<SharedSearch>,
}

impl RagSearch {
    pub(crate) fn new(search: Option<SharedSearch>) -> Self {
        let mut spec = ToolSpec::new(NAME, ABOUT)
            .with_schema(json!({
                "type": "object",
                "properties": {
                    "query": {"type": "string", "description": "What to look for"},
                    "limit": {
                        "type": "integer",
                        "description": "How many passages",
                        "default": 3,
                        "minimum": 1,
                        "maximum": LIMIT_MAX
                    },
                    "global": {
                        "type": "boolean",
                        "description": "Search all conversations, not only this one",
                        "default": false
                    }
                },
                "required": ["query"],
                "additionalProperties": false
            }))
            .with_effects(Effects::Read, Risk::Safe)
            .with_place(Category::Search, Visibility::Primary);
        spec.idempotent = true;
        spec.untrusted_output = true;
        spec.examples = vec![json!({"query": "retry policy", "limit": 3})];
        Self { spec, search }
    }
}

impl ToolPort for RagSearch {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(
        &'a self,
        args: &'a Map<String, Value>,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(async move {
            let query = argument::text(args, "query")?;
            let limit = argument::count(args, "limit", 3, 1..=LIMIT_MAX)?;
            let is_global = argument::flag(args, "global", false)?;
            let Some(query) = passages::query(query) else {
                return Err(ToolFailure::invalid_args("query is empty").at("query", "some words", "nothing"));
            };
            let Some(search) = &self.search else { return Err(missing()) };
            let scope = match is_global {
                true => SearchScope::AllSessions,
                false => SearchScope::Session(context.session_id.clone()),
            };
            let asked = SearchQuery {
                text: query.to_owned(),
                top_k: limit,
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
            let note = shortcoming(&found);
            let passages: Vec<Passage> = found.passages.into_iter().take(limit).collect();
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
            Ok(summarized(NAME, output))
        })
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
