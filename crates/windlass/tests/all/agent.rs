//! An agent: answers, events, questions, new tools, new conversations.

use std::sync::{Arc, Mutex, OnceLock};

use async_trait::async_trait;
use futures::StreamExt;
use serde_json::json;
use windlass::core::permission::{DeniedBy, PolicySet};
use windlass::core::ports::{JournalFailure, JournalPort, ModelPort};
use windlass::core::protocol::command::MessageSend;
use windlass::core::protocol::event::Record;
use windlass::core::protocol::ids::SessionId;
use windlass::core::protocol::message::Message;
use windlass::core::run::{RunError, RunSettings};
use windlass::engine::clock::Clock;
use windlass::engine::ids::{new_message_id, new_run_id, new_session_id};
use windlass::engine::journal::MemoryJournal;
use windlass::engine::policy_store::PolicyStore;
use windlass::engine::registry::Registry;
use windlass::engine::session::{Past, Session, SessionParts};
use windlass::prelude::*;

/// Adds two integers.
#[tool]
async fn add(a: i64, b: i64) -> Result<i64, ToolError> {
    Ok(a + b)
}

/// Deletes everything.
#[tool(effects = "write", risk = "high")]
async fn delete_all() -> Result<&'static str, ToolError> {
    Ok("gone")
}

const SUM: &str = "user q\nmodel call 1 add {\"a\":19,\"b\":23}\nmodel end\nmodel text It is 42.\n";

fn with_script(script: &str) -> Builder {
    Windlass::builder().script(script).unwrap()
}

#[tokio::test]
async fn a_run_gives_text_trace_and_outcome() {
    let agent = with_script(SUM).tool(add).build().unwrap();
    let answer = agent.run("q").await.unwrap();
    assert_eq!((answer.text.as_str(), answer.outcome), ("It is 42.", RunOutcome::Completed));
    assert_eq!(answer.trace.tools[0].output_raw, json!(42));
}

#[tokio::test]
async fn a_stream_gives_the_events_of_its_run_and_ends() {
    let agent = with_script(SUM).tool(add).build().unwrap();
    let events: Vec<Event> = agent.stream("q").collect().await;
    assert!(matches!(events.first(), Some(Event::Durable(DurableEvent::RunStarted { .. }))));
    assert!(events.iter().any(|event| matches!(event, Event::Durable(DurableEvent::CallEnded { .. }))));
    assert!(matches!(events.last(), Some(Event::Durable(DurableEvent::RunEnded { .. }))));
}

#[tokio::test]
async fn a_stream_on_a_busy_session_says_so_and_ends() {
    let agent = with_script("user q\nmodel text First\nmodel hang\n").build().unwrap();
    let mut first = agent.stream("q");
    assert!(matches!(first.next().await, Some(Event::Durable(DurableEvent::RunStarted { .. }))));
    let second: Vec<Event> = agent.stream("again").collect().await;
    assert!(
        matches!(&second[..], [Event::Durable(DurableEvent::ErrorRaised { message, .. })] if message.contains("still going on"))
    );
    agent.cancel().await.unwrap();
    let rest: Vec<Event> = first.collect().await;
    assert!(matches!(
        rest.last(),
        Some(Event::Durable(DurableEvent::RunEnded { outcome: RunOutcome::Cancelled, .. }))
    ));
}

#[tokio::test]
async fn questions_go_to_the_asker_and_its_answer_counts() {
    let script = "user q\nmodel call 1 delete_all\nmodel end\nmodel text Done.\n";
    for (decision, output) in [(Decision::Once, json!("gone")), (Decision::Deny, json!(null))] {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&asked);
        let agent = with_script(script)
            .tool(delete_all)
            .on_permission(move |question| {
                noted.lock().unwrap().push(question.tool.clone());
                std::future::ready(PermissionAnswer::new(decision))
            })
            .build()
            .unwrap();
        let answer = agent.run("q").await.unwrap();
        assert_eq!(*asked.lock().unwrap(), ["delete_all"]);
        assert_eq!(answer.trace.tools[0].output_raw, output);
        assert_eq!(answer.text, "Done.");
    }
}

