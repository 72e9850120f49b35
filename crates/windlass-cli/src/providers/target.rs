//! One endpoint, connected: a target of the catalogue, the configuration, the doctor's findings and a key;
//! a transport; a port to it.

use std::sync::Arc;
use std::time::Duration;

use windlass_core::ports::ModelPort;
use windlass_core::profile::Dialect;
use windlass_core::protocol::model::{ModelFailure, ModelFailureKind};
use windlass_core::text::secret::Secret;
use windlass_models::catalog::{self, CatalogError, ListedModel, Overrides};
use windlass_models::failure::{malformed, of_status};
use windlass_models::limits::ERROR_BODY_BYTES_MAX;
use windlass_models::quirks::CallDialect;
use windlass_models::tags::TagModel;
use windlass_models::transport::{Transport, TransportConfig};
use windlass_models::{ModelName, ModelTarget, WireModel};

use crate::complaint::{CommandError, MissingKey, Result};
use crate::config::CliConfig;
use crate::providers::diagnosis;
use crate::providers::keys;

/// Largest list of models that is read: the longest today has half a megabyte.
const LIST_BYTES_MAX: usize = 8 << 20;

/// The target that a name means here.
pub(crate) fn target(config: &CliConfig, name: &ModelName) -> Result<ModelTarget> {
    reach(config, name, |name| {
        Ok(Overrides { key: keys::find(config, &name.provider)?, ..overrides(config, name)? })
    })
}

/// The same without what the doctor found.
pub(crate) fn plain_target(config: &CliConfig, name: &ModelName) -> Result<ModelTarget> {
    reach(config, name, |name| {
        let own = config.overrides(&name.provider)?;
        Ok(Overrides { key: keys::find(config, &name.provider)?, ..own })
    })
}

/// The same to be looked at: no key is asked for, and none is in it.
pub(crate) fn description(config: &CliConfig, name: &ModelName) -> Result<ModelTarget> {
    reach(config, name, |name| Ok(Overrides { key: Some(Secret::new("")), ..overrides(config, name)? }))
}

/// The target at the provider that is named, at the vendor that is meant, or behind the router: the first to which
/// there is a key.
fn reach(
    config: &CliConfig,
    name: &ModelName,
    overrides: impl Fn(&ModelName) -> Result<Overrides>,
) -> Result<ModelTarget> {
    let own = overrides(name)?;
    let vendor = catalog::at_vendor(name);
    let direct = match own.base_url.is_none() && vendor != *name {
        true => catalog::target(&vendor, &overrides(&vendor)?),
        false => catalog::target(name, &own),
    };
    let error = match direct {
        Ok(target) => return Ok(target),
        Err(error) => error,
    };
    let is_closed = matches!(error, CatalogError::NoKey { .. } | CatalogError::UnknownProvider { .. });
    match catalog::routed(name).filter(|_| is_closed) {
        Some(routed) if keys::locate(config, catalog::ROUTER)?.is_some() => {
            catalog::target(&routed, &overrides(&routed)?).map_err(|error| explain(config, &routed, &error))
        }
        routed => {
            let complaint = explain(config, &vendor, &error);
            let CatalogError::NoKey { variable, .. } = error else { return Err(complaint) };
            let router = routed.and_then(|_| catalog::find_provider(catalog::ROUTER)?.key_variables.first());
            let variables = std::iter::once(variable).chain(router.copied()).map(str::to_owned).collect();
            Err(complaint.for_want_of(MissingKey { model: name.to_string(), variables }))
        }
    }
}

/// What the doctor and the configuration say of a model, all but the key.
fn overrides(config: &CliConfig, name: &ModelName) -> Result<Overrides> {
    let mut overrides = config.overrides(&name.provider)?;
    if let Some(found) = diagnosis::load(&config.folders.data, name)? {
        let row = catalog::find_provider(&name.provider);
        let address = overrides.base_url.as_deref().or(row.and_then(|row| row.base_url)).unwrap_or_default();
        // What was measured of another server does not hold here.
        if found.base_url.trim_end_matches('/') == address.trim_end_matches('/') {
            let own = overrides.abilities;
            overrides.abilities = found.abilities();
            overrides.quirks.insert(0, found.diagnosis.patch);
            catalog::lay_over(&mut overrides.abilities, &own);
        }
    }
    Ok(overrides)
}

