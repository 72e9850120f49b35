//! What a user sets for all runs of a session: system text, sampling, form of the answer, choice of tools.
//!
//! Owns how a wish for one run, the session's settings and the host's defaults lie over each other. Knows no store
//! and no front end.

use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};

use crate::command::RunWishes;
use crate::model::{Sampling, ToolChoice};

/// What is set for the runs of a session; what is not set is as the host has it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionSettings {
    /// What the model is told after the usual system text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// What the model may do with tools.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "write_choice")]
    pub tool_choice: Option<ToolChoice>,
    /// Sampling, and the form of the answer.
    #[serde(flatten)]
    pub sampling: Sampling,
}

/// A choice in the words of the API, which are those of OpenAI.
fn write_choice<S: Serializer>(choice: &Option<ToolChoice>, out: S) -> Result<S::Ok, S::Error> {
    let words = choice.as_ref().map(|choice| match choice {
        ToolChoice::Auto => json!("auto"),
        ToolChoice::Required => json!("required"),
        ToolChoice::Forbidden => json!("none"),
        ToolChoice::Named(name) => json!({"name": name}),
    });
    words.serialize(out)
}

impl SessionSettings {
    /// Whether nothing is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Sampling {
    /// What is said here, and for everything else what lies below.
    pub fn over(self, below: &Sampling) -> Sampling {
        Sampling {
            temperature: self.temperature.or(below.temperature),
            top_p: self.top_p.or(below.top_p),
            output_tokens_max: self.output_tokens_max.or(below.output_tokens_max),
            reasoning_effort: self.reasoning_effort.or_else(|| below.reasoning_effort.clone()),
            seed: self.seed.or(below.seed),
            response_format: self.response_format.or_else(|| below.response_format.clone()),
        }
    }
}

impl RunWishes {
    /// The wishes of a run, completed by its session's settings and, below them, by what is usual.
    pub fn completed(mut self, settings: &SessionSettings, usual: &Sampling) -> Self {
        self.system = self.system.or_else(|| settings.system.clone());
        self.tool_choice = self.tool_choice.or_else(|| settings.tool_choice.clone());
        self.sampling = self.sampling.over(&settings.sampling).over(usual);
        // Text is what an answer is when nothing is said; a run can wish for it where its session says JSON.
        let is_text = |form: &Value| form.get("type").and_then(Value::as_str) == Some("text");
        self.sampling.response_format = self.sampling.response_format.filter(|form| !is_text(form));
        self
    }
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
