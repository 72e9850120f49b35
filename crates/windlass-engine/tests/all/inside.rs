//! Tools that call tools: the same gates, one budget, nobody asked, and stopped with the call around them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Map, Value, json};
use windlass_core::permission::ApproveMode;
use windlass_core::ports::{ToolContext, ToolPort};
use windlass_core::protocol::event::RunOutcome;
use windlass_core::protocol::tool::{Effects, Risk, ToolFailure, ToolOutput, ToolSpec};
use windlass_engine::limits::CALLS_INSIDE_MAX;
use windlass_engine::session::Session;

use crate::session::{adder, hello, parts};
use crate::tools::tool;

/// A tool that passes a call on and gives what became of it.
fn relay(name: &str, inner: &'static str, args: Value) -> Arc<dyn ToolPort> {
    let Value::Object(args) = args else { panic!("arguments are an object") };
    tool(ToolSpec::new(name, "Passes a call on"), move |_, context: ToolContext| {
        let args = args.clone();
        async move {
            let output = match context.calls.call(inner, args).await {
                Ok(output) => output.json,
                Err(failure) => json!({"failed": failure.kind.word(), "message": failure.message}),
            };
            Ok(ToolOutput::json(output))
        }
    })
}

async fn outcome_of(tools: Vec<Arc<dyn ToolPort>>, approve: ApproveMode) -> Value {
    let script = "user Go.\nmodel call 1 outer {}\nmodel end\nmodel text Done.\n";
    let mut parts = parts(script, tools);
    parts.approve = approve;
    let session = Session::start(parts);
    let finished = session.send(hello()).await.unwrap().finished().await.unwrap();
    assert_eq!(finished.outcome, RunOutcome::Completed);
    let outcome = session.results().find("call_1").unwrap();
    outcome.body.as_ref().unwrap().json.clone()
}

#[tokio::test]
async fn a_call_inside_a_call_gives_its_output() {
    let tools = vec![relay("outer", "add", json!({"a": 19, "b": 23})), adder()];
    assert_eq!(outcome_of(tools, ApproveMode::Ask).await, 42);
}

#[tokio::test]
async fn arguments_and_names_inside_are_checked_as_any_others() {
    let wrong = vec![relay("outer", "add", json!({"a": "x", "b": 23})), adder()];
    assert_eq!(outcome_of(wrong, ApproveMode::Ask).await["failed"], "invalid_args");
    let unknown = vec![relay("outer", "ad", json!({})), adder()];
    assert_eq!(outcome_of(unknown, ApproveMode::Ask).await["failed"], "unknown_tool");
}

