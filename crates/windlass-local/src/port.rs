//! A model file as a model: requests in, deltas out.
//!
//! Owns how a request becomes a prompt and a wish. Knows no session of a user: sessions here are answers in the making.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use futures::StreamExt;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use windlass_core::ports::{BoxStream, ModelPort};
use windlass_core::protocol::model::{
    ModelDelta, ModelFailure, ModelFailureKind, ModelRequest, Sampling, StepPurpose, ToolChoice,
};

use crate::calls::CallReader;
use crate::decoder::LoadedDecoder;
use crate::device;
use crate::error::LocalError;
use crate::file::{FileDescription, ModelFile, available_bytes};
use crate::grammar::{AnswerWish, CallSyntax, GrammarError, GrammarForm, GrammarPort, JsonStyle};
use crate::sample::Sampler;
use crate::template::ChatTemplate;
use crate::tokens::ModelTokens;
use crate::worker::{self, AnswerJob, PreparedPrompt, WorkerLimits, failure};

/// Makes the grammars of a model out of its tokens.
pub type GrammarMaker =
    Arc<dyn Fn(&Arc<ModelTokens>) -> Result<Arc<dyn GrammarPort>, GrammarError> + Send + Sync>;

/// An answer has this much room at least, or the prompt is too long.
const ANSWER_TOKENS_MIN: usize = 16;
/// The context when nobody says how long: longer ones cost memory that few conversations need.
pub const CONTEXT_TOKENS: usize = 8_192;
/// Caches that are kept when nobody says how much memory there is.
const KEPT_BYTES: u64 = 512 << 20;

/// How a model is run.
#[derive(Clone)]
pub struct LocalConfig {
    /// What it is called, `local/…`.
    pub name: String,
    /// Tokens of a conversation; 8,192 or what the model was trained for when absent.
    pub context_tokens: Option<usize>,
    /// Memory it may use; what the system has left when absent.
    pub memory_bytes_max: Option<u64>,
    /// Answers that are written at once; others wait.
    pub sessions_max: usize,
    /// Most tokens of an answer when a request does not say.
    pub output_tokens_max: usize,
    /// Most calls of one answer.
    pub calls_max: usize,
    /// Temperature when a request does not say.
    pub temperature: f64,
    /// Nucleus when a request does not say.
    pub top_p: f64,
    /// Makes grammars; without, calls are read but nothing holds the model to them.
    pub grammar: Option<GrammarMaker>,
}

impl LocalConfig {
    /// The usual, under a name.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            context_tokens: None,
            memory_bytes_max: None,
            sessions_max: 4,
            output_tokens_max: 2_048,
            calls_max: 8,
            temperature: 0.7,
            top_p: 0.9,
            grammar: None,
        }
    }
}

/// A model in the process. Clones share it.
#[derive(Clone)]
pub struct LocalModel {
    shared: Arc<SharedModel>,
    jobs: Sender<AnswerJob>,
}

struct SharedModel {
    config: LocalConfig,
    description: FileDescription,
    tokens: Arc<ModelTokens>,
    template: ChatTemplate,
    grammar: Option<Arc<dyn GrammarPort>>,
    context_tokens: usize,
}

/// A prompt that the caller wrote, piece by piece.
#[derive(Debug, Clone, Default)]
pub struct RawPrompt {
    /// Text, and whether reserved tokens in it mean what they say; text of others must not be trusted.
    pub pieces: Vec<(String, bool)>,
    /// What the answer must obey, where there is a grammar.
    pub wish: Option<AnswerWish>,
    pub sampling: Sampling,
}

impl LocalModel {
    /// Opens a GGUF file or a folder of safetensors.
    pub fn open(path: &Path, config: LocalConfig) -> Result<Self, LocalError> {
        Self::start(&ModelFile::open(path)?, config)
    }

    /// Opens a GGUF file that is part of the program.
    pub fn of_bytes(bytes: &'static [u8], config: LocalConfig) -> Result<Self, LocalError> {
        Self::start(&ModelFile::of_program(bytes)?, config)
    }

