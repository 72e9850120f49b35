//! The built-in model: small, trained from scratch, inside the binary. It decides which tool is called with which of
//! the user's words, or which short answer is due; outcomes are rendered, never retold.
//!
//! Owns its prompt, its grammar and its answers. Knows no tool: it knows their names, and how their outcomes read.
//! What the request's words do not ask for is not in the grammar (`asked`), and after as many successes as things were
//! asked there is only the answer.
//!
//! - `answer`: the short answers of the built-in model: it decides which is due, the words are ours
//! - `asked_commands`: whether a request asks for a command to be run, and names it
//! - `asked_files`: whether a request asks for a file to be written: with which name, and with words that it gives
//! - `edit`: changes inside a file that a request spells out: append, put before, replace
//! - `edit_calls`: the calls that make a change which a request spelled out: the file is read, then edited
//! - `english`: the English that the built-in model's requests are held to
//! - `grammar`: what the built-in model may write
//! - `numbers`: the numbers of a text, in digits and in words
//! - `outcome`: outcomes as the built-in model and its answers see them: read back from the envelope of any profile
//! - `prompt`: what the built-in model is shown
//! - `render`: what the user reads after calls: each outcome in the words of its tool, nothing made up, with its sources
//! - `sentence`: sentences of a request: where they end, whether they ask, speak about something or forbid
//! - `things`: how many things a request asks for
//! - `words`: a request as words: what is quoted, what is a name, what is speech

mod answer;
mod asked;
mod asked_commands;
mod asked_files;
mod edit;
mod edit_calls;
mod english;
mod grammar;
mod numbers;
mod outcome;
mod prompt;
mod render;
mod sentence;
mod things;
mod words;

use std::sync::{Arc, OnceLock};

use futures::StreamExt;
use serde_json::{Map, Value};
use tokio::sync::oneshot;
use windlass_core::ports::{BoxStream, ModelPort, ToolPort};
use windlass_core::profile::Dialect;
use windlass_core::protocol::model::{
    CallDelta, Finish, ModelDelta, ModelFailure, ModelFailureKind, ModelRequest, Sampling, StepPurpose,
    ToolChoice, Usage,
};
use windlass_core::protocol::tool::ToolSpec;

use self::answer::{AnswerKind, CANNOT_EDIT};
use self::asked::RequestScope;
use self::edit::EditWish;
use self::edit_calls::{EDIT_FILE, NextOfEdit, READ_FILE, next_of_write};
use self::grammar::TOOLS;
use self::outcome::AnsweredCall;
use crate::file::{FileDescription, ModelFile};
use crate::grammar::{AnswerWish, CopySources, GrammarForm, JsonStyle};
use crate::session::FREE;
use crate::worker::failure;
use crate::{LocalConfig, LocalError, LocalModel, RawPrompt, grammars};

/// Its weights, its tokens and its template.
static WEIGHTS: &[u8] = &ALIGNED.0;

/// Bytes that begin where a matrix may: where they lay askew, every start of the program would copy all of them.
#[repr(C, align(64))]
struct AlignedBytes<const N: usize>([u8; N]);

static ALIGNED: AlignedBytes<{ include_bytes!("../../weights/windlass-builtin.gguf").len() }> =
    AlignedBytes(*include_bytes!("../../weights/windlass-builtin.gguf"));

/// What it is called.
pub const BUILTIN: &str = "builtin";

/// Tokens of a conversation: what it is shown is short.
const CONTEXT_TOKENS: usize = 2_048;
/// Tokens of an answer: a call can copy a whole message of the user.
const ANSWER_TOKENS_MAX: u32 = 640;

/// The built-in model. It is loaded when it is first asked: most programs never do.
#[derive(Clone)]
pub struct BuiltinModel {
    loaded: Arc<OnceLock<Result<LocalModel, LocalError>>>,
    tools: fn() -> Vec<Arc<dyn ToolPort>>,
}

impl BuiltinModel {
    /// The model; nothing is loaded yet. `tools` gives those that say how their outcomes are shown to people: the model
    /// itself has no words for them.
    pub fn new(tools: fn() -> Vec<Arc<dyn ToolPort>>) -> Self {
        Self { loaded: Arc::default(), tools }
    }

