//! The built-in model: small, trained from scratch, inside the binary. It decides which tool is called with which of
//! the user's words, or which short answer is due; outcomes are rendered, never retold.
//!
//! Owns its prompt, its grammar and its answers. Knows no tool: it knows their names, and how their outcomes read.

mod answer;
mod grammar;
mod numbers;
mod outcome;
mod prompt;
mod render;

use std::sync::{Arc, OnceLock};

use futures::StreamExt;
use futures::channel::oneshot;
use serde_json::{Map, Value};
use windlass_core::model::{
    CallDelta, Finish, ModelDelta, ModelFailure, ModelRequest, Sampling, StepPurpose, ToolChoice, Usage,
};
use windlass_core::port::{BoxStream, ModelPort};

use self::answer::AnswerKind;
use self::outcome::Answered;
use crate::file::{FileDescription, ModelFile};
use crate::grammar::{AnswerForm, JsonStyle, Wish};
use crate::worker::failure;
use crate::{LocalConfig, LocalError, LocalModel, RawPrompt, grammars};

/// Its weights, its tokens and its template.
static WEIGHTS: &[u8] = include_bytes!("../../../../models/builtin/windlass-builtin.gguf");

/// What it is called.
pub const BUILTIN: &str = "builtin";

/// Tokens of a conversation: what it is shown is short.
const CONTEXT_TOKENS: usize = 2_048;
/// Tokens of an answer: a call can copy a whole message of the user.
const ANSWER_TOKENS_MAX: u32 = 640;

/// The built-in model. It is loaded when it is first asked: most programs never do.
#[derive(Clone, Default)]
pub struct BuiltinModel {
    loaded: Arc<OnceLock<Result<LocalModel, LocalError>>>,
}

impl BuiltinModel {
    /// The model; nothing is loaded yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// What it is, without loading it. Its context is what it is shown at most.
    pub fn describe() -> Result<FileDescription, LocalError> {
        let licence = Some("MIT or Apache-2.0".to_owned());
        let about = ModelFile::of_program(WEIGHTS)?.describe();
        Ok(FileDescription { licence, context_tokens: CONTEXT_TOKENS.min(about.context_tokens), ..about })
    }

    fn load(&self) -> Result<LocalModel, LocalError> {
        let load = || {
            let config = LocalConfig {
                context_tokens: Some(CONTEXT_TOKENS),
                temperature: 0.0,
                calls_max: 1,
                grammar: Some(grammars()),
                ..LocalConfig::new(BUILTIN)
            };
            LocalModel::of_bytes(WEIGHTS, config)
        };
        self.loaded.get_or_init(load).clone()
    }

    /// The same in a thread of its own: reading the weights takes longer than a task may.
    async fn loaded(&self) -> Result<LocalModel, ModelFailure> {
        if let Some(loaded) = self.loaded.get() {
            return loaded.clone().map_err(|error| failure(&error));
        }
        let (sender, receiver) = oneshot::channel();
        let model = self.clone();
        let spawned = std::thread::Builder::new().name("windlass-load".to_owned()).spawn(move || {
            // Nobody waits any more: the next request finds it loaded.
            let _ = sender.send(model.load());
        });
        match (spawned, receiver.await) {
            (Ok(_), Ok(loaded)) => loaded.map_err(|error| failure(&error)),
            (Err(_), _) | (_, Err(_)) => Err(failure(&LocalError::Stopped)),
        }
    }
}

impl ModelPort for BuiltinModel {
    fn name(&self) -> &str {
        BUILTIN
    }

    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
        let model = self.clone();
        let answered = async move {
            match model.answer(&request).await {
                Ok(deltas) => deltas.into_iter().map(Ok).collect(),
                Err(failure) => vec![Err(failure)],
            }
        };
        futures::stream::once(answered).flat_map(futures::stream::iter).boxed()
    }
}

