//! Running a process so that it really ends: its own process group, killed as a whole on time-out, on
//! too much output, when its leader ends, and when the future is dropped.
//!
//! A process that leaves the group on purpose (`setsid`) outlives it, as a daemon is meant to; it cannot
//! keep the call waiting.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use cap_std::fs::Dir;
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Child;
use tokio::time::{Instant, sleep_until, timeout};
use windlass_core::permission::ConfinedBy;

use super::capture::Capture;
use super::confine::mask::MaskLease;
use super::confine::plan::ConfinePlan;
use super::confine::start::{self, ThreadLeash};
use super::environment::{Environment, FIXED};
use super::proxy::{HostProxy, ProxyParts, handover};
use crate::files::limits::{COMMAND_OUTPUT_BYTES_MAX, DRAIN_MS_MAX};

/// What to start and how long to wait for it.
pub(crate) struct Launch {
    pub(crate) words: Vec<String>,
    /// The folder to run in, open: whoever puts a link in its place afterwards leads the command nowhere else.
    pub(crate) folder: Dir,
    /// Its path, where open folders have none.
    pub(crate) path: PathBuf,
    pub(crate) inherited: Arc<Environment>,
    /// Variables of this command alone.
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) timeout: Duration,
    /// Bytes kept of each stream.
    pub(crate) stream_bytes_max: usize,
    /// The sandbox that it runs in.
    pub(crate) held: Option<Arc<ConfinePlan>>,
    /// What it may reach from there; nothing otherwise.
    pub(crate) reach: Option<ProxyParts>,
}

impl Launch {
    fn current_dir(&self) -> PathBuf {
        // The child has the folder open until its program begins, which is after it has gone there.
        let open = PathBuf::from(format!("/proc/self/fd/{}", self.folder.as_raw_fd()));
        if open.is_dir() { open } else { self.path.clone() }
    }

    /// Where its program is looked for.
    fn search_path(&self) -> Option<OsString> {
        let own = self.env.get("PATH").map(OsString::from);
        let inherited = || self.inherited.variables().find(|(name, _)| *name == "PATH");
        own.or_else(|| inherited().map(|(_, value)| value.clone()))
    }
}

#[derive(Debug)]
pub(crate) enum ProcessEnd {
    Exited(ExitStatus),
    TimedOut,
    PrintedTooMuch,
}

pub(crate) struct FinishedProcess {
    pub(crate) end: ProcessEnd,
    pub(crate) stdout: Capture,
    pub(crate) stderr: Capture,
}

/// Runs a process to its end; `on_line` sees output as it comes, a line at a time, perhaps not all.
pub(crate) async fn execute(launch: Launch, on_line: &(dyn Fn(&str) + Sync)) -> io::Result<FinishedProcess> {
    // Declared first, so that it goes last: what it covers stays covered until the command has ended.
    let _masks = launch.held.as_ref().and_then(|plan| MaskLease::of(plan));
    let Started { mut child, leash: _leash, proxy: _proxy } = spawn(&launch).await?;
    let group = ProcessGroup::of(&child);
    let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(io::Error::other("the pipes of the process are missing"));
    };
    let mut streams = Streams {
        stdout: OutputStream::new(stdout, launch.stream_bytes_max),
        stderr: OutputStream::new(stderr, launch.stream_bytes_max),
        on_line,
    };
    let deadline = Instant::now() + launch.timeout;
    let end = tokio::select! {
        status = child.wait() => ProcessEnd::Exited(status?),
        () = streams.read_until_too_much() => ProcessEnd::PrintedTooMuch,
        () = sleep_until(deadline) => ProcessEnd::TimedOut,
    };
    // What the leader left in the background goes too: it would hold the pipes and never be seen again.
    drop(group);
    let grace = Duration::from_millis(DRAIN_MS_MAX);
    // Neither a process that left the group nor one that the kernel cannot end yet may keep the call.
    let _ = timeout(grace, streams.read_to_end()).await;
    let _ = timeout(grace, child.wait()).await;
    Ok(FinishedProcess { end, stdout: streams.stdout.capture, stderr: streams.stderr.capture })
}

/// A command that runs, and what ends with it.
struct Started {
    child: Child,
    leash: Option<ThreadLeash>,
    proxy: Option<HostProxy>,
}

