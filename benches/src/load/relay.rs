//! Relay: answers of many pieces, read to their end; the server's CPU time for a piece.

use std::io;

use serde_json::{Value, json};

use crate::load::Wishes;
use crate::load::wire::{Ask, Client};

const WARM: usize = 3;
const READ_BYTES: usize = 64 * 1024;

/// A server and how it is asked for a stream.
#[derive(Clone)]
struct Asked {
    client: Client,
    /// Of another server; ours is asked for a session, then for a run.
    path: Option<String>,
    /// What every piece has in it.
    mark: String,
}

/// Reads `reps` answers of `pieces` pieces in each of `conc` queues.
pub async fn measure(wishes: &Wishes) -> io::Result<Value> {
    let (process, reps) = (wishes.process(), wishes.number("reps", 200));
    let conc = wishes.number("conc", 1);
    let asked = Asked {
        client: wishes.client().map_err(io::Error::other)?,
        path: Some(wishes.word("path", "")).filter(|path| !path.is_empty()).map(str::to_owned),
        mark: wishes.word("mark", "\"type\":\"content\"").to_owned(),
    };
    asked.read(WARM).await?;
    let before = process.cpu_time();
    let queues: Vec<_> = (0..conc)
        .map(|_| {
            let asked = asked.clone();
            tokio::spawn(async move { asked.read(reps).await })
        })
        .collect();
    let mut frames = 0;
    for queue in queues {
        frames += queue.await.map_err(io::Error::other)??;
    }
    let cpu_s = (process.cpu_time() - before).as_secs_f64();
    let expected = wishes.number("pieces", 500) * reps * conc;
    if frames != expected {
        return Err(io::Error::other(format!("{frames} pieces came, not {expected}")));
    }
    Ok(json!({"frames": frames, "cpu_s": cpu_s, "frames_per_cpu_s": frames as f64 / cpu_s.max(0.01)}))
}

impl Asked {
    /// Reads so many answers, one after another, and counts their pieces.
    async fn read(&self, reps: usize) -> io::Result<usize> {
        let finder = memchr::memmem::Finder::new(&self.mark);
        let (mut body, mut frames) = (Vec::new(), 0);
        for _ in 0..reps {
            let path = match &self.path {
                None => format!("/api/sessions/{}/runs", self.client.session().await?),
                Some(path) => path.clone(),
            };
            let ask =
                Ask { path: &path, body: Some("{\"message\":\"Go.\"}"), is_stream: true, ..Ask::default() };
            let mut reading = self.client.open(ask).await?;
            body.clear();
            while reading.more(&mut body, READ_BYTES).await? {}
            frames += finder.find_iter(&body).count();
        }
        Ok(frames)
    }
}
