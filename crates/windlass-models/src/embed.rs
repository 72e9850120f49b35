//! Embeddings of an endpoint: OpenAI-compatible `/embeddings` and Ollama's `/api/embed`, behind the port of embedders.
//!
//! Owns batches, what is asked again, and the check of what came: as many vectors as texts, all of one length. Knows no
//! index; the transport owns the network.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::json;
use windlass_core::ports::search::embed::{EmbedFailure, EmbedPort, Side};
use windlass_core::protocol::model::ModelFailure;

use crate::failure::{malformed, of_page, of_status};
use crate::limits::{ERROR_BODY_BYTES_MAX, ExchangeLimits};
use crate::target::{ModelTarget, WireKind};
use crate::transport::{Method, TargetRequest, Transport};

/// Texts of one request: a small server answers within seconds.
const BATCH_TEXTS_MAX: usize = 64;
/// Bytes of one request: far below what providers take at a time.
const BATCH_BYTES_MAX: usize = 128 << 10;
/// Largest answer: the longest vectors of a full batch, written out, have a tenth of it.
const ANSWER_BYTES_MAX: usize = 32 << 20;
/// Longest vector that is believed; no embedder makes longer ones.
const DIMENSION_MAX: usize = 4_096;
/// What a ranking by such vectors counts beside one by words, as for encoders in the process.
const WEIGHT: f64 = 2.0;

/// How patient an embedder is with its server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbedPatience {
    /// Requests for one batch of passages, the first included.
    pub tries: u32,
    /// Before the second try; each later one waits twice as long, unless the server says how long.
    pub wait_ms: u64,
    /// Longest that a server's own wish to wait is obeyed.
    pub wait_ms_max: u64,
    /// One request for passages: a server may have to load the model first.
    pub passages_timeout_ms: u64,
    /// The request for a query: somebody waits for it, and words answer without it.
    pub query_timeout_ms: u64,
}

impl Default for EmbedPatience {
    fn default() -> Self {
        Self {
            tries: 3,
            wait_ms: 500,
            wait_ms_max: 10_000,
            passages_timeout_ms: 120_000,
            query_timeout_ms: 4_000,
        }
    }
}

/// An embedding model at an endpoint.
#[derive(Debug)]
pub struct EndpointEmbedder {
    target: ModelTarget,
    transport: Arc<Transport>,
    patience: EmbedPatience,
    /// Of the first vector that came; all others must be as long.
    dimension: OnceLock<usize>,
}

#[derive(Deserialize)]
struct OpenAnswer {
    data: Vec<OpenRow>,
}

#[derive(Deserialize)]
struct OpenRow {
    index: Option<usize>,
    embedding: Vec<f32>,
}

#[derive(Deserialize)]
struct OllamaAnswer {
    embeddings: Vec<Vec<f32>>,
}

impl EndpointEmbedder {
    /// Asks nothing yet. Fails for a protocol that has no embeddings.
    pub fn new(
        target: ModelTarget,
        transport: Arc<Transport>,
        patience: EmbedPatience,
    ) -> Result<Self, EmbedFailure> {
        match target.wire {
            WireKind::Chat | WireKind::Responses | WireKind::Ollama => {
                Ok(Self { target, transport, patience, dimension: OnceLock::new() })
            }
            WireKind::Messages | WireKind::Gemini => Err(EmbedFailure(format!(
                "{} speaks the wire '{}', which has no embeddings here; take an OpenAI-compatible server or Ollama",
                target.provider,
                target.wire.word()
            ))),
        }
    }

    async fn all(&self, texts: &[&str], is_query: bool) -> Result<Vec<Vec<f32>>, EmbedFailure> {
        let mut vectors = Vec::with_capacity(texts.len());
        let mut rest = texts;
        while !rest.is_empty() {
            let (batch, after) = rest.split_at_checked(batch_length(rest)).unwrap_or((rest, &[]));
            let made = self.patiently(batch, is_query).await;
            vectors.extend(made.map_err(|failure| EmbedFailure(failure.message))?);
            rest = after;
        }
        Ok(vectors)
    }

    async fn patiently(&self, batch: &[&str], is_query: bool) -> Result<Vec<Vec<f32>>, ModelFailure> {
        let tries = if is_query { 1 } else { self.patience.tries.max(1) };
        let mut wait_ms = self.patience.wait_ms;
        for _ in 1..tries {
            match self.once(batch, is_query).await {
                Err(failure) if failure.is_retryable => {
                    let asked_ms = failure.retry_after_ms.unwrap_or(wait_ms).min(self.patience.wait_ms_max);
                    tracing::debug!(model = %self.target.name, %failure, asked_ms, "embeddings are asked for again");
                    tokio::time::sleep(Duration::from_millis(asked_ms)).await;
                    wait_ms = wait_ms.saturating_mul(2);
                }
                made => return made,
            }
        }
        self.once(batch, is_query).await
    }

