//! Models that are heard: notices, cut streams, early calls, and what a delta costs.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures::{StreamExt, stream};
use serde_json::json;
use windlass_core::ports::{BoxStream, ModelPort};
use windlass_core::profile::Profile;
use windlass_core::protocol::event::{DeltaEvent, DurableEvent, Event, RunOutcome};
use windlass_core::protocol::model::{
    CallDelta, Finish, ModelDelta, ModelFailure, ModelRequest, Notice, NoticeKind,
};
use windlass_core::protocol::tool::{Effects, Risk, ToolOutput, ToolSpec};
use windlass_core::run::{Finished, RunSettings};
use windlass_core::text::redact::Redactor;
use windlass_engine::bus::Delivery;
use windlass_engine::clock::Clock;
use windlass_engine::session::{Session, SessionParts};

use crate::session::{hello, parts};
use crate::tools::tool;

type Deltas = Vec<Result<ModelDelta, ModelFailure>>;

/// A model that says one row of deltas after the other, and keeps what it was asked.
#[derive(Default)]
struct Speaker {
    rows: Mutex<Vec<Deltas>>,
    asked: Mutex<Vec<ModelRequest>>,
}

impl Speaker {
    fn of(rows: Vec<Deltas>) -> Arc<Self> {
        Arc::new(Self { rows: Mutex::new(rows), asked: Mutex::default() })
    }
}

impl ModelPort for Speaker {
    fn name(&self) -> &str {
        "test/speaker"
    }

    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
        self.asked.lock().unwrap().push(request);
        let mut rows = self.rows.lock().unwrap();
        let row = if rows.is_empty() { Vec::new() } else { rows.remove(0) };
        Box::pin(stream::iter(row))
    }
}

fn text(text: &str) -> Result<ModelDelta, ModelFailure> {
    Ok(ModelDelta::Text(text.into()))
}

fn finish(finish: Finish) -> Result<ModelDelta, ModelFailure> {
    Ok(ModelDelta::Finish(finish))
}

fn spoken_by(model: Arc<dyn ModelPort>) -> SessionParts {
    let mut parts = parts("user Go.\n", vec![]);
    parts.model = model;
    parts
}

