//! Gemini's `parameters`: a subset of OpenAPI, in which one wrong keyword rejects every tool.
//!
//! References are inlined, `allOf` is merged, `oneOf` is `anyOf`, null is `nullable`, and every schema has one
//! type. What has no word in the subset is said in a description or left out.

use serde_json::{Map, Value, json};
use windlass_core::calls::json::clip::clip_chars;

use super::shape::{properties_of, resolve, texts_of, types_of};
use super::{Losses, SCHEMA_DEPTH_MAX, SCHEMA_NODES_MAX, Schema, Unlowerable};

/// What a description lists of values that `enum` cannot hold.
const VALUES_CHARS_MAX: usize = 300;

/// Keywords that only say what something is.
const REMARKS: [&str; 2] = ["title", "description"];
/// Keywords that give a value a form; beside them a choice has no place.
const FORMS: [&str; 5] = ["properties", "items", "prefixItems", "enum", "const"];
/// Keywords that forbid something and have no word in the subset.
const UNSAYABLE: [&str; 14] = [
    "not",
    "if",
    "then",
    "else",
    "patternProperties",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "contains",
    "uniqueItems",
    "multipleOf",
    "unevaluatedProperties",
    "unevaluatedItems",
    "minContains",
];

/// A root schema in the subset.
pub(super) fn lower(root: &Schema, losses: &mut Losses) -> Result<Schema, Unlowerable> {
    let mut lowering = Lowering { root, nodes_left: SCHEMA_NODES_MAX, level: 0, losses };
    let lowered = lowering.schema(root, &mut Vec::new());
    if lowering.nodes_left == 0 {
        return Err(Unlowerable("its schema is too large once its references are written out"));
    }
    Ok(lowered)
}

struct Lowering<'a, 'l> {
    root: &'a Schema,
    nodes_left: usize,
    level: usize,
    losses: &'l mut Losses,
}

impl Lowering<'_, '_> {
    /// One schema; `path` are the references that led to it.
    fn schema(&mut self, schema: &Schema, path: &mut Vec<String>) -> Schema {
        self.nodes_left = self.nodes_left.saturating_sub(1);
        if self.nodes_left == 0 {
            return any_value(0);
        }
        if self.level >= SCHEMA_DEPTH_MAX {
            self.losses.add("schema_dialect", "what is nested too deeply in its schema was left out");
            return any_value(0);
        }
        self.level += 1;
        let lowered = self.opened(schema, path);
        self.level -= 1;
        lowered
    }

    fn opened(&mut self, schema: &Schema, path: &mut Vec<String>) -> Schema {
        let depth = path.len();
        let mut met = Vec::new();
        let Some(mut flat) = self.flatten(schema, path, &mut met) else {
            self.losses.add("schema_dialect", "a schema that contains itself was cut where it comes again");
            let is_object = self.names_object(schema);
            return if is_object { object_of_anything() } else { any_value(0) };
        };
        path.append(&mut met);
        for keyword in UNSAYABLE {
            if flat.remove(keyword).is_some() {
                self.losses.add("schema_dialect", format!("'{keyword}' in its schema was left out"));
            }
        }
        let lowered = self.flat(&mut flat, path);
        path.truncate(depth);
        lowered
    }

    /// Whether a reference leads to an object.
    fn names_object(&self, schema: &Schema) -> bool {
        let reference = schema.get("$ref").and_then(Value::as_str);
        let target = reference.and_then(|reference| resolve(self.root, reference));
        types_of(target.unwrap_or(schema)) == ["object"]
    }

