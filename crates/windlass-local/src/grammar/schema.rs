//! Schemas made fit for a grammar: never wider than they say, sometimes a little narrower.
//!
//! A grammar sees characters where a schema means values, so some of what a schema leaves open is closed here: bounds
//! that rounding would pass, whole numbers that are not exact, constants that cannot be written. Knows the
//! keywords of JSON Schema; what the parser makes of them is `lark`'s business.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use windlass_core::protocol::tool::LIVE_KEYWORD;

/// Whole numbers beyond this are not exact everywhere.
const INTEGER_MAX: i64 = (1 << 53) - 1;

/// Numbers that must be a multiple of something stay within this: beyond, rounding makes them none.
const NUMBER_MAX: f64 = 1e15;

/// Deeper schemas are refused: each level costs stack wherever they are read.
const DEPTH_MAX: usize = 64;

/// Larger schemas are refused before anything is built of them.
const NODES_MAX: usize = 20_000;

/// Keywords whose value is one schema.
const ONE: [&str; 5] = ["items", "additionalItems", "additionalProperties", "contains", "propertyNames"];
/// Keywords whose value is a list of schemas.
const MANY: [&str; 5] = ["anyOf", "oneOf", "allOf", "prefixItems", "items"];
/// Keywords whose value is schemas by name.
const NAMED: [&str; 4] = ["properties", "patternProperties", "$defs", "definitions"];
/// Keywords that take the place of a schema's own words.
const COMBINING: [&str; 10] =
    ["anyOf", "oneOf", "allOf", "$ref", "const", "enum", "not", "if", "$dynamicRef", "$recursiveRef"];
/// Keywords that say which strings are right.
const STRING: [&str; 4] = ["pattern", "format", "minLength", "maxLength"];
/// A schema as a grammar wants it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fitted {
    pub(super) schema: Value,
    /// Where a grammar of it is wider than it says.
    pub(super) loosened: Vec<String>,
}

/// Makes a schema fit. An error says what cannot be expressed at all.
pub(super) fn fit(schema: &Value, live: &BTreeMap<String, Vec<String>>) -> Result<Fitted, String> {
    let mut fitting = Fitting { live, loosened: Vec::new(), nodes: 0 };
    let schema = fitting.fit(schema, 0, true)?;
    Ok(Fitted { schema, loosened: fitting.loosened })
}

struct Fitting<'a> {
    live: &'a BTreeMap<String, Vec<String>>,
    loosened: Vec<String>,
    nodes: usize,
}

