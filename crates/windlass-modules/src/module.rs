//! A module: how its file says it, and what makes one right.
//!
//! Knows no folder and no model. A module that exists is complete: its signature has all fields that its way of
//! working needs, and its demos fit it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_core::calls::dialect::field::{CALL_FIELD, FieldReading, TOOLS_FIELD, read_fields};

use crate::error::ModuleError;
use crate::signature::{CONTEXT_FIELD, Field, FieldType, REASONING_FIELD, Signature, SignatureRegistry};
use crate::source::{ModuleFile, null_is_default};

/// How a module gets from inputs to outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Predictor {
    #[default]
    Predict,
    /// With a field of reasoning before the others.
    ChainOfThought,
    /// With the model's own tool calls, step by step.
    React,
}

impl Predictor {
    /// The word of files.
    pub fn word(self) -> &'static str {
        match self {
            Predictor::Predict => "predict",
            Predictor::ChainOfThought => "chain_of_thought",
            Predictor::React => "react",
        }
    }
}

/// A module, read and checked. It never changes: a new version is another one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Module {
    /// Its name, such as `npc.merchant.haggle`.
    pub module_id: String,
    /// How it gets to its outputs.
    #[serde(default, rename = "predictor_type")]
    pub predictor: Predictor,
    /// The name of its signature; may be that of one that the host program registered.
    #[serde(default, deserialize_with = "null_is_default")]
    pub signature_name: String,
    /// Its signature; from the file, else the registered one of that name.
    #[serde(default, deserialize_with = "null_is_default")]
    pub signature: Signature,
    /// What the model is told to do.
    #[serde(default, deserialize_with = "null_is_default")]
    pub instruction: String,
    /// Examples, shown as earlier exchanges.
    #[serde(default, deserialize_with = "null_is_default")]
    pub demos: Vec<Demo>,
    /// Whether it may use tools.
    #[serde(default)]
    pub tool_enabled: bool,
    /// The tools it may use, if not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// Where it comes from.
    #[serde(default, deserialize_with = "null_is_default")]
    pub metadata: ModuleOrigin,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Demo {
    pub inputs: Map<String, Value>,
    /// What should come out.
    pub outputs: Map<String, Value>,
}

/// Where a module comes from.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ModuleOrigin {
    /// What made it, such as `hand` or `few_shot`.
    #[serde(default, deserialize_with = "null_is_default")]
    pub optimizer: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimized_at: Option<String>,
    /// How good it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric_score: Option<f64>,
    #[serde(default, deserialize_with = "null_is_default")]
    pub version: String,
}

impl Module {
    /// Reads a module that brings its own signature.
    pub fn parse(file_name: &str, text: &str) -> Result<Self, ModuleError> {
        Self::parse_with(file_name, text, &SignatureRegistry::default())
    }

    /// Reads a module that may name a registered signature instead.
    pub fn parse_with(
        file_name: &str,
        text: &str,
        signatures: &SignatureRegistry,
    ) -> Result<Self, ModuleError> {
        let source = ModuleFile::new(file_name, text);
        let mut module: Self = source.read()?;
        if module.module_id.trim().is_empty() {
            return Err(source.wrong_at("module_id", "module_id is empty; give the module a name"));
        }
        if module.signature == Signature::default() {
            if module.signature_name.is_empty() {
                let message = "the module has neither a signature nor the name of one";
                return Err(source.wrong_at("signature_name", message));
            }
            module.signature = signatures.create(&module.signature_name)?;
        }
        check_names(&source, "input", &module.signature.inputs)?;
        check_names(&source, "output", &module.signature.outputs)?;
        if module.signature.outputs.is_empty() {
            return Err(source.wrong_at("outputs", "the signature has no outputs; name at least one"));
        }
        module.complete();
        for (number, demo) in (1..).zip(&module.demos) {
            module.check_demo(demo).map_err(|wrong| {
                source.wrong_at("demos", &format!("demo {number} does not fit the signature: {wrong}"))
            })?;
        }
        Ok(module)
    }

