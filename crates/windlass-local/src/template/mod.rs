//! The model's own chat template: a request in, the pieces of a prompt out.
//!
//! Owns the template language and how calls are written. Knows tokens only to tell what may be forged.

mod dialogue;
mod marks;
mod python;

use minijinja::Environment;
use serde_json::{Value, json};
use windlass_core::protocol::model::ModelRequest;

use self::dialogue::RequestTelling;
use self::marks::Marks;
pub(crate) use self::marks::PromptPiece;
use crate::decoder::shape::ModelFamily;
use crate::error::LocalError;
use crate::file::{Meta, ModelFile};
use crate::grammar::CallSyntax;
use crate::tokens::ModelTokens;

/// For models that bring no template: the one most others use.
const CHATML: &str = "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

/// A model's chat template.
#[derive(Debug)]
pub(crate) struct ChatTemplate {
    environment: Environment<'static>,
    syntax: CallSyntax,
    knows_tools: bool,
}

/// What a template made of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RenderedPrompt {
    pub(crate) pieces: Vec<PromptPiece>,
    /// Whether the answer begins in the middle of thinking.
    pub(crate) is_thinking: bool,
}

impl RenderedPrompt {
    /// Its text, for people.
    pub(crate) fn text(&self) -> String {
        self.pieces.iter().map(|piece| piece.text.as_str()).collect()
    }
}

impl ChatTemplate {
    /// The template of a model file.
    pub(crate) fn of_file(file: &ModelFile, tokens: &ModelTokens) -> Result<Self, LocalError> {
        let source = source_of(file);
        Self::new(source.as_deref().unwrap_or(CHATML), file.shape().family, tokens)
    }

    pub(crate) fn new(source: &str, family: ModelFamily, tokens: &ModelTokens) -> Result<Self, LocalError> {
        // Marks for trainers; they write nothing.
        let source = without_blocks(source, &["generation", "endgeneration"]);
        let mut environment = python::environment();
        let syntax = syntax_of(&source, family, tokens);
        let knows_tools = source.contains("tools");
        environment.add_template_owned("chat", source).map_err(|error| fault(&error))?;
        Ok(Self { environment, syntax, knows_tools })
    }

    /// How this model writes calls.
    pub(crate) fn syntax(&self) -> &CallSyntax {
        &self.syntax
    }

    /// The prompt of a request.
    pub(crate) fn render(
        &self,
        request: &ModelRequest,
        tokens: &ModelTokens,
    ) -> Result<RenderedPrompt, LocalError> {
        let telling = if self.knows_tools || !has_tools(request) {
            RequestTelling::Native
        } else {
            RequestTelling::Plain
        };
        match (self.render_as(request, telling, tokens), telling) {
            // Some templates refuse system texts, or two messages of one speaker.
            (Err(_), RequestTelling::Native) => self.render_as(request, RequestTelling::Plain, tokens),
            (rendered, _) => rendered,
        }
    }

    fn render_as(
        &self,
        request: &ModelRequest,
        telling: RequestTelling,
        tokens: &ModelTokens,
    ) -> Result<RenderedPrompt, LocalError> {
        let mut marks = Marks::default();
        let mut messages = dialogue::messages(request, telling, &self.syntax);
        for message in &mut messages {
            marks.hide_all(message, tokens);
        }
        let mut tools = dialogue::tools(&request.tools);
        marks.hide_all(&mut tools, tokens);
        if telling == RequestTelling::Plain || request.tools.is_empty() {
            tools = Value::Null;
        }
        let context = json!({
            "messages": messages,
            "tools": tools,
            "add_generation_prompt": true,
            "bos_token": tokens.begin().unwrap_or_default(),
            "eos_token": tokens.end().unwrap_or_default(),
            "enable_thinking": request.sampling.reasoning_effort.is_some(),
        });
        let template = self.environment.get_template("chat").map_err(|error| fault(&error))?;
        let rendered = template.render(context).map_err(|error| fault(&error))?;
        let is_thinking = rendered.trim_end().ends_with("<think>");
        Ok(RenderedPrompt { pieces: marks.split(&rendered), is_thinking })
    }
}

fn has_tools(request: &ModelRequest) -> bool {
    let has_called = || request.messages.iter().any(|message| message.calls().next().is_some());
    !request.tools.is_empty() || has_called()
}

fn fault(error: &minijinja::Error) -> LocalError {
    LocalError::Template(error.to_string())
}

fn without_blocks(source: &str, words: &[&str]) -> String {
    let mut kept = source.to_owned();
    for word in words {
        for (open, close) in [("{%", "%}"), ("{%-", "%}"), ("{%", "-%}"), ("{%-", "-%}")] {
            kept = kept.replace(&format!("{open} {word} {close}"), "");
        }
    }
    kept
}

fn source_of(file: &ModelFile) -> Option<String> {
    match file {
        ModelFile::Gguf(file) => {
            let tool_use = file.meta("tokenizer.chat_template.tool_use");
            let source = tool_use.or_else(|| file.meta("tokenizer.chat_template"));
            source.and_then(Meta::as_text).map(str::to_owned)
        }
        ModelFile::Folder(files) => files.text("chat_template.jinja").or_else(|| {
            let settings = files.json("tokenizer_config.json")?;
            match settings.get("chat_template")? {
                Value::String(source) => Some(source.clone()),
                Value::Array(named) => {
                    let source = |name: &str| {
                        let found =
                            named.iter().find(|entry| entry.get("name").is_some_and(|own| own == name));
                        found?.get("template")?.as_str().map(str::to_owned)
                    };
                    source("tool_use").or_else(|| source("default"))
                }
                _ => None,
            }
        }),
    }
}

/// How a model writes calls, told by its template, else by its reserved tokens, else by its family.
fn syntax_of(source: &str, family: ModelFamily, tokens: &ModelTokens) -> CallSyntax {
    let tags = || CallSyntax::Tags { begin: "<tool_call>".to_owned(), end: "</tool_call>".to_owned() };
    let list = || CallSyntax::List { begin: "[TOOL_CALLS]".to_owned() };
    let is_reserved = |name: &str| tokens.reserved_id(name).is_some();
    if source.contains("<tool_call>") {
        tags()
    } else if source.contains("[TOOL_CALLS]") {
        list()
    } else if source.contains("\"parameters\":") || source.contains("<|python_tag|>") {
        CallSyntax::BareObject
    } else if is_reserved("<tool_call>") {
        tags()
    } else if is_reserved("[TOOL_CALLS]") {
        list()
    } else {
        match family {
            ModelFamily::Llama if is_reserved("<|python_tag|>") => CallSyntax::BareObject,
            ModelFamily::Qwen2 | ModelFamily::Qwen3 | ModelFamily::Llama | ModelFamily::Mistral => tags(),
        }
    }
}

#[cfg(test)]
#[path = "template_tests.rs"]
mod tests;
