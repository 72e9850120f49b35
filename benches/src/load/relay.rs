//! Relay: answers of many pieces, one after another, read to their end; the server's CPU time for a piece.

use std::io;

use serde_json::{Value, json};

use crate::load::Wishes;
use crate::load::wire::{Ask, Client};

const WARM: usize = 3;
const READ_BYTES: usize = 64 * 1024;

/// A server and how it is asked for a stream.
enum Server<'a> {
    /// Ours: a session, then a run.
    Windlass,
    /// Another one: a path.
    Other(&'a str),
}

/// Reads `reps` answers of `pieces` pieces; a piece is a frame with `mark` in it.
pub async fn measure(wishes: &Wishes) -> io::Result<Value> {
    let client = wishes.client().map_err(io::Error::other)?;
    let (process, reps) = (wishes.process(), wishes.number("reps", 200));
    let server = match wishes.word("path", "") {
        "" => Server::Windlass,
        path => Server::Other(path),
    };
    let finder = memchr::memmem::Finder::new(wishes.word("mark", "\"type\":\"content\""));
    let mut body = Vec::new();
    for _ in 0..WARM {
        read_one(&client, &server, &mut body).await?;
    }
    let before = process.cpu_time();
    let mut frames = 0;
    for _ in 0..reps {
        body.clear();
        read_one(&client, &server, &mut body).await?;
        frames += finder.find_iter(&body).count();
    }
    let cpu_s = (process.cpu_time() - before).as_secs_f64();
    let expected = wishes.number("pieces", 500) * reps;
    if frames != expected {
        return Err(io::Error::other(format!("{frames} pieces came, not {expected}")));
    }
    Ok(json!({"frames": frames, "cpu_s": cpu_s, "frames_per_cpu_s": frames as f64 / cpu_s.max(0.01)}))
}

async fn read_one(client: &Client, server: &Server<'_>, body: &mut Vec<u8>) -> io::Result<()> {
    let path = match server {
        Server::Windlass => format!("/api/sessions/{}/runs", client.session().await?),
        Server::Other(path) => (*path).to_owned(),
    };
    let ask = Ask { path: &path, body: Some("{\"message\":\"Go.\"}"), is_stream: true, ..Ask::default() };
    let mut reading = client.open(ask).await?;
    while reading.more(body, READ_BYTES).await? {}
    Ok(())
}
