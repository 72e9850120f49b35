//! `find_symbol` and `find_references`: where a name of the code is defined and where it is used, from the symbol graph
//! of the index.

use serde_json::{Map, Value, json};
use windlass_core::port::BoxFuture;
use windlass_core::search::SharedSearch;
use windlass_core::tool::{ToolFailure, ToolOutput, Visibility};

use crate::argument;
use crate::passages::{self, failed};
use crate::project_tool::{Asked, ProjectSearch, ProjectTool, project_spec};
use crate::summary::summarized;

const ABOUT_SYMBOL: &str = "Find where a function, type, method or constant is defined; gives path, line and the defining line, \
                            exact names first. It knows names only, not words of comments or texts: use search_text or \
                            search_codebase for those. For the uses of a name, find_references.";

const ABOUT_REFERENCES: &str = "Find where a function, type, method or constant is used; gives path, line and the line of each call, \
                                import and reference. Names are told apart by their spelling only, so a name that is defined \
                                twice has the uses of both. For its definition, use find_symbol.";

/// Most rows of one answer.
const LIMIT_MAX: i64 = 200;

/// Which way a name is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    /// To its definitions.
    Definitions,
    /// To its uses.
    Uses,
}

/// The two tools.
#[derive(Debug)]
pub(crate) struct FindNames {
    direction: Direction,
}

impl Direction {
    fn tool_name(self) -> &'static str {
        match self {
            Direction::Definitions => "find_symbol",
            Direction::Uses => "find_references",
        }
    }

    /// Rows of one answer when nothing is said.
    fn limit_default(self) -> i64 {
        match self {
            Direction::Definitions => 20,
            Direction::Uses => 50,
        }
    }

    /// What the rows of an answer are called.
    fn rows_name(self) -> &'static str {
        match self {
            Direction::Definitions => "definitions",
            Direction::Uses => "references",
        }
    }

    fn nothing(self, name: &str) -> String {
        match self {
            Direction::Definitions => format!(
                "Nothing in the index defines '{name}'. search_codebase or search_text may find it by other words."
            ),
            Direction::Uses => {
                format!("Nothing in the index uses '{name}'. search_text may find it in texts and comments.")
            }
        }
    }
}

impl FindNames {
    pub(crate) fn tool(direction: Direction, search: Option<SharedSearch>) -> ProjectTool<Self> {
        let (about, name_about, examples) = match direction {
            Direction::Definitions => (
                ABOUT_SYMBOL,
                "A name, alone or with what it is in: 'haul', 'Windlass::haul'.",
                vec![json!({"name": "SessionActor"}), json!({"name": "Windlass::haul", "limit": 3})],
            ),
            Direction::Uses => (
                ABOUT_REFERENCES,
                "A name, as it is written where it is used.",
                vec![json!({"name": "haul"})],
            ),
        };
        let schema = json!({
            "type": "object",
            "properties": {
                "name": {"type": "string", "minLength": 1, "maxLength": 256, "description": name_about},
                "limit": {
                    "type": "integer", "minimum": 1, "maximum": LIMIT_MAX, "default": direction.limit_default(),
                    "description": "Most rows to return."
                }
            },
            "required": ["name"],
            "additionalProperties": false
        });
        let mut spec = project_spec(direction.tool_name(), about, schema, Visibility::Secondary)
            .with_arg_alias("symbol", "name");
        spec.examples = examples;
        ProjectTool::new(spec, search, Self { direction })
    }
}

impl ProjectSearch for FindNames {
    fn answer<'a>(&'a self, asked: Asked<'a>) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(async move {
            let Some(name) = passages::query(argument::text(asked.args, "name")?) else {
                return Err(ToolFailure::invalid_args("name is empty").at(
                    "name",
                    "a name of the code",
                    "nothing",
                ));
            };
            let limit = self.direction.limit_default();
            let rows_max = argument::count(asked.args, "limit", limit, 1..=LIMIT_MAX)?;
            let index = asked.index()?;
            let found = match self.direction {
                Direction::Definitions => index.find_symbol(name, rows_max).await,
                Direction::Uses => index.find_references(name, rows_max).await,
            };
            let places = found.map_err(failed)?;
            let rows: Value = places.iter().map(passages::place_json).collect();
            let text = match places.as_slice() {
                [] => self.direction.nothing(name),
                places => passages::shown_places(places),
            };
            let json = Map::from_iter([
                ("name".to_owned(), name.into()),
                (self.direction.rows_name().to_owned(), rows),
            ]);
            Ok(summarized(self.direction.tool_name(), ToolOutput::json(json.into()).with_text(text)))
        })
    }
}