    fn start(file: &ModelFile, config: LocalConfig) -> Result<Self, LocalError> {
        let description = file.describe();
        let trained = description.context_tokens;
        let context_tokens = config.context_tokens.unwrap_or(CONTEXT_TOKENS).clamp(1, trained);
        let limits = fit(&description, context_tokens, &config)?;
        let tokens = Arc::new(ModelTokens::of_file(file)?);
        let template = ChatTemplate::of_file(file, &tokens)?;
        let grammar = config.grammar.as_ref().map(|make| make(&tokens)).transpose();
        let grammar = grammar.map_err(|error| LocalError::Compute(error.to_string()))?;
        let decoder = LoadedDecoder::load(file, context_tokens, &device::best())?;
        let jobs = worker::start(decoder, Arc::clone(&tokens), limits)?;
        let shared = SharedModel { config, description, tokens, template, grammar, context_tokens };
        Ok(Self { shared: Arc::new(shared), jobs })
    }

    /// What the file is.
    pub fn description(&self) -> &FileDescription {
        &self.shared.description
    }

    pub fn tokens(&self) -> &Arc<ModelTokens> {
        &self.shared.tokens
    }

    /// How it writes calls.
    pub fn syntax(&self) -> &CallSyntax {
        self.shared.template.syntax()
    }

    /// Tokens of a conversation, answer included.
    pub fn context_tokens(&self) -> usize {
        self.shared.context_tokens
    }

    /// The prompt of a request as text: for people, and for tests.
    pub fn prompt(&self, request: &ModelRequest) -> Result<String, LocalError> {
        Ok(self.shared.template.render(request, &self.shared.tokens)?.text())
    }

    /// Answers a prompt that the caller wrote. Calls in the answer are read as in any other.
    pub fn stream_raw(&self, prompt: RawPrompt) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
        let shared = Arc::clone(&self.shared);
        self.submit(Box::new(move || shared.prepare_raw(prompt)))
    }

    fn submit(
        &self,
        prepare: Box<dyn FnOnce() -> Result<PreparedPrompt, ModelFailure> + Send>,
    ) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
        let (sender, mut deltas) = unbounded_channel();
        if let Err(refused) = self.jobs.send(AnswerJob { prepare, sender }) {
            stopped(&refused.0.sender);
        }
        futures::stream::poll_fn(move |context| deltas.poll_recv(context)).boxed()
    }
}

fn stopped(sender: &UnboundedSender<Result<ModelDelta, ModelFailure>>) {
    let _ = sender.send(Err(failure(&LocalError::Stopped)));
}

impl ModelPort for LocalModel {
    fn name(&self) -> &str {
        &self.shared.config.name
    }

    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
        let shared = Arc::clone(&self.shared);
        self.submit(Box::new(move || shared.prepare(&request)))
    }

    fn uses_live_values(&self) -> bool {
        self.shared.grammar.is_some()
    }
}

impl SharedModel {
    fn prepare(&self, request: &ModelRequest) -> Result<PreparedPrompt, ModelFailure> {
        let prompt = self.template.render(request, &self.tokens).map_err(|error| failure(&error))?;
        let pieces = prompt.pieces.iter().map(|piece| (piece.text.as_str(), piece.is_trusted));
        let syntax = self.template.syntax().clone();
        let wish = AnswerWish {
            form: form_of(request),
            calls_max: self.config.calls_max,
            live: Arc::clone(&request.live),
            ..AnswerWish::free(syntax, JsonStyle::Either, request.tools.to_vec())
        };
        // The same step of the same run gives the same answer.
        let seed = request.sampling.seed.unwrap_or_else(|| seed_of(request));
        let tokens = self.tokens.read_pieces(pieces).map_err(|error| failure(&error))?;
        self.prepared(tokens, prompt.is_thinking, Some(&wish), &request.sampling, seed)
    }

    fn prepare_raw(&self, prompt: RawPrompt) -> Result<PreparedPrompt, ModelFailure> {
        let pieces = prompt.pieces.iter().map(|(text, is_trusted)| (text.as_str(), *is_trusted));
        let tokens = self.tokens.read_pieces(pieces).map_err(|error| failure(&error))?;
        let seed = prompt.sampling.seed.unwrap_or_default();
        self.prepared(tokens, false, prompt.wish.as_ref(), &prompt.sampling, seed)
    }

