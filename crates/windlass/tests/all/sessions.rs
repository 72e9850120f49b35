//! Sessions of an agent: found again, cancelled, forked, answered, and taken up after a stop.

use std::path::Path;
use std::sync::{Arc, Mutex};

use futures::StreamExt;
use windlass::core::ports::host::{HostError, HostSessions};
use windlass::core::ports::store::SessionQuery;
use windlass::core::run::RunError;
use windlass::prelude::*;

/// Adds two integers.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Deletes everything.
#[tool(effects = "write", risk = "high")]
async fn delete_all() -> &'static str {
    "gone"
}

const TALK: &str = "user one\nmodel text First.\nuser two\nmodel text Second.\n";
const HANGS: &str = "user q\nmodel call 1 add {\"a\":1,\"b\":2}\nmodel end\nmodel text Wait\nmodel hang\n";
const ASKS: &str = "user q\nmodel call 1 delete_all\nmodel end\nmodel text Done.\n";

fn with_script(script: &str) -> Builder {
    Windlass::builder().script(script).unwrap().tool(add).tool(delete_all)
}

fn kept(script: &str, folder: &Path) -> Builder {
    with_script(script).store(folder).unwrap().root(folder)
}

/// Reads until something of the kind comes.
async fn until(events: &mut (impl StreamExt<Item = Event> + Unpin), is_it: impl Fn(&Event) -> bool) {
    while !is_it(&events.next().await.unwrap()) {}
}

fn is_text(event: &Event) -> bool {
    matches!(event, Event::Delta(DeltaEvent::TextDelta { .. }))
}

fn is_question(event: &Event) -> bool {
    matches!(event, Event::Durable(DurableEvent::PermissionRequested { .. }))
}

#[tokio::test]
async fn a_named_session_is_found_again_in_memory() {
    let agent = with_script(TALK).build().unwrap();
    assert_eq!(agent.session("ada").run("one").await.unwrap().text, "First.");
    assert_eq!(agent.session("ada").run("two").await.unwrap().text, "Second.");
    assert_eq!(agent.session("ada").runs().await.unwrap().len(), 2);
    assert_eq!(agent.session("ben").run("one").await.unwrap().text, "First.");
}

#[tokio::test]
async fn a_named_session_is_found_again_by_another_agent_on_the_same_folder() {
    let folder = tempfile::tempdir().unwrap();
    let first = kept(TALK, folder.path()).build().unwrap();
    assert_eq!(first.session("ada").run("one").await.unwrap().text, "First.");
    let id = first.session("ada").id().await.unwrap();
    first.close().await.unwrap();
    assert!(matches!(first.session("ada").run("two").await, Err(WindlassError::Host(HostError::Closing))));
    let second = kept(TALK, folder.path()).build().unwrap();
    assert_eq!(second.session("ada").run("two").await.unwrap().text, "Second.");
    assert_eq!(second.session("ada").id().await.unwrap(), id);
}

