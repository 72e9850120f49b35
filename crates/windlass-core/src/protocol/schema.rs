//! The JSON Schema of a record, and the form of schemas of whatever else serde writes: one that makes good types in
//! other languages.
//!
//! Made of the types themselves and of their comments. Only for the feature `schema`.

use std::borrow::Cow;
use std::collections::BTreeSet;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use crate::protocol::event::{DeltaEvent, DurableEvent, Event, Record};
use crate::protocol::settings::{EFFORTS, SEED_MAX};

/// What the generator calls the body of an outcome, and what it is.
const BODY: (&str, &str) = ("Result_of_ToolOutput_or_ToolFailure", "OutcomeBody");

/// Where definitions stand.
const DEFS: &str = "#/$defs/";

/// On the wire nothing tells the two kinds of events apart but their `type`.
impl JsonSchema for Event {
    fn schema_name() -> Cow<'static, str> {
        "Event".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let kinds = [DurableEvent::json_schema(generator), DeltaEvent::json_schema(generator)];
        let variants: Vec<&Value> =
            kinds.iter().filter_map(|kind| kind.get("oneOf")?.as_array()).flatten().collect();
        json_schema!({"oneOf": variants, "description": "Everything that can happen in a run."})
    }
}

/// The schema of a record, as it is committed.
pub fn record_schema() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let made = SchemaGenerator::from(settings).into_root_schema_for::<Record>().to_value();
    let Value::Object(mut root) = made else { return made };
    let Some(Value::Object(given)) = root.remove("$defs") else { return root.into() };
    let definitions = plain_definitions(&given, DEFS);
    let mut schema = Map::new();
    for first in ["$schema", "title"] {
        schema.extend(root.remove(first).map(|value| (first.to_owned(), value)));
    }
    schema.extend(root);
    if let Some(Value::Object(fields)) = schema.get_mut("properties") {
        add_shown(fields);
    }
    let mut schema = schema.into();
    simplify(&mut schema);
    if let Value::Object(fields) = &mut schema {
        fields.insert("$defs".into(), definitions.into());
    }
    drop_unused(&mut schema);
    schema
}

/// Definitions of what serde writes, in the form of this module; `place` is what references to them begin with.
pub fn plain_definitions(given: &Map<String, Value>, place: &str) -> Map<String, Value> {
    let mut definitions = Map::new();
    for (name, mut definition) in given.clone() {
        let variants = split_variants(&name, &mut definition, given, place);
        let name = if name == BODY.0 { BODY.1.to_owned() } else { name };
        // A variant that takes the name of what it is made of stands in its place.
        if !definitions.contains_key(&name) {
            definitions.insert(name, definition);
        }
        definitions.extend(variants);
    }
    definitions.values_mut().for_each(simplify);
    definitions
}

/// A choice of tools in the words of the API, as settings are written.
pub(super) fn choice_words(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"anyOf": [
        {"type": "string", "enum": ["auto", "required", "none"]},
        {"type": "object", "properties": {"name": {"type": "string", "minLength": 1}}, "required": ["name"]},
    ]})
}

/// What `SessionSettings::check` lets through, which types alone do not say.
pub(super) fn bound_settings(schema: &mut Schema) {
    let bounds = json!({
        "reasoning_effort": {"enum": EFFORTS},
        "temperature": {"minimum": 0, "maximum": 2},
        "top_p": {"minimum": 0, "maximum": 1},
        "output_tokens_max": {"minimum": 1, "maximum": u32::MAX},
        "seed": {"maximum": SEED_MAX},
        "response_format": {"type": "object", "additionalProperties": true},
    });
    let (Some(Value::Object(fields)), Value::Object(bounds)) = (schema.get_mut("properties"), bounds) else {
        return;
    };
    for (name, bound) in bounds {
        if let (Some(Value::Object(field)), Value::Object(bound)) = (fields.get_mut(&name), bound) {
            field.extend(bound);
        }
    }
}

/// What stands beside the event where a server shows a record.
fn add_shown(fields: &mut Map<String, Value>) {
    let clipped = "Over HTTP alone: texts of the outcome were cut, as the reader wished.";
    let digest = "Over HTTP alone: binds an answer to exactly this question.";
    fields.insert("clipped".into(), json!({"type": "boolean", "description": clipped}));
    fields.insert("digest".into(), json!({"type": "string", "description": digest}));
}

/// Gives each variant of a tagged union a definition of its own: `call_ended` of `Event` is `CallEndedEvent`.
fn split_variants(
    name: &str,
    definition: &mut Value,
    given: &Map<String, Value>,
    place: &str,
) -> Vec<(String, Value)> {
    let Some(Value::Array(variants)) = definition.get_mut("oneOf") else { return Vec::new() };
    let mut split = Vec::new();
    for variant in variants {
        let Some(tag) = tag_of(variant) else { continue };
        let own = format!("{}{name}", pascal(&tag));
        let whole = std::mem::replace(variant, json!({"$ref": format!("{place}{own}")}));
        split.push((own, merged(whole, given, place)));
    }
    split
}

