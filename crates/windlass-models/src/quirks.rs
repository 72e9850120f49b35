//! Quirks: what an endpoint wants, accepts and does differently, as data.
//!
//! A row of the catalogue begins with the quirks of its wire and changes a few; configuration and the
//! doctor's findings are laid over them. Encoders and decoders read quirks and never ask who the provider is.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How calls are written on an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallDialect {
    /// The wire has calls of its own.
    Native,
    /// `<tool_call>` tags in the text (Hermes, Qwen).
    Tags,
    /// One JSON object as the whole answer (EDISON); the run's profile does it.
    Text,
    /// No tools at all.
    None,
}

/// The role of the system text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SystemRole {
    /// `system`.
    System,
    /// `developer`.
    Developer,
    /// There is none: it goes in front of the first user message.
    User,
}

/// The forms of tool choice that an endpoint takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChoiceForm {
    /// `auto`, `none`, `required` and a named tool.
    Full,
    /// The words only; a named tool becomes `required` with that tool alone in the list.
    Words,
    /// `auto` and `none`: forcing is imitated by a note.
    AutoOrNone,
    /// Nothing: the parameter is left out.
    Absent,
}

/// What an endpoint is told about parallel calls (S-18).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParallelCalls {
    Unsaid,
    /// `parallel_tool_calls: false`, or what the wire has for it.
    Off,
    /// `parallel_tool_calls: true`: off unless asked for (llama.cpp).
    On,
}

/// How thinking comes back to the model that made it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningEcho {
    Never,
    /// What has provider state, with its state.
    State,
    /// Its text too, in the field it came in.
    Text,
    /// Its text on every assistant message with calls, even if empty (DeepSeek).
    Always,
}

/// The field of a chat message that holds thinking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningField {
    /// `reasoning_content`.
    ReasoningContent,
    /// `reasoning`.
    Reasoning,
    /// `reasoning_details` (OpenRouter), with `reasoning` for the eye.
    Details,
    /// `thinking` (Ollama).
    Thinking,
}

/// How an endpoint is asked to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningAsk {
    /// It cannot be asked.
    Absent,
    /// `reasoning_effort`.
    Effort,
    /// `reasoning: {effort}`.
    Object,
    /// `enable_thinking: true`.
    EnableThinking,
    /// `chat_template_kwargs: {enable_thinking: true}`.
    TemplateArgs,
    /// `thinking: {type: "enabled"}`.
    ThinkingType,
    /// `think: true` (Ollama).
    Think,
}

/// The forms of an answer that an endpoint can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerForms {
    /// `json_object` and `json_schema`.
    Full,
    /// `json_object` alone; a schema is said in a remark (DeepSeek).
    ObjectOnly,
    /// A schema alone; any object is asked for in a remark (Anthropic).
    SchemaOnly,
    /// None: `response_format` is left out (S-18: xai).
    Absent,
}

/// What call ids may look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IdRule {
    /// Anything up to 40 characters (OpenAI chat).
    Short,
    /// Anything up to 64 characters of `[A-Za-z0-9_-]` (Anthropic, Responses).
    Word,
    /// Exactly nine of `[A-Za-z0-9]` (Mistral).
    Nine,
    /// None is sent (Gemini without ids, old Ollama).
    Absent,
}

/// What an assistant message without text has as its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EmptyContent {
    /// `null`.
    Null,
    /// `""`.
    Empty,
}

/// The dialect of JSON Schema that an endpoint takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SchemaDialect {
    Full,
    /// OpenAI's strict subset where a tool fits it without a change of meaning; else all of it, not strict.
    Strict,
    /// Gemini's `parameters`: a subset of OpenAPI.
    Gemini,
    /// Moonshot: no siblings of `$ref`, no tuples.
    Moonshot,
}

