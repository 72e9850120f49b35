//! What is expected of a run holds silently, and what does not hold is told with the whole trace.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::json;
use windlass::prelude::*;
use windlass::testing::{self, FixedClock, RunExpected, expect};

/// Adds two integers.
#[tool]
async fn add(a: i64, b: i64) -> Result<i64, ToolError> {
    Ok(a + b)
}

/// Looks at something.
#[tool]
async fn look(at: String) -> Result<String, ToolFailure> {
    Err(ToolFailure::from(format!("there is no {at}")))
}

fn answer() -> Answer {
    let script = "user Go.\nmodel call 1 add {\"a\":1,\"b\":2}\nmodel call 2 look {\"at\":\"hill\"}\nmodel end\n\
                  model call 3 add {\"a\":3,\"b\":4}\nmodel end\nmodel text Seven.\n";
    testing::scripted_agent(script).tool(add).tool(look).build().unwrap().run_sync("Go.").unwrap()
}

/// What an expectation says that does not hold.
fn complaint(check: impl Fn(RunExpected<'_>)) -> String {
    let answer = answer();
    let caught = catch_unwind(AssertUnwindSafe(|| check(expect(&answer)))).unwrap_err();
    caught.downcast_ref::<String>().unwrap().clone()
}

#[test]
fn what_happened_holds() {
    let answer = answer();
    expect(&answer).called("add").times(2).before("look").outcome(RunOutcome::Completed);
    expect(&answer).called("add").with(json!({"b": 4, "a": 3})).gave(json!(7)).times(1).after("look");
    expect(&answer.trace).called("look").with_some(json!({})).times(1).not_called("remove");
    expect(&answer)
        .calls(["add", "look", "add"])
        .no_warnings()
        .reason(&StopReason::Answered)
        .answer_has("Seven");
}

#[test]
fn what_did_not_happen_is_told_with_the_trace() {
    let told = complaint(|run| drop(run.called("remove")));
    assert!(told.starts_with("remove was not called\nrun "), "{told}");
    for line in
        ["1. add({\"a\":1,\"b\":2})", "Completed: 3", "failed (", "there is no hill", "answer: Seven."]
    {
        assert!(told.contains(line), "{line}: {told}");
    }
    let told = |check: fn(RunExpected<'_>)| complaint(check).lines().next().unwrap().to_owned();
    assert_eq!(told(|run| drop(run.called("add").times(3))), "add was called 2 times and not 3");
    assert_eq!(
        told(|run| drop(run.called("add").with(json!({"a": 9})))),
        "add with {\"a\":9} was not called"
    );
    assert_eq!(told(|run| drop(run.called("look").before("add"))), "look was not called before add");
    assert_eq!(told(|run| _ = run.no_failures()), "look failed");
    assert_eq!(
        told(|run| _ = run.outcome(RunOutcome::Failed)),
        "the outcome was Some(Completed) and not Failed"
    );
}

#[test]
fn a_clock_that_stands_still_gives_the_same_times() {
    let clock = FixedClock::at_ms(1_000);
    let agent = testing::scripted_agent("user A\nmodel text One.\nuser B\nmodel text Two.\n");
    let agent = agent.clock(clock.clone()).build().unwrap();
    let first = agent.run_sync("A").unwrap().trace;
    assert_eq!((first.started_at.as_str(), first.total_duration_ms), ("1970-01-01T00:00:01.000Z", 0));
    assert_eq!(first.ended_at, first.started_at);
    clock.advance_ms(60_000);
    assert!(agent.run_sync("B").unwrap().trace.started_at.starts_with("1970-01-01T00:01:01"));
}