#[tokio::test]
async fn a_fresh_handle_cancels_the_run_of_its_session_and_begins_none() {
    let agent = with_script(HANGS).build().unwrap();
    let run = agent.session("ada").begin("q").await.unwrap();
    let mut events = run.clone().stream();
    until(&mut events, is_text).await;
    agent.session("ada").cancel().await.unwrap();
    assert_eq!(run.answer().await.unwrap().outcome, RunOutcome::Cancelled);
    agent.session("nobody").cancel().await.unwrap();
    let query = SessionQuery { rows_max: 10, ..SessionQuery::default() };
    assert_eq!(agent.host().sessions(query).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_run_that_was_begun_is_cancelled_by_its_own_handle() {
    let agent = with_script(HANGS).build().unwrap();
    let run = agent.own_session().begin("q").await.unwrap();
    until(&mut run.clone().stream(), is_text).await;
    run.cancel().await.unwrap();
    assert_eq!(run.clone().answer().await.unwrap().outcome, RunOutcome::Cancelled);
    run.cancel().await.unwrap();
}

#[tokio::test]
async fn a_run_is_forked_and_replayed() {
    let sum = "user q\nmodel call 1 add {\"a\":1,\"b\":2}\nmodel end\nmodel text Three.\n";
    let agent = with_script(sum).build().unwrap();
    let session = agent.session("ada");
    session.run("q").await.unwrap();
    let run_id = session.runs().await.unwrap()[0].run_id.clone();
    let report = session.replay(&run_id).await.unwrap();
    assert!(report.divergence.is_none(), "{report:?}");
    let fork = session.fork(&run_id, 1).await.unwrap();
    assert_ne!(fork.session().id().await.unwrap(), session.id().await.unwrap());
    assert_eq!(fork.answer().await.unwrap().text, "Three.");
}

#[tokio::test]
async fn a_question_is_answered_without_a_callback_and_only_as_it_was_asked() {
    let agent = with_script(ASKS).approve(ApproveMode::Ask).build().unwrap();
    let session = agent.session("ada");
    let run = session.begin("q").await.unwrap();
    until(&mut run.clone().stream(), is_question).await;
    let question = session.questions(run.run_id()).await.unwrap().remove(0);
    let other = Question { digest: "0".repeat(question.digest.len()), ..question.clone() };
    let refused = session.answer_question(run.run_id(), &other, PermissionAnswer::new(Decision::Once)).await;
    assert!(matches!(refused, Err(WindlassError::Host(HostError::Stale(_)))), "{refused:?}");
    session.answer_question(run.run_id(), &question, PermissionAnswer::new(Decision::Once)).await.unwrap();
    assert_eq!(run.clone().answer().await.unwrap().trace.tools[0].output_raw, "gone");
    let late = session.answer_question(run.run_id(), &question, PermissionAnswer::new(Decision::Deny)).await;
    assert!(late.is_err());
}

/// Leaves a run in the middle: at the first event of the kind the agent is closed.
async fn stopped(builder: Builder, is_it: impl Fn(&Event) -> bool) {
    let agent = builder.build().unwrap();
    until(&mut agent.session("ada").stream("q"), is_it).await;
    agent.close().await.unwrap();
}

#[tokio::test]
async fn a_run_that_was_taken_up_fails_with_the_error_of_a_live_one() {
    let folder = tempfile::tempdir().unwrap();
    stopped(kept(HANGS, folder.path()), is_text).await;
    let script = "user q\nmodel call 1 add {\"a\":1,\"b\":2}\nmodel end\nmodel fail! auth The key is wrong\n";
    let agent = kept(script, folder.path()).build().unwrap();
    let run = agent.resume_all().await.unwrap().into_runs().next().unwrap();
    match run.answer().await {
        Err(WindlassError::Run(error)) => {
            assert!(matches!(&*error, RunError::Model(failure) if failure.kind.word() == "auth"), "{error}");
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_question_that_waited_is_asked_again_and_the_run_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    stopped(kept(ASKS, folder.path()).approve(ApproveMode::Ask), is_question).await;
    let asked = Arc::new(Mutex::new(0));
    let count = Arc::clone(&asked);
    let builder = kept(ASKS, folder.path()).on_permission(move |_| {
        *count.lock().unwrap() += 1;
        std::future::ready(PermissionAnswer::new(Decision::Once))
    });
    let agent = builder.build().unwrap();
    let mut taken = agent.resume_all().await.unwrap();
    assert!(taken.runs.is_empty() && taken.left.is_empty(), "{taken:?}");
    assert_eq!(taken.waiting.remove(0).answer().await.unwrap().text, "Done.");
    assert_eq!(*asked.lock().unwrap(), 1);
}

#[tokio::test]
async fn a_run_of_another_folder_is_left_and_told() {
    let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    stopped(kept(HANGS, folder.path()), is_text).await;
    let agent = kept(HANGS, folder.path()).root(elsewhere.path()).build().unwrap();
    let taken = agent.resume_all().await.unwrap();
    assert!(taken.runs.is_empty() && taken.waiting.is_empty(), "{taken:?}");
    assert!(matches!(&taken.left[..], [(_, HostError::Conflict(_))]), "{taken:?}");
}

#[tokio::test]
async fn a_thousand_sessions_without_a_name_leave_nothing_behind() {
    let agent = with_script(TALK).build().unwrap();
    for _ in 0..1_000 {
        let other = agent.new_session().unwrap();
        assert_eq!(other.run("one").await.unwrap().text, "First.");
    }
    let query = || SessionQuery { rows_max: 10, ..SessionQuery::default() };
    while !agent.host().sessions(query()).await.unwrap().is_empty() || agent.host().sessions_open() > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(agent.host().runs_going_on(), 0);
}

/// A short run may be over before its beginning is noted; it has its answer all the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn short_runs_side_by_side_all_have_their_answer() {
    let agent = Windlass::builder().script("user q\nmodel text Done.\n").unwrap().build().unwrap();
    let runs = (0..400).map(|number| {
        let session = agent.session(format!("short-{number}"));
        tokio::spawn(async move { session.run("q").await.map(|answer| answer.text) })
    });
    for run in futures::future::join_all(runs).await {
        assert_eq!(run.unwrap().unwrap(), "Done.");
    }
}
