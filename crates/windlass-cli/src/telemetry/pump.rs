//! Records become spans, spans become batches, batches go out.
//!
//! Two tasks: one keeps up with the host and never waits for a network, one sends. Between them is a short
//! queue; what does not fit is dropped and said, for a collector that is down must not hold a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::{FutureExt, StreamExt};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use windlass_core::ports::BoxStream;
use windlass_core::ports::host::ServedPort;
use windlass_core::protocol::event::{DurableEvent, Event, Record};
use windlass_models::limits::ERROR_BODY_BYTES_MAX;
use windlass_otlp::{Span, SpanFold, export_request};

use super::Telemetry;

/// Spans of one request, as the OpenTelemetry specification has it.
const BATCH_SPANS_MAX: usize = 512;

/// How long a span waits for company.
const BATCH_DELAY: Duration = Duration::from_secs(5);

/// Batches that may wait for the collector: sixteen thousand spans, some ten megabytes.
const BATCHES_MAX: usize = 32;

/// Tries of one batch.
const TRIES_MAX: u32 = 4;

/// The wait before the second try; doubled each time.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Longest wait that a collector can ask for.
const RETRY_DELAY_MAX: Duration = Duration::from_secs(30);

/// How long the end of the program waits for the last spans.
const FLUSH_LIMIT: Duration = Duration::from_secs(5);

/// An export that goes on.
pub(super) struct Pump {
    stop: oneshot::Sender<()>,
    sender: JoinHandle<()>,
    is_ending: Arc<AtomicBool>,
}

impl Pump {
    pub(super) fn start(telemetry: Telemetry, host: Arc<dyn ServedPort>) -> Self {
        let (stop, stopped) = oneshot::channel();
        let (batches, waiting) = mpsc::channel(BATCHES_MAX);
        let records = host.observe();
        let fold = SpanFold::new(telemetry.rules.clone());
        tokio::spawn(
            SpanCollector { fold, host, batches, batch: Vec::new(), due: None }.work(records, stopped),
        );
        let is_ending = Arc::new(AtomicBool::new(false));
        let sender = tokio::spawn(send_all(telemetry, waiting, Arc::clone(&is_ending)));
        Self { stop, sender, is_ending }
    }

    /// Sends what there is, for a few seconds at most.
    pub(super) async fn finish(self) {
        self.is_ending.store(true, Ordering::Relaxed);
        let _ = self.stop.send(());
        if timeout(FLUSH_LIMIT, self.sender).await.is_err() {
            tracing::warn!("the last spans were not taken by the OTLP collector in time");
        }
    }
}

/// The task that keeps up.
struct SpanCollector {
    fold: SpanFold,
    host: Arc<dyn ServedPort>,
    batches: mpsc::Sender<Vec<Span>>,
    batch: Vec<Span>,
    /// When the batch goes out, full or not.
    due: Option<Instant>,
}

impl SpanCollector {
    async fn work(
        mut self,
        mut records: BoxStream<'static, Arc<Record>>,
        mut stopped: oneshot::Receiver<()>,
    ) {
        loop {
            tokio::select! {
                biased;
                record = records.next() => match record {
                    Some(record) => self.take(&record).await,
                    None => break,
                },
                () = wait_until(self.due) => self.hand_over(),
                _ = &mut stopped => break,
            }
        }
        while let Some(Some(record)) = records.next().now_or_never() {
            self.take(&record).await;
        }
        self.hand_over();
    }

    async fn take(&mut self, record: &Record) {
        if matches!(record.event, Event::Durable(DurableEvent::RunResumed { .. }))
            && !self.fold.knows(&record.run_id)
        {
            self.recall(record).await;
        }
        let ended = self.fold.take(record);
        if ended.is_empty() {
            return;
        }
        self.batch.extend(ended);
        self.due.get_or_insert_with(|| Instant::now() + BATCH_DELAY);
        if self.batch.len() >= BATCH_SPANS_MAX {
            self.hand_over();
        }
    }

    /// A run that began in another process: its beginning is on record. What ended there was sent there.
    async fn recall(&mut self, resumed: &Record) {
        let Ok(records) = self.host.records(&resumed.session_id, 0).await else { return };
        let before =
            records.iter().filter(|record| record.run_id == resumed.run_id && record.seq < resumed.seq);
        for record in before {
            let _ = self.fold.take(record);
        }
    }

    fn hand_over(&mut self) {
        self.due = None;
        let batch = std::mem::take(&mut self.batch);
        let spans = batch.len();
        if spans > 0 && self.batches.try_send(batch).is_err() {
            tracing::warn!(spans, "spans were dropped: the OTLP collector does not keep up");
        }
    }
}

async fn wait_until(due: Option<Instant>) {
    match due {
        Some(due) => sleep_until(due).await,
        None => std::future::pending().await,
    }
}

async fn send_all(telemetry: Telemetry, mut waiting: mpsc::Receiver<Vec<Span>>, is_ending: Arc<AtomicBool>) {
    while let Some(batch) = waiting.recv().await {
        let spans = batch.len();
        let body = export_request(&telemetry.resource, &batch).to_string().into_bytes();
        if let Err(why) = send(&telemetry, &body, &is_ending).await {
            tracing::warn!(spans, "spans were dropped: {why}");
        }
    }
}

async fn send(telemetry: &Telemetry, body: &[u8], is_ending: &AtomicBool) -> Result<(), String> {
    let mut delay = RETRY_DELAY;
    for attempt in 1..=TRIES_MAX {
        let Err(refusal) = try_send(telemetry, body).await else { return Ok(()) };
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

/// Why a batch was not taken.
struct ExportRefusal {
    why: String,
    is_final: bool,
    retry_after: Option<Duration>,
}

async fn try_send(telemetry: &Telemetry, body: &[u8]) -> Result<(), ExportRefusal> {
    let posted =
        telemetry.transport.post(&telemetry.target, &telemetry.path, body.to_vec(), "application/json");
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
