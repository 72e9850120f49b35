//! `search_codebase`: the best passages of the project for a query, by meaning, by names or by all of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use windlass_core::permission::Inspection;
use windlass_core::ports::ToolContext;
use windlass_core::ports::search::{SearchKind, SearchQuery, SearchScope, SharedSearch};
use windlass_core::protocol::tool::{ToolFailure, ToolOutput, ToolSpec, Visibility};
use windlass_core::text::markdown::{code_block, quoted, readable};

use super::passages::{self, TOKENS_MAX, budget, failed, index, open_to, project_spec, whole_project};
use crate::typed::{TypedTool, count, text_arg};

/// Most passages of one answer.
const LIMIT_MAX: usize = 50;

pub(crate) struct SearchCodebase(pub(crate) Option<SharedSearch>);

#[derive(Deserialize, JsonSchema)]
pub(crate) struct SearchCodebaseArgs {
    /// A question, words or a name of the code.
    #[schemars(length(min = 1))]
    query: String,
    /// Which ways of finding count.
    #[serde(default)]
    search_type: SearchType,
    /// Most passages to return.
    #[serde(default = "count::<8>")]
    #[schemars(range(min = 1, max = LIMIT_MAX))]
    limit: usize,
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum SearchType {
    Semantic,
    Structural,
    #[default]
    Hybrid,
}

impl From<SearchType> for SearchKind {
    fn from(kind: SearchType) -> Self {
        match kind {
            SearchType::Semantic => SearchKind::Semantic,
            SearchType::Structural => SearchKind::Structural,
            SearchType::Hybrid => SearchKind::Hybrid,
        }
    }
}

impl TypedTool for SearchCodebase {
    const NAME: &'static str = "search_codebase";
    const ABOUT: &'static str = "Search the project's code and notes by what they mean or define; gives the best passages with \
                                 path, line and symbol. 'semantic' looks for meaning, 'structural' for definitions and uses of \
                                 names, 'hybrid' for all of it and words. Leaves out secrets, binaries and what .gitignore \
                                 names. For an exact text or a pattern, use search_text.";
    type Args = SearchCodebaseArgs;

    fn declare(&self, spec: ToolSpec) -> ToolSpec {
        let examples = vec![
            json!({"query": "how are retries decided"}),
            json!({"query": "SessionActor", "search_type": "structural", "limit": 3}),
        ];
        project_spec(spec, Visibility::Primary, examples)
    }

    async fn inspect(&self, _args: SearchCodebaseArgs, _: &ToolContext) -> Result<Inspection, ToolFailure> {
        Ok(whole_project())
    }

    async fn run(&self, args: SearchCodebaseArgs, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        let Some(query) = passages::query(&args.query) else {
            return Err(ToolFailure::invalid_args("query is empty").at("query", "some words", "nothing"));
        };
        let kind = SearchKind::from(args.search_type);
        let wanted = SearchQuery {
            text: query.to_owned(),
            top_k: args.limit,
            kind,
            scope: SearchScope::Project,
            budget: budget(TOKENS_MAX),
        };
        let found = index(self.0.as_ref())?.search(wanted).await.map_err(failed)?;
        let found = open_to(found, context);
        let results: Vec<Value> = found.passages.iter().map(passages::passage_json).collect();
        let json = json!({"query": query, "search_type": kind.word(), "results": results});
        Ok(ToolOutput::json(json).with_text(passages::shown(&found)))
    }

    fn display(&self, args: &Map<String, Value>, value: &Value) -> Option<String> {
        let about = quoted(text_arg(args, "query"));
        Some(format!("What the project has on {about}:\n\n{}", code_block("", &readable(value))))
    }
}