impl Fitting<'_> {
    /// `is_alone`: no other schema speaks of the same value.
    fn fit(&mut self, schema: &Value, depth: usize, is_alone: bool) -> Result<Value, String> {
        self.count(1)?;
        if depth > DEPTH_MAX {
            return Err(format!("it is nested deeper than {DEPTH_MAX} levels"));
        }
        // What is no object is true, false, or no schema at all: the parser says so.
        let Value::Object(fields) = schema else { return Ok(schema.clone()) };
        let combines = COMBINING.iter().any(|word| fields.contains_key(*word));
        let mut fields = fields.clone();
        fields.remove("x-guidance");
        self.put_live(&mut fields);
        fit_patterns(&mut fields);
        self.fit_literals(&mut fields)?;
        let mut fields = self.fit_children(fields, depth, is_alone && !combines)?;
        self.close(&mut fields, is_alone && !combines);
        bound_numbers(&mut fields);
        Ok(Value::Object(fields))
    }

    fn count(&mut self, parts: usize) -> Result<(), String> {
        self.nodes = self.nodes.saturating_add(parts);
        if self.nodes > NODES_MAX { Err(format!("it has more than {NODES_MAX} parts")) } else { Ok(()) }
    }

    fn fit_children(
        &mut self,
        mut fields: Map<String, Value>,
        depth: usize,
        is_alone: bool,
    ) -> Result<Map<String, Value>, String> {
        for (word, value) in &mut fields {
            let word = word.as_str();
            match value {
                Value::Array(parts) if MANY.contains(&word) => {
                    let is_alone = is_alone && matches!(word, "prefixItems" | "items");
                    for part in parts {
                        *part = self.fit(part, depth + 1, is_alone)?;
                    }
                }
                Value::Object(parts) if NAMED.contains(&word) => {
                    let is_alone = is_alone && word == "properties";
                    for part in parts.values_mut() {
                        *part = self.fit(part, depth + 1, is_alone)?;
                    }
                }
                Value::Object(_) | Value::Bool(_) if ONE.contains(&word) => {
                    *value = self.fit(value, depth + 1, is_alone && word == "items")?;
                }
                _ => {}
            }
        }
        Ok(fields)
    }

    /// A string that asks for values of this moment is one of them. It stays free wherever they would forbid what is
    /// right: where there are none or some cannot be written, and where the schema says more of the string.
    fn put_live(&self, fields: &mut Map<String, Value>) {
        let Some(Value::String(kind)) = fields.shift_remove(LIVE_KEYWORD) else { return };
        let Some(values) = self.live.get(&kind) else { return };
        let says_more = COMBINING.iter().chain(&STRING).any(|word| fields.contains_key(*word));
        let is_string = fields.get("type").and_then(Value::as_str) == Some("string");
        let has_room = self.nodes.saturating_add(values.len()) <= NODES_MAX;
        let are_writable = values.iter().all(|value| !has_escape(value));
        if is_string && !says_more && has_room && !values.is_empty() && are_writable {
            fields.insert("enum".to_owned(), json!(values));
        }
    }

    /// Constants must be writable exactly.
    fn fit_literals(&mut self, fields: &mut Map<String, Value>) -> Result<(), String> {
        if let Some(value) = fields.get("const") {
            check_numbers(value)?;
            if !is_writable(value) {
                return Err(format!("the constant {value} has control characters, which cannot be sampled"));
            }
        }
        if let Some(Value::Array(values)) = fields.get_mut("enum") {
            self.count(values.len())?;
            values.iter().try_for_each(check_numbers)?;
            if values.iter().any(is_writable) {
                values.retain(is_writable);
            } else {
                return Err("its enum has no value that can be sampled".to_owned());
            }
        }
        Ok(())
    }

    /// An object that lists its properties has no others, unless it or another schema speaks of them.
    fn close(&mut self, fields: &mut Map<String, Value>, is_alone: bool) {
        let names = fields.get("properties").and_then(Value::as_object).map(Map::len);
        let least = fields.get("minProperties").and_then(Value::as_u64).unwrap_or_default();
        let least = usize::try_from(least).unwrap_or(usize::MAX);
        let is_said = ["additionalProperties", "patternProperties", "unevaluatedProperties"]
            .iter()
            .any(|word| fields.contains_key(*word));
        if is_alone && !is_said && names.is_some_and(|names| least <= names) {
            fields.insert("additionalProperties".to_owned(), Value::Bool(false));
        }
        let is_open = fields.get("additionalProperties") != Some(&Value::Bool(false));
        let required = fields.get("required").and_then(Value::as_array).map_or(0, Vec::len);
        if is_open && least > required.max(1) {
            let told = "minProperties counts a name that is written twice as two";
            self.loosened.push(told.to_owned());
        }
    }
}

/// A schema that asks for no pattern and no format any more.
pub(super) fn without_patterns(schema: &Value) -> Value {
    match schema {
        Value::Object(fields) => {
            let is_kept =
                |word: &str, value: &Value| !(value.is_string() && matches!(word, "pattern" | "format"));
            let fields = fields.iter().filter(|(word, value)| is_kept(word, value));
            let inner = |word: &str, value: &Value| match word {
                "const" | "enum" | "default" | "examples" => value.clone(),
                _ => without_patterns(value),
            };
            Value::Object(fields.map(|(word, value)| (word.clone(), inner(word, value))).collect())
        }
        Value::Array(parts) => Value::Array(parts.iter().map(without_patterns).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => schema.clone(),
    }
}

/// Patterns whose quoted form would be wider than they are.
fn fit_patterns(fields: &mut Map<String, Value>) {
    if let Some(Value::String(pattern)) = fields.get_mut("pattern") {
        *pattern = sound_pattern(pattern);
    }
    if let Some(Value::Object(patterns)) = fields.get_mut("patternProperties") {
        let sound = std::mem::take(patterns).into_iter().map(|(name, schema)| (sound_pattern(&name), schema));
        *patterns = sound.collect();
    }
}

/// The parser takes a class that holds every control character for one that holds the quote and the backslash too. A
/// control character that cannot be sampled anyway is taken out of every class that begins with `^`.
fn sound_pattern(pattern: &str) -> String {
    let mut sound = String::with_capacity(pattern.len());
    let mut is_escaped = false;
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        sound.push(c);
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '[' if chars.next_if_eq(&'^').is_some() => {
                sound.push_str("^\\x01");
                // A bracket that closes nothing is meant.
                if chars.next_if_eq(&']').is_some() {
                    sound.push_str("\\]");
                }
            }
            _ => {}
        }
    }
    sound
}

