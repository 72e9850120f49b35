//! `rag_search`: passages from an index of the session's own texts (E-4, E-22).
//!
//! Owns the spec and the port [`Passages`]; what is indexed, and how, is the business of whoever
//! implements it. Without one the tool says that it is not available, and never "nothing found".

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use windlass_core::ids::SessionId;
use windlass_core::port::{BoxFuture, ToolContext, ToolPort};
use windlass_core::tool::{Category, Effects, Risk, ToolFailure, ToolOutput, ToolSpec, Visibility};

use crate::argument;
use crate::summary::summarized;

/// The tool's name.
const NAME: &str = "rag_search";

const ABOUT: &str = "Search the indexed documents of this conversation, or of all of them. It does not search the \
                     project: use search_text for that.";
/// Most passages of one answer.
const LIMIT_MAX: i64 = 50;

/// An index that gives passages for a question.
pub trait Passages: Send + Sync + fmt::Debug {
    /// The `limit` best passages for `query`: of `session` alone, or of all sessions when `is_global`.
    /// An index that cannot answer fails; an empty list means that nothing was found.
    fn get_context<'a>(
        &'a self,
        query: &'a str,
        limit: usize,
        session: &'a SessionId,
        is_global: bool,
    ) -> BoxFuture<'a, Result<Vec<String>, ToolFailure>>;
}

/// The tool.
#[derive(Debug)]
pub(crate) struct RagSearch {
    spec: ToolSpec,
    passages: Option<Arc<dyn Passages>>,
}

impl RagSearch {
    pub(crate) fn new(passages: Option<Arc<dyn Passages>>) -> Self {
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
        Self { spec, passages }
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
            let Some(passages) = &self.passages else {
                return Err(ToolFailure::unavailable("RAG not available").hint(
                    "There is no search index in this installation. Use another tool, or answer without it.",
                ));
            };
            let mut found = passages.get_context(query, limit, &context.session_id, is_global).await?;
            found.truncate(limit);
            let text = found.join("\n\n---\n\n");
            let output = ToolOutput::json(found.into_iter().map(Value::String).collect());
            let text = if text.is_empty() { "No passages found.".to_owned() } else { text };
            Ok(summarized(NAME, output.with_text(text)))
        })
    }
}
