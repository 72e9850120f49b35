//! `windlass models list`: providers and models, and where each figure comes from.

use serde_json::{Value, json};
use windlass_core::calls::json::clip::clip_chars;
use windlass_core::ports::host::{ModelPrice, ModelRow};
use windlass_models::catalog::{self, find_provider, known_models, lay_over, providers};
use windlass_models::{Abilities, ModelName, Prices, WireKind};

use crate::args::GlobalArgs;
use crate::commands::models::{key_text, known_provider};
use crate::complaint::{CommandError, Result};
use crate::config::CliConfig;
use crate::providers::diagnosis::{self, Examined};
use crate::providers::keys;
use crate::providers::local::{BUILTIN, LocalModelFacts, PREFIX, about_builtin, pulled_files};
use crate::providers::target;
use crate::terminal::out::{print, print_json, warn};
use crate::terminal::table::lay_out;

/// A provider's list may come from the other side of the world.
const LIVE_TIMEOUT_MS: u64 = 10_000;

/// What is said where nobody knows.
const UNKNOWN: &str = "unknown";

/// Longest name of a model that a server may show us.
const NAME_CHARS_MAX: usize = 120;

/// A model and who says so.
struct ModelListing {
    provider: String,
    model: String,
    abilities: Abilities,
    source: &'static str,
    /// More about the source.
    said_by: Option<&'static str>,
}

impl ModelListing {
    fn source_text(&self) -> String {
        self.said_by.map_or_else(|| self.source.to_owned(), |by| format!("{}: {by}", self.source))
    }
}

/// The models that run in this process, by name: the one of the program, and those that were downloaded.
fn in_process(config: &CliConfig) -> Vec<(String, LocalModelFacts)> {
    let builtin = about_builtin().map(|about| (BUILTIN.to_owned(), about));
    let pulled = pulled_files(config).into_iter().map(|(name, about)| (format!("{PREFIX}{name}"), about));
    builtin.into_iter().chain(pulled).collect()
}

pub(crate) fn list(global: &GlobalArgs, config: &CliConfig, wanted: Option<&str>, live: bool) -> Result<()> {
    let wanted = wanted.map(|name| known_provider(config, name)).transpose()?;
    let mut ids: Vec<&str> = providers().iter().map(|row| row.id).collect();
    ids.extend(config.configured_providers().into_iter().filter(|id| find_provider(id).is_none()));
    ids.retain(|id| wanted.as_deref().is_none_or(|wanted| wanted == *id));
    let mut models = Vec::new();
    let examined = diagnoses(config)?;
    for id in &ids {
        models.extend(models_of(config, id, &examined)?);
        if live {
            ask(config, id, wanted.is_some(), &mut models)?;
        }
    }
    let here = if wanted.is_none() { in_process(config) } else { Vec::new() };
    if global.json {
        let providers = ids.iter().map(|id| provider_json(config, id)).collect::<Result<Vec<Value>>>()?;
        let here = here.iter().map(|(name, about)| about_json(name, about));
        let models: Vec<Value> = here.chain(models.iter().map(model_json)).collect();
        return print_json(&json!({"providers": providers, "models": models}));
    }
    let mut rows = vec![["PROVIDER", "WIRE", "ADDRESS", "KEY"].map(str::to_owned)];
    for id in &ids {
        let (wire, address) = place_of(config, id)?;
        let address = address.unwrap_or_else(|| format!("to be set: providers.{id}.base_url"));
        rows.push([(*id).to_owned(), wire.word().to_owned(), address, key_text(config, id)?]);
    }
    let mut text = lay_out(&rows);
    if !models.is_empty() || !here.is_empty() {
        let head = ["MODEL", "CONTEXT", "OUTPUT", "$ A MILLION: IN/CACHED/OUT", "ABILITIES", "SOURCE"];
        let mut rows = vec![head.map(str::to_owned)];
        rows.extend(here.iter().map(|(name, about)| line(name, &about.abilities, about.source.clone())));
        rows.extend(models.iter().map(model_row));
        text.push('\n');
        text.push_str(&lay_out(&rows));
    }
    print(&text)
}

