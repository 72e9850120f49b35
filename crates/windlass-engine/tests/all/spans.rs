//! Spans as somebody who listens by `tracing` sees them.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;
use windlass_engine::session::Session;

use crate::session::{adder, hello, parts};

/// Every span and every line with the path of spans around it.
#[derive(Clone, Default)]
struct Watcher(Arc<Mutex<Vec<String>>>);

#[derive(Default)]
struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.push_str(&format!(" {}={value:?}", field.name()));
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Watcher {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        let path: Vec<_> = context.span_scope(id).into_iter().flatten().map(|span| span.name()).collect();
        self.0.lock().unwrap().push(format!("open {}{}", path.join("<"), fields.0));
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let path: Vec<_> = context.event_scope(event).into_iter().flatten().map(|span| span.name()).collect();
        self.0.lock().unwrap().push(format!("{} {}{}", event.metadata().level(), path.join("<"), fields.0));
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let name = context.span(&id).map_or("?", |span| span.name());
        self.0.lock().unwrap().push(format!("close {name}"));
    }
}

#[tokio::test]
async fn p_24_calls_stand_in_their_step_and_steps_in_their_run() {
    let watcher = Watcher::default();
    let _guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(watcher.clone()));
    let script =
        "user Go.\nmodel call 1 add {\"a\":1,\"b\":2}\nmodel call 2 add {}\nmodel end\nmodel text Done.\n";
    let session = Session::start(parts(script, vec![adder()]));
    let send = hello();
    let (run_id, message_id) = (send.run_id.clone(), send.message_id.clone());
    session.send(send).await.unwrap().finished().await.unwrap();
    let lines = watcher.0.lock().unwrap().clone();
    let text = lines.join("\n");
    let has = |begin: &str, pieces: &[&str]| {
        let is_it =
            |line: &&String| line.starts_with(begin) && pieces.iter().all(|piece| line.contains(piece));
        assert!(lines.iter().any(|line| is_it(&line)), "{begin} {pieces:?} in:\n{text}");
    };
    let (request, parent) = (format!("request_id={run_id}"), format!("parent_id={message_id}"));
    has("open run session=", &[&request, &parent]);
    has("open step<run", &["step=1", "attempt=1"]);
    has("open call<step<run", &["call_id=call_1", "tool=add"]);
    has("INFO call<step<run", &["call requested", &request, &parent, "call_id=call_1"]);
    has("INFO call<step<run", &["call completed", "call_id=call_1"]);
    has("WARN call<step<run", &["call failed", "call_id=call_2"]);
    has("INFO run", &["run ended", "completed"]);
    let count = |line: &str| lines.iter().filter(|other| other.as_str() == line).count();
    assert_eq!((count("close run"), count("close call")), (1, 2), "{text}");
}
