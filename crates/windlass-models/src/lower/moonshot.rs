//! Moonshot: nothing beside a reference, and no tuples.

use serde_json::{Value, json};

use super::shape::each_inner;
use super::{Losses, Schema};

/// The schema with bare references and plain lists.
pub(super) fn lower(mut root: Schema, losses: &mut Losses) -> Schema {
    bare(&mut root, losses);
    root
}

fn bare(schema: &mut Schema, losses: &mut Losses) {
    if schema.contains_key("$ref") && schema.len() > 1 {
        let has_rules =
            schema.keys().any(|keyword| !matches!(keyword.as_str(), "$ref" | "description" | "title"));
        schema.retain(|keyword, _| keyword == "$ref");
        if has_rules {
            losses.add("schema_dialect", "what stands beside a reference in its schema was left out");
        }
        return;
    }
    if let Some(tuple) = schema.remove("prefixItems") {
        losses.add("schema_dialect", "a list of fixed places in its schema became a plain list");
        let mut places = tuple.as_array().cloned().unwrap_or_default();
        match schema.remove("items") {
            Some(Value::Bool(false)) => {
                schema.insert("items".to_owned(), json!({"anyOf": places}));
            }
            Some(rest @ Value::Object(_)) => {
                places.push(rest);
                schema.insert("items".to_owned(), json!({"anyOf": places}));
            }
            // Behind the fixed places there may be anything.
            Some(_) | None => {}
        }
    }
    each_inner(schema, &mut |inner| bare(inner, losses));
}