/// Every model that is known here, as front ends choose among them; `usual` answers when nobody chooses.
pub(crate) fn choices(config: &CliConfig, usual: &str) -> Vec<ModelRow> {
    let mut ids: Vec<&str> = providers().iter().map(|row| row.id).collect();
    ids.extend(config.configured_providers().into_iter().filter(|id| find_provider(id).is_none()));
    let mut rows: Vec<ModelRow> =
        about_builtin().map(|about| row_about(BUILTIN, &about, usual)).into_iter().collect();
    // What cannot be read of a provider, or of what was found, is told when it is used.
    let examined = diagnoses(config).unwrap_or_default();
    for id in ids {
        let is_open = find_provider(id).is_none_or(|row| !row.needs_key());
        let is_ready = is_open || keys::locate(config, id).is_ok_and(|place| place.is_some());
        for row in models_of(config, id, &examined).unwrap_or_default() {
            let name = format!("{}/{}", row.provider, row.model);
            let found = examined.iter().find(|(own, _)| own.to_string() == name);
            let is_default = name == usual;
            rows.push(ModelRow {
                is_default,
                is_ready: is_ready || is_default,
                source: Some(row.source_text()),
                doctor: found.map(|(_, examined)| examined.findings()),
                ..row_of(name, &row.abilities)
            });
        }
    }
    rows
}

/// A model in the process.
pub(crate) fn row_about(name: &str, about: &LocalModelFacts, usual: &str) -> ModelRow {
    let source = Some(about.source.clone());
    ModelRow {
        is_default: name == usual,
        is_ready: true,
        source,
        ..row_of(name.to_owned(), &about.abilities)
    }
}

/// A model by what it can do.
pub(crate) fn row_of(name: String, abilities: &Abilities) -> ModelRow {
    let provider = name.split_once('/').map_or(name.as_str(), |(provider, _)| provider).to_owned();
    let Abilities { context_tokens, calls_tools, reasons, prices, .. } = *abilities;
    let price = prices.map(|Prices { input, cached, output }| ModelPrice { input, cached, output });
    ModelRow {
        name,
        provider,
        context_tokens,
        has_tools: calls_tools,
        has_reasoning: reasons,
        price,
        ..ModelRow::default()
    }
}

/// Wire and address of a provider as configured.
fn place_of(config: &CliConfig, id: &str) -> Result<(WireKind, Option<String>)> {
    let overrides = config.overrides(id)?;
    let row = find_provider(id).or_else(|| find_provider(catalog::COMPATIBLE));
    let wire = overrides.wire.or(row.map(|row| row.wire)).unwrap_or(WireKind::Chat);
    Ok((wire, overrides.base_url.or_else(|| row.and_then(|row| row.base_url).map(str::to_owned))))
}

/// What catalogue, configuration and doctor know of a provider's models.
fn models_of(config: &CliConfig, id: &str, examined: &[(ModelName, Examined)]) -> Result<Vec<ModelListing>> {
    let mut rows: Vec<ModelListing> = Vec::new();
    for known in known_models().iter().filter(|known| known.provider == id) {
        rows.push(ModelListing {
            provider: id.to_owned(),
            model: known.model.to_owned(),
            abilities: known.abilities,
            source: "catalogue",
            said_by: Some(known.source),
        });
    }
    for (name, found) in examined.iter().filter(|(name, _)| name.provider == id) {
        put(&mut rows, id, &name.model, &found.abilities(), "doctor");
    }
    let own = config.overrides(id)?.abilities;
    if own != Abilities::default() {
        for at in 0..rows.len() {
            let model = rows.get(at).map(|row| row.model.clone()).unwrap_or_default();
            put(&mut rows, id, &model, &own, "configuration");
        }
    }
    for setting in ["model", "models.fast", "models.medium", "models.deep", "models.vision"] {
        let name = config.settings.text(setting).and_then(|text| ModelName::parse(text).ok());
        if let Some(name) = name.filter(|name| name.provider == id) {
            let is_listed = rows.iter().any(|row| row.model == name.model);
            if !is_listed {
                put(&mut rows, id, &name.model, &own, "configuration");
            }
        }
    }
    Ok(rows)
}

/// Lays what somebody says of a model over what is known.
fn put(
    rows: &mut Vec<ModelListing>,
    provider: &str,
    model: &str,
    abilities: &Abilities,
    source: &'static str,
) {
    match rows.iter_mut().find(|row| row.provider == provider && row.model == model) {
        Some(row) => {
            lay_over(&mut row.abilities, abilities);
            (row.source, row.said_by) = (source, None);
        }
        None => rows.push(ModelListing {
            provider: provider.to_owned(),
            model: clip_chars(model, NAME_CHARS_MAX).into(),
            abilities: *abilities,
            source,
            said_by: None,
        }),
    }
}

