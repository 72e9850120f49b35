//! An agent inside a server of somebody else, over real connections.

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use windlass::prelude::*;
use windlass::server::axum::routing::get;
use windlass::server::{Router, RouterConfig, axum};

const SCRIPT: &str = "user q\nmodel call 1 add {\"a\":19,\"b\":23}\nmodel end\nmodel text It is 42.\n";

/// Adds two integers.
#[tool(effects = "pure")]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

pub(crate) fn agent() -> Windlass {
    Windlass::builder().script(SCRIPT).unwrap().tool(add).build().unwrap()
}

/// Serves in the caller's runtime; gives the address.
pub(crate) async fn serve(app: Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move { axum::serve(listener, app).await });
    address
}

/// One request with more headers; the whole answer.
async fn send(address: &str, what: &str, headers: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let host = if headers.contains("Host:") { String::new() } else { format!("Host: {address}\r\n") };
    let length = body.len();
    let request = format!(
        "{what} HTTP/1.0\r\n{host}{headers}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

pub(crate) async fn ask(address: &str, what: &str, body: &Value) -> Value {
    let answer = send(address, what, "", &body.to_string()).await;
    serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap_or_else(|_| panic!("{answer}"))
}

#[tokio::test]
async fn a_router_below_a_path_runs_and_streams_beside_own_routes() {
    let app =
        Router::new().route("/hello", get(|| async { "hello" })).nest("/agent", agent().router().unwrap());
    let address = serve(app).await;
    assert!(send(&address, "GET /hello", "", "").await.ends_with("hello"));
    let session = ask(&address, "POST /agent/api/sessions", &json!({})).await;
    let id = session["session_id"].as_str().unwrap();
    let what = format!("POST /agent/api/sessions/{id}/runs");
    let started = send(&address, &what, "", &json!({"message": "q"}).to_string()).await;
    // Where the run is, seen from outside.
    let place = started.lines().find_map(|line| line.strip_prefix("location: ")).unwrap();
    assert!(place.starts_with("/agent/api/runs/"), "{place}");
    let events = send(&address, &format!("GET {place}/events"), "", "").await;
    assert!(events.contains("text/event-stream") && events.contains(r#""result":42"#), "{events}");
    assert!(events.contains(r#""content":"42.""#) && events.contains(r#""type":"done""#), "{events}");
    let missing = send(&address, "GET /agent/api/nothing", "", "").await;
    assert!(missing.starts_with("HTTP/1.0 404") && missing.contains("route_not_found"), "{missing}");
    assert!(send(&address, "GET /nothing", "", "").await.starts_with("HTTP/1.0 404"));
}

#[tokio::test]
async fn a_router_as_a_fallback_shows_the_web_app_at_the_root() {
    let own = Router::new().route("/hello", get(|| async { "hello" }));
    let address = serve(own.fallback_service(agent().router().unwrap())).await;
    let page = send(&address, "GET /", "Accept: text/html\r\n", "").await;
    let script = page.split("src=\"").find_map(|rest| rest.strip_prefix("/assets/")).unwrap();
    let script = script.split('"').next().unwrap();
    let file = send(&address, &format!("GET /assets/{script}"), "", "").await;
    assert!(file.starts_with("HTTP/1.0 200"), "{script}");
    assert!(send(&address, "GET /hello", "", "").await.ends_with("hello"));
    assert!(ask(&address, "GET /api/about", &json!({})).await["model"].is_string());
}

#[tokio::test]
async fn only_this_machine_and_its_own_pages_may_ask_unless_the_program_says_otherwise() {
    let address = serve(agent().router().unwrap()).await;
    for (headers, code) in [
        ("Host: evil.example\r\n", "host_refused"),
        ("Host: 192.0.2.7\r\n", "client_refused"),
        ("Origin: https://evil.example\r\n", "origin_refused"),
    ] {
        let answer = send(&address, "GET /api/about", headers, "").await;
        assert!(answer.starts_with("HTTP/1.0 403") && answer.contains(code), "{answer}");
    }
    let config = RouterConfig::new().token("secret").host("box.lan").origin("https://app.example");
    let address = serve(agent().router_with(config).unwrap()).await;
    let near = "Host: box.lan\r\nOrigin: https://app.example\r\n";
    assert!(send(&address, "GET /api/about", near, "").await.starts_with("HTTP/1.0 401"));
    let keyed = format!("{near}Authorization: Bearer secret\r\n");
    assert!(send(&address, "GET /api/about", &keyed, "").await.starts_with("HTTP/1.0 200"));
    // An empty token is known to everybody.
    let address = serve(agent().router_with(RouterConfig::new().token("")).unwrap()).await;
    let keyed = "Authorization: Bearer \r\n";
    assert!(send(&address, "GET /api/about", keyed, "").await.starts_with("HTTP/1.0 401"));
}

#[tokio::test]
async fn a_router_without_the_web_app_has_the_interfaces_alone() {
    let router = agent().router_with(RouterConfig::new().without_web_app()).unwrap();
    let address = serve(router).await;
    for path in ["/", "/tools", "/elsewhere"] {
        let answer = send(&address, &format!("GET {path}"), "Accept: text/html\r\n", "").await;
        assert!(answer.starts_with("HTTP/1.0 404"), "{answer}");
    }
    assert!(ask(&address, "GET /api/about", &json!({})).await["model"].is_string());
}

/// A run outlives the runtime of the server that took it.
#[test]
fn runs_belong_to_the_agent_and_not_to_the_server() {
    let agent = agent();
    let router = agent.router().unwrap();
    let server = tokio::runtime::Runtime::new().unwrap();
    let started = server.block_on(async {
        let address = serve(router).await;
        let session = ask(&address, "POST /api/sessions", &json!({})).await;
        let id = session["session_id"].as_str().unwrap().to_owned();
        ask(&address, &format!("POST /api/sessions/{id}/runs"), &json!({"message": "q"})).await;
        id
    });
    server.shutdown_background();
    let own = tokio::runtime::Runtime::new().unwrap();
    own.block_on(async {
        use futures::StreamExt;
        use windlass::core::ports::host::{HostDelivery, HostSessions};
        let mut records = agent.host().session_events(&started.as_str().into(), 0).await.unwrap();
        while let Some(delivery) = records.next().await {
            let HostDelivery::Record(record) = delivery else { continue };
            if let Event::Durable(DurableEvent::RunEnded { answer, .. }) = &record.event {
                assert_eq!(answer, "It is 42.");
                return;
            }
        }
        panic!("the run has no end");
    });
}
