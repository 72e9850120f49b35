//! Runs that are left in the middle: each is followed until its model says nothing more.

use std::io;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::load::Wishes;
use crate::load::wire::{Ask, Client};

const BEGIN_AT_ONCE: usize = 64;

/// Starts `runs` runs and waits until all of them have said `mark`.
pub async fn measure(wishes: &Wishes) -> io::Result<Value> {
    let client = wishes.client().map_err(io::Error::other)?;
    let runs = wishes.number("runs", 1_000);
    let mark: Arc<str> = wishes.word("mark", "WAITING").into();
    let gate = Arc::new(Semaphore::new(BEGIN_AT_ONCE));
    let tasks: Vec<_> = (0..runs)
        .map(|_| {
            let (gate, mark) = (Arc::clone(&gate), Arc::clone(&mark));
            tokio::spawn(async move {
                let _place = gate.acquire().await.map_err(io::Error::other)?;
                follow(client, &mark).await
            })
        })
        .collect();
    for task in tasks {
        task.await.map_err(io::Error::other)??;
    }
    Ok(json!({ "runs": runs }))
}

async fn follow(client: Client, mark: &str) -> io::Result<()> {
    let path = format!("/api/runs/{}/events", client.run().await?);
    let mut reading = client.open(Ask { path: &path, is_stream: true, ..Ask::default() }).await?;
    let mut seen = Vec::new();
    while memchr::memmem::find(&seen, mark.as_bytes()).is_none() {
        if !reading.more(&mut seen, 16 * 1024).await? {
            return Err(io::Error::other(format!("{path} ended without {mark}")));
        }
    }
    Ok(())
}
