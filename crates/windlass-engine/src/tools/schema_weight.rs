//! How much work a schema can make: counted before it is compiled, since a small schema whose
//! references fan out can keep a processor busy for years.
//!
//! The weight of a schema is the number of subschemas that one check may visit when every reference is
//! followed. References by JSON pointer or anchor are followed here; all others (relative addresses,
//! inner `$id`s, dynamic ones) cannot be, and only few of them are allowed.

use std::collections::HashMap;

use serde_json::{Map, Value};

/// Subschemas that one check may visit: a tenth of a second in the worst case.
const WEIGHT_MAX: u64 = 1_000_000;
/// References that cannot be followed. Sixteen cannot fan out further than a few hundred visits.
const BLIND_REFS_MAX: usize = 16;
/// What such a reference counts for.
const BLIND_REF_WEIGHT: u64 = 400;
/// How deep references may lead; honest schemas stay below twenty.
const DEPTH_MAX: u32 = 256;
/// Above this weight, or in a circle, collecting all violations could take much longer than the check.
const LIGHT_MAX: u64 = 5_000;

/// The schema could make too much work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooHeavy;

/// What is known of a schema's work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SchemaWeight {
    total: u64,
    is_cyclic: bool,
}

impl SchemaWeight {
    /// Whether all violations can be collected without harm.
    pub(crate) fn is_light(self) -> bool {
        !self.is_cyclic && self.total <= LIGHT_MAX
    }
}

pub(crate) fn weigh(schema: &Value) -> Result<SchemaWeight, TooHeavy> {
    let mut scale = Scale {
        root: schema,
        anchors: HashMap::new(),
        refs: Vec::new(),
        has_inner_ids: false,
        done: HashMap::new(),
        blind_refs: 0,
        is_cyclic: false,
    };
    scale.look_around(schema);
    let total = scale.weigh_schema(schema, 0)?;
    // What lies behind a blind reference is not met while weighing: all of them are counted.
    let all_blind = scale.refs.iter().filter(|target| scale.follow(target).is_none()).count();
    let is_bearable = total <= WEIGHT_MAX && all_blind.max(scale.blind_refs) <= BLIND_REFS_MAX;
    if is_bearable { Ok(SchemaWeight { total, is_cyclic: scale.is_cyclic }) } else { Err(TooHeavy) }
}

struct Scale<'a> {
    root: &'a Value,
    anchors: HashMap<&'a str, &'a Value>,
    /// The targets of all references.
    refs: Vec<&'a str>,
    /// An inner `$id` changes what `#/…` means below it.
    has_inner_ids: bool,
    /// Weights by address; `None` while a schema is being weighed: to meet it again is a circle.
    done: HashMap<*const Value, Option<u64>>,
    /// References met while weighing that could not be followed.
    blind_refs: usize,
    is_cyclic: bool,
}

impl<'a> Scale<'a> {
    /// Finds anchors, references and inner ids in all subschemas. The depth is already bounded.
    fn look_around(&mut self, schema: &'a Value) {
        let Value::Object(keywords) = schema else { return };
        self.has_inner_ids |= self.is_inner_resource(schema);
        for (keyword, value) in keywords {
            match (keyword.as_str(), value) {
                ("$anchor" | "$dynamicAnchor", Value::String(name)) => {
                    self.anchors.insert(name, schema);
                }
                ("$ref", Value::String(target)) => self.refs.push(target),
                // No address looks like this one: it stays blind.
                ("$dynamicRef" | "$recursiveRef", Value::String(_)) => self.refs.push("$dynamic"),
                // Values and no schemas: what looks like a reference in them is none.
                ("enum" | "const" | "default" | "examples", _) => {}
                (
                    "properties" | "patternProperties" | "dependentSchemas" | "dependencies" | "$defs"
                    | "definitions",
                    Value::Object(branches),
                ) => branches.values().for_each(|branch| self.look_around(branch)),
                (_, Value::Array(branches)) => branches.iter().for_each(|branch| self.look_around(branch)),
                (_, Value::Object(_)) => self.look_around(value),
                (_, Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => {}
            }
        }
    }

    fn is_inner_resource(&self, schema: &Value) -> bool {
        let has = |name: &str| schema.get(name).is_some_and(Value::is_string);
        (has("$id") || has("id")) && !std::ptr::eq(schema, self.root)
    }

    fn weigh_schema(&mut self, schema: &'a Value, depth: u32) -> Result<u64, TooHeavy> {
        let Value::Object(keywords) = schema else { return Ok(1) };
        // An id in a place where no schema should be, reached by a pointer.
        let is_hidden = !self.has_inner_ids && self.is_inner_resource(schema);
        if depth > DEPTH_MAX || is_hidden {
            return Err(TooHeavy);
        }
        match self.done.insert(schema, None) {
            Some(Some(weight)) => {
                self.done.insert(schema, Some(weight));
                return Ok(weight);
            }
            Some(None) => {
                self.is_cyclic = true;
                return Ok(1);
            }
            None => {}
        }
        let weight = self.weigh_keywords(keywords, depth)?;
        self.done.insert(schema, Some(weight));
        Ok(weight)
    }

    fn weigh_keywords(&mut self, keywords: &'a Map<String, Value>, depth: u32) -> Result<u64, TooHeavy> {
        let mut weight = 1_u64;
        for (keyword, value) in keywords {
            let more = match (keyword.as_str(), value) {
                ("$ref", Value::String(target)) => self.weigh_target(target, depth)?,
                ("$dynamicRef" | "$recursiveRef", Value::String(_)) => self.count_blind(),
                // Plain values, and definitions that count only where they are used.
                ("enum" | "const" | "default" | "examples" | "$defs" | "definitions", _) => 0,
                (
                    "properties" | "patternProperties" | "dependentSchemas" | "dependencies",
                    Value::Object(branches),
                ) => self.weigh_all(branches.values(), depth)?,
                (_, Value::Array(branches)) => self.weigh_all(branches.iter(), depth)?,
                (_, Value::Object(_)) => self.weigh_schema(value, depth + 1)?,
                (_, Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => 0,
            };
            weight = weight.saturating_add(more);
        }
        Ok(weight)
    }

    fn weigh_all(&mut self, branches: impl Iterator<Item = &'a Value>, depth: u32) -> Result<u64, TooHeavy> {
        let mut weight = 0_u64;
        for branch in branches {
            weight = weight.saturating_add(self.weigh_schema(branch, depth + 1)?);
        }
        Ok(weight)
    }

    fn weigh_target(&mut self, target: &str, depth: u32) -> Result<u64, TooHeavy> {
        match self.follow(target) {
            Some(schema) => self.weigh_schema(schema, depth + 1),
            None => Ok(self.count_blind()),
        }
    }

    /// What a reference means, if that can be said for certain.
    fn follow(&self, target: &str) -> Option<&'a Value> {
        let fragment = target.strip_prefix('#').filter(|_| !self.has_inner_ids)?;
        match fragment {
            "" => Some(self.root),
            pointer if pointer.starts_with('/') => self.root.pointer(pointer),
            anchor => self.anchors.get(anchor).copied(),
        }
    }

    fn count_blind(&mut self) -> u64 {
        self.blind_refs = self.blind_refs.saturating_add(1);
        BLIND_REF_WEIGHT
    }
}

#[cfg(test)]
#[path = "schema_weight_tests.rs"]
mod tests;
