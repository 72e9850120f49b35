//! Signatures: the typed inputs and outputs of a module.
//!
//! What a value must be is decided here, for inputs, demos and outputs alike. How a model is asked for it, and how
//! its answer is read, is not.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use windlass_core::calls::dialect::field::{CALL_FIELD, TOOLS_FIELD};
use windlass_core::text::json_short;
use windlass_core::text::nearest::nearest_names;

use crate::error::ModuleError;
use crate::limits::SHOWN_CHARS_MAX;

/// The field to which outcomes of calls are appended.
pub const CONTEXT_FIELD: &str = "context";
/// The field in which a `chain_of_thought` module reasons.
pub const REASONING_FIELD: &str = "reasoning";

/// The inputs and outputs of a module, in their order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Signature {
    #[serde(default)]
    pub inputs: Vec<Field>,
    #[serde(default)]
    pub outputs: Vec<Field>,
}

/// One input or output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    pub name: String,
    /// What it is, for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default)]
    pub field_type: FieldType,
}

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldType {
    #[default]
    #[serde(alias = "str", alias = "text")]
    String,
    #[serde(alias = "int")]
    Integer,
    #[serde(alias = "float")]
    Number,
    #[serde(alias = "bool")]
    Boolean,
    #[serde(alias = "list")]
    Array,
    #[serde(alias = "dict", alias = "map")]
    Object,
    /// Any JSON; may be null or left out.
    #[serde(alias = "any", alias = "json|null")]
    Json,
}

impl FieldType {
    /// The word of files, prompts and errors.
    pub fn word(self) -> &'static str {
        match self {
            FieldType::String => "string",
            FieldType::Integer => "integer",
            FieldType::Number => "number",
            FieldType::Boolean => "boolean",
            FieldType::Array => "array",
            FieldType::Object => "object",
            FieldType::Json => "json",
        }
    }

    /// Whether a value is of this type: strictly, a text of a number is no number.
    pub fn accepts(self, value: &Value) -> bool {
        match self {
            FieldType::String => value.is_string(),
            FieldType::Integer => value.is_i64() || value.is_u64(),
            FieldType::Number => value.is_number(),
            FieldType::Boolean => value.is_boolean(),
            FieldType::Array => value.is_array(),
            FieldType::Object => value.is_object(),
            FieldType::Json => true,
        }
    }

    fn schema(self) -> Map<String, Value> {
        let mut schema = Map::new();
        match self {
            FieldType::String
            | FieldType::Integer
            | FieldType::Number
            | FieldType::Boolean
            | FieldType::Array
            | FieldType::Object => {
                schema.insert("type".to_owned(), self.word().into());
            }
            FieldType::Json => {}
        }
        schema
    }
}

impl Field {
    /// A field without a description.
    pub fn new(name: impl Into<String>, field_type: FieldType) -> Self {
        Self { name: name.into(), description: None, field_type }
    }

    /// Says what it is, for the model.
    #[must_use]
    pub fn described(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Whether it may be null or left out.
    pub fn is_optional(&self) -> bool {
        self.field_type == FieldType::Json
    }

    fn schema(&self) -> Value {
        let mut schema = match self.name.as_str() {
            CALL_FIELD => call_schema(),
            _ => self.field_type.schema(),
        };
        if let Some(description) = &self.description {
            schema.insert("description".to_owned(), description.as_str().into());
        }
        Value::Object(schema)
    }
}

/// A call, or none.
fn call_schema() -> Map<String, Value> {
    let call = json!({
        "type": "object",
        "properties": {"name": {"type": "string"}, "args": {"type": "object"}},
        "required": ["name", "args"],
    });
    Map::from_iter([("anyOf".to_owned(), json!([call, {"type": "null"}]))])
}

impl Signature {
    pub fn input(&self, name: &str) -> Option<&Field> {
        self.inputs.iter().find(|field| field.name == name)
    }

    pub fn output(&self, name: &str) -> Option<&Field> {
        self.outputs.iter().find(|field| field.name == name)
    }

    /// The JSON Schema of the inputs.
    pub fn inputs_schema(&self) -> Value {
        schema_of(&self.inputs, |field| self.needs_input(field))
    }

    /// The JSON Schema of the outputs; their order is that of the signature.
    pub fn outputs_schema(&self) -> Value {
        schema_of(&self.outputs, |field| !field.is_optional())
    }

