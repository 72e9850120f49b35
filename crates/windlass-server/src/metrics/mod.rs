//! What is counted: a fold over the records of all sessions, and what the server itself sees.
//!
//! `ledger` folds, `exposition` writes Prometheus' text form. Nothing here is read by anybody else.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};

use futures::StreamExt;
use windlass_core::ports::host::ServedPort;

use exposition::{counter, gauge};
use ledger::MetricCounts;

mod exposition;
mod ledger;

/// The media type of Prometheus' text form.
pub(crate) const TEXT_FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Counts of the server.
#[derive(Default)]
pub(crate) struct Metrics {
    ledger: Mutex<MetricCounts>,
    answers: Mutex<BTreeMap<u16, u64>>,
}

impl Metrics {
    pub(crate) fn count_answer(&self, status: u16) {
        *self.answers.lock().unwrap_or_else(PoisonError::into_inner).entry(status).or_default() += 1;
    }

    /// All counts, in Prometheus' text form.
    pub(crate) fn text(&self, open_streams: usize, open_requests: usize) -> String {
        let mut text = String::with_capacity(8 * 1024);
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner).write(&mut text);
        gauge(&mut text, "windlass_open_streams", "Event streams that are open.", open_streams);
        gauge(&mut text, "windlass_open_requests", "Requests that are at work.", open_requests);
        counter(&mut text, "windlass_http_answers_total", "Answers by status.");
        for (status, count) in &*self.answers.lock().unwrap_or_else(PoisonError::into_inner) {
            // Writing to a string does not fail.
            let _ = writeln!(text, "windlass_http_answers_total{{status=\"{status}\"}} {count}");
        }
        text
    }
}

/// Folds what happens from now on, as long as somebody holds the counts.
pub(crate) fn follow(metrics: &Arc<Metrics>, host: &dyn ServedPort) {
    let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
    let (metrics, mut records) = (Arc::downgrade(metrics), host.observe());
    runtime.spawn(async move {
        while let Some(record) = records.next().await {
            let Some(metrics) = metrics.upgrade() else { return };
            metrics.ledger.lock().unwrap_or_else(PoisonError::into_inner).apply(&record);
        }
    });
}
