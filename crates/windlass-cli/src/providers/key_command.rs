//! Commands that know a key: run without a shell, not for long, and what they say is never shown.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use windlass_core::text::secret::Secret;

use crate::providers::child_environment;

/// A password manager may ask for a finger first; longer than this nobody waits for a run to begin.
const COMMAND_TIMEOUT_MS: u64 = 10_000;

/// Most bytes that are read of a command: keys have a few hundred.
const KEY_BYTES_MAX: u64 = 16 << 10;

/// How often the end of a command is looked for.
const LOOK_MS: u64 = 5;

/// Why a command gave no key. None of them quotes what it said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CommandFailure {
    /// There is no such program, or it cannot be started.
    NotStarted(String),
    /// It ended with another code than 0.
    Failed(Option<i32>),
    /// It did not end in time.
    TooLong,
    Empty,
}

impl std::fmt::Display for CommandFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CommandFailure::NotStarted(why) => write!(f, "it could not be started: {why}"),
            CommandFailure::Failed(Some(code)) => write!(f, "it ended with code {code}"),
            CommandFailure::Failed(None) => f.write_str("it was stopped"),
            CommandFailure::TooLong => write!(f, "it took longer than {} s", COMMAND_TIMEOUT_MS / 1_000),
            CommandFailure::Empty => f.write_str("it gave nothing"),
        }
    }
}

/// Runs a command and gives the first line of what it says. It gets the variables of a desktop program, and those that are named.
pub(crate) fn ask(program: &str, args: &[&str], named: &[String]) -> Result<Secret, CommandFailure> {
    let answer = run(program, args, named, None, COMMAND_TIMEOUT_MS)?;
    match answer.lines().next().map(str::trim) {
        None | Some("") => Err(CommandFailure::Empty),
        Some(key) => Ok(Secret::new(key)),
    }
}

/// Runs a command that is told something secret on its standard input.
pub(crate) fn tell(program: &str, args: &[&str], text: &str) -> Result<(), CommandFailure> {
    run(program, args, &[], Some(text), COMMAND_TIMEOUT_MS).map(drop)
}

fn run(
    program: &str,
    args: &[&str],
    named: &[String],
    input: Option<&str>,
    timeout_ms: u64,
) -> Result<String, CommandFailure> {
    let stdin = if input.is_some() { Stdio::piped() } else { Stdio::null() };
    let mut child = Command::new(program)
        .args(args)
        .env_clear()
        .envs(child_environment::of_key_command(named))
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| CommandFailure::NotStarted(error.to_string()))?;
    if let (Some(mut stdin), Some(text)) = (child.stdin.take(), input) {
        // A command that does not listen says so by its exit code.
        let _ = stdin.write_all(text.as_bytes());
    }
    let answer = read_apart(&mut child);
    let deadline = Instant::now() + Duration::from_millis(timeout_ms);
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => break,
            Ok(Some(status)) => return Err(CommandFailure::Failed(status.code())),
            Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(LOOK_MS)),
            Ok(None) | Err(_) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(CommandFailure::TooLong);
            }
        }
    }
    // A child of the command may hold its output open: what came until now is what there is.
    answer
        .recv_timeout(deadline.saturating_duration_since(Instant::now()))
        .map_err(|_| CommandFailure::TooLong)
}

/// Reads what a command says while it runs, so that it is never stuck on a full pipe.
fn read_apart(child: &mut Child) -> mpsc::Receiver<String> {
    let (sender, answer) = mpsc::channel();
    let stdout = child.stdout.take();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(stdout) = stdout {
            let _ = stdout.take(KEY_BYTES_MAX).read_to_end(&mut bytes);
        }
        // Nobody listening any more means that nobody waits.
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    answer
}

#[cfg(test)]
#[path = "key_command_tests.rs"]
mod tests;
