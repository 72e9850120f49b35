//! What the benchmarks share: CPU time, samples of calls, a model and a tool that cost nothing.
//!
//! Everything is measured in CPU time of this process: wall time on a shared machine says little.
//!
//! - `broken`: broken arguments, as models write them: each kind of noise over two payloads, with what was meant
//! - `eval`: the evaluation of searching: collections, measures, and how an index of ours does on them
//! - `idle`: what an idle session holds in memory
//! - `judged`: models in the process against what llama.cpp said of the same files
//! - `load`: load for a server that runs elsewhere: sockets, streams, and what they cost it
//! - `loads`: a model and a tool that cost nothing, so that what is measured is the engine alone
//! - `local`: what a model in the process costs
//! - `peer`: Windlass in the place of a peer: the same workload, the same figures
//! - `sample`: a schema and a call of the size that editing tools have in practice (702 bytes of arguments)
//! - `screen`: the terminal app without a terminal
//! - `search`: searching a large tree: our index beside raw tantivy and the crates that ripgrep is made of
//! - `tongue`: a vocabulary as large models have one, made up: bytes, marks of code, digits, syllables, ideographs

pub mod broken;
pub mod eval;
pub mod idle;
pub mod judged;
pub mod load;
pub mod loads;
pub mod local;
pub mod peer;
pub mod sample;
pub mod screen;
pub mod search;
pub mod tongue;

use std::time::Duration;

/// CPU time of this process so far.
pub fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// The best of several rounds: noise only ever adds.
pub fn best_of(rounds: u32, mut round: impl FnMut() -> Duration) -> Duration {
    (0..rounds).map(|_| round()).min().unwrap_or_default()
}

/// Resident memory of this process, in bytes.
pub fn resident_bytes() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = statm.split_whitespace().nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0);
    pages.saturating_mul(4096)
}

/// The most resident memory this process ever had, in bytes.
pub fn resident_bytes_max() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    let kib: u64 = line.split_whitespace().next().and_then(|kib| kib.parse().ok()).unwrap_or(0);
    kib.saturating_mul(1024)
}

/// One line that `cargo xtask bench` reads.
pub fn figure(name: &str, value: f64, unit: &str, target: &str) {
    let target = if target.is_empty() { String::new() } else { format!(" (target {target})") };
    println!("figure: {name} = {value:.2} {unit}{target}");
}
