//! Runs as OpenTelemetry spans: `run → step → call`, folded from records (P-24).
//!
//! A span is known when the record of its end is there. Ids are computed from the run, so that the same run
//! gives the same spans live, after a restart and from the journal years later. Owns the names of the GenAI
//! conventions and the JSON of OTLP. Folding and writing are pure; the feature `send` sends what a host shows to a
//! collector.
//!
//! - `collector`: where spans go, and how a batch is given to it (feature `send`)
//! - `content`: what was said, in the form of the GenAI conventions
//! - `fold`: records in, spans that have ended out
//! - `names`: names of attributes, words of the conventions, ids of traces and spans
//! - `send`: what a host shows becomes batches on their way (feature `send`)
//! - `wire`: the body of `POST /v1/traces`

#[cfg(feature = "send")]
mod collector;
mod content;
mod fold;
mod names;
#[cfg(feature = "send")]
mod send;
mod wire;

use std::fmt;

use windlass_core::protocol::ids::Millis;
use windlass_core::text::redact::Redactor;

#[cfg(feature = "send")]
pub use self::collector::{CollectorAddressError, OtelConfig};
pub use self::fold::SpanFold;
#[cfg(feature = "send")]
pub use self::send::SpanExport;
pub use self::wire::{Resource, export_request};

/// The release of the semantic conventions whose GenAI names are written. Later ones send the reader to a
/// repository that has no release yet.
pub const SEMCONV_VERSION: &str = "1.41.0";

/// Where that release is described for machines.
pub const SCHEMA_URL: &str = "https://opentelemetry.io/schemas/1.41.0";

/// Characters of one message, argument text or outcome that a span carries; collectors refuse spans of
/// megabytes.
pub const CONTENT_CHARS_MAX: usize = 16_384;

/// Events of one span: a step that is asked for again and again must not grow without a bound.
pub const SPAN_EVENTS_MAX: usize = 64;

/// What of a run goes into spans.
#[derive(Debug, Clone, Default)]
pub struct SpanRules {
    /// Whether messages, arguments, outcomes and error texts go along. Without it spans have names, numbers
    /// and stable words alone.
    pub has_content: bool,
    /// Every text of content passes through it.
    pub redactor: Redactor,
}

/// The id of a trace: one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TraceId(pub u128);

/// The id of a span, unique in its trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SpanId(pub u64);

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Display for SpanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// Who does the work of a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanKind {
    Internal,
    /// Somebody who is asked over a wire.
    Client,
}

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub enum Attribute {
    Text(String),
    Texts(Vec<String>),
    Count(u64),
    Number(f64),
    Truth(bool),
}

impl From<&str> for Attribute {
    fn from(text: &str) -> Self {
        Attribute::Text(text.to_owned())
    }
}

impl From<String> for Attribute {
    fn from(text: String) -> Self {
        Attribute::Text(text)
    }
}

impl From<u64> for Attribute {
    fn from(count: u64) -> Self {
        Attribute::Count(count)
    }
}

impl From<u32> for Attribute {
    fn from(count: u32) -> Self {
        Attribute::Count(count.into())
    }
}

impl From<f64> for Attribute {
    fn from(number: f64) -> Self {
        Attribute::Number(number)
    }
}

impl From<bool> for Attribute {
    fn from(truth: bool) -> Self {
        Attribute::Truth(truth)
    }
}

/// Attributes by name, in the order in which they became known.
pub type Attributes = Vec<(&'static str, Attribute)>;

/// Something that happened while a span went on.
#[derive(Debug, Clone, PartialEq)]
pub struct SpanEvent {
    pub at_ms: Millis,
    pub name: &'static str,
    pub attributes: Attributes,
}

/// A failure, by a word that does not vary; its text only with content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpanFault {
    pub message: Option<String>,
}

/// A span that has ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    pub trace_id: TraceId,
    pub span_id: SpanId,
    /// The span around it; none for a run.
    pub parent: Option<SpanId>,
    /// What it is called.
    pub name: String,
    /// Who does the work.
    pub kind: SpanKind,
    pub start_ms: Millis,
    pub end_ms: Millis,
    /// What is known of it.
    pub attributes: Attributes,
    pub events: Vec<SpanEvent>,
    pub fault: Option<SpanFault>,
}

#[cfg(test)]
#[path = "otlp_tests.rs"]
mod tests;
