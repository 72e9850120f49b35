//! `search_codebase`: the best passages of the project for a query, by meaning, by names or by all of it.

use serde_json::{Map, Value, json};
use windlass_core::port::BoxFuture;
use windlass_core::search::{SearchKind, SearchQuery, SearchScope, SharedSearch};
use windlass_core::tool::{ToolFailure, ToolOutput, Visibility};

use crate::argument;
use crate::passages::{self, TOKENS_MAX, budget, failed};
use crate::project_tool::{Asked, ProjectSearch, ProjectTool, project_spec};
use crate::summary::summarized;

const NAME: &str = "search_codebase";

const ABOUT: &str = "Search the project's code and notes by what they mean or define; gives the best passages with path, line \
                     and symbol. 'semantic' looks for meaning, 'structural' for definitions and uses of names, 'hybrid' for \
                     all of it and words. Leaves out secrets, binaries and what .gitignore names. For an exact text \
                     or a pattern, use search_text.";

/// Passages of one answer when nothing is said.
const LIMIT_DEFAULT: i64 = 8;
/// Most passages of one answer.
const LIMIT_MAX: i64 = 50;
/// What `search_type` may be.
const TYPES: [SearchKind; 3] = [SearchKind::Semantic, SearchKind::Structural, SearchKind::Hybrid];

/// The tool.
#[derive(Debug)]
pub(crate) struct SearchCodebase;

impl SearchCodebase {
    pub(crate) fn tool(search: Option<SharedSearch>) -> ProjectTool<Self> {
        let schema = json!({
            "type": "object",
            "properties": {
                "query": {
                    "type": "string", "minLength": 1,
                    "description": "A question, words or a name of the code."
                },
                "search_type": {
                    "type": "string", "enum": TYPES.map(SearchKind::word), "default": SearchKind::Hybrid.word(),
                    "description": "Which ways of finding count."
                },
                "limit": {
                    "type": "integer", "minimum": 1, "maximum": LIMIT_MAX, "default": LIMIT_DEFAULT,
                    "description": "Most passages to return."
                }
            },
            "required": ["query"],
            "additionalProperties": false
        });
        let mut spec = project_spec(NAME, ABOUT, schema, Visibility::Primary);
        spec.examples = vec![
            json!({"query": "how are retries decided"}),
            json!({"query": "SessionActor", "search_type": "structural", "limit": 3}),
        ];
        ProjectTool::new(spec, search, Self)
    }
}

impl ProjectSearch for SearchCodebase {
    fn answer<'a>(&'a self, asked: Asked<'a>) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(async move {
            let args = asked.args;
            let Some(query) = passages::query(argument::text(args, "query")?) else {
                return Err(ToolFailure::invalid_args("query is empty").at("query", "some words", "nothing"));
            };
            let kind = search_type(args)?;
            let top_k = argument::count(args, "limit", LIMIT_DEFAULT, 1..=LIMIT_MAX)?;
            let wanted = SearchQuery {
                text: query.to_owned(),
                top_k,
                kind,
                scope: SearchScope::Project,
                budget: budget(TOKENS_MAX),
            };
            let found = asked.index()?.search(wanted).await.map_err(failed)?;
            let results: Vec<Value> = found.passages.iter().map(passages::passage_json).collect();
            let json = json!({"query": query, "search_type": kind.word(), "results": results});
            let text = passages::shown(&found);
            Ok(summarized(NAME, ToolOutput::json(json).with_text(text)))
        })
    }
}

fn search_type(args: &Map<String, Value>) -> Result<SearchKind, ToolFailure> {
    let Some(word) = argument::optional_text(args, "search_type")? else { return Ok(SearchKind::Hybrid) };
    let known = SearchKind::from_word(word).filter(|kind| TYPES.contains(kind));
    known.ok_or_else(|| {
        let words = TYPES.map(SearchKind::word).join(", ");
        ToolFailure::invalid_args(format!("search_type must be one of {words}")).at(
            "search_type",
            words,
            word,
        )
    })
}
