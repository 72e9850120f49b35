//! Which model answers: what was named, else what a key in the environment opens, else what an Ollama
//! server on this machine has, else the built-in one.

use std::sync::Arc;

use windlass_core::ports::ModelPort;
use windlass_core::profile::{Dialect, Profile};
use windlass_models::catalog::{find_provider, providers};
use windlass_models::quirks::CallDialect;
use windlass_models::{ModelName, ModelTarget};
use windlass_scripted::ScriptedModel;

use crate::complaint::{CommandError, Result};
use crate::config::{CliConfig, load_script};
use crate::providers::keys::variables;
use crate::providers::local::{self, LocalModelFacts, builtin, is_local};
use crate::providers::target;
use crate::terminal::nearest::nearest;

/// Providers whose keys are looked for in the environment, in this order.
const IN_ORDER: [&str; 8] =
    ["openai", "anthropic", "gemini", "openrouter", "xai", "deepseek", "mistral", "groq"];

/// A server on this machine answers at once, or there is none.
const OLLAMA_TIMEOUT_MS: u64 = 300;

/// A model, and how it is spoken to.
#[derive(Clone)]
pub(crate) struct ChosenModel {
    pub(crate) model: Arc<dyn ModelPort>,
    /// What is known of it; a script is known by nobody.
    pub(crate) target: Option<ModelTarget>,
    /// Tokens of a conversation, where that is known.
    pub(crate) context_tokens: Option<u64>,
    /// What a model in the process says of itself.
    pub(crate) about: Option<LocalModelFacts>,
}

impl ChosenModel {
    /// A model behind a wire.
    pub(crate) fn of_target(model: Arc<dyn ModelPort>, target: ModelTarget) -> Self {
        let context_tokens = target.context_tokens();
        Self { model, target: Some(target), context_tokens, about: None }
    }

    /// A model of which nothing is known.
    pub(crate) fn plain(model: Arc<dyn ModelPort>) -> Self {
        Self { model, target: None, context_tokens: None, about: None }
    }

    /// Makes the profile fit the model: calls as text where it has no others, none where it has none.
    pub(crate) fn fit(&self, profile: &mut Profile, has_tools: bool) -> Result<()> {
        let Some(target) = &self.target else { return Ok(()) };
        match (target.quirks.calls, profile.dialect) {
            (CallDialect::Text, Dialect::Native) => profile.dialect = Dialect::Text,
            (CallDialect::None, Dialect::Native) if has_tools => {
                return Err(CommandError::usage(format!("the model '{}' calls no tools", target.name))
                    .at("what is known of it: windlass models show NAME")
                    .cure("--no-tools, another model, or calls = \"tags\" in the configuration file"));
            }
            (CallDialect::Native | CallDialect::Tags | CallDialect::Text | CallDialect::None, _) => {}
        }
        Ok(())
    }
}

/// The model of the configuration.
pub(crate) fn choose(config: &CliConfig) -> Result<ChosenModel> {
    if let Some(script) = &config.script {
        return Ok(ChosenModel::plain(Arc::new(ScriptedModel::new(script))));
    }
    match config.settings.model()? {
        Some(word) if is_local(word) => local::open(config, word),
        Some(_) | None => match find_connected(config)? {
            Some(target) => open(config, target),
            None => {
                local::limit_threads(config)?;
                builtin().ok_or_else(|| unconnected(config))
            }
        },
    }
}

/// A model that is named beside that of the configuration.
pub(crate) fn choose_named(config: &CliConfig, word: &str) -> Result<ChosenModel> {
    if let Some(script) = load_script(word)? {
        return Ok(ChosenModel::plain(Arc::new(ScriptedModel::new(&script))));
    }
    if is_local(word) {
        return local::open(config, word);
    }
    open(config, target::target(config, &name_of(config, word)?)?)
}

fn open(config: &CliConfig, target: ModelTarget) -> Result<ChosenModel> {
    let transport = Arc::new(target::transport(config)?);
    let model = target::port(target.clone(), transport, config.profile.dialect);
    Ok(ChosenModel::of_target(model, target))
}

/// The target of the configuration.
pub(crate) fn find(config: &CliConfig) -> Result<ModelTarget> {
    find_connected(config)?.ok_or_else(|| unconnected(config))
}

/// The same; nothing when nothing is named and nothing is there.
fn find_connected(config: &CliConfig) -> Result<Option<ModelTarget>> {
    match config.settings.model()? {
        Some(word) => target::target(config, &name_of(config, word)?).map(Some),
        None => match of_environment(config) {
            Some(name) => target::target(config, &name).map(Some),
            None => of_this_machine(config),
        },
    }
}

/// The name that a word means; a provider alone means its usual model.
pub(crate) fn name_of(config: &CliConfig, word: &str) -> Result<ModelName> {
    if is_local(word) {
        return Err(CommandError::usage(format!("'{word}' runs locally: there is nothing to check"))
            .at(config.place("model"))
            .cure("windlass models eval tries it out"));
    }
    if let Some(model) = find_provider(word).and_then(|row| row.usual_model) {
        return Ok(ModelName { provider: word.to_owned(), model: model.to_owned() });
    }
    ModelName::parse(word).map_err(|error| {
        let meant = nearest(word, providers().iter().map(|row| row.id));
        let cure =
            meant.map_or_else(|| "windlass models list".to_owned(), |id| format!("--model {id}/MODEL"));
        CommandError::usage(error.to_string()).at(config.place("model")).cure(cure)
    })
}

/// The usual model of the first provider with a key in the environment.
fn of_environment(config: &CliConfig) -> Option<ModelName> {
    let has_key = |id: &&str| variables(id).iter().any(|variable| config.keys.contains_key(variable));
    let row = IN_ORDER.iter().find(|id| has_key(id)).and_then(|id| find_provider(id))?;
    Some(ModelName { provider: row.id.to_owned(), model: row.usual_model?.to_owned() })
}

/// The first model of an Ollama server.
fn of_this_machine(config: &CliConfig) -> Result<Option<ModelTarget>> {
    // Listing needs no model's name.
    let server = ModelName { provider: "ollama".to_owned(), model: "any".to_owned() };
    let target = target::target(config, &server)?;
    let transport = target::transport(config)?;
    let listed = target::wait_for(target::list(&transport, &target, OLLAMA_TIMEOUT_MS))?;
    match listed.ok().and_then(|models| models.into_iter().next()) {
        None => Ok(None),
        Some(first) => target::target(config, &ModelName { model: first.model, ..server }).map(Some),
    }
}

/// Three lines that say how to connect a model.
fn unconnected(config: &CliConfig) -> CommandError {
    let variables: Vec<&str> =
        IN_ORDER.iter().filter_map(|id| find_provider(id)?.key_variables.first().copied()).collect();
    let file = config.folders.config_file.display();
    CommandError::usage(
        "no model is connected: there is no key in the environment and no Ollama server on this machine",
    )
    .at(format!("set a key ({}), or model = \"PROVIDER/MODEL\" in {file}", variables.join(", ")))
    .cure("windlass models list, or a model file: --model local/FILE.gguf")
}

#[cfg(test)]
#[path = "choice_tests.rs"]
mod tests;
