//! Readers that ask for a run's events and never read: what each costs the server, and whether one that reads
//! notices them.

use std::io;
use std::sync::Arc;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

use crate::load::metronome::Metronome;
use crate::load::wire::{Ask, Client, Reading};
use crate::load::{Wishes, percentile};

/// How long the fast reader is listened to, each time.
const LISTENED: Duration = Duration::from_secs(8);
/// How long the prelude has to pass.
const SETTLED: Duration = Duration::from_secs(3);
/// Memory is at rest when it grew less than this in a second.
const REST_BYTES: u64 = 1 << 20;
const REST_TRIES: usize = 60;
/// What the system holds for a reader that does not read.
const HELD_BYTES: u32 = 4 * 1024;
const CONNECT_AT_ONCE: usize = 32;

type Delays = Arc<Mutex<Vec<u64>>>;

/// Attaches `readers` silent readers beside a fast one.
pub async fn measure(wishes: &Wishes) -> io::Result<Value> {
    let (client, process) = (wishes.client().map_err(io::Error::other)?, wishes.process());
    let readers = wishes.number("readers", 5_000);
    let metronome = Metronome::listen(wishes.number("port", 9_138)).await?;
    let run_id = client.run().await?;
    let path = format!("/api/runs/{run_id}/events");
    let delays = Delays::default();
    let reading = client.open(Ask { path: &path, is_stream: true, ..Ask::default() }).await?;
    let fast = tokio::spawn(listen(reading, metronome.clone(), Arc::clone(&delays)));
    tokio::time::sleep(SETTLED).await;
    let alone = listened(&delays).await;
    let before = process.resident_bytes();
    let wall = Instant::now();
    let silent = attach(client, &path, readers).await?;
    let attached_s = wall.elapsed().as_secs_f64();
    let mut after = process.resident_bytes();
    for _ in 0..REST_TRIES {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let now = process.resident_bytes();
        let is_at_rest = now < after + REST_BYTES;
        after = now;
        if is_at_rest {
            break;
        }
    }
    let beside = listened(&delays).await;
    let rest_s = wall.elapsed().as_secs_f64();
    metronome.stop();
    let frames = fast.await.map_err(io::Error::other)??;
    let kib = after.saturating_sub(before) as f64 / 1024.0 / readers.max(1) as f64;
    Ok(json!({
        "readers": silent.len(), "kib_a_reader": kib, "attached_s": attached_s, "rest_s": rest_s, "frames": frames,
        "alone": alone, "beside": beside,
        "p99_times": p99(&beside) / p99(&alone),
        "server_rss_mb": after as f64 / 1048576.0,
    }))
}

fn p99(seen: &Value) -> f64 {
    seen.get("p99_us").and_then(Value::as_f64).unwrap_or(f64::NAN)
}

/// The delays of the next while.
async fn listened(delays: &Delays) -> Value {
    let take = || std::mem::take(&mut *delays.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
    drop(take());
    tokio::time::sleep(LISTENED).await;
    let mut seen = take();
    json!({
        "frames": seen.len(), "p50_us": percentile(&mut seen, 0.5), "p99_us": percentile(&mut seen, 0.99),
        "max_us": percentile(&mut seen, 1.0),
    })
}

/// Reads to the end of the run and notes how old each beat was.
async fn listen(mut reading: Reading, metronome: Metronome, delays: Delays) -> io::Result<usize> {
    const MARK: &[u8] = b"\"at=";
    let (mut bytes, mut frames) = (Vec::new(), 0);
    while reading.more(&mut bytes, 64 * 1024).await? {
        let now = metronome.now_us();
        let Some(end) = memchr::memmem::rfind(&bytes, b"\n\n") else { continue };
        let whole: Vec<u8> = bytes.drain(..end + 2).collect();
        for place in memchr::memmem::find_iter(&whole, MARK) {
            let digits: String =
                whole.iter().skip(place + MARK.len()).map_while(|byte| digit(*byte)).collect();
            frames += 1;
            if let Ok(sent) = digits.parse::<u64>() {
                delays
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner)
                    .push(now.saturating_sub(sent));
            }
        }
    }
    Ok(frames)
}

fn digit(byte: u8) -> Option<char> {
    byte.is_ascii_digit().then_some(char::from(byte))
}

async fn attach(client: Client, path: &str, readers: usize) -> io::Result<Vec<TcpStream>> {
    let gate = Arc::new(Semaphore::new(CONNECT_AT_ONCE));
    let tasks: Vec<_> = (0..readers)
        .map(|_| {
            let (gate, path) = (Arc::clone(&gate), path.to_owned());
            tokio::spawn(async move {
                let _place = gate.acquire().await.map_err(io::Error::other)?;
                let ask =
                    Ask { path: &path, is_stream: true, receive_bytes: Some(HELD_BYTES), ..Ask::default() };
                let stream = client.send(ask).await?;
                stream.readable().await?;
                io::Result::Ok(stream)
            })
        })
        .collect();
    let mut streams = Vec::with_capacity(readers);
    for task in tasks {
        streams.push(task.await.map_err(io::Error::other)??);
    }
    Ok(streams)
}
