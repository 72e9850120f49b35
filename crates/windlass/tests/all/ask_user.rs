//! Tools that ask the user in the middle of a call, and tools that want to know which run calls them.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt;
use windlass::prelude::*;

/// Books a table.
#[tool(effects = "external", risk = "safe", timeout_ms = 50)]
async fn book_table(ask: AskUser, people: u32) -> Result<String, ToolFailure> {
    let place = ask.choose("Where?", ["inside", "outside"]).await?;
    let name = ask.text("By what name?").await?;
    Ok(format!("{people} {place}, {name}"))
}

struct Desk;

#[tools]
impl Desk {
    /// Opens a ticket.
    #[tool(effects = "write", risk = "safe")]
    fn open_ticket(&self, run: CurrentRun) -> String {
        format!("{}|{}|{}|{}", run.session_id, run.run_id, run.call_id, run.message)
    }

    /// Asks by itself.
    #[tool(risk = "safe")]
    async fn ask_name(&self, ask: AskUser) -> Result<String, ToolError> {
        Ok(ask.text("Name?").await?)
    }
}

const BOOKING: &str = "user q\nmodel call 1 book_table {\"people\":2}\nmodel end\nmodel text Done.\n";

fn agent(script: &str) -> Builder {
    Windlass::builder().script(script).unwrap()
}

/// Why the first call failed.
fn failure(answer: &Answer) -> String {
    answer.trace.tools[0].error.clone().map(|error| format!("{error:?}")).unwrap()
}

#[tokio::test]
async fn a_tool_gets_a_choice_and_a_text_from_somebody_who_takes_longer_than_its_time_limit() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    let agent = agent(BOOKING).tool(book_table).on_ask(move |ask: UserAsk| {
        seen.lock().unwrap().push(ask.clone());
        async move {
            tokio::time::sleep(Duration::from_millis(120)).await;
            Some(ask.choices.last().cloned().unwrap_or_else(|| "Ada".to_owned()))
        }
    });
    let agent = agent.build().unwrap();
    let session = agent.session("ada");
    let answer = session.run("q").await.unwrap();
    assert_eq!(answer.trace.tools[0].output_raw, "2 outside, Ada");
    let session_id = session.id().await.unwrap();
    let asked = asked.lock().unwrap();
    let [place, name] = asked.as_slice() else { panic!("{asked:?}") };
    assert_eq!((place.tool.as_str(), place.text.as_str()), ("book_table", "Where?"));
    assert_eq!((place.choices.len(), name.choices.len()), (2, 0));
    assert_eq!(place.run.session_id, session_id);
    assert_eq!((place.run.call_id.as_str(), &*place.run.message), ("call_1", "q"));
}

#[tokio::test]
async fn without_a_callback_the_tool_is_told_that_nobody_can_be_asked() {
    let answer = agent(BOOKING).tool(book_table).build().unwrap().run("q").await.unwrap();
    let told = failure(&answer);
    assert!(told.contains("book_table") && told.contains("nobody can be asked"), "{told}");
}

#[tokio::test]
async fn a_user_who_does_not_answer_and_an_answer_that_is_no_choice_are_failures() {
    let silent = agent(BOOKING).tool(book_table).on_ask(|_| async { None }).build().unwrap();
    assert!(failure(&silent.run("q").await.unwrap()).contains("did not answer"));
    let other = agent(BOOKING).tool(book_table).on_ask(|_| async { Some("on the roof".to_owned()) });
    let told = failure(&other.build().unwrap().run("q").await.unwrap());
    assert!(told.contains("one of inside, outside"), "{told}");
}

#[tokio::test]
async fn a_run_that_is_cancelled_asks_no_longer() {
    let (asked, mut asking) = tokio::sync::mpsc::unbounded_channel();
    let agent = agent(BOOKING).tool(book_table).on_ask(move |_| {
        // Held by the question: the other end hears when it is dropped.
        let (held, gone) = tokio::sync::oneshot::channel::<()>();
        asked.send(gone).unwrap();
        async move {
            let _held = held;
            std::future::pending().await
        }
    });
    let session = agent.build().unwrap().session("ada");
    let run = session.begin("q").await.unwrap();
    let gone = asking.recv().await.unwrap();
    run.cancel().await.unwrap();
    assert!(gone.await.is_err(), "the question is dropped");
    assert_eq!(run.answer().await.unwrap().outcome, RunOutcome::Cancelled);
}

#[tokio::test]
async fn methods_and_blocking_functions_know_their_run_and_can_ask() {
    let script =
        "user q\nmodel call 1 open_ticket\nmodel end\nmodel call 2 ask_name\nmodel end\nmodel text Done.\n";
    let agent = agent(script).tool_group(Arc::new(Desk)).on_ask(|_| async { Some("Ben".to_owned()) });
    let session = agent.build().unwrap().session("ada");
    let run = session.begin("q").await.unwrap();
    let events: Vec<Event> = run.clone().stream().collect().await;
    assert!(matches!(events.last(), Some(Event::Durable(DurableEvent::RunEnded { .. }))));
    let expected = format!("{}|{}|call_1|q", session.id().await.unwrap(), run.run_id());
    let outputs = run.answer().await.unwrap().trace.tools;
    assert_eq!((&outputs[0].output_raw, &outputs[1].output_raw), (&expected.into(), &"Ben".into()));
}
