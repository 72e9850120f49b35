//! A module: how its file says it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::signature::Signature;

/// How a module gets from inputs to outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Predictor {
    /// At once.
    #[default]
    Predict,
    /// With a field of reasoning before the others.
    ChainOfThought,
    /// With the model's own tool calls, step by step.
    React,
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
    #[serde(default)]
    pub signature_name: String,
    /// Its signature; from the file, else the registered one of that name.
    #[serde(default)]
    pub signature: Signature,
    /// What the model is told to do.
    #[serde(default)]
    pub instruction: String,
    /// Examples, shown as earlier exchanges.
    #[serde(default)]
    pub demos: Vec<Demo>,
    /// Whether it may use tools.
    #[serde(default)]
    pub tool_enabled: bool,
    /// The tools it may use, if not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// Where it comes from.
    #[serde(default)]
    pub metadata: Metadata,
}

/// An example.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Demo {
    /// What came in.
    pub inputs: Map<String, Value>,
    /// What should come out.
    pub outputs: Map<String, Value>,
}

/// Where a module comes from.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Metadata {
    /// What made it, such as `hand` or `few_shot`.
    #[serde(default)]
    pub optimizer: String,
    /// When.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimized_at: Option<String>,
    /// How good it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric_score: Option<f64>,
    /// Its version.
    #[serde(default)]
    pub version: String,
}
