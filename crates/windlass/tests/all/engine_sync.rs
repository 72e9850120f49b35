//! Callers that block, callers that run out of time, and callers that go away.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use futures::FutureExt;
use serde_json::{Value, json};
use tokio::sync::Notify;
use windlass::dspy::{DSPyEngineError, ModuleEngine, ModuleRequest, async_trait};
use windlass::prelude::*;

use crate::host::{answering, calling};
use crate::shop::{Answering, Hanging, block_on, engine, fixtures, said, signatures};

fn query() -> Value {
    json!({"query": "How much gold do I have?"})
}

fn rich() -> ModuleEngine {
    engine(Answering::outputs([calling("get_player_gold", json!({})), answering("rich")]))
}

fn check() {
    let engine = rich();
    assert_eq!(engine.invoke_with_tools_sync("test.tool_module", query()).unwrap()["response"], "rich");
    assert_eq!(
        engine.invoke_sync("test.tool_module", query()).unwrap(),
        calling("get_player_gold", json!({}))
    );
    let timely = engine.invoke_with_tools_sync_with_timeout("test.tool_module", query(), 60_000);
    assert_eq!(timely.unwrap()["response"], "rich");
    assert!(engine.invoke_sync_with_timeout("test.tool_module", query(), 60_000).is_ok());
}

