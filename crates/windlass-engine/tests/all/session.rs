//! Whole sessions: a scripted model, real tools in real tasks, events as front ends see them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use serde_json::json;
use windlass_core::permission::{ApproveMode, Decision, PermissionAnswer, PolicySet};
use windlass_core::ports::{JournalFailure, JournalPort, ToolPort};
use windlass_core::profile::Profile;
use windlass_core::protocol::command::MessageSend;
use windlass_core::protocol::event::{DeltaEvent, DurableEvent, Event, Record, RunOutcome, StopReason};
use windlass_core::protocol::ids::SessionId;
use windlass_core::protocol::tool::{Effects, ErrorKind, Risk, ToolOutput, ToolSpec};
use windlass_core::run::{Finished, RunSettings};
use windlass_engine::bus::{Delivery, Subscription};
use windlass_engine::clock::Clock;
use windlass_engine::ids::{new_message_id, new_run_id, new_session_id};
use windlass_engine::journal::MemoryJournal;
use windlass_engine::policy_store::PolicyStore;
use windlass_engine::registry::Registry;
use windlass_engine::session::{Past, SendError, Session, SessionParts};
use windlass_scripted::{Script, ScriptedModel};

use crate::tools::tool;

pub(crate) fn adder() -> Arc<dyn ToolPort> {
    let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "required": ["a", "b"]});
    tool(ToolSpec::new("add", "Adds two integers").with_schema(schema), |args, _| async move {
        Ok(ToolOutput::json(json!(args["a"].as_i64().unwrap() + args["b"].as_i64().unwrap())))
    })
}

pub(crate) fn parts(script: &str, tools: Vec<Arc<dyn ToolPort>>) -> SessionParts {
    let script = Script::parse("test.script", script).unwrap();
    let registry = Registry::new();
    for tool in tools {
        registry.register(tool).unwrap();
    }
    SessionParts {
        session_id: new_session_id(),
        settings: Arc::new(RunSettings {
            profile: Profile::default(),
            model: "scripted/test.script".into(),
            system: "".into(),
            context_tokens: None,
            form: None,
        }),
        model: Arc::new(ScriptedModel::new(&script)),
        registry,
        root: std::env::temp_dir(),
        policies: PolicyStore::in_memory(PolicySet::default()),
        approve: ApproveMode::Ask,
        journal: Arc::new(MemoryJournal::new()),
        audit: None,
        clock: Clock::system(),
        past: Past::default(),
    }
}

pub(crate) fn hello() -> MessageSend {
    MessageSend::text(new_run_id(), new_message_id(), "Go.")
}

async fn run(session: &Session) -> Finished {
    session.send(hello()).await.unwrap().finished().await.unwrap()
}

/// Reads events until one fits.
async fn wait_for(events: &mut Subscription, mut fits: impl FnMut(&Event) -> bool) -> Arc<Record> {
    loop {
        match events.next().await {
            Delivery::Record(record) if fits(&record.event) => return record,
            Delivery::Record(_) | Delivery::Snapshot { .. } => {}
            other => panic!("the events ended early: {other:?}"),
        }
    }
}

#[tokio::test]
async fn p_10_p_11_r_23_a_run_goes_from_message_through_calls_to_its_answer() {
    let script = "user Go.\nmodel call 1 add {\"a\":19,\"b\":23}\nmodel call 2 add {\"a\":1,\"b\":2}\n\
                  expect-request contains 42\nmodel text 42 it is.\n";
    let session = Session::start(parts(script, vec![adder()]));
    let finished = run(&session).await;
    assert_eq!((finished.outcome, finished.reason), (RunOutcome::Completed, StopReason::Answered));
    assert_eq!(finished.answer, "42 it is.");
}