    async fn once(&self, batch: &[&str], is_query: bool) -> Result<Vec<Vec<f32>>, ModelFailure> {
        let target = &self.target;
        let total_timeout_ms =
            if is_query { self.patience.query_timeout_ms } else { self.patience.passages_timeout_ms };
        let limits = ExchangeLimits {
            first_byte_timeout_ms: total_timeout_ms,
            idle_timeout_ms: total_timeout_ms,
            total_timeout_ms,
            ..ExchangeLimits::default()
        };
        let ask = TargetRequest {
            method: Method::Post,
            body: self.body(batch),
            accept: "application/json",
            limits,
        };
        let mut reply = self.transport.ask(target, self.path(), ask).await?;
        if !(200..300).contains(&reply.status) {
            let text = reply.body.read_text(ERROR_BODY_BYTES_MAX).await.unwrap_or_default();
            return Err(of_status(target, reply.status, reply.retry_after_ms, &text));
        }
        let text = reply.body.read_text(ANSWER_BYTES_MAX).await?;
        if reply.media_type == "text/html" {
            return Err(of_page(target, &text));
        }
        self.read(&text, batch.len())
    }

    fn path(&self) -> &'static str {
        if self.target.wire == WireKind::Ollama { "/api/embed" } else { "/embeddings" }
    }

    fn body(&self, batch: &[&str]) -> Vec<u8> {
        // A text without a character is refused by some, with all others of its batch.
        let input: Vec<&str> = batch.iter().map(|text| if text.is_empty() { " " } else { *text }).collect();
        let model = &self.target.model;
        let body = if self.target.wire == WireKind::Ollama {
            json!({"model": model, "input": input, "truncate": true})
        } else {
            json!({"model": model, "input": input, "encoding_format": "float"})
        };
        body.to_string().into_bytes()
    }

    fn read(&self, text: &str, count: usize) -> Result<Vec<Vec<f32>>, ModelFailure> {
        let unread = |error: serde_json::Error| {
            malformed(&self.target, text, &format!("its answer has no embeddings: {error}"))
        };
        let vectors = if self.target.wire == WireKind::Ollama {
            serde_json::from_str::<OllamaAnswer>(text).map_err(unread)?.embeddings
        } else {
            let mut rows = serde_json::from_str::<OpenAnswer>(text).map_err(unread)?.data;
            // Rows say where they belong; some servers say nothing and keep the order.
            rows.sort_by_key(|row| row.index.unwrap_or(0));
            rows.into_iter().map(|row| row.embedding).collect()
        };
        self.check(&vectors, count).map_err(|why| {
            let mut failure = malformed(&self.target, "", &why);
            failure.is_retryable = false;
            failure
        })?;
        Ok(vectors)
    }

    /// Whether these can be vectors of so many texts, beside those that came before.
    fn check(&self, vectors: &[Vec<f32>], count: usize) -> Result<(), String> {
        if vectors.len() != count {
            return Err(format!("{} vectors for {count} texts", vectors.len()));
        }
        for vector in vectors {
            let length = vector.len();
            if length == 0 || length > DIMENSION_MAX || vector.iter().any(|number| !number.is_finite()) {
                return Err(format!("a vector of {length} numbers that cannot be used"));
            }
            let known = *self.dimension.get_or_init(|| length);
            if known != length {
                return Err(format!(
                    "vectors of {known} and of {length} numbers; is it still the same model?"
                ));
            }
        }
        Ok(())
    }
}

/// How many of the texts go into the next request; at least one.
fn batch_length(texts: &[&str]) -> usize {
    let mut bytes = 0;
    let fitting = texts.iter().take(BATCH_TEXTS_MAX).take_while(|text| {
        bytes += text.len();
        bytes <= BATCH_BYTES_MAX
    });
    fitting.count().max(1)
}

#[async_trait]
impl EmbedPort for EndpointEmbedder {
    fn name(&self) -> &str {
        &self.target.name
    }

    fn weight(&self) -> f64 {
        WEIGHT
    }

    async fn embed(&self, texts: &[&str], side: Side<'_>) -> Result<Vec<Vec<f32>>, EmbedFailure> {
        let is_query = match side {
            Side::Passage => false,
            Side::Query(_) => true,
        };
        self.all(texts, is_query).await
    }
}

#[cfg(test)]
#[path = "embed_tests.rs"]
mod tests;
