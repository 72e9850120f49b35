//! What a user sets for all runs of a session: system text, sampling, form of the answer, choice of tools.
//!
//! Owns how a wish for one run, the session's settings and the host's defaults lie over each other. Knows no store
//! and no front end.

use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};

use crate::protocol::command::RunWishes;
use crate::protocol::model::{Effort, Sampling, ToolChoice};
use crate::text::nearest::nearest_names;

/// What is set for the runs of a session; what is not set is as the host has it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Settings", transform = super::schema::bound_settings))]
#[serde(default)]
pub struct SessionSettings {
    /// What the model is told after the usual system text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// What the model may do with tools.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "write_choice")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "super::schema::choice_words"))]
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

/// Seeds that every JSON reader reads alike.
pub const SEED_MAX: u64 = (1 << 53) - 1;
/// Efforts that can be wished for.
pub const EFFORTS: [&str; 4] = ["low", "medium", "high", "auto"];

/// A setting that cannot be, by its name, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct WrongSetting {
    /// The setting.
    pub name: &'static str,
    /// Why it cannot be.
    pub why: String,
}

impl WrongSetting {
    /// An effort that cannot be wished for.
    fn effort() -> Self {
        let why = "'reasoning_effort' must be low, medium, high or auto".to_owned();
        Self { name: "reasoning_effort", why }
    }
}

/// The effort that somebody wishes for: one of [`EFFORTS`].
pub fn wished_effort(word: &str) -> Result<Effort, WrongSetting> {
    Effort::of_word(word).filter(|_| EFFORTS.contains(&word)).ok_or_else(WrongSetting::effort)
}

impl SessionSettings {
    /// The names of all settings, in the order in which they are shown.
    pub const NAMES: [&str; 8] = [
        "system",
        "temperature",
        "top_p",
        "output_tokens_max",
        "seed",
        "response_format",
        "tool_choice",
        "reasoning_effort",
    ];

    /// Whether nothing is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether all that is set can be.
    pub fn check(&self) -> Result<(), WrongSetting> {
        let Sampling { temperature, top_p, output_tokens_max, reasoning_effort, seed, .. } = &self.sampling;
        let wrong = |name, why: String| Err(WrongSetting { name, why });
        for (name, value, max) in [("temperature", temperature, 2.0), ("top_p", top_p, 1.0)] {
            if value.is_some_and(|value| !(0.0..=max).contains(&value)) {
                return wrong(name, format!("'{name}' must be a number from 0 to {max}"));
            }
        }
        if *output_tokens_max == Some(0) {
            return wrong("output_tokens_max", "'output_tokens_max' must be at least 1".to_owned());
        }
        if seed.is_some_and(|seed| seed > SEED_MAX) {
            return wrong("seed", format!("'seed' must be at most {SEED_MAX}"));
        }
        if reasoning_effort.is_some_and(|effort| !EFFORTS.contains(&effort.word())) {
            return Err(WrongSetting::effort());
        }
        Ok(())
    }

    /// The same with one more set, as somebody types it: a name, and a text.
    pub fn with(&self, name: &str, text: &str) -> Result<Self, String> {
        let mut set = self.clone();
        let sampling = &mut set.sampling;
        let number = || text.parse::<f64>().map_err(|_| format!("'{name}' must be a number"));
        let whole = || text.parse::<u64>().map_err(|_| format!("'{name}' must be a whole number"));
        match name {
            "system" => set.system = Some(text.to_owned()),
            "tool_choice" => set.tool_choice = Some(ToolChoice::of_word(text)),
            "temperature" => sampling.temperature = Some(number()?),
            "top_p" => sampling.top_p = Some(number()?),
            "output_tokens_max" => {
                let most = u32::try_from(whole()?).map_err(|_| format!("'{name}' is too large"))?;
                sampling.output_tokens_max = Some(most);
            }
            "seed" => sampling.seed = Some(whole()?),
            "reasoning_effort" => {
                sampling.reasoning_effort = Some(wished_effort(text).map_err(|wrong| wrong.why)?);
            }
            "response_format" => sampling.response_format = Some(form_of(text)?),
            _ => return Err(unknown(name)),
        }
        set.check().map_err(|wrong| wrong.why)?;
        Ok(set)
    }

    /// The same without one.
    pub fn without(&self, name: &str) -> Result<Self, String> {
        let mut set = self.clone();
        match name {
            "system" => set.system = None,
            "tool_choice" => set.tool_choice = None,
            "temperature" => set.sampling.temperature = None,
            "top_p" => set.sampling.top_p = None,
            "output_tokens_max" => set.sampling.output_tokens_max = None,
            "seed" => set.sampling.seed = None,
            "reasoning_effort" => set.sampling.reasoning_effort = None,
            "response_format" => set.sampling.response_format = None,
            _ => return Err(unknown(name)),
        }
        Ok(set)
    }

    /// What one is, as text; nothing where it is not set.
    pub fn shown(&self, name: &str) -> Option<String> {
        match serde_json::to_value(self).ok()?.get(name)? {
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        }
    }
}

fn form_of(text: &str) -> Result<Value, String> {
    match text {
        "text" => Ok(json!({"type": "text"})),
        "json" => Ok(json!({"type": "json_object"})),
        _ => serde_json::from_str(text).ok().filter(Value::is_object).ok_or_else(|| {
            "'response_format' must be text, json, or an object as OpenAI's field of that name".to_owned()
        }),
    }
}

fn unknown(name: &str) -> String {
    let meant = nearest_names(name, SessionSettings::NAMES, 1);
    match meant.first() {
        Some(meant) => format!("there is no setting {name}; did you mean {meant}?"),
        None => format!("there is no setting {name}; there are {}", SessionSettings::NAMES.join(", ")),
    }
}

impl Sampling {
    /// What is said here, and for everything else what lies below.
    pub fn over(self, below: &Sampling) -> Sampling {
        Sampling {
            temperature: self.temperature.or(below.temperature),
            top_p: self.top_p.or(below.top_p),
            output_tokens_max: self.output_tokens_max.or(below.output_tokens_max),
            reasoning_effort: self.reasoning_effort.or(below.reasoning_effort),
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