#[tokio::test]
async fn a_second_message_while_a_run_goes_on_is_refused_and_loses_nothing() {
    let session = Session::start(parts("user Go.\nmodel hang\n", vec![]));
    let first = session.send(hello()).await.unwrap();
    let second = session.send(hello()).await.unwrap().finished().await;
    assert!(matches!(second, Err(SendError::Busy(_))), "{second:?}");
    session.cancel().await.unwrap();
    assert_eq!(first.finished().await.unwrap().outcome, RunOutcome::Cancelled);
}

#[tokio::test]
async fn r_60_a_question_waits_for_its_answer_and_the_run_goes_on() {
    let wrote = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&wrote);
    let spec = ToolSpec::new("write_it", "Writes").with_effects(Effects::Write, Risk::Medium);
    let tool = tool(spec, move |_, _| {
        let count = Arc::clone(&count);
        async move {
            count.fetch_add(1, Ordering::SeqCst);
            Ok(ToolOutput::text("written"))
        }
    });
    let script =
        "user Go.\nmodel call 1 write_it {}\nmodel call 2 write_it {\"n\":1}\nmodel end\nmodel text Done.\n";
    let session = Session::start(parts(script, vec![tool]));
    let mut events = session.subscribe();
    let handle = session.send(hello()).await.unwrap();
    for decision in [Decision::Once, Decision::Deny] {
        let record = wait_for(&mut events, |event| {
            matches!(event, Event::Durable(DurableEvent::PermissionRequested { .. }))
        })
        .await;
        let Event::Durable(DurableEvent::PermissionRequested { question }) = &record.event else {
            unreachable!()
        };
        let digest = question.digest.clone();
        session.answer(question.call_id.clone(), digest, PermissionAnswer::new(decision)).await.unwrap();
    }
    assert_eq!(handle.finished().await.unwrap().outcome, RunOutcome::Completed);
    assert_eq!(wrote.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn r_7_cancel_stops_running_calls_within_a_second_and_keeps_what_siblings_gave() {
    let slow = tool(ToolSpec::new("slow", "Hangs").with_effects(Effects::Read, Risk::Safe), |_, _| async {
        std::future::pending().await
    });
    let script = "user Go.\nmodel call 1 add {\"a\":1,\"b\":2}\nmodel call 2 slow {}\n";
    let session = Session::start(parts(script, vec![adder(), slow]));
    let mut events = session.subscribe();
    let handle = session.send(hello()).await.unwrap();
    wait_for(
        &mut events,
        |event| matches!(event, Event::Durable(DurableEvent::CallEnded { name, .. }) if name == "add"),
    )
    .await;
    let asked = Instant::now();
    session.cancel().await.unwrap();
    let finished = handle.finished().await.unwrap();
    assert!(asked.elapsed() < Duration::from_secs(1));
    assert_eq!(finished.outcome, RunOutcome::Cancelled);
    let outcomes: Vec<bool> = finished
        .transcript
        .iter()
        .filter_map(|message| match message.as_ref() {
            windlass_core::protocol::message::Message::Tool(tool) => Some(tool.is_ok),
            _ => None,
        })
        .collect();
    assert_eq!(outcomes, [true, false]);
}

#[tokio::test]
async fn r_1_r_34_a_call_over_its_time_fails_and_the_others_are_delivered() {
    let mut spec = ToolSpec::new("slow", "Hangs").with_effects(Effects::Read, Risk::Safe);
    spec.timeout_ms = Some(50);
    let slow = tool(spec, |_, _| async { std::future::pending().await });
    let script = "user Go.\nmodel call 1 add {\"a\":1,\"b\":2}\nmodel call 2 slow {}\nmodel call 3 add {\"a\":3,\"b\":2}\n\
                  expect-request contains timed out\nmodel text Two of three.\n";
    let session = Session::start(parts(script, vec![adder(), slow]));
    let finished = run(&session).await;
    assert_eq!(finished.answer, "Two of three.");
}

#[tokio::test]
async fn r_24_text_arrives_before_the_model_has_finished() {
    let session = Session::start(parts("user Go.\nmodel text One two three.\nmodel hang\n", vec![]));
    let mut events = session.subscribe();
    let handle = session.send(hello()).await.unwrap();
    wait_for(&mut events, |event| matches!(event, Event::Delta(DeltaEvent::TextDelta { .. }))).await;
    session.cancel().await.unwrap();
    assert_eq!(handle.finished().await.unwrap().answer, "One two three.");
}

#[tokio::test]
async fn s_2_s_17_with_the_flag_a_read_starts_while_the_model_still_speaks() {
    let mut parts = parts("user Go.\nmodel call 1 add {\"a\":1,\"b\":2}\nmodel hang\n", vec![adder()]);
    let profile = Profile { executes_while_streaming: true, ..Profile::default() };
    parts.settings = Arc::new(RunSettings { profile, ..parts.settings.as_ref().clone() });
    let session = Session::start(parts);
    let mut events = session.subscribe();
    let handle = session.send(hello()).await.unwrap();
    let ended =
        wait_for(&mut events, |event| matches!(event, Event::Durable(DurableEvent::CallEnded { .. }))).await;
    let Event::Durable(DurableEvent::CallEnded { outcome, .. }) = &ended.event else { unreachable!() };
    assert!(outcome.is_ok());
    session.cancel().await.unwrap();
    handle.finished().await.unwrap();
}

#[tokio::test]
async fn r_14_a_tool_that_registers_a_tool_does_not_deadlock_and_the_new_one_is_there_at_the_next_step() {
    let mut parts = parts(
        "user Go.\nmodel call 1 grow {}\nexpect-request tools add,grow\nmodel call 2 add {\"a\":2,\"b\":2}\n\
         model end\nmodel text Four.\n",
        vec![],
    );
    let registry = parts.registry.clone();
    let inner = registry.clone();
    registry
        .register(tool(ToolSpec::new("grow", "Registers add"), move |_, _| {
            let registry = inner.clone();
            async move {
                registry.register(adder()).unwrap();
                Ok(ToolOutput::text("registered"))
            }
        }))
        .unwrap();
    parts.registry = registry;
    let finished = run(&Session::start(parts)).await;
    assert_eq!(finished.answer, "Four.");
}

#[tokio::test]
async fn a_tool_that_panics_gives_an_internal_failure_and_the_run_goes_on() {
    let broken = tool(ToolSpec::new("broken", "Panics"), |_, _| async { panic!("boom") });
    let script = "user Go.\nmodel call 1 broken {}\nmodel end\nmodel text It broke.\n";
    let session = Session::start(parts(script, vec![broken]));
    let mut events = session.subscribe();
    let handle = session.send(hello()).await.unwrap();
    let ended =
        wait_for(&mut events, |event| matches!(event, Event::Durable(DurableEvent::CallEnded { .. }))).await;
    let Event::Durable(DurableEvent::CallEnded { outcome, .. }) = &ended.event else { unreachable!() };
    assert_eq!(outcome.failure().unwrap().kind, ErrorKind::Internal);
    assert_eq!(handle.finished().await.unwrap().answer, "It broke.");
}

/// A journal that takes a few records and then none.
struct FullJournal {
    inner: MemoryJournal,
    left: AtomicUsize,
}

#[async_trait]
impl JournalPort for FullJournal {
    async fn append(&self, records: &[Arc<Record>]) -> Result<(), JournalFailure> {
        let left = self.left.load(Ordering::SeqCst);
        if left < records.len() {
            return Err(JournalFailure { message: "no space left".into() });
        }
        self.left.store(left - records.len(), Ordering::SeqCst);
        self.inner.append(records).await
    }

    async fn load(&self, session_id: &SessionId, after: u64) -> Result<Vec<Arc<Record>>, JournalFailure> {
        self.inner.load(session_id, after).await
    }
}

#[tokio::test]
async fn a_journal_that_fails_stops_the_run_before_anything_unwritten_happens() {
    for room in 0..12 {
        let ran = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&ran);
        let spec = ToolSpec::new("touch", "Touches").with_effects(Effects::Write, Risk::Safe);
        let tool = tool(spec, move |_, _| {
            count.fetch_add(1, Ordering::SeqCst);
            async { Ok(ToolOutput::text("touched")) }
        });
        let mut parts = parts("user Go.\nmodel call 1 touch {}\nmodel end\nmodel text Done.\n", vec![tool]);
        let journal = Arc::new(FullJournal { inner: MemoryJournal::new(), left: AtomicUsize::new(room) });
        parts.journal = Arc::clone(&journal) as Arc<dyn JournalPort>;
        let id = parts.session_id.clone();
        let finished = run(&Session::start(parts)).await;
        let written = journal.load(&id, 0).await.unwrap();
        let intents = written
            .iter()
            .filter(|record| matches!(record.event, Event::Durable(DurableEvent::CallStarted { .. })))
            .count();
        assert_eq!(
            ran.load(Ordering::SeqCst),
            intents,
            "a call ran whose intent was not written (room {room})"
        );
        if finished.outcome == RunOutcome::Failed {
            assert_eq!(finished.reason, StopReason::JournalFailed);
        }
    }
}

