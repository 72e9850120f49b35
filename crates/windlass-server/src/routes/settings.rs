//! What a client sets: for the runs of a session, or for one run. One reading and one schema for both.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use windlass_core::model::{Sampling, ToolChoice};
use windlass_core::settings::{EFFORTS, SEED_MAX, SessionSettings, WrongSetting, wished_effort};

use crate::error::{Problem, RouteResult};
use crate::extract::whole;
use crate::openapi::{count_to, object, wish};

/// What is set, as a body says it.
#[derive(Deserialize, Default)]
pub(super) struct SettingsBody {
    pub(super) system: Option<String>,
    pub(super) tool_choice: Option<Value>,
    pub(super) reasoning_effort: Option<String>,
    pub(super) temperature: Option<f64>,
    pub(super) top_p: Option<f64>,
    #[serde(default, deserialize_with = "whole")]
    pub(super) output_tokens_max: Option<u32>,
    #[serde(default, deserialize_with = "whole")]
    pub(super) seed: Option<u64>,
    pub(super) response_format: Option<Map<String, Value>>,
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

/// Each of them, for the API document.
pub(super) fn fields() -> [(&'static str, Value); 8] {
    [
        (
            "system?",
            json!({"type": "string", "description": "What the model is told after the usual system text."}),
        ),
        (
            "tool_choice?",
            json!({"anyOf": [
                {"type": "string", "enum": ["auto", "required", "none"]},
                object([("name", json!({"type": "string", "minLength": 1}))]),
            ], "description": "What the model may do with tools until it has called one."}),
        ),
        ("reasoning_effort?", json!({"type": "string", "enum": EFFORTS})),
        ("temperature?", json!({"type": "number", "minimum": 0, "maximum": 2})),
        ("top_p?", json!({"type": "number", "minimum": 0, "maximum": 1})),
        (
            "output_tokens_max?",
            json!({
                "type": "integer", "minimum": 1, "maximum": u32::MAX, "description": "Most tokens of one answer.",
            }),
        ),
        ("seed?", count_to(SEED_MAX)),
        (
            "response_format?",
            json!({
                "type": "object", "additionalProperties": true,
                "description": "The form of the answer, as OpenAI's field of that name says it; {\"type\": \"text\"} is plain text.",
            }),
        ),
    ]
}

/// What a session shows of them, for the API document.
pub(crate) fn schemas() -> Vec<(&'static str, Value)> {
    vec![("Settings", object(fields())), ("SettingsWish", wish(fields()))]
}