    /// The answer that is made of outcomes.
    fn shown(&self, calls: &[AnsweredCall], usage: Usage) -> Vec<ModelDelta> {
        said(render::render(&(self.tools)(), calls), usage)
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

    fn refusal(&self, choice: &ToolChoice, sampling: &Sampling) -> Option<(&'static str, String)> {
        refusal(choice, sampling)
    }

    /// Its calls are decoded from the tools of a request; it reads none in a text.
    fn dialect(&self) -> Option<Dialect> {
        Some(Dialect::Native)
    }
}

impl BuiltinModel {
    /// A whole answer: it is a word or a call, so nobody misses its pieces.
    async fn answer(&self, request: &ModelRequest) -> Result<Vec<ModelDelta>, ModelFailure> {
        let scene = Scene::of(request);
        if let Some((field, why)) = refusal(&request.tool_choice, &request.sampling) {
            return Err(ModelFailure::fatal(ModelFailureKind::BadRequest, format!("'{field}': {why}")));
        }
        if let Some(next) = scene.next_without_model(self) {
            return Ok(next);
        }
        if scene.must_call() && scene.callable().is_empty() {
            return Err(scene.cannot_call());
        }
        let decision = decide(&self.loaded().await?, &scene).await?;
        let calls = &scene.calls;
        Ok(match decision {
            BuiltinDecision::Call { name, arguments, usage } if !has_happened(calls, &name, &arguments) => {
                called(&name, arguments, usage)
            }
            // The same call again would give the same again.
            BuiltinDecision::Call { .. } | BuiltinDecision::Answer { .. } if scene.must_call() => {
                return Err(scene.cannot_call());
            }
            BuiltinDecision::Call { usage, .. }
            | BuiltinDecision::Answer { kind: AnswerKind::Done, usage }
                if !calls.is_empty() =>
            {
                self.shown(calls, usage)
            }
            BuiltinDecision::Call { usage, .. } => said(AnswerKind::Unclear.text(), usage),
            BuiltinDecision::Answer { kind, usage } if calls.is_empty() => said(kind.text(), usage),
            // Something was done, and then it had no more to do: that is the answer.
            BuiltinDecision::Answer { usage, .. } => self.shown(calls, usage),
        })
    }
}

/// Why a wish for the form of an answer cannot be fulfilled, with the field that says it.
fn refusal(choice: &ToolChoice, sampling: &Sampling) -> Option<(&'static str, String)> {
    let form = sampling.response_format.as_ref().and_then(|form| form.get("type")).and_then(Value::as_str);
    if form.is_some_and(|form| form != "text") {
        let why = "the built-in model writes no JSON of its own; leave it out, or choose another model";
        return Some(("response_format", why.to_owned()));
    }
    match choice {
        ToolChoice::Named(name) if !TOOLS.iter().any(|(known, _)| known == name) => {
            let why = format!(
                "the built-in model cannot call '{name}': it knows its own sixteen tools and no others"
            );
            Some(("tool_choice", why))
        }
        ToolChoice::Named(_) | ToolChoice::Auto | ToolChoice::Required | ToolChoice::Forbidden => None,
    }
}

/// A request as the decoder sees it.
struct Scene<'a> {
    request: &'a ModelRequest,
    sources: CopySources,
    asked: RequestScope,
    /// The calls of this request so far.
    calls: Vec<AnsweredCall>,
}

impl<'a> Scene<'a> {
    fn of(request: &'a ModelRequest) -> Self {
        let sources = prompt::sources(request);
        Self { asked: RequestScope::of(&sources.texts), sources, calls: prompt::calls_of(request), request }
    }

    fn may_call(&self) -> bool {
        self.request.purpose != StepPurpose::Finalise && self.request.tool_choice != ToolChoice::Forbidden
    }

    /// Whether the next answer must be a call. In a run the wish is fulfilled by the first one.
    fn must_call(&self) -> bool {
        let is_wished = match self.request.tool_choice {
            ToolChoice::Required | ToolChoice::Named(_) => true,
            ToolChoice::Auto | ToolChoice::Forbidden => false,
        };
        is_wished && self.may_call() && (self.calls.is_empty() || self.request.step <= 1)
    }

    /// Whether everything that was asked for is done, or was tried.
    fn is_over(&self) -> bool {
        let successes = self.calls.iter().filter(|call| call.result.is_ok()).count();
        successes >= self.asked.things || self.calls.len() > self.asked.things
    }

    /// The tools that the request's words and its choice allow now.
    fn callable(&self) -> Vec<Arc<ToolSpec>> {
        let called = |name: &str| self.calls.iter().filter(|call| call.tool == name).count();
        let mut tools = prompt::known_tools(self.request);
        tools.retain(|spec| self.asked.allows(&spec.name, called(&spec.name)));
        if let ToolChoice::Named(name) = &self.request.tool_choice {
            tools.retain(|spec| spec.name == *name);
        }
        tools
    }

    fn can_call(&self, names: &[&str]) -> bool {
        let tools = &self.request.tools;
        names.iter().all(|name| tools.iter().any(|spec| spec.name == *name))
    }

