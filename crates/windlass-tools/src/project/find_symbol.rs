//! `find_symbol`: where a name of the code is defined, from the symbol graph of the index.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use windlass_core::permission::Inspection;
use windlass_core::ports::ToolContext;
use windlass_core::ports::search::SharedSearch;
use windlass_core::protocol::tool::{ToolFailure, ToolOutput, ToolSpec, Visibility};

use super::names::{ROWS_MAX, answer, asked};
use super::passages::{index, open_places, project_spec, whole_project};
use crate::typed::{TypedTool, count};

pub(crate) struct FindSymbol(pub(crate) Option<SharedSearch>);

#[derive(Deserialize, JsonSchema)]
pub(crate) struct FindSymbolArgs {
    /// A name, alone or with what it is in: 'haul', 'Windlass::haul'.
    #[schemars(length(min = 1, max = 256))]
    name: String,
    /// Most rows to return.
    #[serde(default = "count::<20>")]
    #[schemars(range(min = 1, max = ROWS_MAX))]
    limit: usize,
}

impl TypedTool for FindSymbol {
    const NAME: &'static str = "find_symbol";
    const ABOUT: &'static str = "Find where a function, type, method or constant is defined; gives path, line and the \
                                 defining line, exact names first. It knows names only, not words of comments or texts: use \
                                 search_text or search_codebase for those. For the uses of a name, find_references.";
    type Args = FindSymbolArgs;

    fn declare(&self, spec: ToolSpec) -> ToolSpec {
        let examples = vec![json!({"name": "SessionActor"}), json!({"name": "Windlass::haul", "limit": 3})];
        project_spec(spec, Visibility::Secondary, examples).with_arg_alias("symbol", "name")
    }

    async fn inspect(
        &self,
        _args: FindSymbolArgs,
        _context: &ToolContext,
    ) -> Result<Inspection, ToolFailure> {
        Ok(whole_project())
    }

    async fn run(&self, args: FindSymbolArgs, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        let name = asked(&args.name)?;
        let found = index(self.0.as_ref())?.find_symbol(name, args.limit).await;
        let found = found.map(|places| open_places(places, context));
        answer(
            name,
            "definitions",
            found,
            format!(
                "Nothing in the index defines '{name}'. search_codebase or search_text may find it by other words."
            ),
        )
    }
}