#[tokio::test]
async fn the_actor_ends_when_the_last_handle_is_gone() {
    let session = Session::start(parts("user Go.\nmodel text Hi.\n", vec![]));
    let mut events = session.subscribe();
    run(&session).await;
    drop(session);
    while !matches!(events.next().await, Delivery::Closed) {}
}

/// What was logged, line by line.
#[derive(Clone, Default)]
struct Log(Arc<std::sync::Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn p_24_the_log_follows_each_call_by_request_parent_and_call_id() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .without_time()
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    // With a second listener, what tests beside this one log first is not taken for what nobody wants to hear.
    let _second = tracing::Dispatch::new(tracing_subscriber::registry());
    tracing::callsite::rebuild_interest_cache();
    let script =
        "user Go.\nmodel call 1 add {\"a\":1,\"b\":2}\nmodel call 2 add {}\nmodel end\nmodel text Done.\n";
    let session = Session::start(parts(script, vec![adder()]));
    let send = hello();
    let (run_id, message_id) = (send.run_id.to_string(), send.message_id.to_string());
    session.send(send).await.unwrap().finished().await.unwrap();
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    for (level, what, call) in [
        ("INFO", "call requested", "call_1"),
        ("INFO", "call completed", "call_1"),
        ("INFO", "call requested", "call_2"),
        ("WARN", "call failed", "call_2"),
    ] {
        let ids =
            [format!("request_id={run_id}"), format!("parent_id={message_id}"), format!("call_id={call}")];
        let is_it = |line: &&str| {
            line.trim_start().starts_with(level)
                && line.contains(what)
                && ids.iter().all(|id| line.contains(id))
        };
        assert_eq!(text.lines().filter(is_it).count(), 1, "{level} {what} {call} in:\n{text}");
    }
}

#[tokio::test]
async fn p_13_a_call_knows_what_the_user_said_last() {
    let listen = tool(ToolSpec::new("listen", "Says what was said"), |_, context| async move {
        Ok(ToolOutput::text(format!("heard: {}", context.user_message)))
    });
    let script = "user Go.\nmodel call 1 listen {}\nexpect-request contains heard: Go.\nmodel text Done.\n\
                  user Go on.\nmodel call 2 listen {}\nexpect-request contains heard: Go on.\nmodel text Done.\n";
    let session = Session::start(parts(script, vec![listen]));
    for text in ["Go.", "Go on."] {
        let send = MessageSend::text(new_run_id(), new_message_id(), text);
        let finished = session.send(send).await.unwrap().finished().await.unwrap();
        assert_eq!((finished.outcome, finished.answer.as_str()), (RunOutcome::Completed, "Done."));
    }
}