/// Everything an endpoint wants, accepts and does differently.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Quirks {
    /// How calls are written.
    pub calls: CallDialect,
    /// Whether answers can be streamed; without, an answer is a stream of one.
    pub streams: bool,
    /// The role of the system text.
    pub system_role: SystemRole,
    /// Whether a system message may stand in the middle; without, notes go as user messages.
    pub has_notes: bool,
    /// Whether the limit of an answer is `max_completion_tokens` instead of `max_tokens`.
    pub has_completion_tokens: bool,
    /// Whether `stream_options.include_usage` is taken.
    pub has_stream_usage: bool,
    /// Forms of tool choice.
    pub choice: ChoiceForm,
    /// Whether `required` is called `any` (Mistral).
    pub says_any: bool,
    /// Whether tools may stand beside `tool_choice: none`; without, they are left out (Mistral, Ollama).
    pub has_none_with_tools: bool,
    /// Whether choices may be forced while the model thinks (Anthropic, DeepSeek: no).
    pub forces_while_thinking: bool,
    /// Whether tools must be declared when the history has calls, even if there are none now (Anthropic, and
    /// proxies in front of it).
    pub declares_past_tools: bool,
    /// Whether `provider.require_parameters` goes along with tools: a router then asks only endpoints that
    /// know every parameter of the request (OpenRouter).
    pub requires_parameters: bool,
    pub parallel: ParallelCalls,
    pub schema: SchemaDialect,
    /// What of `response_format` is taken.
    pub response_format: AnswerForms,
    /// Whether `response_format` may stand beside a forced choice (Mistral: no).
    pub formats_while_forced: bool,
    /// Whether an outcome carries the tool's name.
    pub names_outcomes: bool,
    /// Whether an assistant message must stand between an outcome and a user message (Mistral).
    pub bridges_outcomes: bool,
    /// Whether calls of the history carry their index (DeepSeek).
    pub echoes_index: bool,
    /// Content of an assistant message without text.
    pub empty_content: EmptyContent,
    /// How thinking comes back.
    pub echo: ReasoningEcho,
    /// The field it comes back in.
    pub echo_field: ReasoningField,
    /// How thinking is asked for.
    pub ask: ReasoningAsk,
    /// Whether the model thinks without being asked to.
    pub thinks_unasked: bool,
    /// Whether it can be told not to think.
    pub stops_thinking: bool,
    /// Whether thinking may be asked for in the middle of calls that were made without it (Anthropic up to
    /// 4.5: no).
    pub thinks_midway: bool,
    /// Whether temperature and top_p are taken while the model thinks.
    pub samples_while_thinking: bool,
    /// Whether `<think>` tags in the text are thinking.
    pub has_think_tags: bool,
    /// Whether thinking may begin without its opening tag (Qwen).
    pub opens_thinking: bool,
    /// What call ids may look like.
    pub ids: IdRule,
    /// Whether pictures are taken.
    pub has_images: bool,
    /// Whether `seed` is taken.
    pub has_seed: bool,
    /// Whether the endpoint keeps what it is sent unless told not to (`store: false`).
    pub says_store: bool,
    /// Context size to ask for (Ollama's `num_ctx`); its own default is tiny and truncates silently.
    pub context_tokens_asked: Option<u64>,
}

impl Default for Quirks {
    /// A well-behaved OpenAI-compatible server.
    fn default() -> Self {
        Self {
            calls: CallDialect::Native,
            streams: true,
            system_role: SystemRole::System,
            has_notes: true,
            has_completion_tokens: false,
            has_stream_usage: true,
            choice: ChoiceForm::Full,
            says_any: false,
            has_none_with_tools: true,
            forces_while_thinking: true,
            declares_past_tools: false,
            requires_parameters: false,
            parallel: ParallelCalls::Unsaid,
            schema: SchemaDialect::Full,
            response_format: AnswerForms::Full,
            formats_while_forced: true,
            names_outcomes: false,
            bridges_outcomes: false,
            echoes_index: false,
            empty_content: EmptyContent::Null,
            echo: ReasoningEcho::Never,
            echo_field: ReasoningField::ReasoningContent,
            ask: ReasoningAsk::Absent,
            thinks_unasked: false,
            stops_thinking: true,
            thinks_midway: true,
            samples_while_thinking: true,
            has_think_tags: true,
            opens_thinking: false,
            ids: IdRule::Short,
            has_images: true,
            has_seed: true,
            says_store: false,
            context_tokens_asked: None,
        }
    }
}

impl Quirks {
    /// These quirks with some of them replaced; unknown names and wrong values are refused.
    pub fn patched(&self, patch: &Map<String, Value>) -> Result<Self, String> {
        let Ok(Value::Object(mut fields)) = serde_json::to_value(self) else {
            return Err("quirks are always an object".to_owned());
        };
        for (name, value) in patch {
            match fields.get_mut(name) {
                Some(field) => *field = value.clone(),
                None => return Err(format!("there is no quirk '{name}'")),
            }
        }
        serde_json::from_value(Value::Object(fields)).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn patch(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn a_patch_changes_what_it_names_and_nothing_else() {
        let patched = Quirks::default().patched(&patch(json!({"choice": "words", "ids": "nine"}))).unwrap();
        assert_eq!(patched, Quirks { choice: ChoiceForm::Words, ids: IdRule::Nine, ..Quirks::default() });
    }

    #[test]
    fn a_patch_with_an_unknown_name_or_value_is_refused() {
        for wrong in [json!({"chioce": "words"}), json!({"choice": "maybe"}), json!({"streams": 1})] {
            assert!(Quirks::default().patched(&patch(wrong.clone())).is_err(), "{wrong}");
        }
    }
}