/// Runs one message and gives everything that happened.
async fn run(parts: SessionParts) -> (Finished, Vec<Event>) {
    let session = Session::start(parts);
    let mut events = session.subscribe();
    let handle = session.send(hello()).await.unwrap();
    let finished = handle.finished().await.unwrap();
    let mut seen = Vec::new();
    loop {
        match events.next().await {
            Delivery::Record(record) => {
                seen.push(record.event.clone());
                if matches!(record.event, Event::Durable(DurableEvent::RunEnded { .. })) {
                    return (finished, seen);
                }
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_notice_of_the_adapter_becomes_an_event_before_the_answer() {
    let notice = Notice {
        kind: NoticeKind::Emulated,
        rule: "tool_choice_required".into(),
        message: "imitated".into(),
    };
    let row = vec![Ok(ModelDelta::Notice(notice)), text("Hello"), finish(Finish::Stop)];
    let (finished, events) = run(spoken_by(Speaker::of(vec![row]))).await;
    assert_eq!(finished.answer, "Hello");
    let names: Vec<_> = events.iter().map(Event::name).collect();
    assert_eq!(
        names,
        [
            "run-started",
            "step-started",
            "request-adjusted",
            "warning-raised",
            "text-delta",
            "step-ended",
            "run-ended"
        ]
    );
}

/// The server cleans one piece after the other: a secret must stand in one of them, however the model cut it.
#[tokio::test]
async fn a_secret_is_never_parted_over_two_pieces_of_what_is_shown() {
    let thought = |text: &str| Ok(ModelDelta::Reasoning(text.into()));
    let row = vec![
        thought("it is hun"),
        text("The key: hun"),
        thought("ter2-abc"),
        text("ter2-abc and sk-abcdef"),
        text("ghijklmnopqr"),
        finish(Finish::Stop),
    ];
    let redactor = Redactor::new(["hunter2-abc".into()]);
    let session = Session::start_guarded(spoken_by(Speaker::of(vec![row])), redactor.clone());
    let mut events = session.subscribe();
    let finished = session.send(hello()).await.unwrap().finished().await.unwrap();
    assert_eq!(finished.answer, "The key: hunter2-abc and sk-abcdefghijklmnopqr");
    let (mut said, mut thoughts) = (String::new(), String::new());
    loop {
        let Delivery::Record(record) = events.next().await else { panic!("every record comes") };
        match &record.event {
            Event::Delta(DeltaEvent::TextDelta { text }) => said.push_str(&redactor.clean(text)),
            Event::Delta(DeltaEvent::ReasoningDelta { text, .. }) => thoughts.push_str(&redactor.clean(text)),
            Event::Durable(DurableEvent::RunEnded { .. }) => break,
            _ => {}
        }
    }
    assert_eq!((said.as_str(), thoughts.as_str()), ("The key: *** and ***", "it is ***"));
}

#[tokio::test(start_paused = true)]
async fn what_a_cut_stream_gave_is_kept_when_no_try_is_left() {
    let failed = ModelFailure::passing("network", "gone");
    let rows = vec![vec![text("Half an "), text("answer")], vec![Err(failed)], vec![text(" ")]];
    let (finished, events) = run(spoken_by(Speaker::of(rows))).await;
    assert_eq!((finished.outcome, finished.answer.as_str()), (RunOutcome::Failed, "Half an answer"));
    let codes: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::Durable(DurableEvent::StepDelayed { code, delay_ms, .. }) => {
                Some((code.as_str(), *delay_ms))
            }
            _ => None,
        })
        .collect();
    assert_eq!(codes, [("cut", 500), ("network", 1_000)]);
    assert_eq!(finished.transcript.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_providers_own_wait_is_kept_to_the_letter_and_any_other_is_spread() {
    for (retry_after_ms, range) in [(Some(800), 800..=801), (None, 375..=626)] {
        let failure = ModelFailure { retry_after_ms, ..ModelFailure::passing("rate_limit", "slow") };
        let rows = vec![vec![Err(failure)], vec![text("Hi"), finish(Finish::Stop)]];
        let began = tokio::time::Instant::now();
        run(spoken_by(Speaker::of(rows))).await;
        let waited = began.elapsed().as_millis();
        assert!(range.contains(&waited), "{retry_after_ms:?}: {waited}");
    }
}

fn early_call() -> Result<ModelDelta, ModelFailure> {
    Ok(ModelDelta::Call(CallDelta {
        index: Some(0),
        id: Some("x".into()),
        name: Some("look".into()),
        args_text: Some("{}".into()),
        ..CallDelta::default()
    }))
}

#[tokio::test]
async fn a_stream_cut_after_a_call_ran_is_not_asked_for_again_and_loses_nothing() {
    let ran = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&ran);
    let spec = ToolSpec::new("look", "Looks").with_effects(Effects::Read, Risk::Safe);
    let look = tool(spec, move |_, _| {
        count.fetch_add(1, Ordering::SeqCst);
        async { Ok(ToolOutput::json(json!("seen"))) }
    });
    let rows = vec![vec![text("Let me look."), early_call()], vec![text("Seen."), finish(Finish::Stop)]];
    let model = Speaker::of(rows);
    let mut parts = spoken_by(Arc::clone(&model) as Arc<dyn ModelPort>);
    parts.registry.register(look).unwrap();
    let profile = Profile { executes_while_streaming: true, ..Profile::default() };
    parts.settings = Arc::new(RunSettings { profile, ..parts.settings.as_ref().clone() });
    let (finished, _) = run(parts).await;
    assert_eq!((finished.outcome, finished.answer.as_str()), (RunOutcome::Completed, "Seen."));
    assert_eq!(ran.load(Ordering::SeqCst), 1);
    let asked = model.asked.lock().unwrap();
    assert_eq!(asked.len(), 2);
    let history = &asked[1].messages;
    assert_eq!(history[1].text(), "Let me look.");
    assert_eq!(history[1].calls().count(), 1);
    assert!(history[2].text().contains("seen"));
}

#[tokio::test]
async fn a_delta_looks_at_the_clock_once() {
    const DELTAS: usize = 10_000;
    let row = (0..DELTAS).map(|_| text("word ")).chain([finish(Finish::Stop)]).collect();
    let looks = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&looks);
    let mut parts = spoken_by(Speaker::of(vec![row]));
    parts.clock = Clock::from_fn(move || {
        count.fetch_add(1, Ordering::Relaxed);
        1_000
    });
    let session = Session::start(parts);
    let finished = session.send(hello()).await.unwrap().finished().await.unwrap();
    assert_eq!(finished.answer.len(), DELTAS * 5);
    let looks = looks.load(Ordering::Relaxed);
    assert!(looks <= DELTAS + 50, "{looks} looks for {DELTAS} deltas");
}

/// A model that never comes to an end and says when nobody listens any more.
struct Endless(Arc<AtomicBool>);

struct Told(Arc<AtomicBool>);

impl Drop for Told {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl ModelPort for Endless {
    fn name(&self) -> &str {
        "test/endless"
    }

    fn stream(&self, _request: ModelRequest) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
        let told = Told(Arc::clone(&self.0));
        Box::pin(stream::repeat(()).map(move |()| {
            let _held = &told;
            text("on and on ")
        }))
    }
}

#[tokio::test]
async fn a_cancel_gets_through_a_chatty_model_and_drops_its_stream() {
    let dropped = Arc::new(AtomicBool::new(false));
    let session = Session::start(spoken_by(Arc::new(Endless(Arc::clone(&dropped)))));
    let handle = session.send(hello()).await.unwrap();
    // On one thread: the model that always has more still leaves time for others.
    tokio::task::yield_now().await;
    session.cancel().await.unwrap();
    let finished = handle.finished().await.unwrap();
    assert_eq!(finished.outcome, RunOutcome::Cancelled);
    assert!(dropped.load(Ordering::SeqCst));
}
