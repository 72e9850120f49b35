//! A command that is watched while it runs: how long it takes, and the most memory that it and its children ever had.

use std::fs;
use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// Between two looks at a process: what it takes in its last moments is not seen.
pub(crate) const LOOK: Duration = Duration::from_millis(5);

/// How a command ended.
pub(crate) struct Took {
    pub(crate) status: ExitStatus,
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) time: Duration,
    /// Largest of the process and its children.
    pub(crate) peak_mb: u64,
}

/// Runs a command, which has to end within this time.
#[track_caller]
pub(crate) fn run(mut command: Command, limit: Duration) -> Took {
    let begun = Instant::now();
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (out, err) = (gather(child.stdout.take().unwrap()), gather(child.stderr.take().unwrap()));
    let mut peak_mb = 0;
    let status = loop {
        peak_mb = peak_mb.max(peak_mb_of_all(child.id()));
        if let Some(status) = child.try_wait().unwrap() {
            break Some(status);
        }
        if begun.elapsed() > limit {
            break None;
        }
        thread::sleep(LOOK);
    };
    let time = begun.elapsed();
    if status.is_none() {
        end(&mut child);
    }
    let (out, err) = (out.join().unwrap(), err.join().unwrap());
    let status = status.unwrap_or_else(|| panic!("{command:?} did not end within {limit:?}:\n{out}\n{err}"));
    Took { status, out, err, time, peak_mb }
}

fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

fn gather(mut stream: impl Read + Send + 'static) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// The most memory that a process ever had; nothing of one that is gone.
pub(crate) fn peak_mb(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|kilobytes| kilobytes.parse::<u64>().ok()).unwrap_or(0) / 1024
}

/// The same of it and of its children.
fn peak_mb_of_all(process: u32) -> u64 {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let children = threads.flat_map(|thread| {
        let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        children.split_whitespace().filter_map(|child| child.parse().ok()).collect::<Vec<u32>>()
    });
    children.chain([process]).map(peak_mb).max().unwrap_or(0)
}

/// Ends a process that is still there after this time, so that whoever waits for it waits no longer; dropped, it leaves it
/// alone.
pub(crate) struct Watchdog {
    _leash: mpsc::Sender<()>,
}

impl Watchdog {
    pub(crate) fn on(process: Pid, limit: Duration) -> Self {
        let (leash, dropped) = mpsc::channel::<()>();
        thread::spawn(move || {
            if dropped.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout) {
                let _ = kill_process(process, Signal::KILL);
            }
        });
        Self { _leash: leash }
    }
}