    /// A schema without references and `allOf`; `None` if it contains itself. Each keyword keeps its first
    /// value: leaving out the others is looser.
    fn flatten(&mut self, schema: &Schema, path: &[String], met: &mut Vec<String>) -> Option<Schema> {
        let mut flat = schema.clone();
        if let Some(Value::String(reference)) = flat.remove("$ref") {
            if path.contains(&reference) || path.len() >= SCHEMA_DEPTH_MAX {
                return None;
            }
            let target = resolve(self.root, &reference)?;
            let inner_path = [path, std::slice::from_ref(&reference)].concat();
            let target = self.flatten(target, &inner_path, met)?;
            met.push(reference);
            merge(&mut flat, target);
        }
        if let Some(Value::Array(all)) = flat.remove("allOf") {
            for branch in all.iter().filter_map(Value::as_object) {
                let branch = self.flatten(branch, path, met)?;
                merge(&mut flat, branch);
            }
        }
        Some(flat)
    }

    fn flat(&mut self, flat: &mut Schema, path: &mut Vec<String>) -> Schema {
        let any = flat.remove("anyOf");
        let Some(Value::Array(branches)) = flat.remove("oneOf").or(any) else {
            return self.typed(flat, path);
        };
        if FORMS.iter().any(|keyword| flat.contains_key(*keyword)) {
            self.losses.add("schema_dialect", "'anyOf' beside other rules in its schema was left out");
            return self.typed(flat, path);
        }
        let mut choice = SchemaChoice::default();
        for branch in branches.iter().filter_map(Value::as_object) {
            let mut branch = branch.clone();
            if let Some(types) = flat.get("type")
                && !["$ref", "allOf", "anyOf", "oneOf"].iter().any(|word| branch.contains_key(*word))
            {
                branch.entry("type").or_insert_with(|| types.clone());
            }
            if types_of(&branch) == ["null"] {
                choice.is_nullable = true;
            } else {
                choice.add(self.schema(&branch, path));
            }
        }
        choice.written(flat)
    }

    /// A schema without choices.
    fn typed(&mut self, flat: &mut Schema, path: &mut Vec<String>) -> Schema {
        if let Some(value) = flat.remove("const") {
            flat.insert("enum".to_owned(), json!([value]));
        }
        write_values(flat);
        let types: Vec<String> = types_of(flat).into_iter().map(str::to_owned).collect();
        let is_nullable = types.iter().any(|word| word == "null");
        let mut words: Vec<&str> = types.iter().map(String::as_str).filter(|word| *word != "null").collect();
        if types.is_empty() {
            match inferred_type(flat) {
                Some(word) => words.push(word),
                None => return with_remarks(any_value(0), flat),
            }
        }
        let mut choice = SchemaChoice { is_nullable, branches: Vec::new() };
        if words.is_empty() {
            // Null alone is no type of the subset; a nullable text comes nearest.
            words.push("string");
        }
        if words.contains(&"number") {
            words.retain(|word| *word != "integer");
        }
        for word in words {
            choice.add(self.of_type(word, flat, path));
        }
        choice.written(flat)
    }

    /// A schema of one type, without remarks.
    fn of_type(&mut self, word: &str, flat: &mut Schema, path: &mut Vec<String>) -> Schema {
        let mut lowered = Map::new();
        lowered.insert("type".to_owned(), word.into());
        match word {
            "object" => self.write_object(flat, &mut lowered, path),
            "array" => self.write_array(flat, &mut lowered, path),
            "string" => write_string(flat, &mut lowered),
            "number" | "integer" => write_number(flat, &mut lowered),
            _ => {}
        }
        lowered
    }

    fn write_object(&mut self, flat: &Schema, lowered: &mut Schema, path: &mut Vec<String>) {
        if let Some(Value::Object(rest)) = flat.get("additionalProperties")
            && !rest.is_empty()
        {
            self.losses.add("schema_dialect", "the schema of further properties was left out");
        }
        // `properties` without any is refused.
        let Some(own) = properties_of(flat).filter(|own| !own.is_empty()) else { return };
        let mut properties = Map::new();
        for (name, inner) in own {
            let inner = inner.as_object().cloned().unwrap_or_default();
            properties.insert(name.clone(), Value::Object(self.schema(&inner, path)));
        }
        // A name that is required and not declared rejects every tool of the request.
        let required = texts_of(flat, "required").into_iter().filter(|name| own.contains_key(*name));
        let required: Vec<Value> = required.map(Value::from).collect();
        lowered.insert("properties".to_owned(), Value::Object(properties));
        if !required.is_empty() {
            lowered.insert("required".to_owned(), Value::Array(required));
        }
    }

