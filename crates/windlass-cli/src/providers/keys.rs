//! Where the key of a provider is: the environment, the configuration, a command, the system's keyring,
//! in this order.

use windlass_core::text::secret::Secret;
use windlass_models::catalog::find_provider;

use crate::complaint::Result;
use crate::config::{CliConfig, SettingSource};
use crate::providers::key_command::ask;
use crate::providers::keyring::Keyring;

/// Where a key is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum KeySource {
    /// In a setting or a variable, said as the configuration says it.
    At(String),
    /// A command knows it.
    Command,
    /// The system's keyring has it.
    Keyring,
}

impl std::fmt::Display for KeySource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            KeySource::At(place) => f.write_str(place),
            KeySource::Command => f.write_str("key_command"),
            KeySource::Keyring => f.write_str("keyring"),
        }
    }
}

/// Variables that may hold a provider's key, the usual one first.
pub(crate) fn variables(provider: &str) -> Vec<String> {
    match find_provider(provider) {
        Some(row) => row.key_variables.iter().map(|name| (*name).to_owned()).collect(),
        None => vec![format!("{}_API_KEY", provider.replace(['-', '.'], "_").to_ascii_uppercase())],
    }
}

/// Where a provider's key is; no command is run and nothing is asked.
pub(crate) fn locate(config: &CliConfig, provider: &str) -> Result<Option<KeySource>> {
    let setting = config.settings.get(&format!("providers.{provider}.key"));
    let is_of_environment = |source: &SettingSource| matches!(source, SettingSource::Environment(_));
    if let Some(own) = setting.filter(|own| is_of_environment(&own.source)) {
        return Ok(Some(KeySource::At(own.source.to_string())));
    }
    if let Some(variable) = variables(provider).into_iter().find(|name| config.keys.contains_key(name)) {
        return Ok(Some(KeySource::At(format!("environment {variable}"))));
    }
    if let Some(own) = setting {
        return Ok(Some(KeySource::At(own.source.to_string())));
    }
    if !config.settings.items(&format!("providers.{provider}.key_command")).is_empty() {
        return Ok(Some(KeySource::Command));
    }
    let is_kept = Keyring::of_user(&config.folders.data).names()?.contains(provider);
    Ok(is_kept.then_some(KeySource::Keyring))
}

/// The key of a provider; it is a registered secret from then on.
pub(crate) fn find(config: &CliConfig, provider: &str) -> Result<Option<Secret>> {
    let key = look_up(config, provider)?;
    config.secrets.extend(key.clone());
    Ok(key)
}

fn look_up(config: &CliConfig, provider: &str) -> Result<Option<Secret>> {
    let name = format!("providers.{provider}.key_command");
    match locate(config, provider)? {
        None => Ok(None),
        Some(KeySource::At(_)) => Ok(stated(config, provider)),
        Some(KeySource::Command) => {
            let words: Vec<&str> = config.settings.items(&name).iter().map(String::as_str).collect();
            let Some((program, args)) = words.split_first() else { return Ok(None) };
            // Its words are not shown: who tests a command writes a key into it.
            let cure = format!("run the command of {name} by hand");
            ask(program, args, config.settings.items("key_commands.env"))
                .map(Some)
                .map_err(|failure| config.wrong(&name, &failure).cure(cure))
        }
        Some(KeySource::Keyring) => Keyring::of_user(&config.folders.data).find(provider),
    }
}

/// A key that stands in the environment or in a file.
fn stated(config: &CliConfig, provider: &str) -> Option<Secret> {
    let name = format!("providers.{provider}.key");
    let setting = config.settings.get(&name);
    let own = || config.settings.text(&name).map(|key| Secret::new(key.trim()));
    let of_variable = || variables(provider).iter().find_map(|variable| config.keys.get(variable)).cloned();
    match setting.map(|setting| &setting.source) {
        Some(SettingSource::Environment(_)) => own(),
        Some(_) | None => of_variable().or_else(own),
    }
}