/// The word that tells a variant from its siblings.
fn tag_of(variant: &Value) -> Option<String> {
    let fields = variant.get("properties")?.as_object()?;
    fields.values().find_map(|field| Some(field.get("const")?.as_str()?.to_owned()))
}

/// A variant that is a tag beside another type, as one object: a reference cannot have neighbours everywhere.
fn merged(mut variant: Value, given: &Map<String, Value>, place: &str) -> Value {
    let target = variant.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix(place));
    let Some(Value::Object(target)) = target.and_then(|target| given.get(target)).cloned() else {
        return variant;
    };
    if let Value::Object(fields) = &mut variant {
        fields.remove("$ref");
        for (name, more) in target {
            match (fields.get_mut(&name), more) {
                (Some(Value::Object(own)), Value::Object(more)) => own.extend(more),
                (Some(Value::Array(own)), Value::Array(more)) => own.extend(more),
                (Some(_), _) => {}
                (None, more) => {
                    fields.insert(name, more);
                }
            }
        }
    }
    variant
}

fn pascal(word: &str) -> String {
    let pieces = word.split('_').map(|piece| {
        let mut letters = piece.chars();
        letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    });
    pieces.collect()
}

/// Takes out what other generators stumble over, and what serde never writes.
pub fn simplify(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            for noise in ["default", "format"] {
                fields.remove(noise);
            }
            if let Some(Value::String(path)) = fields.get("$ref") {
                // Beside a reference, a comment makes another type of it.
                let path = path.replace(BODY.0, BODY.1);
                *fields = Map::from_iter([("$ref".to_owned(), path.into())]);
                return;
            }
            if fields.keys().all(|name| name == "description") {
                // Anything at all: with a comment, generators take it for an object.
                fields.clear();
            }
            drop_nulls(fields);
            collapse_words(fields);
            for (name, field) in fields {
                match field {
                    // Fields may be called what parts of a schema are.
                    Value::Object(fields) if name == "properties" => {
                        fields.values_mut().for_each(|field| {
                            // Anything at all, in the form that other tools read too.
                            if *field == true {
                                *field = json!({});
                            }
                            simplify(field);
                        });
                    }
                    Value::Bool(true) if name == "items" => *field = json!({}),
                    _ => simplify(field),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(simplify),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// A field that may be missing is left out when there is nothing to say: it is never `null`.
fn drop_nulls(fields: &mut Map<String, Value>) {
    let required: BTreeSet<String> = match fields.get("required") {
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => BTreeSet::new(),
    };
    let Some(Value::Object(properties)) = fields.get_mut("properties") else { return };
    for (_, property) in properties.iter_mut().filter(|(name, _)| !required.contains(*name)) {
        let Value::Object(property) = property else { continue };
        if let Some(Value::Array(types)) = property.get_mut("type") {
            types.retain(|kind| kind != "null");
            if let [only] = types.as_slice() {
                let only = only.clone();
                property.insert("type".into(), only);
            }
        }
        if let Some(Value::Array(choices)) = property.get_mut("anyOf") {
            choices.retain(|choice| choice.get("type") != Some(&json!("null")));
            if let [Value::Object(only)] = choices.as_slice() {
                let only = only.clone();
                property.remove("anyOf");
                property.extend(only);
            }
        }
    }
}

/// Words that were listed one by one, each with its comment, become one list with one comment.
pub fn collapse_words(fields: &mut Map<String, Value>) {
    let Some(Value::Array(choices)) = fields.get_mut("oneOf") else { return };
    let (mut words, mut about) = (Vec::new(), String::new());
    choices.retain(|choice| {
        // Words without a comment are in a list already.
        if let Some(Value::Array(plain)) = choice.get("enum") {
            words.extend_from_slice(plain);
            return false;
        }
        let Some(word) = choice.get("const").filter(|word| word.is_string()) else { return true };
        words.push(word.clone());
        if let Some(text) = choice.get("description").and_then(Value::as_str) {
            about.push_str(&format!("\n- `{}`: {text}", word.as_str().unwrap_or_default()));
        }
        false
    });
    if words.is_empty() {
        return;
    }
    let list = json!({"type": "string", "enum": words});
    if choices.is_empty() {
        fields.remove("oneOf");
        fields.extend(list.as_object().cloned().unwrap_or_default());
    } else {
        choices.insert(0, list);
    }
    if let Some(Value::String(text)) = fields.get_mut("description") {
        text.push('\n');
        text.push_str(&about);
    }
}

/// Forgets definitions that nothing refers to any more.
fn drop_unused(schema: &mut Value) {
    loop {
        let mut used = BTreeSet::new();
        collect_references(schema, &mut used);
        let Some(Value::Object(definitions)) = schema.get_mut("$defs") else { return };
        let before = definitions.len();
        definitions.retain(|name, _| used.contains(name));
        if definitions.len() == before {
            return;
        }
    }
}

fn collect_references(schema: &Value, used: &mut BTreeSet<String>) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::String(path)) = fields.get("$ref") {
                used.extend(path.strip_prefix(DEFS).map(str::to_owned));
            }
            fields.values().for_each(|field| collect_references(field, used));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_references(item, used)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