/// Words with a denial are what the model reads as the outcome of its call.
#[tokio::test]
async fn u_9_an_asker_denies_with_words_that_the_model_gets() {
    let script = "user q\nmodel call 1 delete_all\nmodel end\nmodel text Done.\n";
    let agent = with_script(script)
        .tool(delete_all)
        .on_permission(|_| {
            let message = Some("Move it to the bin instead.".to_owned());
            std::future::ready(PermissionAnswer { message, ..PermissionAnswer::new(Decision::Deny) })
        })
        .build()
        .unwrap();
    let events: Vec<Event> = agent.stream("q").collect().await;
    let told = events.iter().find_map(|event| match event {
        Event::Durable(DurableEvent::CallEnded { outcome, message, .. }) => {
            Some((outcome.failure()?.denied_by, message.as_ref()))
        }
        _ => None,
    });
    let (denied_by, message) = told.unwrap();
    assert_eq!(denied_by, Some(DeniedBy::User));
    let Message::Tool(tool) = message else { panic!("{message:?}") };
    assert!(tool.content.contains("The user says: Move it to the bin instead."), "{}", tool.content);
    assert!(matches!(
        events.last(),
        Some(Event::Durable(DurableEvent::RunEnded { outcome: RunOutcome::Completed, .. }))
    ));
}

#[tokio::test]
async fn without_an_asker_calls_that_need_asking_are_denied() {
    let script = "user q\nmodel call 1 delete_all\nmodel end\nmodel text Done.\n";
    let answer = with_script(script).tool(delete_all).build().unwrap().run("q").await.unwrap();
    assert!(format!("{:?}", answer.trace.tools[0].error).contains("permission_denied"));
}

#[tokio::test]
async fn an_asker_does_not_keep_a_session_alive() {
    let agent = with_script(SUM)
        .on_permission(|_| std::future::ready(PermissionAnswer::new(Decision::Deny)))
        .build()
        .unwrap();
    let host = Arc::downgrade(agent.host());
    let unused = agent.new_session().unwrap();
    let mut events = unused.own_session().events(0).await.unwrap();
    assert_eq!(agent.run("q").await.unwrap().text, "It is 42.");
    drop((agent, unused));
    // Whoever follows is told that nothing more comes.
    assert!(events.next().await.is_none());
    drop(events);
    while host.upgrade().is_some() {
        tokio::task::yield_now().await;
    }
}

static TEACHER: OnceLock<Windlass> = OnceLock::new();

/// Makes a new tool.
#[tool]
async fn teach() -> Result<&'static str, ToolFailure> {
    let agent = TEACHER.get().ok_or("nobody to teach")?;
    agent.register_tool(add).map_err(|error| error.to_string())?;
    Ok("taught")
}

#[tokio::test]
async fn r_14_e_46_a_tool_that_registers_a_tool_does_not_deadlock_and_the_next_step_has_it() {
    let script = r#"
        user q
        model call 1 teach
        model end
        model call 2 add {"a": 1, "b": 2}
        model end
        model text Three.
    "#;
    let agent = TEACHER.get_or_init(|| with_script(script).tool(teach).build().unwrap());
    let answer = agent.run("q").await.unwrap();
    let outputs: Vec<_> = answer.trace.tools.iter().map(|call| call.output_raw.clone()).collect();
    assert_eq!(outputs, [json!("taught"), json!(3)]);
    assert!(agent.remove_tool("add") && !agent.remove_tool("add"));
}

#[tokio::test]
async fn a_new_session_begins_without_the_old_history() {
    let agent = with_script("user q\nmodel text One.\n\nuser q\nmodel text Two.\n").build().unwrap();
    assert_eq!(agent.run("q").await.unwrap().text, "One.");
    let other = agent.new_session().unwrap();
    assert_ne!(agent.own_session().id().await.unwrap(), other.own_session().id().await.unwrap());
    assert_eq!(other.run("q").await.unwrap().text, "One.");
}

