//! Sessions behind a server: the same handles over real connections, and what goes wrong on the way.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use futures::StreamExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::sync::Notify;
use windlass::core::ports::host::HostError;
use windlass::core::run::RunError;
use windlass::prelude::*;
use windlass::server::{Router, RouterConfig, axum};
use windlass::{Client, ClientConfig, Sessions};

use crate::served::serve;

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

/// Waits until it is told to go on.
#[tool]
async fn wait(told: State<Notify>) -> &'static str {
    told.notified().await;
    "told"
}

const TALK: &str = "user one\nmodel call 1 add {\"a\":19,\"b\":23}\nmodel end\nmodel text It is\nmodel text 42.\n\
                    user two\nmodel text Second.\n";
const HANGS: &str = "user q\nmodel text Wait\nmodel hang\n";
const ASKS: &str = "user q\nmodel call 1 delete_all\nmodel end\nmodel text Done.\n";
const WAITS: &str = "user q\nmodel call 1 wait\nmodel end\nmodel text Done.\n";
const FAILS: &str =
    "user q\nmodel call 1 add {\"a\":1,\"b\":2}\nmodel end\nmodel fail! auth The key is wrong\n";
const CITY: &str = "user q\nmodel text {\"name\":1}\nmodel end\nmodel text {\"name\":\"Bonn\"}\n\
                    user again\nmodel text {\"name\":1}\nmodel end\nmodel text {\"name\":2}\n";

fn agent(script: &str) -> Builder {
    Windlass::builder().script(script).unwrap().tool(add).tool(delete_all)
}

async fn client_of(builder: Builder) -> Client {
    let address = serve(builder.build().unwrap().router().unwrap()).await;
    Client::connect(&format!("http://{address}"), None).await.unwrap()
}

/// The same on an agent of this program and on one behind a server.
async fn with_both(script: &str, scenario: impl AsyncFn(&dyn Sessions)) {
    scenario(&agent(script).build().unwrap()).await;
    scenario(&client_of(agent(script)).await).await;
}

fn is_text(event: &Event) -> bool {
    matches!(event, Event::Delta(DeltaEvent::TextDelta { .. }))
}

fn is_end(event: &Event) -> bool {
    matches!(event, Event::Durable(DurableEvent::RunEnded { .. }))
}

fn is_question(event: &Event) -> bool {
    matches!(event, Event::Durable(DurableEvent::PermissionRequested { .. }))
}

/// Reads until something of the kind comes.
async fn until(events: &mut (impl StreamExt<Item = Event> + Unpin), is_it: impl Fn(&Event) -> bool) {
    while !is_it(&events.next().await.unwrap()) {}
}

#[tokio::test]
async fn a_session_is_spoken_in_followed_and_found_again() {
    with_both(TALK, async |place| {
        let session = place.session("ada & co/1");
        let answer = session.run("one").await.unwrap();
        assert_eq!((answer.text.as_str(), answer.outcome), ("It is\n42.", RunOutcome::Completed));
        assert_eq!(answer.trace.tools[0].output_raw, 42);
        let again = place.session("ada & co/1");
        assert_eq!(again.id().await.unwrap(), session.id().await.unwrap());
        let events: Vec<Event> = again.stream("two").collect().await;
        assert!(events.iter().any(is_text) && is_end(events.last().unwrap()), "{events:?}");
        let runs = session.runs().await.unwrap();
        assert_eq!(runs.iter().map(|run| run.message.as_str()).collect::<Vec<_>>(), ["two", "one"]);
        let records = session.records(0).await.unwrap();
        let seen: Vec<_> = again.events(0).await.unwrap().take(records.len()).collect().await;
        assert_eq!(seen, records);
        let later = session.records(runs[0].first_seq - 1).await.unwrap();
        assert!(later.len() < records.len() && later.iter().all(|record| record.run_id == runs[0].run_id));
        // A session without a name is another one.
        assert_eq!(place.unnamed_session().run("one").await.unwrap().text, "It is\n42.");
        assert_eq!(session.runs().await.unwrap().len(), 2);
    })
    .await;
}

#[tokio::test]
async fn a_run_is_found_forked_and_replayed() {
    with_both(TALK, async |place| {
        let session = place.session("ada");
        let begun = session.begin("one").await.unwrap();
        let found = session.find_run(begun.run_id()).await.unwrap();
        assert_eq!(found.answer().await.unwrap(), begun.clone().answer().await.unwrap());
        let report = session.replay(begun.run_id()).await.unwrap();
        assert!(report.same > 0 && report.divergence.is_none(), "{report:?}");
        let fork = session.fork(begun.run_id(), 1).await.unwrap();
        assert_ne!(fork.session().id().await.unwrap(), session.id().await.unwrap());
        assert_eq!(fork.answer().await.unwrap().text, "It is\n42.");
        let elsewhere = place.session("ben").find_run(begun.run_id()).await;
        assert!(matches!(elsewhere, Err(WindlassError::Host(HostError::Missing { what: "run", .. }))));
    })
    .await;
}