#[tokio::test]
async fn r_57_what_would_need_asking_is_refused_inside_a_call() {
    let ran = Arc::new(AtomicUsize::new(0));
    let tools = || {
        let ran = Arc::clone(&ran);
        let spec = ToolSpec::new("write_it", "Writes").with_effects(Effects::Write, Risk::Medium);
        let write = tool(spec, move |_: Map<String, Value>, _| {
            ran.fetch_add(1, Ordering::SeqCst);
            async { Ok(ToolOutput::text("written")) }
        });
        vec![relay("outer", "write_it", json!({})), write]
    };
    for mode in [ApproveMode::Ask, ApproveMode::Never, ApproveMode::Safe, ApproveMode::Stage] {
        assert_eq!(outcome_of(tools(), mode).await["failed"], "permission_denied", "{mode:?}");
    }
    assert_eq!(ran.load(Ordering::SeqCst), 0);
    assert_eq!(outcome_of(tools(), ApproveMode::All).await, "written");
    assert_eq!(ran.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_tool_that_calls_itself_comes_to_an_end() {
    let ran = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&ran);
    let spec = ToolSpec::new("outer", "Calls itself, twice a time");
    let fork = tool(spec, move |_, context: ToolContext| {
        count.fetch_add(1, Ordering::SeqCst);
        async move {
            let first = context.calls.call("outer", Map::new()).await;
            let second = context.calls.call("outer", Map::new()).await;
            Ok(ToolOutput::json(json!(
                first.and(second).map_err(|failure: ToolFailure| failure.message).err()
            )))
        }
    });
    let said = outcome_of(vec![fork], ApproveMode::Ask).await;
    assert!(said.is_null(), "the outermost one got what the others gave: {said}");
    let ran = ran.load(Ordering::SeqCst);
    assert_eq!(ran, 1 + 2 + 4 + 8, "three deep, twice a time");
}

#[tokio::test]
async fn all_calls_of_a_run_share_one_budget() {
    let spec = ToolSpec::new("outer", "Calls until it may not");
    let many = tool(spec, |_, context: ToolContext| async move {
        let mut ran = 0;
        while context.calls.call("add", json!({"a": 1, "b": ran}).as_object().unwrap().clone()).await.is_ok()
        {
            ran += 1;
        }
        Ok(ToolOutput::json(json!(ran)))
    });
    assert_eq!(outcome_of(vec![many, adder()], ApproveMode::Ask).await, CALLS_INSIDE_MAX);
}

#[tokio::test]
async fn a_call_inside_stops_with_the_call_around_it() {
    let dropped = Arc::new(tokio::sync::Notify::new());
    struct Bell(Arc<tokio::sync::Notify>);
    impl Drop for Bell {
        fn drop(&mut self) {
            self.0.notify_one();
        }
    }
    let (began, bell) = (Arc::new(tokio::sync::Notify::new()), Arc::clone(&dropped));
    let start = Arc::clone(&began);
    let endless = tool(ToolSpec::new("endless", "Waits for ever"), move |_, _| {
        let (bell, start) = (Bell(Arc::clone(&bell)), Arc::clone(&start));
        async move {
            let _bell = bell;
            start.notify_one();
            std::future::pending::<Result<ToolOutput, ToolFailure>>().await
        }
    });
    let script = "user Go.\nmodel call 1 outer {}\nmodel end\nmodel text Done.\n";
    let session = Session::start(parts(script, vec![relay("outer", "endless", json!({})), endless]));
    let run = session.send(hello()).await.unwrap();
    began.notified().await;
    session.cancel().await.unwrap();
    assert_eq!(run.finished().await.unwrap().outcome, RunOutcome::Cancelled);
    dropped.notified().await;
}

/// Whoever parks a session waits for a call that changes something, and with it for the calls that it makes.
#[tokio::test]
async fn a_call_that_goes_on_while_its_session_is_parked_can_make_its_calls() {
    let (began, parked) = (Arc::new(tokio::sync::Notify::new()), Arc::new(tokio::sync::Notify::new()));
    let (start, go) = (Arc::clone(&began), Arc::clone(&parked));
    let spec = ToolSpec::new("outer", "Calls when it is told").with_effects(Effects::Write, Risk::Safe);
    let outer = tool(spec, move |_, context: ToolContext| {
        let (start, go) = (Arc::clone(&start), Arc::clone(&go));
        async move {
            start.notify_one();
            go.notified().await;
            let args = json!({"a": 19, "b": 23});
            context.calls.call("add", args.as_object().cloned().unwrap_or_default()).await
        }
    });
    let script = "user Go.\nmodel call 1 outer {}\nmodel end\nmodel text Done.\n";
    let mut parts = parts(script, vec![outer, adder()]);
    parts.approve = ApproveMode::All;
    let journal = Arc::clone(&parts.journal);
    let session = Session::start(parts);
    let run = session.send(hello()).await.unwrap();
    began.notified().await;
    tokio::join!(session.park(), async { parked.notify_one() });
    assert!(run.finished().await.is_err(), "it is left unfinished");
    let records = journal.load(session.id(), 0).await.unwrap();
    let names: Vec<&str> = records.iter().map(|record| record.event.name()).collect();
    let inner = ["call-started", "inner-call-started", "inner-call-ended", "call-ended"];
    assert!(names.windows(4).any(|part| part == inner), "{names:?}");
}
