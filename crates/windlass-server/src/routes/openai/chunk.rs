//! Answers as OpenAI's clients read them: whole, or as chunks of a stream. Pure.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use windlass_core::protocol::event::{RunOutcome, StopReason};
use windlass_core::protocol::model::{Finish, Usage};

use super::error::ErrorBody;
use crate::error::Problem;

/// The end of every stream.
pub(super) const DONE: &str = "data: [DONE]\n\n";

/// What all pieces of one answer have in common.
#[derive(Debug, Clone)]
pub(super) struct CompletionHead {
    pub(super) id: String,
    pub(super) created_s: u64,
    pub(super) model: String,
    /// Whether a last chunk carries the token counts.
    pub(super) has_usage_chunk: bool,
}

/// A call as it is handed to the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HandedCall {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: String,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct WholeCompletion {
    pub(super) text: String,
    pub(super) reasoning: String,
    pub(super) calls: Vec<HandedCall>,
    pub(super) finish: &'static str,
    pub(super) usage: Usage,
}

/// The answer in one piece, as it is written.
#[derive(Serialize, JsonSchema)]
pub(super) struct OpenaiCompletion {
    id: String,
    #[schemars(extend("const" = "chat.completion"))]
    object: &'static str,
    created: u64,
    model: String,
    choices: Vec<OpenaiChoice>,
    usage: OpenaiUsage,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct OpenaiChoice {
    index: u32,
    message: OpenaiMessage,
    logprobs: (),
    finish_reason: &'static str,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct OpenaiMessage {
    role: &'static str,
    content: Option<String>,
    refusal: (),
    #[serde(skip_serializing_if = "String::is_empty")]
    reasoning_content: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<OpenaiCall>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct OpenaiCall {
    id: String,
    r#type: &'static str,
    function: OpenaiFunction,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct OpenaiFunction {
    name: String,
    arguments: String,
}

impl From<HandedCall> for OpenaiCall {
    fn from(call: HandedCall) -> Self {
        let HandedCall { id, name, arguments } = call;
        Self { id, r#type: "function", function: OpenaiFunction { name, arguments } }
    }
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct OpenaiUsage {
    prompt_tokens: u64,
    completion_tokens: u64,
    total_tokens: u64,
    prompt_tokens_details: PromptTokens,
    completion_tokens_details: CompletionTokens,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct PromptTokens {
    cached_tokens: u64,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct CompletionTokens {
    reasoning_tokens: u64,
}

impl CompletionHead {
    /// The answer in one piece.
    pub(super) fn completion(&self, whole: WholeCompletion) -> OpenaiCompletion {
        let WholeCompletion { text, reasoning, calls, finish, usage } = whole;
        let message = OpenaiMessage {
            role: "assistant",
            content: (!text.is_empty() || calls.is_empty()).then_some(text),
            refusal: (),
            reasoning_content: reasoning,
            tool_calls: calls.into_iter().map(OpenaiCall::from).collect(),
        };
        OpenaiCompletion {
            id: self.id.clone(),
            object: "chat.completion",
            created: self.created_s,
            model: self.model.clone(),
            choices: vec![OpenaiChoice { index: 0, message, logprobs: (), finish_reason: finish }],
            usage: usage_of(&usage),
        }
    }

    /// The first chunk: who speaks.
    pub(super) fn role(&self) -> String {
        self.chunk(json!({"role": "assistant", "content": ""}), None)
    }

    pub(super) fn text(&self, text: &str) -> String {
        self.chunk(json!({"content": text}), None)
    }

    /// More thinking, where servers with thinking models put it.
    pub(super) fn reasoning(&self, text: &str) -> String {
        self.chunk(json!({"reasoning_content": text}), None)
    }

    /// A call begins: its id and name come once.
    pub(super) fn call_begin(&self, index: usize, id: &str, name: &str) -> String {
        let call = json!({
            "index": index, "id": id, "type": "function", "function": {"name": name, "arguments": ""},
        });
        self.chunk(json!({"tool_calls": [call]}), None)
    }

    /// More of a call's arguments.
    pub(super) fn call_more(&self, index: usize, piece: &str) -> String {
        self.chunk(json!({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}), None)
    }

    /// The end: why, the token counts if they were wanted, and that no more comes.
    pub(super) fn end(&self, finish: &str, usage: &Usage) -> String {
        let mut end = self.chunk(json!({}), Some(finish));
        if self.has_usage_chunk {
            let last = self.payload(json!([]), Some(json!(usage_of(usage))));
            end.push_str(&format!("data: {last}\n\n"));
        }
        end.push_str(DONE);
        end
    }

    /// The end of a stream that cannot go on.
    pub(super) fn failure(problem: &Problem) -> String {
        format!("data: {}\n\n{DONE}", json!(ErrorBody::from(problem)))
    }

    fn chunk(&self, delta: Value, finish: Option<&str>) -> String {
        let choices = json!([{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish}]);
        // Whoever asks for usage gets the field in every chunk, and null in all but the last.
        let usage = self.has_usage_chunk.then_some(Value::Null);
        format!("data: {}\n\n", self.payload(choices, usage))
    }

    fn payload(&self, choices: Value, usage: Option<Value>) -> Value {
        let mut payload = json!({
            "id": self.id, "object": "chat.completion.chunk", "created": self.created_s,
            "model": self.model, "choices": choices,
        });
        if let (Value::Object(fields), Some(usage)) = (&mut payload, usage) {
            fields.insert("usage".into(), usage);
        }
        payload
    }
}

/// Token counts in OpenAI's words.
pub(super) fn usage_of(usage: &Usage) -> OpenaiUsage {
    OpenaiUsage {
        prompt_tokens: usage.input,
        completion_tokens: usage.output,
        total_tokens: usage.total(),
        prompt_tokens_details: PromptTokens { cached_tokens: usage.cached },
        completion_tokens_details: CompletionTokens { reasoning_tokens: usage.reasoning },
    }
}

/// Why a step stopped.
pub(super) fn finish_of_step(finish: &Finish, has_calls: bool) -> &'static str {
    match finish {
        Finish::Length => "length",
        Finish::Filtered => "content_filter",
        Finish::Stop | Finish::Calls | Finish::Paused | Finish::Other(_) => {
            if has_calls {
                "tool_calls"
            } else {
                "stop"
            }
        }
    }
}

/// Why a run stopped.
pub(super) fn finish_of_run(outcome: RunOutcome, reason: &StopReason) -> &'static str {
    match (outcome, reason) {
        (RunOutcome::LimitReached, StopReason::AnswerCut | StopReason::TokensMax) => "length",
        (
            RunOutcome::Completed | RunOutcome::LimitReached | RunOutcome::Cancelled | RunOutcome::Failed,
            _,
        ) => "stop",
    }
}

#[cfg(test)]
#[path = "chunk_tests.rs"]
mod tests;
