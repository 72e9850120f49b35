//! What is wished for one run: it holds for that run, also after the program stopped in the middle, and for no other.

use std::path::Path;
use std::time::Duration;

use futures::StreamExt;
use windlass::core::limits::{
    Limits, WISHED_CALLS_MAX, WISHED_COST_USD_MAX, WISHED_TIMEOUT_MS_MAX, WISHED_TOKENS_MAX,
};
use windlass::core::ports::host::HostError;
use windlass::core::protocol::command::RunWishes;
use windlass::prelude::*;

/// Adds two integers.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Two steps with a call, 100 tokens and 3 cents each, and an answer.
const SUMS: &str = "user q\n\
    model call 1 add {\"a\":1,\"b\":2}\nmodel usage input=90 output=10 cost_usd=0.03\nmodel end\n\
    model call 2 add {\"a\":3,\"b\":4}\nmodel usage input=90 output=10 cost_usd=0.03\nmodel end\n\
    model text As far as I came.\nmodel usage input=90 output=10 cost_usd=0\n";
const HANGS: &str = "user q\nmodel call 1 add {\"a\":1,\"b\":2}\nmodel usage input=90 output=10 cost_usd=0.03\nmodel end\n\
    model text Wait\nmodel hang\nmodel text As far as I came.\n";

fn with_script(script: &str) -> Builder {
    Windlass::builder().script(script).unwrap().tool(add)
}

fn kept(script: &str, folder: &Path) -> Windlass {
    with_script(script).store(folder).unwrap().root(folder).build().unwrap()
}

/// Every budget that a run with [`SUMS`] reaches in its second step, and why it stops then.
fn budgets() -> [(RunOrder, StopReason); 3] {
    let order = || RunOrder::new("q");
    [
        (order().calls_max(1), StopReason::CallsMax),
        (order().tokens_max(250), StopReason::TokensMax),
        (order().cost_usd_max(0.07), StopReason::CostMax),
    ]
}

fn assert_limited(answer: &Answer, reason: &StopReason) {
    assert_eq!((answer.outcome, &answer.reason), (RunOutcome::LimitReached, reason));
    assert_eq!(answer.text, "As far as I came.");
    assert_eq!(answer.trace.tools.len(), 2);
}

#[tokio::test]
async fn every_budget_ends_the_run_with_an_answer_and_leaves_the_next_run_alone() {
    for (order, reason) in budgets() {
        let agent = with_script(SUMS).build().unwrap();
        assert_limited(&agent.session("ada").run(order).await.unwrap(), &reason);
        let next = agent.session("ben").run("q").await.unwrap();
        assert_eq!((next.outcome, next.trace.tools.len()), (RunOutcome::Completed, 2));
        assert_eq!(next.usage.cost_usd, Some(0.06));
    }
}

#[tokio::test]
async fn a_budget_that_is_not_reached_changes_nothing() {
    let order = RunOrder::new("q")
        .calls_max(2)
        .tokens_max(1_000)
        .cost_usd_max(0.2)
        .time_max(Duration::from_secs(600));
    let answer = with_script(SUMS).build().unwrap().run(order).await.unwrap();
    assert_eq!((answer.outcome, answer.trace.warnings.len()), (RunOutcome::Completed, 0));
}

#[tokio::test]
async fn a_wish_never_raises_what_the_profile_allows() {
    let mut profile = Profile::default();
    profile.limits = Limits {
        calls_per_run_max: 1,
        tokens_max: Some(250),
        final_reserve_tokens: 60,
        cost_usd_max: Some(0.07),
        ..profile.limits
    };
    for order in [
        RunOrder::new("q").calls_max(WISHED_CALLS_MAX),
        RunOrder::new("q").tokens_max(WISHED_TOKENS_MAX),
        RunOrder::new("q").cost_usd_max(WISHED_COST_USD_MAX),
    ] {
        let answer = with_script(SUMS).profile(profile.clone()).build().unwrap().run(order).await.unwrap();
        assert_eq!(answer.outcome, RunOutcome::LimitReached, "{:?}", answer.reason);
    }
}

#[tokio::test]
async fn a_cost_that_nobody_knows_is_warned_of_and_stops_nothing() {
    let script = SUMS.replace(" cost_usd=0.03", "").replace(" cost_usd=0", "");
    let answer =
        with_script(&script).build().unwrap().run(RunOrder::new("q").cost_usd_max(0.01)).await.unwrap();
    assert_eq!((answer.outcome, answer.usage.cost_usd), (RunOutcome::Completed, None));
    let [warning] = &answer.trace.warnings[..] else { panic!("{:?}", answer.trace.warnings) };
    assert_eq!(warning.code.word(), "COST_UNKNOWN");
    assert!(warning.message.contains("0.01 US dollars"), "{warning:?}");
}

