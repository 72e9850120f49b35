//! What a frame of the terminal app costs: the app's figures of `docs/figures.md`.

#![allow(clippy::expect_used, missing_docs)]

use std::sync::Arc;
use std::time::Duration;

use windlass_benches::screen::{AppInMemory, THE_END, long_session, streamed};
use windlass_benches::{cpu_time, figure, resident_bytes};
use windlass_core::protocol::event::Record;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Runs of the session: two messages each.
const RUNS: usize = 2_500;

const NAME: &str = "terminal app, session of 5000 messages";

/// Pieces that are streamed into it.
const DELTAS: usize = 20_000;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    if !wanted.is_empty() && !wanted.iter().any(|filter| "tui".contains(filter.as_str())) {
        return;
    }
    let records = long_session(RUNS);
    let pieces = streamed(&records, DELTAS);
    let before = resident_bytes();
    let mut screen = open(&records);
    memory("the session", before);
    stream(&mut screen, &pieces, 8, "");
    memory("the session and the answer", before);
    jump(&mut screen);
    stream(&mut open_quietly(&records), &pieces, 1, ", a frame each");
    let mut screen = open_quietly(&records);
    screen.home();
    screen.draw();
    stream(&mut screen, &pieces, 8, ", while one reads the start");
}

fn open_quietly(records: &[Arc<Record>]) -> AppInMemory {
    let mut screen = AppInMemory::new(120, 40);
    screen.open(records);
    screen.draw();
    screen
}

/// From the records to the first frame.
fn open(records: &[Arc<Record>]) -> AppInMemory {
    let begun = cpu_time();
    let screen = open_quietly(records);
    figure(&format!("{NAME}: opened and drawn"), ms(cpu_time() - begun), "ms CPU", "");
    screen
}

/// What the app holds beside the records, which belong to the host.
fn memory(what: &str, before: u64) {
    let held = resident_bytes().saturating_sub(before);
    figure(&format!("{NAME}: memory of {what}"), held as f64 / 1024.0 / 1024.0, "MiB", "");
}

/// From one end to the other.
fn jump(screen: &mut AppInMemory) {
    for (key, to, wanted) in [
        (AppInMemory::home as fn(&mut AppInMemory), "start", "Question 1:"),
        (AppInMemory::end, "end", THE_END),
    ] {
        let begun = cpu_time();
        key(screen);
        screen.draw();
        figure(&format!("{NAME}: jump to its {to}"), ms(cpu_time() - begun), "ms CPU", "under 5");
        assert!(screen.shows(wanted), "{wanted} is not on the screen");
    }
}

/// An answer of so many pieces, with a frame for every so many of them.
fn stream(screen: &mut AppInMemory, pieces: &[Arc<Record>], pieces_per_frame: usize, what: &str) {
    let (mut frames, mut updates) = (Vec::with_capacity(pieces.len()), Duration::ZERO);
    for (at, record) in pieces.iter().enumerate() {
        let start = cpu_time();
        screen.deliver(Arc::clone(record));
        updates += cpu_time() - start;
        if at % pieces_per_frame == 0 || at + 1 == pieces.len() {
            let start = cpu_time();
            screen.draw();
            frames.push(cpu_time() - start);
        }
    }
    let is_reading = what.contains("reads");
    assert_eq!(screen.shows(THE_END), !is_reading, "the place was not kept");
    frames.sort_unstable();
    let count = frames.len().max(1);
    let mean = frames.iter().sum::<Duration>() / u32::try_from(count).unwrap_or(u32::MAX);
    let at = |share: usize| frames.get((count * share / 1_000).min(count - 1)).copied().unwrap_or_default();
    let name = format!("{NAME}, {DELTAS} pieces into it{what}");
    figure(&format!("{name}: a frame, mean"), ms(mean), "ms CPU", "under 5");
    figure(&format!("{name}: a frame, 99 of 100"), ms(at(990)), "ms CPU", "under 5");
    figure(&format!("{name}: a frame, the longest"), ms(at(1_000)), "ms CPU", "");
    figure(&format!("{name}: a piece without its frame"), ms(updates) * 1e3 / DELTAS as f64, "µs CPU", "");
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