#[tokio::test]
async fn a_run_is_cancelled_and_a_session_that_never_began_is_not_begun_for_it() {
    with_both(HANGS, async |place| {
        let run = place.session("ada").begin("q").await.unwrap();
        until(&mut run.clone().stream(), is_text).await;
        let busy = place.session("ada").begin("q").await;
        assert!(matches!(busy, Err(WindlassError::Host(HostError::Busy(_)))), "{busy:?}");
        place.session("ada").cancel().await.unwrap();
        assert_eq!(run.answer().await.unwrap().outcome, RunOutcome::Cancelled);
        place.session("nobody").cancel().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_question_is_answered_only_as_it_was_asked() {
    with_both(ASKS, async |place| {
        let session = place.session("ada");
        let run = session.begin(RunOrder::new("q").approve(ApproveMode::Ask)).await.unwrap();
        until(&mut run.clone().stream(), is_question).await;
        let question = session.questions(run.run_id()).await.unwrap().remove(0);
        let other = Question { digest: "0".repeat(question.digest.len()), ..question.clone() };
        let once = || PermissionAnswer::new(Decision::Once);
        let refused = session.answer_question(run.run_id(), &other, once()).await;
        assert!(matches!(refused, Err(WindlassError::Host(HostError::Stale(_)))), "{refused:?}");
        session.answer_question(run.run_id(), &question, once()).await.unwrap();
        assert_eq!(run.answer().await.unwrap().trace.tools[0].output_raw, "gone");
    })
    .await;
}

#[tokio::test]
async fn questions_of_the_server_go_to_the_callback_of_the_client() {
    let app = agent(ASKS).approve(ApproveMode::Ask).build().unwrap().router().unwrap();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    let config = ClientConfig::new(format!("http://{}", serve(app).await)).on_permission(move |question| {
        seen.lock().unwrap().push(question.tool);
        async { PermissionAnswer::new(Decision::Once) }
    });
    let client = Client::connect_with(config).await.unwrap();
    let answer = client.session("ada").run("q").await.unwrap();
    assert_eq!(answer.trace.tools[0].output_raw, "gone");
    assert_eq!(*asked.lock().unwrap(), ["delete_all"]);
}

#[tokio::test]
async fn a_run_that_fails_has_the_same_error_on_both_sides() {
    with_both(FAILS, async |place| {
        let failed = place.session("ada").run("q").await.err().unwrap();
        let WindlassError::Run(error) = failed else { panic!("{failed:?}") };
        assert!(matches!(&*error, RunError::Model(failure) if failure.kind.word() == "auth"), "{error}");
    })
    .await;
}

#[test]
fn a_program_without_a_runtime_blocks_and_a_router_below_a_path_is_reached() {
    let server = Runtime::new().unwrap();
    let app = Router::new().nest("/agent", agent(TALK).build().unwrap().router().unwrap());
    let address = server.block_on(serve(app));
    let client = Client::connect_sync(&format!("http://{address}/agent/"), None).unwrap();
    assert_eq!(client.url(), format!("http://{address}/agent"));
    let session = client.session("ada");
    assert_eq!(session.run_sync("one").unwrap().text, "It is\n42.");
    let id = server.block_on(session.id()).unwrap();
    assert_eq!(client.session_by_id(&id).run_sync("two").unwrap().text, "Second.");
}

fn host_error(refused: Result<Client, WindlassError>) -> HostError {
    match refused.err() {
        Some(WindlassError::Host(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_server_that_is_away_or_wants_another_token_is_told_apart() {
    let gone = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let away = host_error(Client::connect(&gone.to_string(), None).await);
    assert!(matches!(&away, HostError::Unreachable(why) if why.contains(&gone.to_string())), "{away:?}");
    let config = RouterConfig::new().token("correct horse");
    let url = format!("http://{}", serve(agent(TALK).build().unwrap().router_with(config).unwrap()).await);
    for (token, word) in [(None, "wants a token"), (Some("wrong horse"), "refuses the token")] {
        let refused = host_error(Client::connect(&url, token).await);
        assert!(matches!(&refused, HostError::Unauthorised(why) if why.contains(word)), "{refused:?}");
    }
    let client = Client::connect(&url, "correct horse").await.unwrap();
    assert_eq!(client.session("ada").run("one").await.unwrap().text, "It is\n42.");
    let wrong = host_error(Client::connect("ftp://box", None).await);
    assert!(matches!(wrong, HostError::Invalid { field: Some("url"), .. }), "{wrong:?}");
}

/// A server that answers everything with this; gives its address.
async fn actor(status: &'static str, body: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(socket.read_u8().await.unwrap());
            }
            let length = body.len();
            let answer = format!(
                "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
            );
            socket.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    address
}

#[tokio::test]
async fn a_server_of_another_version_and_one_that_is_no_windlass_are_told() {
    let missing = r#"{"code":"route_not_found","detail":"there is no GET /api/about"}"#;
    let older = host_error(Client::connect(&actor("404 Not Found", missing).await, None).await);
    assert!(matches!(&older, HostError::Incompatible(why) if why.contains("older Windlass")), "{older:?}");
    let foreign = host_error(Client::connect(&actor("200 OK", "{\"models\":[]}").await, None).await);
    assert!(matches!(&foreign, HostError::Incompatible(why) if why.contains("/api/about")), "{foreign:?}");
}

/// Serves an app at an address in a runtime of its own, which takes all connections along when it ends.
fn serve_at(address: SocketAddr, app: Router) -> (SocketAddr, Runtime) {
    let server = Runtime::new().unwrap();
    let listener = server.block_on(TcpListener::bind(address)).unwrap();
    let bound = listener.local_addr().unwrap();
    server.spawn(async move { axum::serve(listener, app).await });
    (bound, server)
}

#[test]
fn a_run_is_followed_over_a_server_that_comes_back_and_told_of_one_that_stays_away() {
    let told = Arc::new(Notify::new());
    let agent = agent(WAITS).tool(wait).shared_state(Arc::clone(&told)).build().unwrap();
    let app = || agent.router().unwrap();
    let (address, server) = serve_at(([127, 0, 0, 1], 0).into(), app());
    let client = Client::connect_sync(&format!("http://{address}"), None).unwrap();
    let here = Runtime::new().unwrap();
    let is_call = |event: &Event| matches!(event, Event::Durable(DurableEvent::CallStarted { .. }));
    let (run, mut events) = here.block_on(async {
        let run = client.session("ada").begin("q").await.unwrap();
        let mut events = run.clone().stream();
        until(&mut events, is_call).await;
        (run, events)
    });
    server.shutdown_background();
    // Somebody listens there again before the client has given up.
    let (_, server) = serve_at(address, app());
    told.notify_one();
    here.block_on(until(&mut events, is_end));
    let run = here.block_on(async {
        assert_eq!(run.answer().await.unwrap().trace.tools[0].output_raw, "told");
        let run = client.session("ben").begin("q").await.unwrap();
        events = run.clone().stream();
        until(&mut events, is_call).await;
        run
    });
    server.shutdown_background();
    here.block_on(async {
        let rest: Vec<Event> = events.collect().await;
        assert!(matches!(&rest[..], [Event::Durable(DurableEvent::ErrorRaised { .. })]), "{rest:?}");
        let lost = run.answer().await;
        assert!(matches!(lost, Err(WindlassError::Host(HostError::Unreachable(_)))), "{lost:?}");
    });
    // The run itself lost nothing.
    told.notify_one();
    let here_too = here.block_on(agent.session("ben").runs()).unwrap();
    let found = here.block_on(agent.session("ben").find_run(&here_too[0].run_id)).unwrap();
    assert_eq!(found.answer_sync().unwrap().text, "Done.");
}

#[derive(Debug, PartialEq, serde::Deserialize, schemars::JsonSchema)]
struct City {
    name: String,
}

#[tokio::test]
async fn a_typed_answer_is_checked_and_asked_for_once_more() {
    with_both(CITY, async |place| {
        let typed = place.session("ada").run_as::<City>("q").await.unwrap();
        assert_eq!(typed.value, City { name: "Bonn".into() });
        let parts: Vec<_> = place.session("ben").stream_as::<City>("q").collect().await;
        let Some(Ok(TypedPart::Whole(last))) = parts.last() else { panic!("{parts:?}") };
        assert_eq!(last.value, City { name: "Bonn".into() });
        assert!(parts.len() > 1, "what there is so far comes first");
        let wrong = place.session("ada").run_as::<City>("again").await.err();
        let Some(WindlassError::Answer(wrong)) = wrong else { panic!("{wrong:?}") };
        assert_eq!(wrong.text, "{\"name\":2}");
    })
    .await;
}

#[tokio::test]
async fn nothing_is_asked_of_a_server_before_it_is_needed() {
    let address = serve(agent(TALK).build().unwrap().router().unwrap()).await;
    let client = Client::connect(&format!("http://{address}"), None).await.unwrap();
    let named = client.session("ada");
    assert_eq!(named.name(), Some("ada"));
    let mut stream = TcpStream::connect(&address).await.unwrap();
    stream
        .write_all(format!("GET /api/sessions HTTP/1.0\r\nHost: {address}\r\n\r\n").as_bytes())
        .await
        .unwrap();
    let mut listed = String::new();
    stream.read_to_string(&mut listed).await.unwrap();
    assert!(listed.ends_with("{\"sessions\":[]}"), "{listed}");
}
