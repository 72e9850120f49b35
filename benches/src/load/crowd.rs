//! A crowd: many runs at once, two readers each, one of them slow. Some readers go away and come back, some runs
//! are cancelled. Every stream must be whole and the same bytes as the record.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::{Barrier, Semaphore};

use crate::load::Wishes;
use crate::load::stream::{Manner, Seen, read};
use crate::load::wire::Client;

/// Every so many runs, one fast reader that breaks off.
const BREAKING: usize = 10;
const BREAKS: usize = 3;
/// Every so many runs, one that is cancelled, after so long.
const CANCELLED: usize = 20;
const CANCEL_AFTER: Duration = Duration::from_secs(3);
/// Connections that begin at once.
const BEGIN_AT_ONCE: usize = 64;

struct Run {
    begun: Instant,
    ended: Instant,
    frames: usize,
    is_same: bool,
    is_whole: bool,
    /// Whether it ended as cancelled.
    is_cancelled: bool,
}

/// Starts `runs` runs with two readers each and compares what they saw.
pub async fn measure(wishes: &Wishes) -> io::Result<Value> {
    let (client, process) = (wishes.client().map_err(io::Error::other)?, wishes.process());
    let runs = wishes.number("runs", 1_000);
    let gate = Arc::new(Semaphore::new(BEGIN_AT_ONCE));
    let all_begun = Arc::new(Barrier::new(runs));
    let (wall, cpu) = (Instant::now(), process.cpu_time());
    let tasks: Vec<_> = (0..runs)
        .map(|number| tokio::spawn(follow(client, number, Arc::clone(&gate), Arc::clone(&all_begun))))
        .collect();
    let mut done = Vec::with_capacity(runs);
    for task in tasks {
        done.push(task.await.map_err(io::Error::other)??);
    }
    let last_begun = done.iter().map(|run| run.begun).max().unwrap_or(wall);
    let at_once = done.iter().filter(|run| run.ended > last_begun).count();
    let count = |is: fn(&Run) -> bool| done.iter().filter(|run| is(run)).count();
    Ok(json!({
        "runs": runs, "readers": runs * 2, "at_once": at_once,
        "frames": done.iter().map(|run| run.frames).sum::<usize>() * 2,
        "whole": count(|run| run.is_whole), "same": count(|run| run.is_same),
        "cancelled": count(|run| run.is_cancelled), "cancels": (0..runs).filter(|run| run % CANCELLED == 7).count(),
        "resumed": (0..runs).filter(|run| run % BREAKING == 3).count(),
        "began_s": (last_begun - wall).as_secs_f64(), "wall_s": wall.elapsed().as_secs_f64(),
        "server_cpu_s": (process.cpu_time() - cpu).as_secs_f64(),
        "server_rss_mb": process.resident_bytes() as f64 / 1048576.0,
    }))
}

async fn follow(
    client: Client,
    number: usize,
    gate: Arc<Semaphore>,
    all_begun: Arc<Barrier>,
) -> io::Result<Run> {
    let place = gate.acquire_owned().await.map_err(io::Error::other)?;
    let run_id = client.run().await?;
    let begun = Instant::now();
    drop(place);
    let breaks = if number % BREAKING == 3 { BREAKS } else { 0 };
    let fast = read(&client, &run_id, Manner { breaks, ..Manner::FAST });
    let slow = read(&client, &run_id, Manner::SLOW);
    let cancel = async {
        all_begun.wait().await;
        if number % CANCELLED == 7 {
            tokio::time::sleep(CANCEL_AFTER).await;
            client.ask(&format!("/api/runs/{run_id}/cancel"), Some("")).await?;
        }
        io::Result::Ok(())
    };
    let (fast, slow, cancel) = tokio::join!(ended(fast), slow, cancel);
    cancel?;
    let ((fast, ended), slow) = (fast?, slow?);
    let stored = read(&client, &run_id, Manner::FAST).await?;
    Ok(Run {
        begun,
        ended,
        frames: stored.frames,
        is_same: fast == stored && slow == stored,
        is_whole: fast.is_whole() && slow.is_whole() && stored.is_whole(),
        is_cancelled: memchr::memmem::find(&stored.last, b"\"outcome\":\"cancelled\"").is_some(),
    })
}

async fn ended(reading: impl Future<Output = io::Result<Seen>>) -> io::Result<(Seen, Instant)> {
    let seen = reading.await?;
    Ok((seen, Instant::now()))
}
