//! Records become spans, spans become batches, batches go out. Feature `send`.
//!
//! Two tasks: one keeps up with the host and never waits for a network, one sends. Between them is a short
//! queue; what does not fit is dropped and said, for a collector that is down must not hold a run.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures::{FutureExt, StreamExt};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};
use windlass_core::ports::BoxStream;
use windlass_core::ports::host::ServedPort;
use windlass_core::protocol::event::{DurableEvent, Event, Record};

use crate::collector::{Collector, CollectorAddressError, OtelConfig};
use crate::{Span, SpanFold};

/// Spans of one request, as the OpenTelemetry specification has it.
const BATCH_SPANS_MAX: usize = 512;

/// How long a span waits for company.
const BATCH_DELAY: Duration = Duration::from_secs(5);

/// Batches that may wait for the collector: sixteen thousand spans, some ten megabytes.
const BATCHES_MAX: usize = 32;

/// How long the end of the program waits for the last spans.
const FLUSH_LIMIT: Duration = Duration::from_secs(5);

/// An export that goes on until it is finished or dropped.
pub struct SpanExport {
    stop: oneshot::Sender<()>,
    sender: JoinHandle<()>,
    is_ending: Arc<AtomicBool>,
}

impl SpanExport {
    /// Begins to export what the host shows from now on, in tasks of the runtime that this is called in. The host is not
    /// held.
    pub fn start(config: OtelConfig, host: &Arc<dyn ServedPort>) -> Result<Self, CollectorAddressError> {
        let collector = Collector::new(config)?;
        let (stop, stopped) = oneshot::channel();
        let (batches, waiting) = mpsc::channel(BATCHES_MAX);
        let batching = SpanBatching {
            fold: SpanFold::new(collector.rules.clone()),
            host: Arc::downgrade(host),
            batches,
            batch: Vec::new(),
            due: None,
            is_behind: false,
        };
        tokio::spawn(batching.work(host.observe(), stopped));
        let is_ending = Arc::new(AtomicBool::new(false));
        let sender = tokio::spawn(send_all(collector, waiting, Arc::clone(&is_ending)));
        Ok(Self { stop, sender, is_ending })
    }

    /// Sends what there is, for a few seconds at most.
    pub async fn finish(mut self) {
        self.is_ending.store(true, Ordering::Relaxed);
        let _ = self.stop.send(());
        if timeout(FLUSH_LIMIT, &mut self.sender).await.is_err() {
            self.sender.abort();
            tracing::warn!("the last spans were not taken by the OTLP collector in time");
        }
    }
}

/// The task that keeps up.
struct SpanBatching {
    fold: SpanFold,
    host: Weak<dyn ServedPort>,
    batches: mpsc::Sender<Vec<Span>>,
    batch: Vec<Span>,
    /// When the batch goes out, full or not.
    due: Option<Instant>,
    /// Whether the last batch found no place.
    is_behind: bool,
}

impl SpanBatching {
    async fn work(mut self, records: BoxStream<'static, Arc<Record>>, mut stopped: oneshot::Receiver<()>) {
        // It is asked once more below, also where the host was closed first.
        let mut records = records.fuse();
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
        let Some(host) = self.host.upgrade() else { return };
        let Ok(records) = host.records(&resumed.session_id, 0).await else { return };
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
        if spans == 0 {
            return;
        }
        let was_behind = std::mem::replace(&mut self.is_behind, self.batches.try_send(batch).is_err());
        if self.is_behind && !was_behind {
            tracing::warn!(spans, "spans are dropped: the OTLP collector does not keep up");
        }
    }
}

async fn wait_until(due: Option<Instant>) {
    match due {
        Some(due) => sleep_until(due).await,
        None => std::future::pending().await,
    }
}

async fn send_all(collector: Collector, mut waiting: mpsc::Receiver<Vec<Span>>, is_ending: Arc<AtomicBool>) {
    let mut lost = 0_usize;
    while let Some(batch) = waiting.recv().await {
        let spans = batch.len();
        match collector.send(&batch, &is_ending).await {
            Ok(()) if lost > 0 => {
                tracing::info!(spans = lost, "the OTLP collector takes spans again; some were dropped");
                lost = 0;
            }
            Ok(()) => {}
            // Said once: a collector that is away for a night must not fill a log.
            Err(why) => {
                if lost == 0 {
                    tracing::warn!(spans, "spans are dropped until the OTLP collector takes them: {why}");
                }
                lost = lost.saturating_add(spans);
            }
        }
    }
}

#[cfg(test)]
#[path = "send_tests.rs"]
mod tests;
