//! OpenTelemetry export: what the configuration says of it. Without an endpoint nothing of this is started; making spans and
//! sending them is `windlass-otlp`'s.

use std::sync::Arc;

use serde_json::Value;
use windlass_core::ports::host::ServedPort;
use windlass_core::protocol::event::Record;
use windlass_otlp::{OtelConfig, Resource, Span, SpanExport, SpanFold, export_request};

use crate::complaint::Result;
use crate::config::CliConfig;

/// An export that may go on.
pub(crate) struct Export(Option<SpanExport>);

impl Export {
    /// Sends what there is, for a few seconds at most.
    pub(crate) async fn finish(self) {
        if let Some(export) = self.0 {
            export.finish().await;
        }
    }
}

/// Begins to export what the host shows from now on, if the configuration has an endpoint for it.
pub(crate) fn start(config: &CliConfig, host: Arc<dyn ServedPort>) -> Result<Export> {
    let Some(wished) = otel_config(config)? else { return Ok(Export(None)) };
    let export = SpanExport::start(wished, &host);
    export.map(|export| Export(Some(export))).map_err(|error| config.wrong("telemetry.otlp_endpoint", &error))
}

/// The spans of records as the body of an export, without content.
pub(crate) fn body_of<'a>(records: impl Iterator<Item = &'a Record>) -> Value {
    let mut fold = SpanFold::default();
    let spans: Vec<Span> = records.flat_map(|record| fold.take(record)).collect();
    export_request(&Resource::of_service("windlass"), &spans)
}

/// What the configuration asks for; nothing without an endpoint.
fn otel_config(config: &CliConfig) -> Result<Option<OtelConfig>> {
    let settings = &config.settings;
    let endpoint = settings.text("telemetry.otlp_endpoint").map(str::trim).filter(|text| !text.is_empty());
    let Some(endpoint) = endpoint else { return Ok(None) };
    let mut wished = OtelConfig::new(endpoint);
    let headers = settings.get("telemetry.headers").and_then(|setting| setting.value.fields());
    for (name, value) in headers.into_iter().flatten() {
        if let Some(value) = value.as_str() {
            wished = wished.header(name, value);
        }
    }
    if let Some(name) = settings.text("telemetry.service_name") {
        wished = wished.service_name(name);
    }
    if settings.is_on("telemetry.content") {
        wished = wished.with_content();
    }
    if let Some(pem) = config.ca_pem()? {
        wished = wished.ca_pem(pem);
    }
    Ok(Some(wished.secrets(&config.secrets)))
}
