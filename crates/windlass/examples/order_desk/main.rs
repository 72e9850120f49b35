//! An order desk: customers write, an agent finds and changes their orders, a clerk says yes to refunds. Sessions are kept:
//! the program may be stopped at any moment, also while a question waits.
//!
//! `cargo run -p windlass --example order_desk --features scripted,server,store FOLDER [PROVIDER/MODEL] [--stay]`
//!
//! Without `--stay` it plays a day at the desk over HTTP, prints it, and ends.

mod book;
mod routes;

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use windlass::prelude::*;
use windlass::server::axum;

use book::OrderBook;
use routes::{Desk, routes};

/// What the model says when none is named, so that the example needs no key and no network.
const SCRIPT: &str = r#"
user Where does my lamp go? It is order 1001.
model call 1 find_order {"number": 1001}
model end
model text Order 1001 goes to Mill Lane 7.
user Send it to Harbour 2, and give me 5 euros back.
model call 2 change_address {"number": 1001, "address": "Harbour 2"}
model call 3 refund_order {"number": 1001, "euros": 5}
model end
model text Done: it goes to Harbour 2, and 5 euros are on their way.
user And order 1002?
model call 4 find_order {"number": 1002}
model end
model text You have no such order.
"#;

const SYSTEM: &str =
    "You help customers of a shop with their orders. Use the tools; promise nothing that they did not do.";

type AnyError = Box<dyn std::error::Error>;

#[tokio::main]
async fn main() -> Result<(), AnyError> {
    let (flags, words): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let folder = Path::new(words.first().ok_or("name a folder for orders and sessions")?);
    std::fs::create_dir_all(folder)?;
    let book = Arc::new(OrderBook::open(folder.join("orders.json"))?);
    let builder = match words.get(1) {
        Some(name) => Windlass::builder().model(name)?,
        None => Windlass::builder().script(SCRIPT)?,
    };
    let agent = builder
        .system(SYSTEM)
        .store(folder)?
        .tool_group(Arc::clone(&book))
        // Nobody answers in this program: questions wait until a clerk does.
        .approve(ApproveMode::Ask)
        .build()?;
    let taken_up = agent.resume_all().await?;
    println!("{} runs go on, {} wait for a clerk", taken_up.runs.len(), taken_up.waiting.len());

    let app = routes(Desk { agent: agent.clone(), book }).fallback_service(agent.router()?);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?.to_string();
    println!("http://{address}/");
    let server = tokio::spawn(async move { axum::serve(listener, app).await });
    if flags.iter().any(|flag| flag == "--stay") {
        return Ok(server.await??);
    }
    play_a_day(&address).await?;
    agent.close().await?;
    server.abort();
    Ok(())
}

/// Two questions of a customer, one yes of a clerk, and an attempt to look at somebody else's order.
async fn play_a_day(address: &str) -> Result<(), AnyError> {
    let desk = "/customers/ada";
    println!(
        "{}",
        post(address, &format!("{desk}/messages"), "Where does my lamp go? It is order 1001.").await?
    );
    let wish = "Send it to Harbour 2, and give me 5 euros back.";
    let waits = post(address, &format!("{desk}/messages"), wish).await?;
    println!("{waits}");
    let digest = waits.pointer("/waits_for/digest").and_then(Value::as_str).ok_or("nothing waits")?;
    let wrong = json!({"digest": "of another call", "is_allowed": true});
    println!("{}", post(address, &format!("{desk}/questions"), &wrong.to_string()).await?);
    let yes = json!({"digest": digest, "is_allowed": true});
    println!("{}", post(address, &format!("{desk}/questions"), &yes.to_string()).await?);
    println!("{}", post(address, &format!("{desk}/messages"), "And order 1002?").await?);
    Ok(())
}

/// One request, as any client would send it.
async fn post(address: &str, path: &str, body: &str) -> Result<Value, AnyError> {
    let mut stream = TcpStream::connect(address).await?;
    let head = format!("POST {path} HTTP/1.0\r\nHost: {address}\r\nContent-Type: application/json\r\n");
    let request = format!("{head}Content-Length: {}\r\n\r\n{body}", body.len());
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let (_, body) = answer.split_once("\r\n\r\n").ok_or("no answer")?;
    Ok(serde_json::from_str(body)?)
}
