use std::fmt::{Debug, Write as _};
use std::sync::Mutex;

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing::{Metadata, subscriber};
use windlass_testkit::collector::OtlpCollector;
use windlass_testkit::{record, sample_events};

use super::*;

/// What is said by `tracing`, a line an event.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

/// One of them, while it is written.
struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = write!(self.0, "{field}={value:?} ");
    }
}

impl tracing::Subscriber for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("windlass_otlp")
    }

    fn event(&self, event: &tracing::Event<'_>) {
        let mut line = Line(format!("{} ", event.metadata().level()));
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0);
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[tokio::test]
async fn a_collector_that_takes_nothing_is_told_once_and_so_is_that_it_takes_again() {
    let lines = Lines::default();
    let _listening = subscriber::set_default(lines.clone());
    let there = OtlpCollector::start(&[400, 400]).unwrap();
    let collector = Collector::new(OtelConfig::new(there.endpoint())).unwrap();
    let mut fold = SpanFold::default();
    let session = "ses".into();
    let records = (1..).zip(sample_events()).map(|(seq, event)| record(&session, seq, event));
    let spans: Vec<Span> = records.flat_map(|record| fold.take(&record)).collect();
    assert!(!spans.is_empty());
    let (batches, waiting) = mpsc::channel(BATCHES_MAX);
    for _ in 0..4 {
        batches.send(spans.clone()).await.unwrap();
    }
    drop(batches);
    send_all(collector, waiting, Arc::default()).await;
    let exports: Vec<_> = std::iter::from_fn(|| there.next(Duration::ZERO)).collect();
    assert_eq!(exports.len(), 4);
    assert_eq!(exports[3].spans().len(), spans.len());
    let lines = lines.0.lock().unwrap();
    let [away, back] = lines.as_slice() else { panic!("{lines:?}") };
    assert!(away.starts_with("WARN") && away.contains("spans are dropped until"), "{away}");
    assert!(back.starts_with("INFO") && back.contains(&format!("spans={}", spans.len() * 2)), "{back}");
}