/// Everything the doctor found.
fn diagnoses(config: &CliConfig) -> Result<Vec<(ModelName, Examined)>> {
    let folder = diagnosis::folder(&config.folders.data);
    let Ok(files) = std::fs::read_dir(&folder) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for file in files.flatten() {
        let path = file.path();
        let is_ours = path.extension().is_some_and(|end| end == "json") && file.file_name() != "keys.json";
        if !is_ours {
            continue;
        }
        let text =
            std::fs::read_to_string(&path).map_err(|error| CommandError::file(&path, "read", &error))?;
        // What cannot be read is told when that model is used.
        let examined = serde_json::from_str::<Examined>(&text).ok();
        let named = examined.and_then(|found| Some((ModelName::parse(&found.diagnosis.target).ok()?, found)));
        found.extend(named);
    }
    found.sort_by(|one, other| one.0.model.cmp(&other.0.model));
    Ok(found)
}

/// Asks a server for its own list.
fn ask(config: &CliConfig, id: &str, is_wanted: bool, rows: &mut Vec<ModelListing>) -> Result<()> {
    let has_key = keys::locate(config, id)?.is_some();
    let is_open = find_provider(id).is_none_or(|row| !row.needs_key());
    let (_, address) = place_of(config, id)?;
    if !is_wanted && (address.is_none() || !(has_key || is_open)) {
        return Ok(());
    }
    let target = target::target(config, &ModelName { provider: id.to_owned(), model: "any".to_owned() })?;
    let transport = target::transport(config)?;
    match target::wait_for(target::list(&transport, &target, LIVE_TIMEOUT_MS))? {
        Ok(listed) => {
            for model in listed {
                put(rows, id, &model.model, &model.abilities, "server");
            }
            Ok(())
        }
        Err(failure) if is_wanted => Err(CommandError::failed(failure.message).at(target.base_url)),
        // Most people run none or one of the local servers.
        Err(_) if is_open && !has_key => Ok(()),
        Err(failure) => {
            warn(&failure.message);
            Ok(())
        }
    }
}

fn provider_json(config: &CliConfig, id: &str) -> Result<Value> {
    let (wire, address) = place_of(config, id)?;
    let row = find_provider(id);
    Ok(json!({
        "id": id, "wire": wire.word(), "base_url": address,
        "needs_key": row.is_some_and(|row| row.needs_key()),
        "key_variables": keys::variables(id),
        "key": keys::locate(config, id)?.map(|source| source.to_string()),
        "usual_model": row.and_then(|row| row.usual_model),
        "source": if row.is_some() { "catalogue" } else { "configuration" },
    }))
}

fn model_json(row: &ModelListing) -> Value {
    json!({
        "name": format!("{}/{}", row.provider, row.model), "provider": row.provider, "model": row.model,
        "abilities": row.abilities, "source": row.source, "said_by": row.said_by,
    })
}

/// A model in the process has the fields of every other.
fn about_json(name: &str, about: &LocalModelFacts) -> Value {
    let (provider, model) = name.split_once('/').unwrap_or((name, name));
    json!({
        "name": name, "provider": provider, "model": model,
        "abilities": about.abilities, "source": about.source, "said_by": null,
    })
}

fn model_row(row: &ModelListing) -> [String; 6] {
    line(&format!("{}/{}", row.provider, row.model), &row.abilities, row.source_text())
}

fn line(name: &str, abilities: &Abilities, source: String) -> [String; 6] {
    let [context, output, prices, can] = abilities_of(abilities).map(|(_, value)| value);
    [name.to_owned(), context, output, prices, can, source]
}

/// What a model can do, each with its name; what nobody knows is said to be unknown.
pub(crate) fn abilities_of(abilities: &Abilities) -> [(&'static str, String); 4] {
    let tokens = |count: Option<u64>| count.map_or_else(|| UNKNOWN.to_owned(), show_tokens);
    let prices = abilities.prices.map_or_else(
        || UNKNOWN.to_owned(),
        |prices| format!("{} / {} / {}", prices.input, prices.cached, prices.output),
    );
    let can: Vec<&str> = [
        (abilities.calls_tools, "tools", "tools by tags"),
        (abilities.reasons, "thinks", ""),
        (abilities.sees, "sees", ""),
    ]
    .into_iter()
    .filter_map(|(known, yes, no)| known.map(|is| if is { yes } else { no }))
    .filter(|word| !word.is_empty())
    .collect();
    [
        ("context", tokens(abilities.context_tokens)),
        ("output", tokens(abilities.output_tokens_max)),
        ("prices", prices),
        ("abilities", if can.is_empty() { UNKNOWN.to_owned() } else { can.join(", ") }),
    ]
}

/// Tokens for the eye: `128k`, `1050k`; small numbers as they are.
fn show_tokens(count: u64) -> String {
    if count < 10_000 { count.to_string() } else { format!("{}k", count / 1_000) }
}
