//! Models in the process, as words of the configuration name them: `builtin`, and `local/FILE`.

use windlass_models::Abilities;

use crate::complaint::{CommandError, Result};
use crate::config::CliConfig;
use crate::providers::choice::ChosenModel;
#[cfg(feature = "local")]
use crate::providers::pulled;

/// The model that is part of the program.
pub(crate) const BUILTIN: &str = "builtin";

/// What stands before the path of a model file.
pub(crate) const PREFIX: &str = "local/";

/// What a model in the process is, as lists show it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LocalModelFacts {
    /// What it can do.
    pub(crate) abilities: Abilities,
    /// Where it comes from, what it is, how large, under which licence.
    pub(crate) source: String,
}

/// Whether a word names a model in the process.
pub(crate) fn is_local(word: &str) -> bool {
    word == BUILTIN || word.starts_with(PREFIX)
}

/// What is to be said where the built-in model answers, so that nobody takes it for more than it is.
pub(crate) fn small_print(model: &str) -> Option<String> {
    (model == BUILTIN).then(|| {
        "the small built-in model answers: it uses tools, and no more; a key such as ANTHROPIC_API_KEY, an Ollama server or \
         --model local/FILE.gguf connects a larger one"
            .to_owned()
    })
}

/// The built-in model, where the build has one.
#[cfg(feature = "local")]
pub(crate) fn builtin() -> Option<ChosenModel> {
    let tools = || windlass_tools::builtin(&windlass_tools::ToolsConfig::default());
    let model = std::sync::Arc::new(windlass_local::BuiltinModel::new(tools));
    // It shows itself little of a long conversation: nothing needs to be trimmed for it.
    Some(ChosenModel::plain(model))
}

/// What the built-in model is.
#[cfg(feature = "local")]
pub(crate) fn about_builtin() -> Option<LocalModelFacts> {
    // Its header is read once: lists are asked for again and again.
    static ABOUT: std::sync::OnceLock<Option<LocalModelFacts>> = std::sync::OnceLock::new();
    let describe = || {
        let description = windlass_local::BuiltinModel::describe().ok()?;
        Some(about("built in", &description, description.context_tokens))
    };
    ABOUT.get_or_init(describe).clone()
}

/// What the built-in model is.
#[cfg(not(feature = "local"))]
pub(crate) fn about_builtin() -> Option<LocalModelFacts> {
    None
}

#[cfg(feature = "local")]
fn about(origin: &str, file: &windlass_local::FileDescription, context_tokens: usize) -> LocalModelFacts {
    let licence = file.licence.as_ref().map(|licence| format!(", licence {licence}")).unwrap_or_default();
    let source = format!(
        "{origin}: {}, {:.1} M parameters, {} MB{licence}, calls held to a grammar",
        file.quantisation,
        file.parameters as f64 / 1e6,
        file.file_bytes / 1_000_000
    );
    let abilities = Abilities {
        context_tokens: u64::try_from(context_tokens).ok(),
        calls_tools: Some(true),
        sees: Some(false),
        ..Abilities::default()
    };
    LocalModelFacts { abilities, source }
}

/// The downloaded model files, each by the name under which it is run.
#[cfg(feature = "local")]
pub(crate) fn pulled_files(config: &CliConfig) -> Vec<(String, LocalModelFacts)> {
    let Ok(files) = std::fs::read_dir(pulled::folder(&config.folders.data)) else { return Vec::new() };
    let mut found: Vec<(String, LocalModelFacts)> = files
        .flatten()
        .filter_map(|file| {
            let name = file.file_name().into_string().ok()?;
            let path = pulled::find(&pulled::folder(&config.folders.data), &name)?;
            // What cannot be read is told when it is used.
            let file = windlass_local::describe(&path).ok()?;
            Some((name, about("downloaded file", &file, usual_context(&file))))
        })
        .collect();
    found.sort_by(|one, other| one.0.cmp(&other.0));
    found
}

