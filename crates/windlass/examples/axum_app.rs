//! An agent inside a web server of your own: your routes, and below `/agent` the agent's API, with its events as they come.
//! Asks itself over HTTP, prints what comes, and ends.
//!
//! `cargo run -p windlass --example axum_app --features scripted,server [PROVIDER/MODEL] [--stay]`
//!
//! With `--stay` it serves until it is stopped.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use windlass::prelude::*;
use windlass::server::axum::{self, Router, routing::get};

/// Adds two integers.
#[tool(effects = "pure")]
fn add(a: i64, b: i64) -> i64 {
    a.saturating_add(b)
}

/// What the model says when none is named, so that the example needs no key and no network.
const SCRIPT: &str = "
user What is 19 + 23?
model call 1 add {\"a\": 19, \"b\": 23}
model end
model text It is 42.
";

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (flags, names): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let builder = Windlass::builder().tool(add);
    let builder = match names.first() {
        Some(name) => builder.model(name)?,
        None => builder.script(SCRIPT)?,
    };
    let agent = builder.build()?;

    let app = Router::new().route("/hello", get(|| async { "Hello.\n" })).nest("/agent", agent.router()?);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?.to_string();
    println!("http://{address}/");
    let server = tokio::spawn(async move { axum::serve(listener, app).await });
    if flags.iter().any(|flag| flag == "--stay") {
        return Ok(server.await??);
    }

    print!("{}", ask(&address, "GET", "/hello", "").await?);
    let begun = ask(&address, "POST", "/agent/api/sessions", "{}").await?;
    let session: serde_json::Value = serde_json::from_str(&begun)?;
    let path = format!("/agent/api/sessions/{}/runs", word(&session, "session_id"));
    let started = ask(&address, "POST", &path, r#"{"message": "What is 19 + 23?"}"#).await?;
    let started: serde_json::Value = serde_json::from_str(&started)?;
    let path = format!("/agent/api/runs/{}/events", word(&started, "run_id"));
    println!("{}", ask(&address, "GET", &path, "").await?);
    agent.close().await?;
    server.abort();
    Ok(())
}

fn word<'a>(answer: &'a serde_json::Value, name: &str) -> &'a str {
    answer.get(name).and_then(serde_json::Value::as_str).unwrap_or_default()
}

/// One request, as any client would send it, and the body of its answer.
async fn ask(
    address: &str,
    method: &str,
    path: &str,
    body: &str,
) -> Result<String, Box<dyn std::error::Error>> {
    let mut stream = TcpStream::connect(address).await?;
    let head = format!("{method} {path} HTTP/1.0\r\nHost: {address}\r\nContent-Type: application/json\r\n");
    let request = format!("{head}Content-Length: {}\r\n\r\n{body}", body.len());
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let (_, body) = answer.split_once("\r\n\r\n").ok_or("no answer")?;
    Ok(body.to_owned())
}
