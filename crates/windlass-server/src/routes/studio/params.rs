//! Prompt Studio's parameters, from a query or a body, and the run that they mean.
//!
//! Carried: prompt, system, provider, model, temperature, top_p, max_tokens, reasoning_effort, tools or
//! tool_schemas, tool_choice, max_tool_calls, seed, response_format, finalize_hint. Not carried: top_k, penalties, stop,
//! logprobs, top_logprobs, logit_bias.

use std::sync::Arc;

use serde_json::{Map, Value};
use windlass_core::limits::WISHED_STEPS_MAX;
use windlass_core::ports::host::RunStart;
use windlass_core::protocol::command::RunWishes;
use windlass_core::protocol::message::Message;
use windlass_core::protocol::model::{Sampling, ToolChoice};
use windlass_core::protocol::settings::{WrongSetting, wished_effort};
use windlass_core::protocol::tool::ToolSpec;

use crate::error::{Problem, RouteResult};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct StudioWish {
    pub(super) start: RunStart,
    /// The session to go on in.
    pub(super) session_id: Option<String>,
    /// The client's own name for the request, by which it can come back.
    pub(super) request_id: Option<String>,
    /// Whether questions wait for somebody who answers them over the native routes.
    pub(super) asks: bool,
    pub(super) cancels: bool,
}

/// Parameters by name; those of a query are texts.
pub(super) struct Params<'a>(pub(super) &'a Map<String, Value>);

