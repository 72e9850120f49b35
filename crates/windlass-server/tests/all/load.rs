//! Measurements, and a server for other programs' tests: asked for by name, never part of a test run.

use std::time::Instant;

use tokio::io::AsyncReadExt;

use crate::stage::Stage;
use crate::streams::TALK;

fn cpu_s() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) / 100.0
}

fn resident_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Chunks a CPU-second through the whole server, model and client in the same process.
#[tokio::test]
#[ignore = "a measurement"]
async fn relayed_chunks_a_cpu_second() {
    let words = 20_000;
    let script = format!("user Go.\nmodel text {}\n", "word ".repeat(words));
    let stage = Stage::new(&script).await;
    let client = stage.client();
    for _ in 0..3 {
        let (before, clock) = (cpu_s(), Instant::now());
        let session = client.session().await;
        let path = format!("/api/sessions/{session}/runs");
        let stream = client.with("Accept", "text/event-stream");
        let reading = stream.send("POST", &path, Some("{\"message\":\"Go.\"}")).await;
        let bytes = count_bytes(reading).await;
        let live = cpu_s() - before;
        let run =
            client.get("/api/runs?rows=1").await.json()["runs"][0]["run_id"].as_str().unwrap().to_owned();
        let before = cpu_s();
        count_bytes(client.events(&run, None).await).await;
        let again = cpu_s() - before;
        let rate = |seconds: f64| words as f64 / seconds.max(0.01);
        eprintln!(
            "live {:.0} chunks a CPU-second, from the record {:.0}; {bytes} bytes, {:?}",
            rate(live),
            rate(again),
            clock.elapsed()
        );
    }
}

async fn count_bytes(reading: crate::client::Reading) -> usize {
    let mut stream = reading.into_stream();
    let (mut buffer, mut bytes) = (vec![0; 65_536], 0);
    while let Ok(count @ 1..) = stream.read(&mut buffer).await {
        bytes += count;
    }
    bytes
}

/// What a reader costs that does not read.
#[tokio::test]
#[ignore = "a measurement"]
async fn memory_of_readers_that_do_not_read() {
    let script = format!("user Go.\nmodel text {}\nmodel hang\n", "word ".repeat(40_000));
    let stage = Stage::new(&script).await;
    let client = stage.client();
    let run = client.run().await;
    let mut first = client.events(&run, None).await;
    first.wait_for("content").await;
    let before = resident_kb();
    let mut readers = Vec::new();
    for _ in 0..2_000 {
        readers.push(client.events(&run, None).await.into_stream());
    }
    for _ in 0..20 {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    let after = resident_kb();
    eprintln!(
        "{} readers, {} kB each with their clients",
        readers.len(),
        (after - before) / readers.len() as u64
    );
}

/// Serves on `WINDLASS_TEST_PORT` until it is stopped.
#[tokio::test]
#[ignore = "a server for other programs' tests"]
async fn a_server_for_other_programs() {
    let stage = Stage::new(TALK).await;
    eprintln!("serving on {}", stage.address);
    std::future::pending::<()>().await;
}
