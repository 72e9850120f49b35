//! `windlass models list / show / doctor / eval / pull / key`.

pub(crate) mod doctor;
pub(crate) mod eval;
mod key;
pub(crate) mod list;
mod part_file;
pub(crate) mod pull;

use serde_json::{Map, Value, json};
use windlass_models::catalog::{find_provider, providers};
use windlass_models::{ModelName, ModelTarget, Quirks};

pub(crate) use self::key::read_secret;
use crate::args::{GlobalArgs, ModelsCommand};
use crate::commands::config::resolve;
use crate::commands::models::list::abilities_of;
use crate::complaint::{CommandError, Result};
use crate::config::CliConfig;
use crate::exit::Exit;
use crate::providers::choice;
use crate::providers::choice::name_of;
use crate::providers::diagnosis::{self, Examined};
use crate::providers::keys::{self, variables};
use crate::providers::target;
use crate::terminal::nearest::did_you_mean;
use crate::terminal::out::{print, print_json};
use crate::terminal::table::lay_out;

pub(crate) fn run(global: &GlobalArgs, command: ModelsCommand) -> Result<Exit> {
    let config = || resolve(global);
    match command {
        ModelsCommand::List { provider, live } => list::list(global, &config()?, provider.as_deref(), live)?,
        ModelsCommand::Show { name } => show(global, &config()?, &name)?,
        ModelsCommand::Doctor { name } => {
            let config = config()?;
            let name = match name {
                Some(word) => name_of(&config, &word)?,
                None => {
                    let target = choice::find(&config)?;
                    ModelName { provider: target.provider, model: target.model }
                }
            };
            return doctor::run(global, &config, &name);
        }
        ModelsCommand::Eval(args) => return eval::run(global, &args),
        ModelsCommand::Pull(args) => return pull::run(global, &config()?, &args),
        ModelsCommand::Key(command) => key::run(global, &config()?, &command)?,
    }
    Ok(Exit::Done)
}

/// A provider that exists: in the catalogue, or in the configuration.
pub(crate) fn known_provider(config: &CliConfig, name: &str) -> Result<String> {
    let own = config.configured_providers();
    let known = || providers().iter().map(|row| row.id).chain(own.iter().copied());
    if known().any(|id| id == name) {
        return Ok(name.to_owned());
    }
    let cure = did_you_mean(name, known()).unwrap_or_else(|| "windlass models list".into());
    Err(CommandError::usage(format!("there is no provider '{name}'")).cure(cure))
}

/// What a provider's key is, for the eye.
pub(crate) fn key_text(config: &CliConfig, provider: &str) -> Result<String> {
    if let Some(source) = keys::locate(config, provider)? {
        return Ok(source.to_string());
    }
    let needs_key = find_provider(provider).is_some_and(|row| row.needs_key());
    Ok(match variables(provider).first() {
        Some(variable) if needs_key => format!("missing: {variable}"),
        Some(_) | None => "none needed".to_owned(),
    })
}

fn show(global: &GlobalArgs, config: &CliConfig, word: &str) -> Result<()> {
    let name = name_of(config, word)?;
    let target = target::description(config, &name)?;
    let found = diagnosis::load(&config.folders.data, &name)?;
    let quirks = quirks_of(&target);
    if global.json {
        return print_json(&json!({
            "name": target.name, "wire": target.wire.word(), "base_url": target.base_url,
            "key": key_text(config, &name.provider)?, "abilities": target.abilities, "quirks": quirks,
            "diagnosis": found,
        }));
    }
    let mut rows = vec![
        ["model".to_owned(), target.name.clone()],
        ["wire".to_owned(), target.wire.word().to_owned()],
        ["address".to_owned(), target.base_url.clone()],
        ["key".to_owned(), key_text(config, &name.provider)?],
    ];
    rows.extend(abilities_of(&target.abilities).map(|(what, value)| [what.to_owned(), value]));
    rows.extend(
        unusual(&quirks).into_iter().map(|(quirk, value)| [format!("quirk {quirk}"), value.to_string()]),
    );
    rows.push(["examined".to_owned(), examined(found.as_ref(), &name)]);
    print(&lay_out(&rows))?;
    match found {
        Some(found) => print(&lay_out(&doctor::rows(&found))),
        None => Ok(()),
    }
}

fn examined(found: Option<&Examined>, name: &ModelName) -> String {
    match found {
        Some(found) => format!("at {}", found.base_url),
        None => format!("never; windlass models doctor {name} examines it"),
    }
}

fn quirks_of(target: &ModelTarget) -> Map<String, Value> {
    fields(&target.quirks)
}

fn fields(quirks: &Quirks) -> Map<String, Value> {
    match serde_json::to_value(quirks) {
        Ok(Value::Object(fields)) => fields,
        // Quirks always serialise as an object.
        Ok(_) | Err(_) => Map::new(),
    }
}

/// Quirks that differ from those of a well-behaved server.
fn unusual(quirks: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let usual = fields(&Quirks::default());
    quirks.iter().filter(|(name, value)| usual.get(*name) != Some(value)).collect()
}