impl BuiltinModel {
    /// A whole answer: it is a word or a call, so nobody misses its pieces.
    async fn answer(&self, request: &ModelRequest) -> Result<Vec<ModelDelta>, ModelFailure> {
        let calls = prompt::calls_of(request);
        let may_call =
            request.purpose != StepPurpose::Finalise && request.tool_choice != ToolChoice::Forbidden;
        if !may_call && !calls.is_empty() {
            return Ok(said(render::render(&calls), Usage::default()));
        }
        let decision = decide(&self.loaded().await?, request, &calls).await?;
        Ok(match decision {
            Decision::Call { name, arguments, usage } if !has_happened(&calls, &name, &arguments) => {
                called(name, arguments, usage)
            }
            // The same call again would give the same again.
            Decision::Call { usage, .. } | Decision::Answer { kind: AnswerKind::Done, usage }
                if !calls.is_empty() =>
            {
                said(render::render(&calls), usage)
            }
            Decision::Call { usage, .. } => said(AnswerKind::Unclear.text(), usage),
            Decision::Answer { kind, usage } if calls.is_empty() => said(kind.text(), usage),
            // Something was done, and then it had no more to do: that is the answer.
            Decision::Answer { usage, .. } => said(render::render(&calls), usage),
        })
    }
}

/// What the model decided.
enum Decision {
    /// A call.
    Call { name: String, arguments: String, usage: Usage },
    /// A kind of answer.
    Answer { kind: AnswerKind, usage: Usage },
}

async fn decide(
    model: &LocalModel,
    request: &ModelRequest,
    calls: &[Answered],
) -> Result<Decision, ModelFailure> {
    let tools = prompt::known_tools(request);
    let sources = prompt::sources(request);
    let grammar = grammar::lark(&tools, &sources, &form_of(request), !calls.is_empty());
    let form = AnswerForm::Lark(grammar);
    let wish = Wish { form, ..Wish::free(model.syntax().clone(), JsonStyle::Compact, tools) };
    let sampling = Sampling {
        temperature: Some(0.0),
        output_tokens_max: Some(ANSWER_TOKENS_MAX),
        ..Sampling::default()
    };
    let prompt = RawPrompt { pieces: prompt::pieces(request), wish: Some(wish), sampling };
    let mut deltas = model.stream_raw(prompt);
    let (mut text, mut name, mut arguments, mut usage) =
        (String::new(), None, String::new(), Usage::default());
    while let Some(delta) = deltas.next().await {
        match delta? {
            ModelDelta::Text(piece) => text.push_str(&piece),
            ModelDelta::Call(call) => {
                name = call.name.or(name);
                arguments.push_str(call.args_text.as_deref().unwrap_or_default());
            }
            ModelDelta::Usage(counted) => usage = counted,
            ModelDelta::Reasoning(_)
            | ModelDelta::ReasoningState(_)
            | ModelDelta::Finish(_)
            | ModelDelta::Notice(_) => {}
        }
    }
    Ok(match name {
        Some(name) => Decision::Call { name, arguments: trim_strings(&arguments), usage },
        None => {
            let kind = AnswerKind::from_word(text.trim().trim_start_matches("<answer>"))
                .unwrap_or(AnswerKind::Unclear);
            Decision::Answer { kind, usage }
        }
    })
}

fn form_of(request: &ModelRequest) -> AnswerForm {
    match (&request.tool_choice, request.purpose) {
        (ToolChoice::Forbidden, _) | (_, StepPurpose::Finalise) => AnswerForm::TextOnly,
        (ToolChoice::Required, _) => AnswerForm::CallRequired,
        (ToolChoice::Named(name), _) => AnswerForm::CallNamed(name.clone()),
        (ToolChoice::Auto, StepPurpose::Work | StepPurpose::Correction | StepPurpose::Continuation) => {
            AnswerForm::Free
        }
    }
}

/// Spans are cut at words; the blanks around them mean nothing.
fn trim_strings(arguments: &str) -> String {
    let Ok(mut fields) = serde_json::from_str::<Map<String, Value>>(arguments) else {
        return arguments.to_owned();
    };
    for value in fields.values_mut() {
        if let Value::String(text) = value {
            *text = text.trim().to_owned();
        }
    }
    Value::Object(fields).to_string()
}

fn has_happened(calls: &[Answered], name: &str, arguments: &str) -> bool {
    let args: Map<String, Value> = serde_json::from_str(arguments).unwrap_or_default();
    calls.iter().any(|call| call.tool == name && call.args == args)
}

fn said(text: String, usage: Usage) -> Vec<ModelDelta> {
    vec![ModelDelta::Text(text), ModelDelta::Usage(usage), ModelDelta::Finish(Finish::Stop)]
}

fn called(name: String, arguments: String, usage: Usage) -> Vec<ModelDelta> {
    let call =
        CallDelta { index: Some(0), name: Some(name), args_text: Some(arguments), ..CallDelta::default() };
    vec![ModelDelta::Call(call), ModelDelta::Usage(usage), ModelDelta::Finish(Finish::Calls)]
}
