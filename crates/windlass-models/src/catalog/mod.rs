//! The catalogue: providers and the wires they speak, models and what is known of them. Data: a new
//! provider on a known wire is one row.
//!
//! A target is made of layers, each over the one before: the wire's usual quirks, the provider's row, the
//! model's families, what the doctor measured, what the user configured. Knows no environment and no
//! files: keys and addresses come in as data.

mod family;
mod listing;
mod model;
mod provider;

use serde_json::{Map, Value};
use windlass_core::text::nearest::nearest_names;
use windlass_core::text::secret::Secret;

pub use self::listing::{ListedModel, list_path, read_list};
pub use self::model::KnownModel;
pub use self::provider::{COMPATIBLE, KeyForm, OLLAMA_CONTEXT_TOKENS, OLLAMA_URL, Provider};
use crate::failure::shown_url;
use crate::name::ModelName;
use crate::quirks::Quirks;
use crate::target::{Abilities, ModelTarget, WireKind};

/// All providers, in the order in which they are shown.
pub fn providers() -> &'static [Provider] {
    provider::PROVIDERS
}

pub fn find_provider(id: &str) -> Option<&'static Provider> {
    provider::PROVIDERS.iter().find(|provider| provider.id == id)
}

/// All models of which something is known, by provider.
pub fn known_models() -> &'static [KnownModel] {
    model::MODELS
}

/// The provider that passes on to many vendors.
pub const ROUTER: &str = "openrouter";

/// Vendors as the router names them, and the providers that they are themselves.
const VENDORS: [(&str, &str); 7] = [
    ("openai", "openai"),
    ("anthropic", "anthropic"),
    ("google", "gemini"),
    ("x-ai", "xai"),
    ("deepseek", "deepseek"),
    ("mistralai", "mistral"),
    ("moonshotai", "moonshot"),
];

/// The same model at its vendor, where the name is the router's word for the vendor: `x-ai/grok-4` is `xai/grok-4`.
pub fn at_vendor(name: &ModelName) -> ModelName {
    let own = VENDORS.iter().find(|(vendor, _)| *vendor == name.provider).map(|(_, id)| *id);
    ModelName { provider: own.unwrap_or(&name.provider).to_owned(), model: name.model.clone() }
}

/// The same model behind the router; nothing for providers whose models it does not have, and for what is probably
/// a slip of the pen.
pub fn routed(name: &ModelName) -> Option<ModelName> {
    let known = VENDORS.iter().find(|(vendor, id)| [*vendor, *id].contains(&name.provider.as_str()));
    let vendor = match known {
        Some((vendor, _)) => vendor,
        None if find_provider(&name.provider).is_some() || nearest(&name.provider).is_some() => return None,
        None => name.provider.as_str(),
    };
    Some(ModelName { provider: ROUTER.to_owned(), model: format!("{vendor}/{}", name.model) })
}

fn nearest(provider: &str) -> Option<&'static str> {
    nearest_names(provider, providers().iter().map(|row| row.id), 1).first().copied()
}

/// What is known of a provider's model. A dated name (`gpt-4o-2024-08-06`) is known by its undated one.
pub fn find_model(provider: &str, model: &str) -> Option<&'static KnownModel> {
    let owner = find_provider(provider).and_then(|row| row.models_of).unwrap_or(provider);
    let is_dated = |known: &str| {
        let date = model.strip_prefix(known).and_then(|rest| rest.strip_prefix('-'));
        date.is_some_and(|date| {
            date.len() >= 8 && date.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
        })
    };
    let of_owner = || model::MODELS.iter().filter(|known| known.provider == owner);
    of_owner().find(|known| known.model == model).or_else(|| of_owner().find(|known| is_dated(known.model)))
}

/// What the user and the doctor say of an endpoint; what is empty leaves the catalogue as it is.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    pub base_url: Option<String>,
    pub key: Option<Secret>,
    pub wire: Option<WireKind>,
    /// More headers; one of the catalogue's name replaces it.
    pub headers: Vec<(String, String)>,
    /// Changed quirks, each laid over the ones before.
    pub quirks: Vec<Map<String, Value>>,
    /// What is known of the model; a field that is set replaces what the catalogue says.
    pub abilities: Abilities,
}

/// Why there is no target.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CatalogError {
    /// No row and no address.
    #[error("there is no provider '{name}'{}; the providers are {}", meant(.nearest.as_deref()), list())]
    UnknownProvider {
        /// What was asked for.
        name: String,
        /// What was probably meant.
        nearest: Option<&'static str>,
    },
    /// Only the user can know where it is.
    #[error("the address of '{provider}' is not known: a base URL is needed")]
    NoAddress { provider: String },
    /// An address that cannot be one.
    #[error("'{url}' cannot be the address of '{provider}': {why}")]
    BadAddress {
        provider: String,
        /// The address, without anything secret in it.
        url: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// It answers nobody without a key.
    #[error("'{provider}' needs a key, and there is none: set {variable}")]
    NoKey {
        provider: String,
        /// The environment variable where a key usually is.
        variable: &'static str,
    },
    /// Quirks that are none.
    #[error("the quirks of '{provider}' cannot be used: {why}")]
    Quirks { provider: String, why: String },
}