    fn write_array(&mut self, flat: &Schema, lowered: &mut Schema, path: &mut Vec<String>) {
        let rest = flat.get("items");
        let places = flat.get("prefixItems").and_then(Value::as_array);
        let items = match (places, rest) {
            (None, Some(Value::Object(items))) => self.schema(items, path),
            (Some(places), Some(rest @ (Value::Bool(false) | Value::Object(_)))) => {
                self.losses.add("schema_dialect", "a list of fixed places in its schema became a plain list");
                let rest = Some(rest).filter(|rest| rest.is_object());
                let mut choice = SchemaChoice::default();
                for place in places.iter().chain(rest).filter_map(Value::as_object) {
                    choice.add(self.schema(place, path));
                }
                choice.written(&Map::new())
            }
            (_, _) => any_value(1),
        };
        lowered.insert("items".to_owned(), Value::Object(items));
        copy(&["minItems", "maxItems"], flat, lowered);
    }
}

/// Schemas of which one holds.
#[derive(Default)]
struct SchemaChoice {
    branches: Vec<Schema>,
    is_nullable: bool,
}

impl SchemaChoice {
    /// Adds a branch; a choice inside a choice is one choice.
    fn add(&mut self, mut branch: Schema) {
        self.is_nullable |= branch.remove("nullable").is_some();
        match branch.remove("anyOf") {
            Some(Value::Array(inner)) => {
                for schema in inner {
                    if let Value::Object(schema) = schema {
                        self.add(schema);
                    }
                }
            }
            Some(_) | None if self.branches.contains(&branch) => {}
            Some(_) | None => self.branches.push(branch),
        }
    }

    fn written(mut self, remarks: &Schema) -> Schema {
        let mut schema = match self.branches.len() {
            0 => {
                let mut nothing = Map::new();
                nothing.insert("type".to_owned(), "string".into());
                nothing
            }
            1 => self.branches.pop().unwrap_or_default(),
            _ => {
                let mut choice = Map::new();
                choice.insert("anyOf".to_owned(), self.branches.into_iter().map(Value::Object).collect());
                choice
            }
        };
        if self.is_nullable {
            schema.insert("nullable".to_owned(), true.into());
        }
        with_remarks(schema, remarks)
    }
}

fn with_remarks(mut schema: Schema, flat: &Schema) -> Schema {
    copy(&REMARKS, flat, &mut schema);
    schema
}

fn copy(keywords: &[&str], from: &Schema, to: &mut Schema) {
    for keyword in keywords {
        if let Some(value) = from.get(*keyword) {
            to.insert((*keyword).to_owned(), value.clone());
        }
    }
}

/// Adds what another schema says and this one does not; properties and what is required add up.
fn merge(own: &mut Schema, other: Schema) {
    for (keyword, value) in other {
        match (own.get_mut(&keyword), value) {
            (None, value) => {
                own.insert(keyword, value);
            }
            (Some(Value::Object(fields)), Value::Object(more)) if keyword == "properties" => {
                for (name, schema) in more {
                    fields.entry(name).or_insert(schema);
                }
            }
            (Some(Value::Array(names)), Value::Array(more)) if keyword == "required" => {
                names.extend(more);
                let mut met = Vec::new();
                names.retain(|name| {
                    !met.contains(name) && {
                        met.push(name.clone());
                        true
                    }
                });
            }
            (Some(_), _) => {}
        }
    }
}

