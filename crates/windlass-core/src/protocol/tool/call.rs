//! Calls, from what a model wrote to what may be judged.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::ToolSpec;
use crate::protocol::ids::CallId;

/// A call exactly as the model gave it, before anything is believed of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RawCall {
    /// The provider's id, if it sent one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_id: Option<String>,
    /// The name as written; may be unknown or an alias.
    pub name: String,
    /// The arguments as written.
    pub args: RawArgs,
    /// What the provider wants to see again with this call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<Box<ProviderState>>,
    /// How many text and reasoning parts of the step came before it: providers that sign their thinking
    /// want everything back in the order in which it came.
    #[serde(default)]
    pub after_parts: usize,
}

/// Arguments as a model writes them: text (OpenAI) or an object (Ollama) (Z-23).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RawArgs {
    /// JSON text, perhaps empty, perhaps broken.
    Text(String),
    /// A JSON value.
    Value(Value),
}

impl RawArgs {
    /// The arguments as JSON text; empty means none and reads `{}`.
    pub fn to_text(&self) -> String {
        match self {
            RawArgs::Text(text) if text.trim().is_empty() => "{}".into(),
            RawArgs::Text(text) => text.clone(),
            RawArgs::Value(Value::Null) => "{}".into(),
            RawArgs::Value(value) => value.to_string(),
        }
    }
}

/// State that a provider hangs on something a model made (signatures, item ids): echoed untouched to the
/// same model, dropped on another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProviderState {
    /// The model that made it, `provider/model`.
    pub model: String,
    /// The state itself, as its wire keeps it.
    pub value: Value,
}

/// One call of a run, with its identity: in the transcript, the trace and the events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolCall {
    /// Unique in the session.
    pub id: CallId,
    /// What the provider called it; goes back on its wire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_id: Option<String>,
    /// The step that asked, counted from 1.
    pub step: u32,
    /// Its place among the calls of that step, from 0.
    pub index: u32,
    /// The canonical name if it could be resolved, else as written.
    pub name: String,
    /// Arguments as JSON text, as the model wrote them.
    pub arguments: String,
    /// What the provider wants to see again with this call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<Box<ProviderState>>,
}

/// A call that was resolved and validated: its arguments are complete, typed and canonical.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedCall {
    /// The call.
    pub call: ToolCall,
    /// The tool it means.
    pub spec: Arc<ToolSpec>,
    /// Arguments with aliases resolved, defaults put in and unknown ones dropped.
    pub args: Map<String, Value>,
    /// Names of dropped arguments (E-16).
    pub dropped_args: Vec<String>,
    /// The model asked for an uncached answer.
    pub is_fresh: bool,
}