    /// Whether its calls stand in a field of its output.
    pub fn calls_by_field(&self) -> bool {
        match self.predictor {
            Predictor::React => false,
            Predictor::Predict | Predictor::ChainOfThought => self.tool_enabled,
        }
    }

    /// Whether it may use this tool.
    pub fn may_use(&self, tool: &str) -> bool {
        self.tool_enabled && self.tools.as_ref().is_none_or(|names| names.iter().any(|name| name == tool))
    }

    /// Puts in the fields without which it could not work.
    fn complete(&mut self) {
        match self.predictor {
            Predictor::Predict => {}
            Predictor::ChainOfThought => {
                if self.signature.output(REASONING_FIELD).is_none() {
                    self.signature.outputs.insert(0, Field::new(REASONING_FIELD, FieldType::String));
                }
            }
            // Without tools there is nothing to react to.
            Predictor::React => self.tool_enabled = true,
        }
        if self.calls_by_field() {
            let Signature { inputs, outputs } = &mut self.signature;
            ensure(inputs, CONTEXT_FIELD, None);
            ensure(inputs, TOOLS_FIELD, Some(FieldType::Json));
            ensure(outputs, CALL_FIELD, Some(FieldType::Json));
        }
    }

    fn check_demo(&self, demo: &Demo) -> Result<(), String> {
        let signature = &self.signature;
        check_known("input", &signature.inputs, &demo.inputs)?;
        check_known("output", &signature.outputs, &demo.outputs)?;
        // A demo of a call need not show an answer, and one made by hand seldom reasons.
        let is_call = self.calls_by_field() && matches!(read_fields(&demo.outputs), FieldReading::Call(_));
        let missing = signature.outputs.iter().find(|field| {
            let may_lack = is_call || field.is_optional() || field.name == REASONING_FIELD;
            !may_lack && !demo.outputs.contains_key(&field.name)
        });
        match missing {
            Some(field) => Err(format!("the output '{}' is missing", field.name)),
            None if demo.outputs.is_empty() => Err("it has no outputs".to_owned()),
            None => Ok(()),
        }
    }
}

/// Puts in a field, or gives the one that is there the type it must have.
fn ensure(fields: &mut Vec<Field>, name: &str, field_type: Option<FieldType>) {
    match fields.iter_mut().find(|field| field.name == name) {
        Some(field) => field.field_type = field_type.unwrap_or(field.field_type),
        None => fields.push(Field::new(name, field_type.unwrap_or_default())),
    }
}

fn check_names(source: &ModuleFile<'_>, kind: &str, fields: &[Field]) -> Result<(), ModuleError> {
    for (at, field) in fields.iter().enumerate() {
        let name = field.name.as_str();
        if name.trim().is_empty() || name.trim() != name || name.contains([':', '\n', '\r']) {
            let message =
                format!("the {kind} '{name}' needs a name without blanks around it, ':' and line breaks");
            return Err(source.wrong_at(name, &message));
        }
        // Answers are read without regard to case.
        if fields.iter().take(at).any(|earlier| earlier.name.eq_ignore_ascii_case(name)) {
            return Err(source.wrong_at(name, &format!("the {kind} '{name}' is named twice")));
        }
    }
    Ok(())
}

fn check_known(kind: &str, fields: &[Field], values: &Map<String, Value>) -> Result<(), String> {
    for (name, value) in values {
        let Some(field) = fields.iter().find(|field| field.name == *name) else {
            let known: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
            return Err(format!("there is no {kind} '{name}'; the {kind}s are {}", known.join(", ")));
        };
        if !field.field_type.accepts(value) {
            return Err(format!("the {kind} '{name}' must be of type {}", field.field_type.word()));
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "module_tests.rs"]
mod tests;
