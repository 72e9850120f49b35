//! What a client sets: for the runs of a session, or for one run. One type reads and describes both.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use windlass_core::protocol::model::{Sampling, ToolChoice};
use windlass_core::protocol::settings::{EFFORTS, SEED_MAX, SessionSettings, WrongSetting, wished_effort};

use crate::error::{Problem, RouteResult};
use crate::extract::whole;
use crate::openapi::{object, or_null};

#[derive(Deserialize, Default, JsonSchema)]
#[schemars(rename = "SettingsWish")]
pub(super) struct SettingsBody {
    /// What the model is told after the usual system text.
    pub(super) system: Option<String>,
    /// What the model may do with tools until it has called one.
    #[serde(default)]
    #[schemars(schema_with = "maybe_tool_choice")]
    pub(super) tool_choice: Option<Value>,
    #[serde(default)]
    #[schemars(schema_with = "maybe_effort")]
    pub(super) reasoning_effort: Option<String>,
    #[schemars(range(min = 0.0, max = 2.0))]
    pub(super) temperature: Option<f64>,
    #[schemars(range(min = 0.0, max = 1.0))]
    pub(super) top_p: Option<f64>,
    /// Most tokens of one answer.
    #[serde(default, deserialize_with = "whole")]
    #[schemars(range(min = 1, max = u32::MAX))]
    pub(super) output_tokens_max: Option<u32>,
    #[serde(default, deserialize_with = "whole")]
    #[schemars(range(min = 0, max = SEED_MAX))]
    pub(super) seed: Option<u64>,
    /// The form of the answer, as OpenAI's field of that name says it; {"type": "text"} is plain text.
    pub(super) response_format: Option<Map<String, Value>>,
}

pub(super) fn maybe_tool_choice(_: &mut SchemaGenerator) -> Schema {
    or_null(json!({"anyOf": [
        {"type": "string", "enum": ["auto", "required", "none"]},
        object([("name", json!({"type": "string", "minLength": 1}))]),
    ]}))
}

pub(super) fn maybe_effort(_: &mut SchemaGenerator) -> Schema {
    or_null(json!({"type": "string", "enum": EFFORTS}))
}

impl SettingsBody {
    /// The settings, if they can be.
    pub(super) fn read(self) -> RouteResult<SessionSettings> {
        let wrong = |WrongSetting { name, why }| Problem::field(name, why);
        let effort = self.reasoning_effort.as_deref().map(wished_effort).transpose().map_err(wrong)?;
        let settings = SessionSettings {
            system: self.system.filter(|text| !text.trim().is_empty()),
            tool_choice: self.tool_choice.as_ref().map(tool_choice).transpose()?,
            sampling: Sampling {
                temperature: self.temperature,
                top_p: self.top_p,
                output_tokens_max: self.output_tokens_max,
                reasoning_effort: effort,
                seed: self.seed,
                response_format: self.response_format.map(Value::Object),
            },
        };
        settings.check().map_err(wrong)?;
        Ok(settings)
    }
}

fn tool_choice(choice: &Value) -> RouteResult<ToolChoice> {
    let read = match choice {
        Value::String(word) => match word.as_str() {
            "auto" => Some(ToolChoice::Auto),
            "required" => Some(ToolChoice::Required),
            "none" => Some(ToolChoice::Forbidden),
            _ => None,
        },
        Value::Object(fields) => {
            let name = fields.get("name").and_then(Value::as_str).filter(|name| !name.is_empty());
            name.map(|name| ToolChoice::Named(name.to_owned()))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
    };
    let words = "'tool_choice' must be \"auto\", \"required\", \"none\" or {\"name\": TOOL}";
    read.ok_or_else(|| Problem::field("tool_choice", words))
}
