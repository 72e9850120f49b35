//! What another process has used so far, as the system counts it.

use std::time::Duration;

/// A process, by its number.
#[derive(Debug, Clone)]
pub struct Process {
    folder: String,
}

impl Process {
    /// The process of that number.
    pub fn new(pid: usize) -> Self {
        Self { folder: format!("/proc/{pid}") }
    }

    /// CPU time of all its threads, in ticks of ten milliseconds.
    pub fn cpu_time(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("{}/stat", self.folder)).unwrap_or_default();
        // The name before the bracket may have blanks in it.
        let rest = stat.rsplit(')').next().unwrap_or_default();
        let ticks: u64 =
            rest.split_whitespace().skip(11).take(2).filter_map(|text| text.parse::<u64>().ok()).sum();
        Duration::from_secs_f64(ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
    }

    /// Resident memory, in bytes.
    pub fn resident_bytes(&self) -> u64 {
        let statm = std::fs::read_to_string(format!("{}/statm", self.folder)).unwrap_or_default();
        let pages: u64 = statm.split_whitespace().nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0);
        pages.saturating_mul(rustix::param::page_size() as u64)
    }
}

/// Lets this process open as many sockets as it is allowed to.
pub fn raise_file_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    // Who may not raise it hears of it at the first socket too many.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
}