pub(crate) fn transport(config: &CliConfig) -> Result<Transport> {
    Ok(Transport::new(TransportConfig {
        limits: config.exchange_limits(),
        ca_pem: config.ca_pem()?,
        ..TransportConfig::default()
    }))
}

/// The port to a target. `dialect` is how the profile writes calls: only calls of the wire's own can be
/// written as tags instead.
pub(crate) fn port(target: ModelTarget, transport: Arc<Transport>, dialect: Dialect) -> Arc<dyn ModelPort> {
    let is_tagged = (target.quirks.calls, dialect) == (CallDialect::Tags, Dialect::Native);
    let model = WireModel::new(target, transport);
    if is_tagged { Arc::new(TagModel::new(model)) } else { Arc::new(model) }
}

/// The models that an endpoint itself lists.
pub(crate) async fn list(
    transport: &Transport,
    target: &ModelTarget,
    timeout_ms: u64,
) -> std::result::Result<Vec<ListedModel>, ModelFailure> {
    let asked = async {
        let mut reply = transport.get(target, catalog::list_path(target.wire)).await?;
        if !(200..300).contains(&reply.status) {
            let body = reply.body.read_text(ERROR_BODY_BYTES_MAX).await?;
            return Err(of_status(target, reply.status, reply.retry_after_ms, &body));
        }
        let body = reply.body.read_text(LIST_BYTES_MAX).await?;
        let answer = serde_json::from_str(&body)
            .map_err(|error| malformed(target, &body, &format!("its list of models is no JSON: {error}")))?;
        Ok(catalog::read_list(target.wire, &answer))
    };
    match tokio::time::timeout(Duration::from_millis(timeout_ms), asked).await {
        Ok(listed) => listed,
        Err(_) => Err(ModelFailure::passing(
            ModelFailureKind::Timeout,
            format!("{} did not list its models within {timeout_ms} ms", target.provider),
        )),
    }
}

/// Waits for a request where no runtime runs yet.
pub(crate) fn wait_for<T>(request: impl Future<Output = T>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime =
        runtime.map_err(|error| CommandError::failed(format!("the runtime cannot be started: {error}")))?;
    Ok(runtime.block_on(request))
}

/// Why there is no target, with the place and the way out.
fn explain(config: &CliConfig, name: &ModelName, error: &CatalogError) -> CommandError {
    let provider = &name.provider;
    let complaint = CommandError::usage(error.to_string());
    match error {
        CatalogError::UnknownProvider { .. } => {
            let cure =
                format!("windlass models list; a server of your own needs providers.{provider}.base_url");
            complaint.at(config.place("model")).cure(cure)
        }
        CatalogError::NoAddress { .. } if provider == catalog::COMPATIBLE => complaint
            .at(config.place("model"))
            .cure("WINDLASS_BASE_URL=http://127.0.0.1:8000/v1, or base_url in the configuration file"),
        CatalogError::NoAddress { .. } => {
            let cure = format!("providers.{provider}.base_url = \"https://…\" in the configuration file");
            complaint.at(config.place("model")).cure(cure)
        }
        CatalogError::BadAddress { .. } => complaint
            .at(config.place(&format!("providers.{provider}.base_url")))
            .cure("an address such as http://127.0.0.1:8000/v1"),
        CatalogError::NoKey { variable, .. } => complaint
            .at(config.place("model"))
            .cure(format!("export {variable}=…, or: windlass models key set {provider}")),
        CatalogError::Quirks { .. } => complaint
            .at(config.place(&format!("providers.{provider}.quirks")))
            .cure("docs/models.md lists all quirks"),
    }
}
