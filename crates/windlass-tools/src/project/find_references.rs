//! `find_references`: where a name of the code is used, from the symbol graph of the index.

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

pub(crate) struct FindReferences(pub(crate) Option<SharedSearch>);

#[derive(Deserialize, JsonSchema)]
pub(crate) struct FindReferencesArgs {
    /// A name, as it is written where it is used.
    #[schemars(length(min = 1, max = 256))]
    name: String,
    /// Most rows to return.
    #[serde(default = "count::<50>")]
    #[schemars(range(min = 1, max = ROWS_MAX))]
    limit: usize,
}

impl TypedTool for FindReferences {
    const NAME: &'static str = "find_references";
    const ABOUT: &'static str = "Find where a function, type, method or constant is used; gives path, line and the line of \
                                 each call, import and reference. Names are told apart by their spelling only, so a name that \
                                 is defined twice has the uses of both. For its definition, use find_symbol.";
    type Args = FindReferencesArgs;

    fn declare(&self, spec: ToolSpec) -> ToolSpec {
        let examples = vec![json!({"name": "haul"})];
        project_spec(spec, Visibility::Secondary, examples).with_arg_alias("symbol", "name")
    }

    async fn inspect(
        &self,
        _args: FindReferencesArgs,
        _context: &ToolContext,
    ) -> Result<Inspection, ToolFailure> {
        Ok(whole_project())
    }

    async fn run(&self, args: FindReferencesArgs, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        let name = asked(&args.name)?;
        let found = index(self.0.as_ref())?.find_references(name, args.limit).await;
        let found = found.map(|places| open_places(places, context));
        answer(
            name,
            "references",
            found,
            format!("Nothing in the index uses '{name}'. search_text may find it in texts and comments."),
        )
    }
}