/// Values that `enum` may hold stay there; others become a type and a sentence.
fn write_values(flat: &mut Schema) {
    let Some(Value::Array(values)) = flat.remove("enum") else { return };
    let mut types: Vec<&str> = Vec::new();
    for value in &values {
        let word = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        // `integer` says more than `number` where the schema itself says it.
        let word = if word == "number" && types_of(flat).contains(&"integer") { "integer" } else { word };
        if !types.contains(&word) {
            types.push(word);
        }
    }
    let list = Value::Array(values.clone()).to_string();
    let one_of = format!("One of {}", clip_chars(&list, VALUES_CHARS_MAX));
    // A list of texts in the place of a list, as people write it: the type is what the tool wants.
    let declared = types_of(flat);
    if !declared.is_empty() && !types.iter().any(|word| declared.contains(word)) {
        return remark(flat, &one_of);
    }
    let is_text = types.iter().all(|word| matches!(*word, "string" | "null")) && types.contains(&"string");
    let texts: Vec<Value> = values.iter().filter(|value| value.is_string()).cloned().collect();
    if is_text && texts.iter().all(|text| text.as_str() != Some("")) {
        flat.insert("enum".to_owned(), Value::Array(texts));
    } else {
        remark(flat, &one_of);
    }
    flat.insert("type".to_owned(), types.into());
}

/// Says in the description what has no keyword.
fn remark(flat: &mut Schema, what: &str) {
    let text = match flat.get("description").and_then(Value::as_str) {
        Some(description) if !description.is_empty() => format!("{description} ({what})"),
        Some(_) | None => what.to_owned(),
    };
    flat.insert("description".to_owned(), text.into());
}

fn write_string(flat: &mut Schema, lowered: &mut Schema) {
    copy(&["enum"], flat, lowered);
    match flat.get("format").and_then(Value::as_str).map(str::to_owned) {
        Some(format) if format == "date-time" => {
            lowered.insert("format".to_owned(), format.into());
        }
        Some(format) => remark(flat, &format!("format: {format}")),
        None => {}
    }
    copy(&["minLength", "maxLength"], flat, lowered);
    // Lookarounds are not in the syntax that Gemini reads.
    if flat.get("pattern").and_then(Value::as_str).is_some_and(|pattern| !pattern.contains("(?")) {
        copy(&["pattern"], flat, lowered);
    }
}

fn write_number(flat: &Schema, lowered: &mut Schema) {
    let format = flat.get("format").and_then(Value::as_str);
    if format.is_some_and(|format| matches!(format, "float" | "double" | "int32" | "int64")) {
        copy(&["format"], flat, lowered);
    }
    for (keyword, exclusive) in [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")] {
        // The subset has no exclusive bounds; inclusive ones are looser, which a lowered schema may be.
        if let Some(bound) = flat.get(keyword).or_else(|| flat.get(exclusive)) {
            lowered.insert(keyword.to_owned(), bound.clone());
        }
    }
}

/// The type that the other keywords speak of.
fn inferred_type(flat: &Schema) -> Option<&'static str> {
    let speaks_of = |keywords: &[&str]| keywords.iter().any(|keyword| flat.contains_key(*keyword));
    if speaks_of(&["properties", "required", "additionalProperties", "minProperties", "maxProperties"]) {
        Some("object")
    } else if speaks_of(&["items", "prefixItems", "minItems", "maxItems"]) {
        Some("array")
    } else if speaks_of(&["pattern", "minLength", "maxLength", "format"]) {
        Some("string")
    } else if speaks_of(&["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]) {
        Some("number")
    } else {
        None
    }
}

fn object_of_anything() -> Schema {
    let mut object = Map::new();
    object.insert("type".to_owned(), "object".into());
    object
}

/// Anything at all. Lists must say what is in them, so that lists of lists have an end somewhere.
fn any_value(level: usize) -> Schema {
    let mut choice = SchemaChoice { is_nullable: true, branches: Vec::new() };
    for word in ["string", "number", "boolean", "object"] {
        let mut branch = Map::new();
        branch.insert("type".to_owned(), word.into());
        choice.add(branch);
    }
    if level < 2 {
        let mut list = Map::new();
        list.insert("type".to_owned(), "array".into());
        list.insert("items".to_owned(), Value::Object(any_value(level + 1)));
        choice.add(list);
    }
    choice.written(&Map::new())
}
