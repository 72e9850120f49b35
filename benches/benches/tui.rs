//! What a frame of the terminal app costs: the app's figures of `docs/performance.md`.

#![allow(clippy::expect_used, missing_docs)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use windlass_benches::screen::{Screen, long_session, streamed};
use windlass_benches::{cpu_time, figure, resident_bytes};
use windlass_core::event::Record;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Runs of the session: two messages each.
const RUNS: usize = 2_500;

/// Pieces that are streamed into it.
const DELTAS: usize = 20_000;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    if !wanted.is_empty() && !wanted.iter().any(|filter| "tui".contains(filter.as_str())) {
        return;
    }
    let records = long_session(RUNS);
    open(&records);
    stream(&records, 8, "");
    stream(&records, 1, ", a frame each");
}

/// From the records to the first frame, and from one end to the other.
fn open(records: &[Arc<Record>]) {
    let (before, begun) = (resident_bytes(), cpu_time());
    let mut screen = Screen::new(120, 40);
    screen.open(records);
    screen.draw();
    let name = format!("terminal app, session of {} messages", RUNS * 2);
    figure(&format!("{name}: opened and drawn"), ms(cpu_time() - begun), "ms CPU", "");
    let held = resident_bytes().saturating_sub(before);
    figure(&format!("{name}: memory beside its records"), held as f64 / 1024.0 / 1024.0, "MiB", "");
    for (key, to) in [(Screen::home as fn(&mut Screen), "start"), (Screen::end, "end")] {
        let begun = cpu_time();
        key(&mut screen);
        screen.draw();
        figure(&format!("{name}: jump to its {to}"), ms(cpu_time() - begun), "ms CPU", "under 5");
    }
}

/// An answer of so many pieces, with a frame for every so many of them.
fn stream(records: &[Arc<Record>], deltas_per_frame: usize, what: &str) {
    let mut screen = Screen::new(120, 40);
    screen.open(records);
    screen.draw();
    let before = resident_bytes();
    let (mut frames, mut updates) = (Vec::new(), Duration::ZERO);
    let begun = Instant::now();
    for (at, record) in streamed(records, DELTAS).into_iter().enumerate() {
        let start = cpu_time();
        screen.deliver(record);
        updates += cpu_time() - start;
        if at % deltas_per_frame == 0 {
            let start = cpu_time();
            screen.draw();
            frames.push(cpu_time() - start);
        }
    }
    let wall = begun.elapsed();
    frames.sort_unstable();
    let count = frames.len().max(1);
    let mean = frames.iter().sum::<Duration>() / u32::try_from(count).unwrap_or(u32::MAX);
    let at = |share: usize| frames.get((count * share / 1_000).min(count - 1)).copied().unwrap_or_default();
    let name = format!("terminal app, {DELTAS} pieces into {} messages{what}", RUNS * 2);
    figure(&format!("{name}: a frame, mean"), ms(mean), "ms CPU", "under 5");
    figure(&format!("{name}: a frame, 99 of 100"), ms(at(990)), "ms CPU", "under 5");
    figure(&format!("{name}: a frame, the longest"), ms(at(1_000)), "ms CPU", "");
    figure(&format!("{name}: a piece without its frame"), ms(updates) * 1e3 / DELTAS as f64, "µs CPU", "");
    figure(&format!("{name}: all of it"), wall.as_secs_f64() * 1e3, "ms", "");
    let grown = resident_bytes().saturating_sub(before);
    figure(&format!("{name}: memory it took"), grown as f64 / 1024.0 / 1024.0, "MiB", "");
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
