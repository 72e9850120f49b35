//! OTLP's JSON: the body of `POST /v1/traces`.
//!
//! Ids are hex, times and whole numbers are decimal text, enumerations are numbers (OTLP 1.x, JSON mapping of
//! Protocol Buffers with the ids' exception).

use serde_json::{Map, Value, json};

use crate::{Attribute, Attributes, SCHEMA_URL, Span, SpanEvent, SpanKind};
use windlass_core::protocol::ids::Millis;

const STATUS_ERROR: u32 = 2;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Resource {
    /// Names and values, `service.name` among them.
    pub attributes: Vec<(String, String)>,
    /// The version of this program.
    pub version: String,
}

impl Resource {
    /// This program under a name of its user's.
    pub fn of_service(name: &str) -> Self {
        let version = env!("CARGO_PKG_VERSION");
        let attributes = [
            ("service.name", name),
            ("service.version", version),
            ("telemetry.sdk.name", "windlass"),
            ("telemetry.sdk.language", "rust"),
            ("telemetry.sdk.version", version),
        ];
        Self {
            attributes: attributes.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            version: version.to_owned(),
        }
    }
}

/// The body of one request with these spans.
pub fn export_request(resource: &Resource, spans: &[Span]) -> Value {
    let attributes: Vec<Value> = resource
        .attributes
        .iter()
        .map(|(name, value)| json!({"key": name, "value": {"stringValue": value}}))
        .collect();
    json!({"resourceSpans": [{
        "resource": {"attributes": attributes},
        "scopeSpans": [{
            "scope": {"name": "windlass", "version": resource.version},
            "spans": spans.iter().map(span_of).collect::<Vec<_>>(),
            "schemaUrl": SCHEMA_URL,
        }],
        "schemaUrl": SCHEMA_URL,
    }]})
}

fn span_of(span: &Span) -> Value {
    let kind = match span.kind {
        SpanKind::Internal => 1,
        SpanKind::Client => 3,
    };
    let mut fields = Map::new();
    fields.insert("traceId".into(), span.trace_id.to_string().into());
    fields.insert("spanId".into(), span.span_id.to_string().into());
    if let Some(parent) = span.parent {
        fields.insert("parentSpanId".into(), parent.to_string().into());
    }
    fields.insert("name".into(), span.name.as_str().into());
    fields.insert("kind".into(), kind.into());
    fields.insert("startTimeUnixNano".into(), nanos(span.start_ms));
    // Clocks go back; a span does not.
    fields.insert("endTimeUnixNano".into(), nanos(span.end_ms.max(span.start_ms)));
    fields.insert("attributes".into(), attributes_of(&span.attributes));
    if !span.events.is_empty() {
        fields.insert("events".into(), span.events.iter().map(event_of).collect());
    }
    if let Some(fault) = &span.fault {
        let mut status = Map::from_iter([("code".to_owned(), STATUS_ERROR.into())]);
        if let Some(message) = &fault.message {
            status.insert("message".into(), message.as_str().into());
        }
        fields.insert("status".into(), status.into());
    }
    Value::Object(fields)
}

fn event_of(event: &SpanEvent) -> Value {
    json!({
        "timeUnixNano": nanos(event.at_ms), "name": event.name,
        "attributes": attributes_of(&event.attributes),
    })
}

fn attributes_of(attributes: &Attributes) -> Value {
    attributes.iter().map(|(name, value)| json!({"key": name, "value": value_of(value)})).collect()
}

fn value_of(value: &Attribute) -> Value {
    match value {
        Attribute::Text(text) => json!({"stringValue": text}),
        Attribute::Texts(texts) => {
            let values: Vec<Value> = texts.iter().map(|text| json!({"stringValue": text})).collect();
            json!({"arrayValue": {"values": values}})
        }
        Attribute::Count(count) => json!({"intValue": count.to_string()}),
        Attribute::Number(number) => json!({"doubleValue": number}),
        Attribute::Truth(truth) => json!({"boolValue": truth}),
    }
}

fn nanos(ms: Millis) -> Value {
    ms.saturating_mul(1_000_000).to_string().into()
}