async fn spawn(launch: &Launch) -> io::Result<Started> {
    let Some(plan) = &launch.held else {
        let words: Vec<OsString> = launch.words.iter().map(OsString::from).collect();
        return Ok(Started { child: prepared(launch, &words)?.spawn()?, leash: None, proxy: None });
    };
    let name = launch.words.first().map(String::as_str).unwrap_or_default();
    start::find_program(name, launch.search_path(), &launch.current_dir())?;
    // Elsewhere there is no network of a command's own that a listener could be in.
    let reach = launch.reach.as_ref().filter(|_| plan.by == ConfinedBy::Bubblewrap);
    let place = launch.current_dir().metadata()?;
    let words = start::words_of(plan, &launch.words, &place, reach.is_some())?;
    let mut command = prepared(launch, &words)?;
    let mut proxy = None;
    if let Some(parts) = reach {
        let (ours, theirs) = handover::pair()?;
        command.stdin(theirs);
        proxy = Some(HostProxy::start(ours, parts.clone()));
    }
    if plan.by != ConfinedBy::Bubblewrap && !launch.env.contains_key("TMPDIR") {
        // There the folder of all is not private to the command.
        std::fs::create_dir_all(&plan.scratch)?;
        command.env("TMPDIR", &plan.scratch);
    }
    let (child, leash) = start::spawn_held(command, Arc::clone(plan)).await?;
    Ok(Started { child, leash: Some(leash), proxy })
}

/// The command with folder, environment and pipes, not started.
fn prepared(launch: &Launch, words: &[OsString]) -> io::Result<tokio::process::Command> {
    let (program, args) = words.split_first().ok_or_else(|| io::Error::other("the command is empty"))?;
    let mut command = tokio::process::Command::new(program);
    command
        .args(args)
        .current_dir(launch.current_dir())
        .env_clear()
        .envs(launch.inherited.variables())
        .envs(FIXED)
        .envs(&launch.env)
        // A program that asks something ends at once instead of waiting until its time is up.
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true);
    Ok(command)
}

/// A process group that ends with this value.
struct ProcessGroup(Option<Pid>);

impl ProcessGroup {
    fn of(child: &Child) -> Self {
        let raw = child.id().and_then(|id| i32::try_from(id).ok());
        Self(raw.and_then(Pid::from_raw))
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if let Some(leader) = self.0 {
            // The group may have ended already. Its number cannot have been given to another group so
            // soon: numbers are only used again after all others.
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }
}

struct OutputStream<S> {
    source: S,
    buffer: Vec<u8>,
    capture: Capture,
    is_open: bool,
}

impl<S: AsyncRead + Unpin> OutputStream<S> {
    fn new(source: S, bytes_max: usize) -> Self {
        Self { source, buffer: vec![0; 64 * 1024], capture: Capture::new(bytes_max), is_open: true }
    }

    /// Waits for output and keeps it; the last line of it.
    async fn read(&mut self) -> Option<String> {
        let count = self.source.read(&mut self.buffer).await.unwrap_or(0);
        self.is_open = count > 0;
        let bytes = self.buffer.get(..count).unwrap_or_default();
        self.capture.push(bytes);
        let text = String::from_utf8_lossy(bytes);
        text.lines().rev().find(|line| !line.trim().is_empty()).map(str::to_owned)
    }
}

struct Streams<'a, O, E> {
    stdout: OutputStream<O>,
    stderr: OutputStream<E>,
    on_line: &'a (dyn Fn(&str) + Sync),
}

impl<O: AsyncRead + Unpin, E: AsyncRead + Unpin> Streams<'_, O, E> {
    /// Reads once from whichever has something; false when both have ended.
    async fn read(&mut self) -> bool {
        let line = tokio::select! {
            line = self.stdout.read(), if self.stdout.is_open => line,
            line = self.stderr.read(), if self.stderr.is_open => line,
            else => return false,
        };
        if let Some(line) = line {
            (self.on_line)(&line);
        }
        true
    }

    fn is_too_much(&self) -> bool {
        self.stdout.capture.total() + self.stderr.capture.total() > COMMAND_OUTPUT_BYTES_MAX
    }

    /// Ends when there was too much output; otherwise never, not even when all is read.
    async fn read_until_too_much(&mut self) {
        while !self.is_too_much() {
            if !self.read().await {
                std::future::pending::<()>().await;
            }
        }
    }

    async fn read_to_end(&mut self) {
        while !self.is_too_much() && self.read().await {}
    }
}
