//! Callers that block, and tools that do.

use std::sync::{Arc, Barrier, OnceLock};
use std::thread;

use serde_json::json;
use windlass::prelude::*;

use crate::host::{Predictor, answering, calling, wrapper};

/// Adds two integers.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn agent() -> Windlass {
    let script = "user q\nmodel call 1 add {\"a\":19,\"b\":23}\nmodel end\nmodel text It is 42.\n";
    Windlass::builder().script(script).unwrap().tool(add).build().unwrap()
}

fn check_both() {
    assert_eq!(agent().run_sync("q").unwrap().text, "It is 42.");
    let predictor = Predictor::new([calling("get_player_gold", json!({})), answering("rich")]);
    let output = wrapper().invoke_sync_with_fn(json!({}), move |input| predictor.predict(input)).unwrap();
    assert_eq!(output["response"], "rich");
}

#[test]
fn r_15_sync_calls_work_in_a_plain_thread() {
    check_both();
    thread::spawn(check_both).join().unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn r_15_sync_calls_work_inside_a_current_thread_runtime() {
    check_both();
    tokio::spawn(async { check_both() }).await.unwrap();
    tokio::task::LocalSet::new().run_until(async { check_both() }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn r_15_sync_calls_work_inside_a_multi_thread_worker() {
    check_both();
    tokio::spawn(async { check_both() }).await.unwrap();
    tokio::task::spawn_blocking(check_both).await.unwrap();
}

/// Asks another agent, blocking, from inside an async tool: on the library's own threads.
#[tool]
async fn ask_another(_n: u32) -> Result<String, ToolFailure> {
    Ok(agent().run_sync("q").map_err(|error| error.to_string())?.text)
}

#[test]
fn r_15_tools_that_wait_for_other_agents_do_not_starve_them() {
    // More calls at a time than the library has threads.
    let calls: String = (1..=4).map(|n| format!("model call {n} ask_another {{\"_n\":{n}}}\n")).collect();
    let script = format!("user q\n{calls}model end\nmodel text All asked.\n");
    let agent = Windlass::builder().script(&script).unwrap().tool(ask_another).build().unwrap();
    let answer = agent.run_sync("q").unwrap();
    let outputs: Vec<_> = answer.trace.tools.iter().map(|call| call.output_raw.clone()).collect();
    assert_eq!(outputs, vec![json!("It is 42."); 4]);
}

const MEETING: usize = 4;

/// Blocks its thread until all have come.
#[tool(effects = "read", risk = "safe")]
fn meet(n: u32) -> u32 {
    static PLACE: OnceLock<Barrier> = OnceLock::new();
    PLACE.get_or_init(|| Barrier::new(MEETING)).wait();
    n
}

#[test]
fn e_18_tools_that_block_run_in_a_pool_and_the_event_loop_goes_on() {
    // Four tools block at the same time; the event loop has two threads. Were they not in the pool, the
    // third would never get a thread and all would wait for ever.
    let calls: String = (1..=MEETING).map(|n| format!("model call {n} meet {{\"n\":{n}}}\n")).collect();
    let script = format!("user q\n{calls}model end\nmodel text We met.\n");
    let agent = Windlass::builder().script(&script).unwrap().tool(meet).build().unwrap();
    let answer = agent.run_sync("q").unwrap();
    assert_eq!(answer.text, "We met.");
    assert!(answer.trace.tools.iter().all(|call| call.error.is_none()), "{:?}", answer.trace.tools);
}

/// Blocks until its peer lets it go.
#[tool(effects = "read", risk = "safe")]
fn wait_for_the_test(_n: u32) -> &'static str {
    GATE.get().unwrap().wait();
    "let go"
}

static GATE: OnceLock<Arc<Barrier>> = OnceLock::new();

#[test]
fn e_18_other_sessions_run_while_tools_block() {
    let gate = Arc::new(Barrier::new(4));
    GATE.set(Arc::clone(&gate)).unwrap();
    let calls: String =
        (1..=3).map(|n| format!("model call {n} wait_for_the_test {{\"_n\":{n}}}\n")).collect();
    let script = format!("user q\n{calls}model end\nmodel text Done.\n");
    let blocked = Windlass::builder().script(&script).unwrap().tool(wait_for_the_test).build().unwrap();
    let waiting = thread::spawn(move || blocked.run_sync("q").unwrap().text);
    // Three tools block or soon will, more than the loop has threads; this run must not wait for them.
    check_both();
    gate.wait();
    assert_eq!(waiting.join().unwrap(), "Done.");
}

/// Breaks.
#[tool]
fn fall_down(_n: u32) -> u32 {
    panic!("down it goes")
}

#[test]
fn e_18_a_panic_in_the_pool_is_a_failed_call_and_not_the_end() {
    let script = "user q\nmodel call 1 fall_down {\"_n\":1}\nmodel end\nmodel text It fell.\n";
    let agent = Windlass::builder().script(script).unwrap().tool(fall_down).build().unwrap();
    let answer = agent.run_sync("q").unwrap();
    assert_eq!(answer.text, "It fell.");
    let error = answer.trace.tools[0].error.clone().unwrap();
    assert!(format!("{error:?}").contains("down it goes"), "{error:?}");
}
