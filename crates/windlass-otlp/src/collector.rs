//! A collector: where it is, what it may see, and how it is given one batch of spans. Feature `send`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::time::sleep;
use windlass_core::text::redact::SecretRegistry;
use windlass_core::text::secret::Secret;
use windlass_models::limits::{ERROR_BODY_BYTES_MAX, ExchangeLimits};
use windlass_models::transport::{Transport, TransportConfig};
use windlass_models::{Abilities, AuthForm, ModelTarget, Quirks, WireKind};

use crate::{Resource, Span, SpanRules, export_request};

/// Where collectors take traces, below their address.
const TRACES_PATH: &str = "/v1/traces";

/// One export, as the OpenTelemetry specification has it.
const EXPORT_TIMEOUT_MS: u64 = 10_000;

/// Tries of one batch.
const TRIES_MAX: u32 = 4;

/// The wait before the second try; doubled each time.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Longest wait that a collector can ask for.
const RETRY_DELAY_MAX: Duration = Duration::from_secs(30);

/// A collector of OpenTelemetry, and what it may see of runs: names, numbers and stable words, unless it is told otherwise.
#[derive(Clone)]
#[must_use]
pub struct OtelConfig {
    endpoint: String,
    headers: Vec<(String, String)>,
    service_name: String,
    has_content: bool,
    secrets: SecretRegistry,
    ca_pem: Option<Vec<u8>>,
}

impl OtelConfig {
    /// A collector by its address: `http://127.0.0.1:4318`. `/v1/traces` is added if it is not there.
    pub fn new(endpoint: impl Into<String>) -> Self {
        Self {
            endpoint: endpoint.into(),
            headers: Vec::new(),
            service_name: "windlass".to_owned(),
            has_content: false,
            secrets: SecretRegistry::default(),
            ca_pem: None,
        }
    }

    /// A header that the collector wants. Its value is never shown, and taken out of content.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let value = value.into();
        self.secrets.add(Secret::new(value.as_str()));
        self.headers.push((name.into(), value));
        self
    }

    /// What the program is called there (`service.name`); `windlass` unless said.
    pub fn service_name(mut self, name: impl Into<String>) -> Self {
        self.service_name = name.into();
        self
    }

    /// Lets messages, arguments, outcomes and texts of errors go along, without what looks like a key.
    pub fn with_content(mut self) -> Self {
        self.has_content = true;
        self
    }

    /// Keys that must not go along, those included that are registered later. Headers that were named before stay known
    /// too.
    pub fn secrets(mut self, registry: &SecretRegistry) -> Self {
        registry.extend(self.headers.iter().map(|(_, value)| Secret::new(value.as_str())));
        self.secrets = registry.clone();
        self
    }

    /// A key that must not go along, whatever it looks like.
    pub fn secret(self, key: impl Into<Secret>) -> Self {
        self.secrets.add(key.into());
        self
    }

    /// Trusts these authorities beside the system's: certificates in PEM.
    pub fn ca_pem(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.ca_pem = Some(pem.into());
        self
    }
}

/// The address of a collector is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no address of an OTLP collector: it must begin with http:// or https://")]
pub struct CollectorAddressError(pub String);

/// A collector that can be asked.
pub(crate) struct Collector {
    target: ModelTarget,
    transport: Transport,
    resource: Resource,
    pub(crate) rules: SpanRules,
}

