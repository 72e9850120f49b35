//! Runs one workload and prints one line of JSON with its figures, as every peer of `cargo xtask bench models`.

use std::sync::Arc;
use std::time::Instant;

use serde_json::json;
use tokio::runtime::Builder;
use windlass_benches::peer::{Peer, Workload};
use windlass_benches::{cpu_time, resident_bytes_max};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<(), String> {
    let load = Workload::read(std::env::args().skip(1));
    let runtime = Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
    // In a task, as every session of a server: each waking of the future that a runtime blocks on costs an extra
    // look at the network.
    runtime.block_on(async { tokio::spawn(measure(load)).await }).map_err(|error| error.to_string())?
}

async fn measure(load: Workload) -> Result<(), String> {
    let peer = Arc::new(Peer::new(&load)?);
    for _ in 0..load.warm {
        peer.session(peer.open().await?).await?;
    }
    // What is measured is the steps: sessions are there before.
    let mut queues = Vec::new();
    for _ in 0..load.conc.max(1) {
        let mut queue = Vec::new();
        for _ in 0..load.reps {
            queue.push(peer.open().await?);
        }
        queues.push(queue);
    }
    let (cpu, wall) = (cpu_time(), Instant::now());
    let (mut sessions, mut chunks, mut error) = (0usize, 0usize, None);
    let running: Vec<_> = queues
        .into_iter()
        .map(|queue| {
            let peer = Arc::clone(&peer);
            tokio::spawn(async move {
                let mut ended = Vec::with_capacity(queue.len());
                for opened in queue {
                    ended.push(peer.session(opened).await);
                }
                ended
            })
        })
        .collect();
    for queue in running {
        for ended in queue.await.map_err(|error| error.to_string())? {
            match ended {
                Ok(seen) => (sessions, chunks) = (sessions + 1, chunks + seen),
                Err(reason) => error = Some(reason),
            }
        }
    }
    let cpu_s = (cpu_time() - cpu).as_secs_f64();
    let steps = sessions * (load.k + 1);
    println!(
        "{}",
        json!({
            "peer": "windlass", "k": load.k, "m": load.m, "n": load.n, "c": load.c, "conc": load.conc, "durable": load.durable.is_some(),
            "sessions": sessions, "steps": steps, "cpu_s": cpu_s, "wall_s": wall.elapsed().as_secs_f64(),
            "us_cpu_per_step": cpu_s / steps.max(1) as f64 * 1e6, "chunks": chunks,
            "chunks_per_cpu_s": chunks as f64 / cpu_s, "maxrss_mb": resident_bytes_max() as f64 / 1048576.0, "err": error,
        })
    );
    Ok(())
}
