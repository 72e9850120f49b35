//! OpenAI's strict subset: only for tools whose schema already is in it. Nothing is changed to fit, because
//! making an optional argument required would change what the tool means.

use serde_json::{Value, json};

use super::Schema;
use super::shape::{properties_of, texts_of, types_of};

/// Levels of objects and lists that strict mode takes on every endpoint that has it.
const LEVELS_MAX: usize = 5;
/// Properties that it takes together.
const PROPERTIES_MAX: usize = 100;

/// Whether a root schema is in the subset.
pub(super) fn fits(root: &Schema) -> bool {
    let mut properties = 0;
    fits_at(root, 0, &mut properties) && properties <= PROPERTIES_MAX
}

/// Writes out what strict mode wants to see written: an empty `required`.
pub(super) fn complete(root: &mut Schema) {
    if root.contains_key("properties") && !root.contains_key("required") {
        root.insert("required".to_owned(), json!([]));
    }
    super::shape::each_inner(root, &mut complete);
}

fn fits_at(schema: &Schema, level: usize, properties: &mut usize) -> bool {
    if level > LEVELS_MAX || !schema.keys().all(|keyword| is_known(keyword)) {
        return false;
    }
    if schema.contains_key("$ref") {
        return schema.len() == 1;
    }
    let definitions = ["$defs", "definitions"].into_iter().filter_map(|word| schema.get(word)?.as_object());
    if !definitions.flat_map(|named| named.values()).all(|inner| value_fits(inner, 1, properties)) {
        return false;
    }
    if let Some(Value::Array(any)) = schema.get("anyOf") {
        return level > 0 && any.iter().all(|inner| value_fits(inner, level, properties));
    }
    let types = types_of(schema);
    let fits_type = |word: &&str| match *word {
        "object" => object_fits(schema, level, properties),
        "array" => schema.get("items").is_some_and(|items| value_fits(items, level + 1, properties)),
        _ => true,
    };
    !types.is_empty() && types.iter().all(fits_type)
}

fn object_fits(schema: &Schema, level: usize, count: &mut usize) -> bool {
    let required = texts_of(schema, "required");
    let Some(properties) = properties_of(schema) else { return false };
    *count += properties.len();
    schema.get("additionalProperties") == Some(&Value::Bool(false))
        && required.len() == properties.len()
        && properties
            .iter()
            .all(|(name, inner)| required.contains(&name.as_str()) && value_fits(inner, level + 1, count))
}

fn value_fits(value: &Value, level: usize, properties: &mut usize) -> bool {
    value.as_object().is_some_and(|schema| fits_at(schema, level, properties))
}

fn is_known(keyword: &str) -> bool {
    matches!(
        keyword,
        "type"
            | "properties"
            | "required"
            | "additionalProperties"
            | "items"
            | "enum"
            | "const"
            | "anyOf"
            | "$ref"
            | "$defs"
            | "definitions"
            | "title"
            | "description"
    )
}