    /// What comes next where nothing is left to decide.
    fn next_without_model(&self, model: &BuiltinModel) -> Option<Vec<ModelDelta>> {
        if self.must_call() {
            return None;
        }
        let last = || model.shown(self.calls.last().map_or(&[], std::slice::from_ref), FREE);
        if !self.may_call() {
            return (!self.calls.is_empty()).then(|| model.shown(&self.calls, FREE));
        }
        let plan = match &self.asked.edit {
            EditWish::Unclear => return Some(said(CANNOT_EDIT.to_owned(), FREE)),
            EditWish::Clear(_) if !self.can_call(&[EDIT_FILE, READ_FILE]) => {
                return Some(said(CANNOT_EDIT.to_owned(), FREE));
            }
            EditWish::Clear(edit) => Some(edit.next(&self.calls)),
            EditWish::None if self.asked.may_overwrite && self.can_call(&[READ_FILE]) => {
                next_of_write(&self.calls)
            }
            EditWish::None => None,
        };
        match plan {
            Some(NextOfEdit::Call(name, arguments)) => Some(called(name, arguments.to_string(), FREE)),
            Some(NextOfEdit::End) => Some(last()),
            None => self.is_over().then(|| model.shown(&self.calls, FREE)),
        }
    }

    /// A call is wished for, and the words of the request ask for none that may be made.
    fn cannot_call(&self) -> ModelFailure {
        let which = match &self.request.tool_choice {
            ToolChoice::Named(name) => format!("'{name}'"),
            ToolChoice::Auto | ToolChoice::Required | ToolChoice::Forbidden => {
                "any of these tools".to_owned()
            }
        };
        let why = format!(
            "'tool_choice': the built-in model cannot call {which} for this request: it calls its own tools, with the request's words, \
             where those ask for it; say it in the request, or choose another model"
        );
        ModelFailure::fatal(ModelFailureKind::BadRequest, why)
    }
}

/// What the model decided.
enum BuiltinDecision {
    Call { name: String, arguments: String, usage: Usage },
    Answer { kind: AnswerKind, usage: Usage },
}

async fn decide(model: &LocalModel, scene: &Scene<'_>) -> Result<BuiltinDecision, ModelFailure> {
    let tools = scene.callable();
    let (form, is_under_way) = (form_of(scene), !scene.calls.is_empty());
    let grammar = grammar::lark(&tools, &scene.sources, &scene.asked, &form, is_under_way);
    let pieces = prompt::pieces(scene.request);
    let form = GrammarForm::Lark(grammar);
    let wish = AnswerWish { form, ..AnswerWish::free(model.syntax().clone(), JsonStyle::Compact, tools) };
    let sampling = Sampling {
        temperature: Some(0.0),
        output_tokens_max: Some(ANSWER_TOKENS_MAX),
        ..Sampling::default()
    };
    let prompt = RawPrompt { pieces, wish: Some(wish), sampling };
    let mut deltas = model.stream_raw(prompt);
    let (mut text, mut name, mut arguments, mut usage) = (String::new(), None, String::new(), FREE);
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
            | ModelDelta::Progress(_)
            | ModelDelta::Notice(_) => {}
        }
    }
    Ok(match name {
        Some(name) => BuiltinDecision::Call { name, arguments: trim_strings(&arguments), usage },
        None => {
            let kind = AnswerKind::from_word(text.trim().trim_start_matches("<answer>"))
                .unwrap_or(AnswerKind::Unclear);
            BuiltinDecision::Answer { kind, usage }
        }
    })
}

fn form_of(scene: &Scene<'_>) -> GrammarForm {
    match (scene.may_call(), scene.must_call()) {
        (false, _) => GrammarForm::TextOnly,
        (true, true) => GrammarForm::CallRequired,
        (true, false) => GrammarForm::Free,
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

fn has_happened(calls: &[AnsweredCall], name: &str, arguments: &str) -> bool {
    let args: Map<String, Value> = serde_json::from_str(arguments).unwrap_or_default();
    calls.iter().any(|call| call.tool == name && call.args == args)
}

fn said(text: String, usage: Usage) -> Vec<ModelDelta> {
    vec![ModelDelta::Text(text), ModelDelta::Usage(usage), ModelDelta::Finish(Finish::Stop)]
}

fn called(name: &str, arguments: String, usage: Usage) -> Vec<ModelDelta> {
    let (name, args_text) = (Some(name.to_owned()), Some(arguments));
    let call = CallDelta { index: Some(0), name, args_text, ..CallDelta::default() };
    vec![ModelDelta::Call(call), ModelDelta::Usage(usage), ModelDelta::Finish(Finish::Calls)]
}
