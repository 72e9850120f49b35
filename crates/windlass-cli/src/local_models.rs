//! Models in the process, as words of the configuration name them: `builtin`, and `local/FILE`.

use crate::complaint::{Complaint, Result};
use crate::config::Config;
use crate::model_choice::Chosen;
#[cfg(feature = "local")]
use crate::pulled;

/// The model that is part of the program.
pub(crate) const BUILTIN: &str = "builtin";

/// What stands before the path of a model file.
pub(crate) const PREFIX: &str = "local/";

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
pub(crate) fn builtin() -> Option<Chosen> {
    let model = std::sync::Arc::new(windlass_local::BuiltinModel::new());
    // It shows itself little of a long conversation: nothing needs to be trimmed for it.
    Some(Chosen::plain(model))
}

/// The built-in model, where the build has one.
#[cfg(not(feature = "local"))]
pub(crate) fn builtin() -> Option<Chosen> {
    None
}

/// The model that a word names.
pub(crate) fn open(config: &Config, word: &str) -> Result<Chosen> {
    match word.strip_prefix(PREFIX) {
        Some(file) => open_file(config, word, file),
        None => builtin().ok_or_else(without),
    }
}

#[cfg(not(feature = "local"))]
fn open_file(_config: &Config, _word: &str, _file: &str) -> Result<Chosen> {
    Err(without())
}

fn without() -> Complaint {
    Complaint::usage("this build of windlass runs no models itself")
        .cure("build it with the feature 'local', which is on unless it is switched off")
}

#[cfg(feature = "local")]
fn open_file(config: &Config, word: &str, file: &str) -> Result<Chosen> {
    use std::sync::Arc;

    use windlass_core::port::ModelPort as _;
    use windlass_local::{LocalConfig, LocalModel, grammars};

    let path = find_file(config, file)?;
    let settings = LocalConfig { grammar: Some(grammars()), ..LocalConfig::new(word) };
    let model = LocalModel::open(&path, settings)
        .map_err(|error| Complaint::usage(format!("{word}: {error}")).at(path.display().to_string()))?;
    let context_tokens = u64::try_from(model.context_tokens()).ok();
    tracing::debug!(model = model.name(), ?context_tokens, "a model file is open");
    Ok(Chosen { model: Arc::new(model), target: None, context_tokens })
}

/// The file of that path, or of that name among those that were pulled.
#[cfg(feature = "local")]
fn find_file(config: &Config, file: &str) -> Result<std::path::PathBuf> {
    let folder = pulled::folder(&config.folders.data);
    let own = [config.root.join(file), file.into()].into_iter().find(|place| place.exists());
    own.or_else(|| pulled::find(&folder, file)).ok_or_else(|| {
        Complaint::usage(format!("there is no model file '{file}'"))
            .at(format!("looked in {}, and in {}", config.root.display(), folder.display()))
            .cure("--model local/PATH with a GGUF file or a folder of safetensors, or: windlass models pull")
    })
}