/// The context that a file gets when nobody says how long.
#[cfg(feature = "local")]
fn usual_context(file: &windlass_local::FileDescription) -> usize {
    file.context_tokens.min(windlass_local::CONTEXT_TOKENS)
}

/// The downloaded model files, each by the name under which it is run.
#[cfg(not(feature = "local"))]
pub(crate) fn pulled_files(_config: &CliConfig) -> Vec<(String, LocalModelFacts)> {
    Vec::new()
}

/// The built-in model, where the build has one.
#[cfg(not(feature = "local"))]
pub(crate) fn builtin() -> Option<ChosenModel> {
    None
}

/// The model that a word names.
pub(crate) fn open(config: &CliConfig, word: &str) -> Result<ChosenModel> {
    limit_threads(config)?;
    match word.strip_prefix(PREFIX) {
        Some(file) => open_file(config, word, file),
        None => builtin().ok_or_else(without),
    }
}

#[cfg(feature = "local")]
const THREADS: &str = "local.threads";

/// Limits the threads of all models in the process, as the configuration says. What cannot be limited is told.
#[cfg(feature = "local")]
pub(crate) fn limit_threads(config: &CliConfig) -> Result<()> {
    use windlass_local::THREADS_MAX;

    let Some(wanted) = config.settings.count(THREADS) else { return Ok(()) };
    let count = usize::try_from(wanted).ok().filter(|count| (1..=THREADS_MAX).contains(count));
    let Some(count) = count else {
        return Err(config
            .wrong(THREADS, &format!("{wanted} is no number from 1 to {THREADS_MAX}"))
            .cure("leave it out for as many threads as the machine has cores"));
    };
    let kernels = windlass_local::limit_threads(count).kernels;
    if kernels != count {
        let message = format!(
            "{THREADS} is {count}, but the kernels of quantised weights use {kernels} threads: they only listen to the \
             environment; start windlass with CANDLE_NUM_THREADS={count}"
        );
        crate::terminal::out::warn(&message);
    }
    Ok(())
}

#[cfg(not(feature = "local"))]
pub(crate) fn limit_threads(_config: &CliConfig) -> Result<()> {
    Ok(())
}

#[cfg(not(feature = "local"))]
fn open_file(_config: &CliConfig, _word: &str, _file: &str) -> Result<ChosenModel> {
    Err(without())
}

fn without() -> CommandError {
    CommandError::usage("this build of windlass runs no models itself")
        .cure("build it with the feature 'local', which is on unless it is switched off")
}

#[cfg(feature = "local")]
fn open_file(config: &CliConfig, word: &str, file: &str) -> Result<ChosenModel> {
    use std::sync::Arc;

    use windlass_core::ports::ModelPort as _;
    use windlass_local::{LocalConfig, LocalModel, grammars};

    let path = find_file(config, file)?;
    let settings = LocalConfig { grammar: Some(grammars()), ..LocalConfig::new(word) };
    let model = LocalModel::open(&path, settings)
        .map_err(|error| CommandError::usage(format!("{word}: {error}")).at(path.display().to_string()))?;
    let context_tokens = u64::try_from(model.context_tokens()).ok();
    tracing::debug!(model = model.name(), ?context_tokens, "a model file is open");
    let about = Some(about("file", model.description(), model.context_tokens()));
    Ok(ChosenModel { model: Arc::new(model), target: None, context_tokens, about })
}

/// The file of that path, or of that name among those that were pulled.
#[cfg(feature = "local")]
fn find_file(config: &CliConfig, file: &str) -> Result<std::path::PathBuf> {
    let folder = pulled::folder(&config.folders.data);
    let own = [config.root.join(file), file.into()].into_iter().find(|place| place.exists());
    own.or_else(|| pulled::find(&folder, file)).ok_or_else(|| {
        CommandError::usage(format!("there is no model file '{file}'"))
            .at(format!("looked in {}, and in {}", config.root.display(), folder.display()))
            .cure("--model local/PATH with a GGUF file or a folder of safetensors, or: windlass models pull")
    })
}