impl Collector {
    pub(crate) fn new(config: OtelConfig) -> Result<Self, CollectorAddressError> {
        let endpoint = config.endpoint.trim();
        if !endpoint.starts_with("http://") && !endpoint.starts_with("https://") {
            return Err(CollectorAddressError(endpoint.to_owned()));
        }
        let limits = ExchangeLimits {
            connect_timeout_ms: EXPORT_TIMEOUT_MS,
            first_byte_timeout_ms: EXPORT_TIMEOUT_MS,
            idle_timeout_ms: EXPORT_TIMEOUT_MS,
            total_timeout_ms: EXPORT_TIMEOUT_MS,
            ..ExchangeLimits::default()
        };
        let target = ModelTarget {
            name: "otlp".into(),
            provider: "the OTLP collector".into(),
            model: String::new(),
            wire: WireKind::Chat,
            base_url: without_path(endpoint).to_owned(),
            auth: AuthForm::Open,
            key: None,
            headers: config.headers,
            quirks: Quirks::default(),
            abilities: Abilities::default(),
        };
        let transport = TransportConfig { limits, ca_pem: config.ca_pem, ..TransportConfig::default() };
        Ok(Self {
            target,
            transport: Transport::new(transport),
            resource: Resource::of_service(&config.service_name),
            rules: SpanRules { has_content: config.has_content, redactor: config.secrets.redactor() },
        })
    }

    /// Sends a batch, a few times if need be; why it was not taken.
    pub(crate) async fn send(&self, batch: &[Span], is_ending: &AtomicBool) -> Result<(), String> {
        let body = export_request(&self.resource, batch).to_string().into_bytes();
        let mut delay = RETRY_DELAY;
        for attempt in 1..=TRIES_MAX {
            let Err(refusal) = self.try_send(&body).await else { return Ok(()) };
            // A program that ends waits for a collector that asked it to, and for no other.
            let is_over = is_ending.load(Ordering::Relaxed) && refusal.retry_after.is_none();
            if refusal.is_final || is_over || attempt == TRIES_MAX {
                return Err(refusal.why);
            }
            sleep(refusal.retry_after.unwrap_or(delay).min(RETRY_DELAY_MAX)).await;
            delay = delay.saturating_mul(2);
        }
        Ok(())
    }

    async fn try_send(&self, body: &[u8]) -> Result<(), ExportRefusal> {
        let posted = self.transport.post(&self.target, TRACES_PATH, body.to_vec(), "application/json");
        let mut reply = posted.await.map_err(|failure| ExportRefusal {
            why: failure.to_string(),
            is_final: !failure.is_retryable,
            retry_after: None,
        })?;
        let retry_after = reply.retry_after_ms.map(Duration::from_millis);
        let text = reply.body.read_text(ERROR_BODY_BYTES_MAX).await.unwrap_or_default();
        match reply.status {
            200..=299 => {
                tell_rejected(&text);
                Ok(())
            }
            // Those that the specification says may pass; everything else will be refused again.
            status => Err(ExportRefusal {
                why: format!("the OTLP collector answered {status}"),
                is_final: !matches!(status, 429 | 502 | 503 | 504),
                retry_after,
            }),
        }
    }
}

/// Why a batch was not taken.
struct ExportRefusal {
    why: String,
    is_final: bool,
    retry_after: Option<Duration>,
}

/// A collector may take a part and say so.
fn tell_rejected(text: &str) {
    let Ok(answer) = serde_json::from_str::<serde_json::Value>(text) else { return };
    let rejected = answer.pointer("/partialSuccess/rejectedSpans");
    let count =
        rejected.and_then(|count| count.as_str().and_then(|text| text.parse().ok()).or(count.as_u64()));
    if let Some(spans) = count.filter(|count| *count > 0) {
        tracing::warn!(spans, "the OTLP collector refused a part of the spans");
    }
}

/// An address that names the path itself means the same.
fn without_path(endpoint: &str) -> &str {
    let bare = endpoint.trim_end_matches('/');
    bare.strip_suffix(TRACES_PATH).unwrap_or(bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_may_name_the_path_or_not() {
        for endpoint in ["http://c:4318", "http://c:4318/", "http://c:4318/v1/traces"] {
            assert_eq!(without_path(endpoint), "http://c:4318");
        }
        assert_eq!(without_path("https://c/otlp"), "https://c/otlp");
        let refused = Collector::new(OtelConfig::new("collector:4318")).err();
        assert_eq!(refused, Some(CollectorAddressError("collector:4318".to_owned())));
    }
}
