//! One call, whatever its tool does.

use std::future::pending;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::{Value, json};
use windlass_core::permission::{Inspection, Target};
use windlass_core::ports::{CancelFlag, ToolPort};
use windlass_core::protocol::tool::{ErrorKind, OutcomeStatus, ToolFailure, ToolOutcome, ToolOutput, Trust};
use windlass_engine::cancel::CancelSignal;
use windlass_engine::clock::Clock;
use windlass_engine::tool_run::{inspect_call, run_call};
use windlass_testkit::NullContext;

use crate::tools::{approved, call, echo, spec, tool};

/// A clock that moves 5 ms with every look.
fn stepping_clock() -> Clock {
    let now = AtomicU64::new(1_000);
    Clock::from_fn(move || now.fetch_add(5, Ordering::Relaxed))
}

async fn run_within(tool: Arc<dyn ToolPort>, timeout_ms: u64, stop: CancelSignal) -> ToolOutcome {
    let call = approved(call(&*tool, json!({"path": "a"})));
    let context = NullContext::new().output_bytes_max(1_000).build();
    run_call(tool, call, context, timeout_ms, stop, stepping_clock()).await
}

async fn run(tool: Arc<dyn ToolPort>) -> ToolOutcome {
    run_within(tool, 10_000, CancelSignal::new()).await
}

/// Tells that it was dropped: the work that held it is gone.
struct Gone(Arc<AtomicBool>);

impl Drop for Gone {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// A tool that never ends, and the signs of its life.
struct Endless {
    tool: Arc<dyn ToolPort>,
    gone: Arc<AtomicBool>,
    flag: Arc<OnceLock<CancelFlag>>,
}

impl Endless {
    fn new() -> Self {
        let gone = Arc::new(AtomicBool::new(false));
        let flag = Arc::new(OnceLock::new());
        let (sign, place) = (gone.clone(), flag.clone());
        let tool = tool(spec("wait"), move |_, context| {
            let sign = Gone(sign.clone());
            place.get_or_init(|| context.cancel.clone());
            async move {
                let _sign = sign;
                pending().await
            }
        });
        Self { tool, gone, flag }
    }

    async fn has_started(&self) {
        while self.flag.get().is_none() {
            tokio::task::yield_now().await;
        }
    }

    async fn is_gone(&self) {
        while !self.gone.load(Ordering::Acquire) {
            tokio::task::yield_now().await;
        }
    }

