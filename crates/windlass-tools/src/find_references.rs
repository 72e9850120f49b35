//! `find_references`: where a name of the code is used, from the symbol graph of the index.

use serde_json::{Map, Value, json};
use windlass_core::permission::Inspection;
use windlass_core::port::{BoxFuture, ToolContext, ToolPort};
use windlass_core::search::SharedSearch;
use windlass_core::tool::{ToolFailure, ToolOutput, ToolSpec, Visibility};

use crate::argument;
use crate::passages::{self, failed, project_spec};
use crate::summary::summarized;

const NAME: &str = "find_references";

const ABOUT: &str = "Find where a function, type, method or constant is used; gives path, line and the line of each call, import \
                     and reference. Names are told apart by their spelling only, so a name that is defined twice has the uses \
                     of both. For its definition, use find_symbol.";

/// Rows of one answer when nothing is said.
const LIMIT_DEFAULT: i64 = 50;
/// Most rows of one answer.
const LIMIT_MAX: i64 = 200;

/// The tool.
#[derive(Debug)]
pub(crate) struct FindReferences {
    spec: ToolSpec,
    search: Option<SharedSearch>,
}

impl FindReferences {
    pub(crate) fn new(search: Option<SharedSearch>) -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "name": {
                    "type": "string", "minLength": 1, "maxLength": 256,
                    "description": "A name, as it is written where it is used."
                },
                "limit": {
                    "type": "integer", "minimum": 1, "maximum": LIMIT_MAX, "default": LIMIT_DEFAULT,
                    "description": "Most rows to return."
                }
            },
            "required": ["name"],
            "additionalProperties": false
        });
        let mut spec =
            project_spec(NAME, ABOUT, schema, Visibility::Secondary).with_arg_alias("symbol", "name");
        spec.examples = vec![json!({"name": "haul"})];
        Self { spec, search }
    }
}

impl ToolPort for FindReferences {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn inspect<'a>(
        &'a self,
        _args: &'a Map<String, Value>,
        _context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<Inspection, ToolFailure>> {
        Box::pin(async { Ok(passages::whole_project()) })
    }

    fn run<'a>(
        &'a self,
        args: &'a Map<String, Value>,
        _context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(async move {
            let Some(name) = passages::query(argument::text(args, "name")?) else {
                return Err(ToolFailure::invalid_args("name is empty").at(
                    "name",
                    "a name of the code",
                    "nothing",
                ));
            };
            let rows_max = argument::count(args, "limit", LIMIT_DEFAULT, 1..=LIMIT_MAX)?;
            let index = passages::index(self.search.as_ref())?;
            let places = index.find_references(name, rows_max).await.map_err(failed)?;
            let rows: Vec<Value> = places.iter().map(passages::place_json).collect();
            let text = match places.as_slice() {
                [] => format!(
                    "Nothing in the index uses '{name}'. search_text may find it in texts and comments."
                ),
                places => passages::shown_places(places),
            };
            let output = ToolOutput::json(json!({"name": name, "references": rows})).with_text(text);
            Ok(summarized(NAME, output))
        })
    }
}