impl Params<'_> {
    /// Reads all of them.
    pub(super) fn read(&self, tools: &[Arc<ToolSpec>]) -> RouteResult<StudioWish> {
        let prompt = self.text("prompt")?.unwrap_or_default();
        if prompt.trim().is_empty() {
            return Err(Problem::field("prompt", "'prompt' is missing"));
        }
        let (tools_allowed, allowed) = self.tools(tools)?;
        let steps_max = self.whole("max_tool_calls", 1, u64::from(WISHED_STEPS_MAX))?;
        Ok(StudioWish {
            start: RunStart {
                message: Message::user(prompt),
                wishes: RunWishes {
                    tools_allowed,
                    tools: allowed,
                    tool_choice: Some(if tools_allowed {
                        self.tool_choice(tools)?
                    } else {
                        ToolChoice::Forbidden
                    }),
                    sampling: self.sampling()?,
                    system: self.text("system")?.filter(|text| !text.trim().is_empty()),
                    finalize_hint: self.text("finalize_hint")?.filter(|text| !text.trim().is_empty()),
                    steps_max: steps_max.and_then(|steps| u32::try_from(steps).ok()),
                    ..RunWishes::default()
                },
                model: self.model()?,
                profile: None,
                executes_while_streaming: self.flag("tool_loop_v2")?,
            },
            session_id: self.text("session_id")?.filter(|id| !id.is_empty()),
            request_id: self.text("request_id")?.filter(|id| !id.is_empty()),
            asks: match self.text("approve")?.as_deref() {
                None | Some("never") => false,
                Some("ask") => true,
                Some(_) => return Err(Problem::field("approve", "'approve' must be ask or never")),
            },
            cancels: self.flag("cancel_on_disconnect")?.unwrap_or_default(),
        })
    }

    fn text(&self, name: &'static str) -> RouteResult<Option<String>> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(Problem::field(name, format!("'{name}' must be text"))),
        }
    }

    fn flag(&self, name: &'static str) -> RouteResult<Option<bool>> {
        let word = match self.0.get(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::Bool(flag)) => return Ok(Some(*flag)),
            Some(Value::String(word)) => word.to_ascii_lowercase(),
            Some(_) => String::new(),
        };
        match word.as_str() {
            "1" | "true" | "yes" | "on" => Ok(Some(true)),
            "0" | "false" | "no" | "off" => Ok(Some(false)),
            _ => Err(Problem::field(name, format!("'{name}' must be true or false"))),
        }
    }

    /// A number; a query says it as text.
    fn number(&self, name: &'static str, max: f64) -> RouteResult<Option<f64>> {
        let number = match self.0.get(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) if text.is_empty() => return Ok(None),
            Some(Value::String(text)) => text.trim().parse().ok(),
            Some(value) => value.as_f64(),
        };
        match number.filter(|number: &f64| (0.0..=max).contains(number)) {
            Some(number) => Ok(Some(number)),
            None => Err(Problem::field(name, format!("'{name}' must be a number between 0 and {max}"))),
        }
    }

    fn whole(&self, name: &'static str, min: u64, max: u64) -> RouteResult<Option<u64>> {
        let number = match self.0.get(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) if text.is_empty() => return Ok(None),
            Some(Value::String(text)) => text.trim().parse().ok(),
            Some(value) => value.as_u64(),
        };
        match number.filter(|number| (min..=max).contains(number)) {
            Some(number) => Ok(Some(number)),
            None => Err(Problem::field(name, format!("'{name}' must be a whole number from {min} to {max}"))),
        }
    }

    /// JSON; a query says it as text.
    fn json(&self, name: &'static str) -> RouteResult<Option<Value>> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if text.trim().is_empty() => Ok(None),
            Some(Value::String(text)) => serde_json::from_str(text)
                .map(Some)
                .map_err(|error| Problem::field(name, format!("'{name}' is no JSON: {error}"))),
            Some(value) => Ok(Some(value.clone())),
        }
    }

    fn model(&self) -> RouteResult<Option<String>> {
        let model = self.text("model")?.filter(|name| !name.is_empty());
        let provider = self.text("provider")?.filter(|name| !name.is_empty());
        Ok(match (provider, model) {
            (Some(provider), Some(model)) if !model.starts_with(&format!("{provider}/")) => {
                Some(format!("{provider}/{model}"))
            }
            (_, model) => model,
        })
    }

    fn sampling(&self) -> RouteResult<Sampling> {
        let effort = self.text("reasoning_effort")?.filter(|effort| !effort.is_empty());
        let effort = effort.as_deref().map(wished_effort).transpose();
        let effort = effort.map_err(|WrongSetting { name, why }| Problem::field(name, why))?;
        let tokens = self.whole("max_tokens", 1, u64::from(u32::MAX))?;
        // A word is a form too: Prompt Studio sends `json_object` alone.
        let form = match self.0.get("response_format") {
            Some(Value::String(word)) if matches!(word.as_str(), "json_object" | "text") => {
                (word == "json_object").then(|| serde_json::json!({"type": word}))
            }
            _ => self.json("response_format")?,
        };
        Ok(Sampling {
            temperature: self.number("temperature", 2.0)?,
            top_p: self.number("top_p", 1.0)?,
            output_tokens_max: tokens.and_then(|tokens| u32::try_from(tokens).ok()),
            reasoning_effort: effort,
            seed: self.whole("seed", 0, u64::MAX)?,
            response_format: form,
        })
    }

    /// Whether tools may be used, and which: names, or schemas with names. None given: all there are.
    fn tools(&self, known: &[Arc<ToolSpec>]) -> RouteResult<(bool, Option<Vec<String>>)> {
        let given = match self.json("tools")? {
            Some(given) => Some(given),
            None => self.json("tool_schemas")?,
        };
        let Some(given) = given else { return Ok((true, None)) };
        let Value::Array(items) = given else {
            return Err(Problem::field("tools", "'tools' must be a list of names or schemas"));
        };
        let mut names = Vec::with_capacity(items.len());
        for item in &items {
            let name = item.as_str().or_else(|| item.get("function").unwrap_or(item).get("name")?.as_str());
            let Some(name) = name else {
                return Err(Problem::field("tools", "every tool needs a name"));
            };
            names.push(resolve("tools", name, known)?);
        }
        Ok((!names.is_empty(), Some(names)))
    }

    fn tool_choice(&self, known: &[Arc<ToolSpec>]) -> RouteResult<ToolChoice> {
        Ok(match self.text("tool_choice")?.as_deref() {
            None | Some("" | "auto") => ToolChoice::Auto,
            Some("required") => ToolChoice::Required,
            Some("none") => ToolChoice::Forbidden,
            Some(name) => ToolChoice::Named(resolve("tool_choice", name, known)?),
        })
    }
}

/// The canonical name of a tool (A.3).
fn resolve(field: &'static str, name: &str, known: &[Arc<ToolSpec>]) -> RouteResult<String> {
    let spec = known.iter().find(|spec| spec.name == name || spec.aliases.iter().any(|alias| alias == name));
    spec.map(|spec| spec.name.clone()).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|spec| spec.name.as_str()).collect();
        let name: String = name.chars().take(64).collect();
        Problem::field(field, format!("Unknown tool: {name}. Available tools: {}", names.join(", ")))
    })
}

#[cfg(test)]
#[path = "params_tests.rs"]
mod tests;