/// Whether a schema says that a value may be of this type.
fn may_be(fields: &Map<String, Value>, kind: &str) -> bool {
    match fields.get("type") {
        Some(Value::String(own)) => own == kind,
        Some(Value::Array(kinds)) => kinds.iter().any(|own| own == kind),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => false,
    }
}

/// Keeps whole numbers exact, and makes bounds that exclude their own value into bounds that a rounded number keeps.
fn bound_numbers(fields: &mut Map<String, Value>) {
    let is_whole = may_be(fields, "integer") && !may_be(fields, "number");
    if !is_whole {
        include(fields, "exclusiveMinimum", "minimum", 1.0);
        include(fields, "exclusiveMaximum", "maximum", -1.0);
    }
    let most = match (is_whole, fields.contains_key("multipleOf")) {
        (true, _) => INTEGER_MAX as f64,
        (false, true) => NUMBER_MAX,
        (false, false) => return,
    };
    for (including, excluding, bound) in
        [("minimum", "exclusiveMinimum", -most), ("maximum", "exclusiveMaximum", most)]
    {
        if !fields.contains_key(including) && !fields.contains_key(excluding) {
            fields.insert(including.to_owned(), json!(bound));
        }
    }
}

/// Replaces an excluding bound by one a hair inside it: `0.99999999999999999999` is below 1 as text and 1 as a number.
fn include(fields: &mut Map<String, Value>, excluding: &str, including: &str, inwards: f64) {
    let Some(bound) = fields.get(excluding).and_then(Value::as_f64) else { return };
    let hair = if bound == 0.0 { 1e-9 } else { bound.abs() * 1e-12 };
    let inside = bound + inwards * hair;
    let own = fields.get(including).and_then(Value::as_f64);
    let is_tighter = own.is_none_or(|own| if inwards > 0.0 { inside > own } else { inside < own });
    if is_tighter {
        fields.insert(including.to_owned(), json!(inside));
    }
    fields.remove(excluding);
}

/// Refuses whole numbers that would be rounded.
fn check_numbers(value: &Value) -> Result<(), String> {
    let is_exact = |number: &serde_json::Number| match (number.as_i64(), number.as_u64()) {
        (Some(whole), _) => (-INTEGER_MAX..=INTEGER_MAX).contains(&whole),
        (None, Some(_)) => false,
        (None, None) => true,
    };
    match value {
        Value::Number(number) if !is_exact(number) => Err(format!(
            "the constant {number} is beyond {INTEGER_MAX} and would be rounded; make it a string"
        )),
        Value::Array(values) => values.iter().try_for_each(check_numbers),
        Value::Object(fields) => fields.values().try_for_each(check_numbers),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}

/// Whether a constant can be written without `\u` escapes, which are not sampled: a name written with them would not
/// be known for what it is.
fn is_writable(value: &Value) -> bool {
    match value {
        Value::String(text) => !has_escape(text),
        Value::Array(values) => values.iter().all(is_writable),
        Value::Object(fields) => fields.values().all(is_writable),
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
    }
}

fn has_escape(text: &str) -> bool {
    let is_escape =
        |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{8}' | '\u{c}') && c < '\u{80}';
    text.chars().any(is_escape)
}

#[cfg(test)]
#[path = "schema_tests.rs"]
mod tests;
