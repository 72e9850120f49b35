//! What `find_symbol` and `find_references` share: a name is asked of the symbol graph, rows come back.

use serde_json::{Map, Value};
use windlass_core::ports::search::{SearchFailure, SymbolPlace};
use windlass_core::protocol::tool::{ToolFailure, ToolOutput};

use super::passages::{self, failed};

/// Most rows of one answer.
pub(crate) const ROWS_MAX: usize = 200;

/// A name that can be looked for.
pub(crate) fn asked(name: &str) -> Result<&str, ToolFailure> {
    passages::query(name)
        .ok_or_else(|| ToolFailure::invalid_args("name is empty").at("name", "a name of the code", "nothing"))
}

/// The outcome: rows under a word, as text or as what is said when there are none.
pub(crate) fn answer(
    name: &str,
    rows_word: &str,
    found: Result<Vec<SymbolPlace>, SearchFailure>,
    nothing: String,
) -> Result<ToolOutput, ToolFailure> {
    let places = found.map_err(failed)?;
    let rows: Value = places.iter().map(passages::place_json).collect();
    let text = match places.as_slice() {
        [] => nothing,
        places => passages::shown_places(places),
    };
    let json = Map::from_iter([("name".to_owned(), name.into()), (rows_word.to_owned(), rows)]);
    Ok(ToolOutput::json(json.into()).with_text(text))
}
