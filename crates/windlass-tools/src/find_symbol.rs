//! `find_symbol`: where a name of the code is defined, from the symbol graph of the index.

use serde_json::{Map, Value, json};
use windlass_core::permission::Inspection;
use windlass_core::port::{BoxFuture, ToolContext, ToolPort};
use windlass_core::search::SharedSearch;
use windlass_core::tool::{ToolFailure, ToolOutput, ToolSpec, Visibility};

use crate::argument;
use crate::passages::{self, failed, project_spec};
use crate::summary::summarized;

const NAME: &str = "find_symbol";

const ABOUT: &str = "Find where a function, type, method or constant is defined; gives path, line and the defining line, exact \
                     names first. It knows names only, not words of comments or texts: use search_text or search_codebase \
                     for those. For the uses of a name, find_references.";

/// Rows of one answer when nothing is said.
const LIMIT_DEFAULT: i64 = 20;
/// Most rows of one answer.
const LIMIT_MAX: i64 = 200;

/// The tool.
#[derive(Debug)]
pub(crate) struct FindSymbol {
    spec: ToolSpec,
    search: Option<SharedSearch>,
}

impl FindSymbol {
    pub(crate) fn new(search: Option<SharedSearch>) -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "name": {
                    "type": "string", "minLength": 1, "maxLength": 256,
                    "description": "A name, alone or with what it is in: 'haul', 'Windlass::haul'."
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
        spec.examples = vec![json!({"name": "SessionActor"}), json!({"name": "Windlass::haul", "limit": 3})];
        Self { spec, search }
    }
}

impl ToolPort for FindSymbol {
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
            let places = index.find_symbol(name, rows_max).await.map_err(failed)?;
            let rows: Vec<Value> = places.iter().map(passages::place_json).collect();
            let text = match places.as_slice() {
                [] => format!(
                    "Nothing in the index defines '{name}'. search_codebase or search_text may find it by other words."
                ),
                places => passages::shown_places(places),
            };
            let output = ToolOutput::json(json!({"name": name, "definitions": rows})).with_text(text);
            Ok(summarized(NAME, output))
        })
    }
}