    fn was_asked_to_stop(&self) -> bool {
        self.flag.get().is_some_and(CancelFlag::is_cancelled)
    }
}

#[tokio::test]
async fn a_call_that_works_gives_its_output_with_all_facts() {
    let outcome = run(echo("echo")).await;
    assert_eq!(outcome.output().unwrap().json, json!({"path": "a"}));
    let meta = &outcome.meta;
    assert_eq!((meta.started_ms, meta.duration_ms, meta.attempt), (1_000, 5, 1));
    assert_eq!(meta.output_bytes, r#"{"path":"a"}"#.len() as u64);
    assert_eq!(meta.decision.as_deref(), Some("risk"));
    assert_eq!(meta.dropped_args, ["extra"]);
    assert_eq!(meta.trust, Trust::Own);
}

#[tokio::test]
async fn output_from_outside_is_marked() {
    let mut spec = spec("fetch");
    spec.untrusted_output = true;
    let outcome = run(tool(spec, |_, _| async { Ok(ToolOutput::text("page")) })).await;
    assert_eq!(outcome.meta.trust, Trust::Untrusted);
}

#[tokio::test(start_paused = true)]
async fn r_1_a_tool_that_takes_too_long_fails_and_its_task_is_gone() {
    let endless = Endless::new();
    let started = tokio::time::Instant::now();
    let outcome = run_within(endless.tool.clone(), 7_500, CancelSignal::new()).await;
    assert!(endless.gone.load(Ordering::Acquire), "the task is gone when the outcome is there");
    assert!(started.elapsed() < Duration::from_millis(8_500), "within a second after its time");
    assert!(endless.was_asked_to_stop());
    let failure = outcome.failure().unwrap();
    assert_eq!(failure.kind, ErrorKind::Timeout);
    assert_eq!(failure.message, "Tool 'wait' timed out after 7.5 seconds");
    assert_eq!(outcome.status(), OutcomeStatus::Failed);
    assert_eq!(outcome.meta.decision.as_deref(), Some("risk"));
}

/// Asks somebody who takes a minute, and works so long afterwards.
fn asking(work: Duration) -> Arc<dyn ToolPort> {
    tool(spec("ask"), move |_, context| async move {
        context.waiting.begin();
        tokio::time::sleep(Duration::from_secs(60)).await;
        context.waiting.end(60_000);
        tokio::time::sleep(work).await;
        Ok(ToolOutput::text("answered"))
    })
}

#[tokio::test(start_paused = true)]
async fn the_time_that_somebody_takes_to_answer_is_not_the_tools() {
    let quick = run_within(asking(Duration::from_secs(1)), 2_000, CancelSignal::new()).await;
    assert_eq!(quick.output().unwrap().readable(), "answered");
    let begun = tokio::time::Instant::now();
    let slow = run_within(asking(Duration::from_secs(9)), 2_000, CancelSignal::new()).await;
    assert_eq!(slow.failure().unwrap().kind, ErrorKind::Timeout);
    assert!(begun.elapsed() < Duration::from_secs(63), "two seconds of its own, and those of the other");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_1_a_tool_that_blocks_its_thread_sees_the_flag_and_stops() {
    let stopped = Arc::new(AtomicBool::new(false));
    let sign = stopped.clone();
    let tool = tool(spec("spin"), move |_, context| {
        let sign = sign.clone();
        async move {
            while !context.cancel.is_cancelled() {
                std::thread::yield_now();
            }
            sign.store(true, Ordering::Release);
            Ok(ToolOutput::text("too late"))
        }
    });
    let outcome = run_within(tool, 20, CancelSignal::new()).await;
    assert_eq!(outcome.failure().unwrap().kind, ErrorKind::Timeout);
    assert!(stopped.load(Ordering::Acquire));
}

#[tokio::test(start_paused = true)]
async fn one_call_that_times_out_does_not_hold_up_the_others() {
    let quick = |name: &str| run_within(echo(name), 100, CancelSignal::new());
    let all = tokio::join!(quick("a"), run_within(Endless::new().tool, 100, CancelSignal::new()), quick("b"));
    assert!(all.0.is_ok() && all.2.is_ok());
    assert_eq!(all.1.failure().unwrap().kind, ErrorKind::Timeout);
}

#[tokio::test]
async fn a_cancelled_call_is_stopped_and_says_so() {
    let endless = Endless::new();
    let stop = CancelSignal::new();
    let running = tokio::spawn(run_within(endless.tool.clone(), 60_000, stop.clone()));
    endless.has_started().await;
    stop.cancel();
    let outcome = running.await.unwrap();
    assert_eq!(outcome.status(), OutcomeStatus::Cancelled);
    assert_eq!(outcome.failure().unwrap().kind, ErrorKind::Cancelled);
    assert!(endless.gone.load(Ordering::Acquire));
    assert!(endless.was_asked_to_stop());
}

#[tokio::test]
async fn a_call_cancelled_before_it_starts_never_runs() {
    let endless = Endless::new();
    let stop = CancelSignal::new();
    stop.cancel();
    let outcome = run_within(endless.tool.clone(), 60_000, stop).await;
    assert_eq!(outcome.status(), OutcomeStatus::Cancelled);
    assert!(endless.flag.get().is_none());
}

#[tokio::test]
async fn dropping_the_future_of_a_call_stops_its_tool() {
    let endless = Endless::new();
    let running = tokio::spawn(run_within(endless.tool.clone(), 60_000, CancelSignal::new()));
    endless.has_started().await;
    running.abort();
    endless.is_gone().await;
    assert!(endless.was_asked_to_stop());
}

#[tokio::test]
async fn a_tool_that_panics_fails_its_call_and_nothing_else() {
    let tool = tool(spec("t"), |_, _| async { panic!("index {} out of range", 7) });
    let outcome = run(tool).await;
    let failure = outcome.failure().unwrap();
    assert_eq!(failure.kind, ErrorKind::Internal);
    assert_eq!(failure.message, "Runtime error: index 7 out of range");
    assert!(run(echo("echo")).await.is_ok());
}

#[tokio::test]
async fn a_failure_keeps_its_kind_and_is_bounded() {
    let tool = tool(spec("t"), |_, _| async {
        Err(ToolFailure::not_found("é".repeat(100_000)).hint("h".repeat(100_000)))
    });
    let outcome = run(tool).await;
    let failure = outcome.failure().unwrap();
    assert_eq!(failure.kind, ErrorKind::NotFound);
    assert_eq!(failure.message.chars().count(), 8_000);
    assert_eq!(failure.hint.as_ref().unwrap().len(), 8_000);
}

#[tokio::test]
async fn output_above_the_bound_is_cut_and_marked() {
    let tool = tool(spec("t"), |_, _| async { Ok(ToolOutput::text("é".repeat(10_000))) });
    let outcome = run(tool).await;
    assert!(outcome.meta.is_truncated);
    assert_eq!(outcome.meta.output_bytes, 1_000);
}

async fn inspect(path: Value, is_inspected: bool) -> Result<Inspection, Box<ToolFailure>> {
    let mut spec = spec("look");
    spec.inspected = is_inspected;
    let tool = tool(spec, |_, _| async { Ok(ToolOutput::text("")) });
    let call = call(&*tool, json!({"path": path}));
    inspect_call(tool, call, NullContext::new().build(), CancelSignal::new()).await.map_err(Box::new)
}

#[tokio::test(start_paused = true)]
async fn an_inspection_says_what_a_call_would_touch_or_refuses_it() {
    assert_eq!(inspect(json!("a"), true).await.unwrap().targets, [Target::Path("a".into())]);
    assert!(
        inspect(json!("a"), false).await.unwrap().targets.is_empty(),
        "tools that do not inspect are not asked"
    );
    assert_eq!(inspect(json!("outside"), true).await.unwrap_err().kind, ErrorKind::PermissionDenied);
    assert_eq!(inspect(json!("break"), true).await.unwrap_err().message, "Runtime error: cannot look");
    let hanging = inspect(json!("hang"), true).await.unwrap_err();
    assert_eq!(hanging.message, "Tool 'look' timed out after 5 seconds");
}