fn meant(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!(" (did you mean '{name}'?)"))
}

fn list() -> String {
    providers().iter().map(|provider| provider.id).collect::<Vec<_>>().join(", ")
}

/// The target that a name means.
pub fn target(name: &ModelName, overrides: &Overrides) -> Result<ModelTarget, CatalogError> {
    let row = row_of(name, overrides)?;
    let wire = overrides.wire.unwrap_or(row.wire);
    let base_url = address(name, row, overrides.base_url.as_deref())?;
    // Who names another address is not asked for the key of the usual one.
    if row.needs_key() && overrides.key.is_none() && overrides.base_url.is_none() {
        let variable = row.key_variables.first().copied().unwrap_or("its key");
        return Err(CatalogError::NoKey { provider: name.provider.clone(), variable });
    }
    let known = find_model(&name.provider, &name.model);
    let mut abilities = known.map_or_else(Abilities::default, |known| known.abilities);
    let mut quirks = row.quirks(wire);
    family::apply(row.id, wire, &name.model, &mut quirks, &mut abilities);
    let mut quirks = patched(name, quirks, &overrides.quirks)?;
    lay_over(&mut abilities, &overrides.abilities);
    quirks.has_images &= abilities.sees != Some(false);
    // Who says how much the model holds wants that much of it.
    if let (Some(asked), Some(held)) = (&mut quirks.context_tokens_asked, overrides.abilities.context_tokens)
    {
        *asked = held;
    }
    Ok(ModelTarget {
        name: name.to_string(),
        provider: name.provider.clone(),
        model: name.model.clone(),
        wire,
        base_url,
        auth: row.auth.auth(overrides.key.is_some()),
        key: overrides.key.clone(),
        headers: headers(row, &overrides.headers),
        quirks,
        abilities,
    })
}

/// The row of a name; an address makes every other name a server of its own.
fn row_of(name: &ModelName, overrides: &Overrides) -> Result<&'static Provider, CatalogError> {
    if let Some(row) = find_provider(&name.provider) {
        return Ok(row);
    }
    let compatible = overrides.base_url.as_ref().and_then(|_| find_provider(COMPATIBLE));
    compatible.ok_or_else(|| CatalogError::UnknownProvider {
        name: name.provider.clone(),
        nearest: nearest(&name.provider),
    })
}

fn address(name: &ModelName, row: &Provider, own: Option<&str>) -> Result<String, CatalogError> {
    let Some(url) = own.or(row.base_url) else {
        return Err(CatalogError::NoAddress { provider: name.provider.clone() });
    };
    let url = url.trim().trim_end_matches('/');
    let wrong = |shown: &str, why| {
        Err(CatalogError::BadAddress { provider: name.provider.clone(), url: shown.to_owned(), why })
    };
    let Some((scheme, rest)) = url.split_once("://") else {
        return wrong(url, "it does not begin with http:// or https://");
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if host.contains('@') {
        return wrong(scheme, "a key does not belong in an address");
    }
    if url.contains('#') {
        return wrong(&shown_url(url), "it goes on with '#', which no server sees; take that part out");
    }
    match scheme {
        "http" | "https" if host.is_empty() || url.contains(char::is_whitespace) => {
            wrong(url, "it names no server")
        }
        "http" | "https" => Ok(url.to_owned()),
        _ => wrong(url, "it does not begin with http:// or https://"),
    }
}

fn patched(name: &ModelName, quirks: Quirks, patches: &[Map<String, Value>]) -> Result<Quirks, CatalogError> {
    patches
        .iter()
        .try_fold(quirks, |quirks, patch| quirks.patched(patch))
        .map_err(|why| CatalogError::Quirks { provider: name.provider.clone(), why })
}

/// Lays what somebody else says of a model over what is known; only fields that are set count.
pub fn lay_over(abilities: &mut Abilities, over: &Abilities) {
    let Abilities { context_tokens, output_tokens_max, calls_tools, reasons, sees, prices } = *over;
    abilities.context_tokens = context_tokens.or(abilities.context_tokens);
    abilities.output_tokens_max = output_tokens_max.or(abilities.output_tokens_max);
    abilities.calls_tools = calls_tools.or(abilities.calls_tools);
    abilities.reasons = reasons.or(abilities.reasons);
    abilities.sees = sees.or(abilities.sees);
    abilities.prices = prices.or(abilities.prices);
}

fn headers(row: &Provider, own: &[(String, String)]) -> Vec<(String, String)> {
    let is_own = |name: &str| own.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
    let usual = row.headers.iter().filter(|(name, _)| !is_own(name));
    usual.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).chain(own.iter().cloned()).collect()
}

#[cfg(test)]
#[path = "mod_tests.rs"]
mod tests;
