//! The schemas of bodies, by name.

use serde_json::{Map, Value, json};

use super::{count, object, text};

/// All schemas.
pub(crate) fn all() -> Map<String, Value> {
    let mut schemas = Map::new();
    for (name, schema) in native().into_iter().chain(crate::routes::compat_schemas()) {
        schemas.insert(name.to_owned(), schema);
    }
    schemas
}

fn native() -> Vec<(&'static str, Value)> {
    vec![(
        "Problem",
        object([
            ("type", text()),
            ("title", text()),
            ("status", count()),
            ("code", json!({"type": "string", "description": "Stable."})),
            ("detail", json!({"type": "string", "description": "What was wrong, where, what to do."})),
            ("field?", text()),
        ]),
    )]
}