    /// Checks inputs: all there, all of their type, none unknown.
    pub fn check_inputs(&self, inputs: &Map<String, Value>) -> Result<(), ModuleError> {
        let unknown = inputs.keys().filter(|name| self.input(name).is_none()).map(|name| {
            let names = self.inputs.iter().map(|field| field.name.as_str());
            let meant = match nearest_names(name, names, 1).first() {
                Some(near) => format!(" (did you mean '{near}'?)"),
                None => String::new(),
            };
            format!("there is no input '{name}'{meant}")
        });
        let wrong =
            unknown.chain(wrong_fields("input", &self.inputs, inputs, |field| self.needs_input(field)));
        told(wrong.collect(), "inputs", &self.inputs, inputs)
    }

    /// Checks outputs: all there but those that may be left out, and all of their type.
    pub fn check_outputs(&self, outputs: &Map<String, Value>) -> Result<(), ModuleError> {
        let wrong = wrong_fields("output", &self.outputs, outputs, |field| !field.is_optional());
        told(wrong.collect(), "outputs", &self.outputs, outputs)
    }

    /// The tools and what they gave come from the run, not from the caller.
    fn needs_input(&self, field: &Field) -> bool {
        let is_of_run = match field.name.as_str() {
            TOOLS_FIELD => true,
            CONTEXT_FIELD => self.input(TOOLS_FIELD).is_some(),
            _ => false,
        };
        !is_of_run && !field.is_optional()
    }
}

fn schema_of(fields: &[Field], is_required: impl Fn(&Field) -> bool) -> Value {
    let properties: Map<String, Value> =
        fields.iter().map(|field| (field.name.clone(), field.schema())).collect();
    let required: Vec<&str> =
        fields.iter().filter(|field| is_required(field)).map(|field| field.name.as_str()).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// One sentence for each field that is missing or of another type.
fn wrong_fields<'a>(
    kind: &'a str,
    fields: &'a [Field],
    values: &'a Map<String, Value>,
    is_required: impl Fn(&Field) -> bool + 'a,
) -> impl Iterator<Item = String> + 'a {
    fields.iter().filter_map(move |field| {
        let name = &field.name;
        match values.get(name) {
            None | Some(Value::Null) if !is_required(field) => None,
            None => Some(format!("the {kind} '{name}' is missing")),
            Some(value) if field.field_type.accepts(value) => None,
            Some(value) => Some(wrong_type(kind, field, value)),
        }
    })
}

fn wrong_type(kind: &str, field: &Field, value: &Value) -> String {
    let expected = match field.field_type {
        FieldType::Integer | FieldType::Array | FieldType::Object => {
            format!("an {}", field.field_type.word())
        }
        FieldType::String | FieldType::Number | FieldType::Boolean | FieldType::Json => {
            format!("a {}", field.field_type.word())
        }
    };
    format!("the {kind} '{}' must be {expected}, not {}", field.name, json_short(value, SHOWN_CHARS_MAX))
}

fn told(
    wrong: Vec<String>,
    kind: &str,
    fields: &[Field],
    found: &Map<String, Value>,
) -> Result<(), ModuleError> {
    if wrong.is_empty() {
        return Ok(());
    }
    let known: Vec<String> =
        fields.iter().map(|field| format!("{} ({})", field.name, field.field_type.word())).collect();
    let given: Vec<&str> = found.keys().map(String::as_str).collect();
    let given = if given.is_empty() { "nothing".to_owned() } else { given.join(", ") };
    let text = format!("{}; found {given}; the {kind} are {}", wrong.join("; "), known.join(", "));
    Err(ModuleError::Parse(text))
}

/// A Rust type that is a signature; `#[derive(Signature)]` writes this.
pub trait SignatureType {
    fn signature() -> Signature;
}

/// Signatures that a host program knows by name, for modules whose files only name theirs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SignatureRegistry {
    signatures: BTreeMap<String, Signature>,
}

impl SignatureRegistry {
    /// A registry without signatures.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts in the signature of a type; one of the same name is replaced.
    pub fn register<S: SignatureType>(&mut self, name: impl Into<String>) {
        self.insert(name, S::signature());
    }

    /// Puts in a signature; one of the same name is replaced.
    pub fn insert(&mut self, name: impl Into<String>, signature: Signature) {
        self.signatures.insert(name.into(), signature);
    }

    pub fn get(&self, name: &str) -> Option<&Signature> {
        self.signatures.get(name)
    }

    /// A signature of that name of one's own.
    pub fn create(&self, name: &str) -> Result<Signature, ModuleError> {
        self.get(name).cloned().ok_or_else(|| ModuleError::SignatureNotFound(name.to_owned()))
    }

    /// Whether there is one of that name.
    pub fn contains(&self, name: &str) -> bool {
        self.signatures.contains_key(name)
    }

    pub fn names(&self) -> Vec<String> {
        self.signatures.keys().cloned().collect()
    }
}

#[cfg(test)]
#[path = "signature_tests.rs"]
mod tests;