    fn prepared(
        &self,
        prompt: Vec<u32>,
        is_thinking: bool,
        wish: Option<&AnswerWish>,
        sampling: &Sampling,
        seed: u64,
    ) -> Result<PreparedPrompt, ModelFailure> {
        let context = self.context_tokens;
        if prompt.is_empty() {
            return Err(ModelFailure::fatal(ModelFailureKind::BadRequest, "there is nothing to answer"));
        }
        if prompt.len().saturating_add(ANSWER_TOKENS_MIN) > context {
            let message = format!(
                "the conversation has {} tokens and the model's context {context}; an answer needs {ANSWER_TOKENS_MIN} of them",
                prompt.len()
            );
            return Err(ModelFailure::fatal(ModelFailureKind::ContextOverflow, message));
        }
        let constraint = match (&self.grammar, wish) {
            (Some(grammar), Some(wish)) => Some(grammar.constrain(wish).map_err(|error| {
                ModelFailure::fatal(
                    ModelFailureKind::Grammar,
                    format!("the tools cannot be put to this model: {error}"),
                )
            })?),
            _ => None,
        };
        let asked = sampling.output_tokens_max.and_then(|tokens| usize::try_from(tokens).ok());
        let output = asked.unwrap_or(self.config.output_tokens_max).max(1);
        let temperature = sampling.temperature.unwrap_or(self.config.temperature);
        let top_p = sampling.top_p.unwrap_or(self.config.top_p);
        Ok(PreparedPrompt {
            tokens_max: prompt.len().saturating_add(output).min(context),
            prompt,
            reader: CallReader::new(self.template.syntax().clone(), is_thinking),
            constraint,
            sampler: Sampler::new(temperature, top_p, seed),
        })
    }
}

/// What must be answered.
fn form_of(request: &ModelRequest) -> GrammarForm {
    let is_last = match request.purpose {
        StepPurpose::Finalise => true,
        StepPurpose::Work | StepPurpose::Correction | StepPurpose::Continuation => false,
    };
    let wanted = request.sampling.response_format.as_ref().and_then(schema_of);
    if is_last || request.tools.is_empty() || request.tool_choice == ToolChoice::Forbidden {
        return wanted.map_or(GrammarForm::TextOnly, GrammarForm::Json);
    }
    match &request.tool_choice {
        ToolChoice::Auto => GrammarForm::Free,
        ToolChoice::Required => GrammarForm::CallRequired,
        ToolChoice::Named(name) => GrammarForm::CallNamed(name.clone()),
        ToolChoice::Forbidden => GrammarForm::TextOnly,
    }
}

fn schema_of(format: &serde_json::Value) -> Option<serde_json::Value> {
    match format.get("type")?.as_str()? {
        "json_schema" => format.get("json_schema")?.get("schema").cloned(),
        "json_object" => Some(serde_json::json!({ "type": "object" })),
        _ => None,
    }
}

fn seed_of(request: &ModelRequest) -> u64 {
    // FNV-1a: any spread will do, as long as it stays the same.
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    let bytes = request.run_id.as_str().bytes().chain(request.step.to_le_bytes());
    bytes.fold(0xCBF2_9CE4_8422_2325, mix)
}

/// What can be served at once and kept for later, in the memory that weights and one whole context leave.
fn fit(
    file: &FileDescription,
    context_tokens: usize,
    config: &LocalConfig,
) -> Result<WorkerLimits, LocalError> {
    let needed_bytes = file.memory.total_bytes(context_tokens);
    let sessions_max = config.sessions_max.max(1);
    let Some(allowed_bytes) = config.memory_bytes_max.or_else(available_bytes) else {
        return Ok(WorkerLimits { sessions_max, kept_bytes_max: KEPT_BYTES });
    };
    let context_bytes = file.memory.cache_bytes(context_tokens);
    let Some(spare) = allowed_bytes.checked_sub(needed_bytes) else {
        return Err(LocalError::TooLarge {
            path: file.path.clone(),
            needed_bytes,
            weights_bytes: file.memory.weights_bytes,
            context_bytes,
            context_tokens,
            allowed_bytes,
        });
    };
    // One half for more sessions at once, one for what is kept.
    let more = usize::try_from((spare / 2).checked_div(context_bytes).unwrap_or(0)).unwrap_or(usize::MAX);
    Ok(WorkerLimits {
        sessions_max: sessions_max.min(more.saturating_add(1)),
        kept_bytes_max: (spare / 2).min(KEPT_BYTES),
    })
}

#[cfg(test)]
#[path = "live_tests.rs"]
mod live_tests;

#[cfg(test)]
#[path = "port_tests.rs"]
pub(crate) mod tests;
