//! What an OpenAI client asks, checked, and what it means here.
//!
//! Carried: messages, model, stream, tools, tool_choice, parallel_tool_calls, response_format, temperature,
//! top_p, max_tokens, max_completion_tokens, stop, seed, reasoning_effort, stream_options, and our own profile. Everything else is
//! ignored (penalties, logit_bias, logprobs, user, metadata, store, service_tier, …), but what would change the
//! shape of the answer is refused: `n` above 1, `functions`, tools that are no functions.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use windlass_core::ports::host::RunStart;
use windlass_core::protocol::command::RunWishes;
use windlass_core::protocol::message::Message;
use windlass_core::protocol::model::{Effort, Sampling, ToolChoice};
use windlass_core::protocol::tool::ToolSpec;

use super::message::{ChatMessage, Conversation, read};
use super::stop::STOP_WORDS_MAX;
use super::tools::{ChatTool, read_choice, read_tools};
use crate::error::{Problem, RouteResult};
use crate::routes::sessions::check_profile;

/// The name that stands for whatever model is the default.
pub(super) const OWN_MODEL: &str = "windlass";

/// The body of a request.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct ChatRequest {
    model: Option<String>,
    messages: Vec<ChatMessage>,
    stream: Option<bool>,
    stream_options: Option<StreamOptions>,
    tools: Option<Vec<ChatTool>>,
    tool_choice: Option<Value>,
    parallel_tool_calls: Option<bool>,
    functions: Option<Value>,
    response_format: Option<Value>,
    temperature: Option<f64>,
    top_p: Option<f64>,
    max_tokens: Option<u32>,
    max_completion_tokens: Option<u32>,
    stop: Option<Value>,
    seed: Option<i64>,
    n: Option<u64>,
    reasoning_effort: Option<String>,
    profile: Option<String>,
}

/// What is streamed beside the answer.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct StreamOptions {
    include_usage: Option<bool>,
}

/// A request that was understood.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ChatWishes {
    /// The model; the default one if nothing.
    pub(super) model: Option<String>,
    pub(super) is_stream: bool,
    pub(super) has_usage_chunk: bool,
    pub(super) conversation: Conversation,
    /// The caller's own tools.
    pub(super) tools: Vec<Arc<ToolSpec>>,
    pub(super) tool_choice: ToolChoice,
    pub(super) is_parallel: bool,
    pub(super) sampling: Sampling,
    pub(super) stop: Vec<String>,
    /// The profile of a run; the server's own if nothing.
    pub(super) profile: Option<String>,
}

impl ChatWishes {
    pub(super) fn read(request: ChatRequest) -> RouteResult<Self> {
        if request.n.is_some_and(|n| n != 1) {
            return Err(Problem::field("n", "only one answer is supported; leave 'n' out or send 1"));
        }
        if request.functions.as_ref().is_some_and(|functions| !is_empty(functions)) {
            return Err(Problem::field("functions", "'functions' is not supported; send 'tools' instead"));
        }
        check_profile(request.profile.as_deref().filter(|name| !name.is_empty()))?;
        let sampling = read_sampling(&request)?;
        let tools = read_tools(request.tools.unwrap_or_default())?;
        let (tools, tool_choice) = read_choice(tools, request.tool_choice.as_ref())?;
        let is_stream = request.stream.unwrap_or_default();
        Ok(Self {
            model: request.model.filter(|name| !name.is_empty() && name != OWN_MODEL),
            is_stream,
            has_usage_chunk: request
                .stream_options
                .and_then(|options| options.include_usage)
                .unwrap_or_default(),
            conversation: read(&request.messages)?,
            tools,
            tool_choice,
            is_parallel: request.parallel_tool_calls.unwrap_or(true),
            sampling,
            stop: read_stop(request.stop.as_ref())?,
            profile: request.profile.filter(|name| !name.is_empty()),
        })
    }

    /// The run that is asked for, and what was said before it: when the caller brings no tools, and the last
    /// word is the user's. Anything else is one step of the model.
    pub(super) fn as_run(&self) -> Option<(RunStart, Vec<Arc<Message>>)> {
        let mut history = self.conversation.history.clone();
        let last = history.pop().filter(|message| matches!(**message, Message::User { .. }))?;
        if !self.tools.is_empty() {
            return None;
        }
        let start = RunStart {
            message: Message::clone(&last),
            wishes: RunWishes {
                tool_choice: Some(self.tool_choice.clone()),
                sampling: self.sampling.clone(),
                system: Some(self.conversation.system.clone()).filter(|text| !text.is_empty()),
                ..RunWishes::default()
            },
            // It is that of the session, which is made for this run alone.
            model: None,
            profile: self.profile.clone(),
            executes_while_streaming: None,
        };
        Some((start, history))
    }
}

fn read_sampling(request: &ChatRequest) -> RouteResult<Sampling> {
    let within = |name: &'static str, value: Option<f64>, max: f64| match value {
        Some(value) if !(0.0..=max).contains(&value) => {
            Err(Problem::field(name, format!("'{name}' must be between 0 and {max}")))
        }
        value => Ok(value),
    };
    let output_tokens_max = request.max_completion_tokens.or(request.max_tokens);
    if output_tokens_max == Some(0) {
        return Err(Problem::field("max_completion_tokens", "the answer needs at least one token"));
    }
    let response_format = match &request.response_format {
        None | Some(Value::Null) => None,
        Some(format) => match format.get("type").and_then(Value::as_str) {
            Some("text") => None,
            Some("json_object" | "json_schema") => Some(format.clone()),
            _ => {
                return Err(Problem::field(
                    "response_format",
                    "'response_format.type' must be text, json_object or json_schema",
                ));
            }
        },
    };
    Ok(Sampling {
        temperature: within("temperature", request.temperature, 2.0)?,
        top_p: within("top_p", request.top_p, 1.0)?,
        output_tokens_max,
        reasoning_effort: request
            .reasoning_effort
            .as_deref()
            .map(read_effort)
            .transpose()?
            .filter(|effort| *effort != Effort::Off),
        seed: request.seed.map(i64::unsigned_abs),
        response_format,
    })
}

/// OpenAI's clients may name more efforts than people choose from.
fn read_effort(word: &str) -> RouteResult<Effort> {
    Effort::of_word(word).ok_or_else(|| {
        let detail = "'reasoning_effort' must be none, minimal, low, medium, high, xhigh, max or auto";
        Problem::field("reasoning_effort", detail)
    })
}

fn read_stop(stop: Option<&Value>) -> RouteResult<Vec<String>> {
    let wrong =
        || Problem::field("stop", format!("'stop' must be a string or at most {STOP_WORDS_MAX} strings"));
    match stop {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(word)) => Ok(vec![word.clone()]),
        Some(Value::Array(words)) if words.len() <= STOP_WORDS_MAX => {
            let words: Option<Vec<String>> =
                words.iter().map(|word| word.as_str().map(str::to_owned)).collect();
            words.ok_or_else(wrong)
        }
        Some(_) => Err(wrong()),
    }
}

fn is_empty(value: &Value) -> bool {
    *value == Value::Null || *value == json!([])
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
