//! What is known of a tool's arguments before any call comes: prepared once, read by every check.
//!
//! Owns the reading of an argument schema into slots. Knows nothing of calls, and leaves everything
//! beyond names, strict types, defaults and null to the full schema.

use serde_json::{Map, Value};

use crate::protocol::tool::{ArgType, ToolSpec};

/// How far references and unions are followed when a schema is asked whether it takes null; a schema
/// that refers to itself would go on for ever.
const NULL_DEPTH_MAX: usize = 16;

/// One argument that the schema names.
pub(crate) struct ArgSlot {
    pub(crate) name: Box<str>,
    pub(crate) kind: ArgType,
    /// Whether it must be given.
    pub(crate) is_required: bool,
    /// Whether null is one of its values; if not, a null stands for "not given".
    pub(crate) takes_null: bool,
    /// What is put in when it is missing.
    pub(crate) default: Option<Value>,
}

/// All arguments of a tool.
pub(crate) struct ArgTable {
    slots: Box<[ArgSlot]>,
    /// Names to slots, sorted by name: names and aliases are found by bisection.
    by_name: Box<[(Box<str>, usize)]>,
    /// Aliases to slots, sorted by alias.
    by_alias: Box<[(Box<str>, usize)]>,
    /// Whether arguments that are not in the table go to the tool as they are.
    pub(crate) keeps_unknown: bool,
    /// Whether arguments that are not in the table are an error.
    pub(crate) refuses_unknown: bool,
}

impl ArgTable {
    /// Reads the table from a spec.
    pub(crate) fn of(spec: &ToolSpec) -> Self {
        let empty = Map::new();
        let properties = spec.properties().unwrap_or(&empty);
        let mut slots: Vec<ArgSlot> =
            properties.iter().map(|(name, schema)| slot_of(spec, name, schema)).collect();
        let required = spec.schema.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        for name in required.iter().filter_map(Value::as_str) {
            // Demanded without a schema of its own: any value will do, but there must be one.
            if !properties.contains_key(name) {
                slots.push(slot_of(spec, name, &Value::Bool(true)));
            }
        }
        let by_name = sorted(slots.iter().enumerate().map(|(at, slot)| (slot.name.clone(), at)));
        let find = |name: &str| bisect(&by_name, name);
        let by_alias = sorted(spec.arg_aliases.iter().filter_map(|(alias, target)| {
            // A property of the same name is the stronger claim.
            let is_free = find(alias).is_none();
            find(target).filter(|_| is_free).map(|at| (alias.as_str().into(), at))
        }));
        let keeps_unknown = spec.is_open() || names_more(&spec.schema, properties, 0);
        Self {
            slots: slots.into(),
            by_name,
            by_alias,
            keeps_unknown,
            refuses_unknown: spec.strict_args && !keeps_unknown,
        }
    }

    /// The arguments in declaration order.
    pub(crate) fn slots(&self) -> &[ArgSlot] {
        &self.slots
    }

    /// The argument of that name.
    pub(crate) fn find(&self, name: &str) -> Option<&ArgSlot> {
        self.slots.get(bisect(&self.by_name, name)?)
    }

    /// The argument that an alias means.
    pub(crate) fn find_alias(&self, alias: &str) -> Option<&ArgSlot> {
        self.slots.get(bisect(&self.by_alias, alias)?)
    }
}

fn slot_of(spec: &ToolSpec, name: &str, schema: &Value) -> ArgSlot {
    let takes_null = takes_null(&spec.schema, schema, 0);
    // `"default": null` of an argument that cannot be null says "no default" in many generators.
    let default = schema.get("default").filter(|value| takes_null || !value.is_null()).cloned();
    ArgSlot {
        name: name.into(),
        kind: ArgType::of(schema),
        is_required: spec.requires(name),
        takes_null,
        default,
    }
}

fn sorted(pairs: impl Iterator<Item = (Box<str>, usize)>) -> Box<[(Box<str>, usize)]> {
    let mut pairs: Vec<_> = pairs.collect();
    pairs.sort_unstable();
    pairs.into()
}

fn bisect(pairs: &[(Box<str>, usize)], name: &str) -> Option<usize> {
    let at = pairs.binary_search_by(|(key, _)| (**key).cmp(name)).ok()?;
    pairs.get(at).map(|(_, slot)| *slot)
}

/// Whether null may satisfy a schema. Errs towards yes: the full schema has the last word, and a
/// null that is kept by mistake is reported there, while one dropped by mistake would be lost.
fn takes_null(root: &Value, schema: &Value, depth: usize) -> bool {
    let Value::Object(keywords) = schema else { return schema != &Value::Bool(false) };
    if depth > NULL_DEPTH_MAX {
        return true;
    }
    let follow = |schema: &Value| takes_null(root, schema, depth + 1);
    keywords.iter().all(|(keyword, value)| match (keyword.as_str(), value) {
        ("type", Value::String(name)) => name == "null",
        ("type", Value::Array(names)) => names.iter().any(|name| name == "null"),
        ("enum", Value::Array(values)) => values.contains(&Value::Null),
        ("const", value) => value.is_null(),
        ("anyOf" | "oneOf", Value::Array(branches)) => branches.iter().any(follow),
        ("allOf", Value::Array(branches)) => branches.iter().all(follow),
        ("$ref", Value::String(target)) => {
            target.strip_prefix('#').and_then(|pointer| root.pointer(pointer)).is_none_or(follow)
        }
        _ => true,
    })
}

/// Whether a schema names arguments in other places than its `properties`: dropping what is not in
/// `properties` would then drop arguments that the tool knows.
fn names_more(schema: &Value, known: &Map<String, Value>, depth: usize) -> bool {
    if depth > NULL_DEPTH_MAX {
        return true;
    }
    let follow = |schema: &Value| {
        let is_named = |part: &Value| {
            part.as_object().is_some_and(|part| part.keys().all(|name| known.contains_key(name)))
        };
        schema.get("properties").is_some_and(|part| !is_named(part))
            || schema.get("patternProperties").is_some()
            || names_more(schema, known, depth + 1)
    };
    let Value::Object(keywords) = schema else { return false };
    keywords.iter().any(|(keyword, value)| match (keyword.as_str(), value) {
        // Not followed: where it leads there may be more names, and keeping too much loses nothing.
        ("$ref" | "$dynamicRef" | "$recursiveRef", _) => true,
        ("unevaluatedProperties", value) => value != &Value::Bool(false),
        ("allOf" | "anyOf" | "oneOf", Value::Array(branches)) => branches.iter().any(follow),
        ("if" | "then" | "else", branch) => follow(branch),
        ("dependentSchemas" | "dependencies", Value::Object(branches)) => branches.values().any(follow),
        _ => false,
    })
}

#[cfg(test)]
#[path = "arg_table_tests.rs"]
mod tests;