#[tokio::test]
async fn out_of_time_and_cancelled_a_run_still_has_an_answer() {
    let agent = with_script(HANGS).build().unwrap();
    let order = RunOrder::new("q").time_max(Duration::from_millis(400));
    let late = agent.session("ada").run(order).await.unwrap();
    assert_eq!((late.outcome, late.reason), (RunOutcome::LimitReached, StopReason::Deadline));
    assert_eq!(late.text, "As far as I came.");
    let order = RunOrder::new("q").time_max(Duration::from_secs(3_600));
    let run = agent.session("ben").begin(order).await.unwrap();
    let mut events = run.clone().stream();
    while !matches!(events.next().await.unwrap(), Event::Delta(DeltaEvent::TextDelta { .. })) {}
    run.cancel().await.unwrap();
    let stopped = run.answer().await.unwrap();
    assert_eq!((stopped.outcome, stopped.text.as_str()), (RunOutcome::Cancelled, "Wait"));
}

#[tokio::test]
async fn what_cannot_be_a_budget_is_refused_before_the_run_begins() {
    let agent = with_script(SUMS).build().unwrap();
    let order = || RunOrder::new("q");
    let too_long = Duration::from_millis(WISHED_TIMEOUT_MS_MAX + 1);
    for (order, field) in [
        (order().calls_max(0), "calls_max"),
        (order().calls_max(u32::MAX), "calls_max"),
        (order().tokens_max(0), "tokens_max"),
        (order().tokens_max(u64::MAX), "tokens_max"),
        (order().cost_usd_max(0.0), "cost_usd_max"),
        (order().cost_usd_max(-0.5), "cost_usd_max"),
        (order().cost_usd_max(f64::NAN), "cost_usd_max"),
        (order().cost_usd_max(f64::INFINITY), "cost_usd_max"),
        (order().time_max(Duration::ZERO), "run_timeout_ms"),
        (order().time_max(too_long), "run_timeout_ms"),
        (order().time_max(Duration::MAX), "run_timeout_ms"),
    ] {
        match agent.session("ada").run(order).await {
            Err(WindlassError::Host(HostError::Invalid { field: Some(named), message })) => {
                assert!(named == field && message.contains(field), "{field}: {named} {message}");
            }
            other => panic!("{field}: {other:?}"),
        }
    }
    assert_eq!(agent.session("ada").runs().await.unwrap(), []);
}

/// Leaves a run in the middle of its second step.
async fn stopped(order: RunOrder, folder: &Path) {
    let agent = kept(HANGS, folder);
    let mut events = agent.session("ada").stream(order);
    while !matches!(events.next().await.unwrap(), Event::Delta(DeltaEvent::TextDelta { .. })) {}
    agent.close().await.unwrap();
}

#[tokio::test]
async fn every_budget_holds_when_the_run_is_taken_up_again() {
    for (order, reason) in budgets() {
        let folder = tempfile::tempdir().unwrap();
        stopped(order, folder.path()).await;
        let agent = kept(SUMS, folder.path());
        let run = agent.resume_all().await.unwrap().into_runs().next().unwrap();
        assert_limited(&run.answer().await.unwrap(), &reason);
        agent.close().await.unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    stopped(RunOrder::new("q").time_max(Duration::from_secs(4)), folder.path()).await;
    let agent = kept(HANGS, folder.path());
    let run = agent.resume_all().await.unwrap().into_runs().next().unwrap();
    let late = run.answer().await.unwrap();
    assert_eq!((late.outcome, late.reason), (RunOutcome::LimitReached, StopReason::Deadline));
    assert_eq!(late.text, "As far as I came.");
}

#[tokio::test]
async fn every_budget_holds_in_a_fork_and_in_a_replay() {
    for (order, reason) in budgets() {
        let folder = tempfile::tempdir().unwrap();
        let agent = kept(SUMS, folder.path());
        let session = agent.session("ada");
        assert_limited(&session.run(order).await.unwrap(), &reason);
        let run_id = session.runs().await.unwrap()[0].run_id.clone();
        let report = session.replay(&run_id).await.unwrap();
        assert!(report.divergence.is_none(), "{report:?}");
        let fork = session.fork(&run_id, 1).await.unwrap();
        assert_limited(&fork.answer().await.unwrap(), &reason);
        agent.close().await.unwrap();
    }
}

#[tokio::test]
async fn what_was_wished_is_on_record_as_it_was_said() {
    let agent = with_script(SUMS).build().unwrap();
    let order =
        RunOrder::new("q").calls_max(7).tokens_max(8_000).cost_usd_max(0.9).time_max(Duration::from_secs(10));
    agent.session("ada").run(order).await.unwrap();
    let records = agent.session("ada").records(0).await.unwrap();
    let Event::Durable(DurableEvent::RunStarted { wishes, .. }) = &records[0].event else {
        panic!("{records:?}")
    };
    let said = RunWishes { setup: None, approve: None, ..(**wishes).clone() };
    let expected = RunWishes {
        calls_max: Some(7),
        tokens_max: Some(8_000),
        cost_usd_max: Some(0.9),
        run_timeout_ms: Some(10_000),
        ..RunWishes::default()
    };
    assert_eq!(said, expected);
}