#[tokio::test]
async fn what_is_missing_or_wrong_is_said_when_the_agent_is_built() {
    assert!(matches!(Windlass::builder().build(), Err(WindlassError::NoModel)));
    let error = Windlass::builder().model("nobody/nothing").err().unwrap();
    assert!(error.to_string().contains("there is no provider 'nobody'"));
    let error = Windlass::builder().model("scripted/no-such.script").err().unwrap();
    assert!(error.to_string().contains("no-such.script"));
    let error = Windlass::builder().script("modle text x").err().unwrap();
    assert!(matches!(error, WindlassError::Script { .. }), "{error}");
}

#[tokio::test]
async fn a_script_file_is_a_model() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sum.script");
    std::fs::write(&path, SUM).unwrap();
    let agent = Windlass::builder()
        .model(&format!("scripted/{}", path.display()))
        .unwrap()
        .tool(add)
        .build()
        .unwrap();
    assert_eq!(agent.run("q").await.unwrap().text, "It is 42.");
}

#[tokio::test]
async fn a_run_that_fails_is_an_error_that_can_be_matched() {
    let agent = with_script("user q\nmodel fail! auth The key is wrong\n").build().unwrap();
    match agent.run("q").await {
        Err(WindlassError::Run(error)) => assert!(matches!(*error, RunError::Model(_)), "{error}"),
        other => panic!("{other:?}"),
    }
}

/// A journal that keeps its session waiting until it is opened.
struct Held {
    inner: MemoryJournal,
    gate: Arc<tokio::sync::Semaphore>,
}

#[async_trait]
impl JournalPort for Held {
    async fn append(&self, records: &[Arc<Record>]) -> Result<(), JournalFailure> {
        drop(self.gate.acquire().await.unwrap());
        self.inner.append(records).await
    }

    async fn load(&self, session_id: &SessionId, after: u64) -> Result<Vec<Arc<Record>>, JournalFailure> {
        self.inner.load(session_id, after).await
    }
}

/// P-22: whatever is told to a session goes through one channel of a bounded size. While the session cannot go on, whoever
/// sends more has to wait; then everything gets through, and the final message comes.
#[tokio::test]
async fn p_22_a_session_that_cannot_go_on_pushes_back_and_then_gives_its_final_message() {
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let journal = Held { inner: MemoryJournal::new(), gate: Arc::clone(&gate) };
    let session = held_session(journal);
    let send = MessageSend::text(new_run_id(), new_message_id(), "q");
    let run = session.send(send).await.unwrap();
    let mut taken = 0;
    loop {
        let mut command = std::pin::pin!(session.set_approve(ApproveMode::Ask));
        if futures::poll!(command.as_mut()).is_pending() {
            gate.add_permits(1);
            command.await.unwrap();
            break;
        }
        taken += 1;
        assert!(taken < 1_000, "commands pile up without a bound");
    }
    assert_eq!(run.finished().await.unwrap().answer, "Done.");
}

/// A session of the engine itself.
fn held_session(journal: Held) -> Session {
    let script = windlass_scripted::Script::parse("inline", "user q\nmodel text Done.\n").unwrap();
    let model: Arc<dyn ModelPort> = Arc::new(windlass_scripted::ScriptedModel::new(&script));
    Session::start(SessionParts {
        session_id: new_session_id(),
        settings: Arc::new(RunSettings {
            profile: Profile::default(),
            model: model.name().to_owned(),
            system: "".into(),
            context_tokens: None,
            form: None,
        }),
        model,
        registry: Registry::new(),
        root: ".".into(),
        policies: PolicyStore::in_memory(PolicySet::default()),
        approve: ApproveMode::Never,
        journal: Arc::new(journal),
        audit: None,
        clock: Clock::system(),
        past: Past::default(),
    })
}
