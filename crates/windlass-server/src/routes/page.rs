//! Pages of lists: how many rows, and after which row.

use serde_json::{Value, json};
use windlass_core::protocol::ids::Millis;

use crate::error::{Problem, RouteResult};
use crate::limits::{ROWS_MAX, ROWS_USUAL};

/// How many rows a client wants.
pub(super) fn rows(text: Option<&str>) -> RouteResult<usize> {
    let Some(text) = text else { return Ok(ROWS_USUAL) };
    match text.parse() {
        Ok(rows) if (1..=ROWS_MAX).contains(&rows) => Ok(rows),
        Ok(_) | Err(_) => {
            Err(Problem::field("rows", format!("'rows' must be a whole number from 1 to {ROWS_MAX}")))
        }
    }
}

/// The row after which a page begins: its time and its id.
pub(super) fn cursor(text: Option<&str>) -> RouteResult<Option<(Millis, &str)>> {
    let Some(text) = text else { return Ok(None) };
    let parsed = text.split_once(':').and_then(|(ms, id)| Some((ms.parse().ok()?, id)));
    match parsed {
        // A database counts with a sign.
        Some((ms, id)) if i64::try_from(ms).is_ok() && !id.is_empty() => Ok(Some((ms, id))),
        Some(_) | None => Err(Problem::field("before", "'before' must be the 'next' of the previous page")),
    }
}

/// The schema of `rows`.
pub(super) fn rows_schema() -> Value {
    json!({"type": "integer", "minimum": 1, "maximum": ROWS_MAX, "default": ROWS_USUAL})
}

/// The schema of `before`.
pub(super) fn before_schema() -> Value {
    json!({"type": "string", "pattern": "^[0-9]{1,18}:.+$"})
}
