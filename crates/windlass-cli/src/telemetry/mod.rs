//! OpenTelemetry export: which collector, what it may see, and the spans on their way to it.
//!
//! The spans are a fold of the core over what a host shows; the way is the transport of models. Without an
//! endpoint nothing of this is started.

mod pump;

use std::sync::Arc;

use serde_json::Value;
use windlass_core::ports::host::ServedPort;
use windlass_core::protocol::event::Record;
use windlass_core::text::redact::Redactor;
use windlass_core::text::secret::Secret;
use windlass_models::limits::ExchangeLimits;
use windlass_models::transport::{Transport, TransportConfig};
use windlass_models::{Abilities, AuthForm, ModelTarget, Quirks, WireKind};
use windlass_otlp::{Resource, Span, SpanFold, SpanRules, export_request};

use self::pump::Pump;
use crate::complaint::Result;
use crate::config::CliConfig;

/// Where collectors take traces, below their address.
const TRACES_PATH: &str = "/v1/traces";

/// One export, as the OpenTelemetry specification has it.
const EXPORT_TIMEOUT_MS: u64 = 10_000;

/// What is exported, and where to.
struct Telemetry {
    target: ModelTarget,
    path: String,
    transport: Transport,
    resource: Resource,
    rules: SpanRules,
}

/// An export that may go on.
pub(crate) struct Export(Option<Pump>);

impl Export {
    /// Sends what there is, for a few seconds at most.
    pub(crate) async fn finish(self) {
        if let Some(pump) = self.0 {
            pump.finish().await;
        }
    }
}

/// Begins to export what the host shows from now on, if the configuration has an endpoint for it.
pub(crate) fn start(config: &CliConfig, host: Arc<dyn ServedPort>) -> Result<Export> {
    Ok(Export(telemetry_of(config)?.map(|telemetry| Pump::start(telemetry, host))))
}

/// The spans of records as the body of an export, without content.
pub(crate) fn body_of<'a>(records: impl Iterator<Item = &'a Record>) -> Value {
    let mut fold = SpanFold::default();
    let spans: Vec<Span> = records.flat_map(|record| fold.take(record)).collect();
    export_request(&resource("windlass"), &spans)
}

fn resource(service: &str) -> Resource {
    let version = env!("CARGO_PKG_VERSION");
    Resource {
        attributes: vec![
            ("service.name".into(), service.into()),
            ("service.version".into(), version.into()),
            ("telemetry.sdk.name".into(), "windlass".into()),
            ("telemetry.sdk.language".into(), "rust".into()),
            ("telemetry.sdk.version".into(), version.into()),
        ],
        version: version.into(),
    }
}

/// What the configuration asks for; nothing without an endpoint.
fn telemetry_of(config: &CliConfig) -> Result<Option<Telemetry>> {
    let settings = &config.settings;
    let Some(endpoint) = settings.text("telemetry.otlp_endpoint").map(str::trim) else { return Ok(None) };
    if endpoint.is_empty() {
        return Ok(None);
    }
    if !endpoint.starts_with("http://") && !endpoint.starts_with("https://") {
        let why = "it must begin with http:// or https://";
        return Err(config.wrong("telemetry.otlp_endpoint", &why));
    }
    let (base_url, path) = split_endpoint(endpoint);
    let limits = ExchangeLimits {
        connect_timeout_ms: EXPORT_TIMEOUT_MS,
        first_byte_timeout_ms: EXPORT_TIMEOUT_MS,
        idle_timeout_ms: EXPORT_TIMEOUT_MS,
        total_timeout_ms: EXPORT_TIMEOUT_MS,
        ..ExchangeLimits::default()
    };
    let transport =
        Transport::new(TransportConfig { limits, ca_pem: config.ca_pem()?, ..TransportConfig::default() });
    let headers = settings.get("telemetry.headers").and_then(|setting| setting.value.fields());
    let headers = headers.into_iter().flatten();
    let headers: Vec<(String, String)> =
        headers.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect();
    let service = settings.text("telemetry.service_name").unwrap_or("windlass");
    let resource = resource(service);
    let own = headers.iter().map(|(_, value)| Secret::new(value.as_str()));
    let secrets = config.keys.values().cloned().chain(own);
    let rules =
        SpanRules { has_content: settings.is_on("telemetry.content"), redactor: Redactor::new(secrets) };
    let target = ModelTarget {
        name: "otlp".into(),
        provider: "the OTLP collector".into(),
        model: String::new(),
        wire: WireKind::Chat,
        base_url,
        auth: AuthForm::Open,
        key: None,
        headers,
        quirks: Quirks::default(),
        abilities: Abilities::default(),
    };
    Ok(Some(Telemetry { target, path, transport, resource, rules }))
}

/// An address that names the path itself is taken as it is.
fn split_endpoint(endpoint: &str) -> (String, String) {
    let bare = endpoint.trim_end_matches('/');
    let base = bare.strip_suffix(TRACES_PATH).unwrap_or(bare);
    (base.to_owned(), TRACES_PATH.to_owned())
}

#[cfg(test)]
mod tests {
    use super::split_endpoint;

    #[test]
    fn an_endpoint_may_name_the_path_or_not() {
        for endpoint in ["http://c:4318", "http://c:4318/", "http://c:4318/v1/traces"] {
            assert_eq!(split_endpoint(endpoint), ("http://c:4318".into(), "/v1/traces".into()));
        }
        assert_eq!(split_endpoint("https://c/otlp").0, "https://c/otlp");
    }
}
