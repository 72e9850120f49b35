//! Modules as front ends see them: what there is, what each takes and gives, and what it would ask a model.
//!
//! A module is run as any other model is: by a run with the model `module/ID`. Nothing here runs one.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::HostError;

/// What stands before the id of a module that is named as a model.
pub const MODULE_PREFIX: &str = "module/";

/// All modules of a host.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Modules"))]
pub struct ModuleShelf {
    /// The modules, by id.
    pub modules: Vec<ModuleRow>,
    /// Files that could not be taken in; where there is a version from before, it still counts.
    pub faults: Vec<ModuleFault>,
    /// Where modules are looked for.
    pub folders: Vec<String>,
}

/// One module.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Module"))]
pub struct ModuleRow {
    /// Its id.
    pub module_id: String,
    /// The model that a run names to use it.
    pub model: String,
    /// `predict`, `chain_of_thought` or `react`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["predict", "chain_of_thought", "react"])))]
    pub predictor: String,
    /// What the model is told to do.
    pub instruction: String,
    /// What it takes.
    pub inputs: Vec<ModuleField>,
    /// What it gives.
    pub outputs: Vec<ModuleField>,
    /// The inputs as JSON Schema.
    #[cfg_attr(feature = "schema", schemars(with = "Map<String, Value>"))]
    pub inputs_schema: Value,
    /// The outputs as JSON Schema.
    #[cfg_attr(feature = "schema", schemars(with = "Map<String, Value>"))]
    pub outputs_schema: Value,
    /// How many examples it has.
    pub demos: usize,
    /// Whether it may use tools.
    pub has_tools: bool,
    /// The tools that it may use, if not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Its version.
    pub version: String,
    /// What made it.
    pub optimizer: String,
    /// How good it was when it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric_score: Option<f64>,
}

/// An input or output of a module.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModuleField {
    /// Its name.
    pub name: String,
    /// `string`, `integer`, `number`, `boolean`, `array`, `object` or `json`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["string", "integer", "number", "boolean", "array", "object", "json"])))]
    pub field_type: String,
    /// What it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// A file that could not be taken in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModuleFault {
    /// The file.
    pub path: String,
    /// What is wrong with it, and where.
    pub message: String,
}

/// What a module would ask a model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModulePrompt {
    /// What the model is told first.
    pub system: String,
    /// The examples and the inputs.
    pub messages: Vec<PromptMessage>,
    /// The form that is asked of the answer, where the provider is asked for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_format: Option<Value>,
}

/// A message of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PromptMessage {
    /// `user` or `assistant`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["user", "assistant"])))]
    pub role: String,
    /// What it says.
    pub text: String,
}

/// Where modules come from.
pub trait ModulesPort: Send + Sync {
    /// All modules as they are now.
    fn shelf(&self) -> ModuleShelf;
    /// What a module would ask a model for these inputs; wrong inputs are told by name.
    fn prompt(&self, module_id: &str, inputs: &Map<String, Value>) -> Result<ModulePrompt, HostError>;
}