#[test]
fn r_15_sync_invocations_work_in_a_plain_thread() {
    check();
    thread::spawn(check).join().unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn r_15_sync_invocations_work_inside_a_current_thread_runtime() {
    check();
    tokio::spawn(async { check() }).await.unwrap();
    tokio::task::LocalSet::new().run_until(async { check() }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn r_15_sync_invocations_work_inside_a_multi_thread_worker() {
    check();
    tokio::spawn(async { check() }).await.unwrap();
    tokio::task::spawn_blocking(check).await.unwrap();
}

#[test]
fn async_invocations_need_no_runtime_of_their_own() {
    let engine = rich();
    let output = block_on(engine.invoke_with_tools("test.tool_module", query()));
    assert_eq!(output.unwrap()["response"], "rich");
}

/// Asks a module, blocking, on the very threads that drive the invocations.
struct Asking(&'static str);

#[async_trait]
impl Tool for Asking {
    fn name(&self) -> &str {
        self.0
    }
    fn description(&self) -> &str {
        "Asks a module"
    }
    async fn execute(&self, _args: Value) -> Result<Value, ToolError> {
        let failed = |error: DSPyEngineError| ToolError::ExecutionFailed(error.to_string());
        match self.0 {
            "ask_blocking" => rich().invoke_with_tools_sync("test.tool_module", query()).map_err(failed),
            _ => rich().invoke_with_tools("test.tool_module", query()).await.map_err(failed),
        }
    }
}

#[test]
fn r_15_tools_that_invoke_modules_blocking_or_not_do_not_starve_them() {
    for name in ["ask_blocking", "ask"] {
        // More of them at a time than the library has threads.
        let threads: Vec<_> = (0..6)
            .map(|_| {
                thread::spawn(move || {
                    let engine = engine(Answering::outputs([calling(name, json!({})), answering("asked")]));
                    engine.register_tool_sync(Arc::new(Asking(name)));
                    engine.invoke_with_tools_sync("test.tool_module", query()).unwrap()
                })
            })
            .collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap()["response"], "asked");
        }
    }
}

/// Waits for ever; says when it was stopped.
struct Waiting(Arc<Notify>);

struct Stopped(Arc<Notify>);

impl Drop for Stopped {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

#[async_trait]
impl Tool for Waiting {
    fn name(&self) -> &str {
        "wait"
    }
    fn description(&self) -> &str {
        "Waits for ever"
    }
    async fn execute(&self, _args: Value) -> Result<Value, ToolError> {
        let _stopped = Stopped(Arc::clone(&self.0));
        std::future::pending().await
    }
}

#[tokio::test]
async fn a_timeout_stops_the_tool_and_keeps_the_trace() {
    let stopped = Arc::new(Notify::new());
    let engine =
        engine(Answering::outputs([calling("get_player_gold", json!({})), calling("wait", json!({}))]));
    engine.register_tool_sync(Arc::new(Waiting(Arc::clone(&stopped))));
    let request = ModuleRequest::new("test.tool_module", query())
        .with_tools(ToolWrapperConfig::default())
        .with_timeout(1_000);
    let (result, trace) = engine.invoke_traced(request).await;
    assert_eq!(result, Err(DSPyEngineError::Timeout(1_000)));
    stopped.notified().await;
    let names: Vec<&str> = trace.tools.iter().map(|call| call.name.as_str()).collect();
    assert_eq!(names, ["get_player_gold", "wait"]);
    assert_eq!(trace.tools[0].output_raw, json!({"gold": 500}));
}

/// Waits until something has happened so often.
fn wait_for(count: &AtomicUsize, times: usize) {
    let begun = Instant::now();
    while count.load(Ordering::SeqCst) < times {
        assert!(begun.elapsed() < Duration::from_secs(20), "it does not happen");
        thread::yield_now();
    }
}

#[tokio::test]
async fn a_timeout_stops_the_model_in_every_form() {
    let model = Hanging::default();
    let engine = engine(model.clone());
    let timeout = Err(DSPyEngineError::Timeout(200));
    let id = "test.tool_module";
    assert_eq!(engine.invoke_with_timeout(id, query(), 200).await, timeout);
    assert_eq!(engine.invoke_with_tools_with_timeout(id, query(), 200).await, timeout);
    assert_eq!(engine.invoke_sync_with_timeout(id, query(), 200), timeout);
    assert_eq!(engine.invoke_with_tools_sync_with_timeout(id, query(), 200), timeout);
    let asked = model.asked.load(Ordering::SeqCst);
    assert!(asked > 0, "time ran out before anything was asked");
    wait_for(&model.dropped, asked);
}

#[tokio::test]
async fn an_invocation_that_nobody_waits_for_is_stopped() {
    let model = Hanging::default();
    let engine = engine(model.clone());
    let mut waiting = Box::pin(engine.invoke("test.tool_module", query()));
    assert!((&mut waiting).now_or_never().is_none());
    wait_for(&model.asked, 1);
    assert_eq!(model.dropped.load(Ordering::SeqCst), 0);
    drop(waiting);
    wait_for(&model.dropped, 1);
}

#[test]
fn a_timeout_comes_although_a_tool_does_not_stop() {
    static GATE: OnceLock<Arc<Mutex<()>>> = OnceLock::new();
    /// Blocks its thread, deaf to everything.
    #[tool(effects = "read", risk = "safe")]
    fn sleep_on(_n: u32) -> u32 {
        drop(GATE.get().unwrap().lock());
        0
    }
    let gate = GATE.get_or_init(Arc::default);
    let held = gate.lock().unwrap();
    let engine = engine(Answering::outputs([calling("sleep_on", json!({"_n": 1}))]));
    engine.register_port(Arc::new(sleep_on)).unwrap();
    let result = engine.invoke_with_tools_sync_with_timeout("test.tool_module", query(), 50);
    assert_eq!(result, Err(DSPyEngineError::Timeout(50)));
    drop(held);
}

#[tokio::test]
async fn many_invocations_at_once_keep_their_own_inputs() {
    let model = Answering::new(|request| {
        let said = said(request);
        let query = said.lines().next().unwrap().strip_prefix("query: ").unwrap().to_owned();
        match said.contains("returned:") {
            true => answering(&query).to_string(),
            false => calling("echo", json!({"query": query})).to_string(),
        }
    });
    let engine = ModuleEngine::new(fixtures(), Arc::new(model), signatures()).unwrap();
    engine.register_tool_sync(Arc::new(crate::host::Echo));
    let all =
        futures::future::join_all(
            (0..200).map(|n| {
                let engine = engine.clone();
                async move {
                    engine.invoke_with_tools("test.tool_module", json!({"query": format!("q{n}")})).await
                }
            }),
        );
    for (n, output) in all.await.into_iter().enumerate() {
        assert_eq!(output.unwrap()["response"], format!("q{n}"));
    }
}
