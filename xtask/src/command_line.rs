//! A child command: what to run, how to print it so that a person can repeat it, and how to run it.
//!
//! Owns the environment children see. Knows nothing about what the commands are for.

use std::ffi::OsString;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

/// `cargo run` sets these for us. Build scripts that watch them would rebuild whenever `cargo` and `cargo xtask` take
/// turns, so children do not see them.
const LEAKED_PREFIXES: [&str; 4] = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_"];

const CARGO: &str = "cargo";
/// How often a child with a time limit is looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// One command line, kept printable.
#[derive(Clone)]
pub(crate) struct CommandLine {
    program: String,
    args: Vec<String>,
    env: Vec<(String, String)>,
    folder: PathBuf,
}

impl CommandLine {
    /// A command to be run in `folder`.
    pub(crate) fn new(folder: &Path, program: &str, args: &[&str]) -> Self {
        Self {
            program: program.to_owned(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            env: Vec::new(),
            folder: folder.to_owned(),
        }
    }

    /// `cargo ARGS`, with the very cargo that runs us.
    pub(crate) fn cargo(folder: &Path, args: &[&str]) -> Self {
        Self::new(folder, CARGO, args)
    }

    pub(crate) fn arg(mut self, arg: impl Into<String>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Sets one environment variable.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Runs with our own terminal and says whether it succeeded.
    pub(crate) fn succeeds(&self) -> Result<bool> {
        let status = self.command().status().with_context(|| self.cannot_start())?;
        Ok(status.success())
    }

    /// Runs and returns what it printed on stdout; an exit status other than zero is an error with its stderr.
    pub(crate) fn output(&self) -> Result<String> {
        let output = self.command().stdin(Stdio::null()).output().with_context(|| self.cannot_start())?;
        if !output.status.success() {
            anyhow::bail!("`{self}` failed: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Runs in silence and says whether it succeeded before the limit; past it the child is ended.
    pub(crate) fn succeeds_within(&self, limit: Duration) -> Result<bool> {
        let mut command = self.command();
        let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = quiet.spawn().with_context(|| self.cannot_start())?;
        let started = Instant::now();
        while started.elapsed() < limit {
            if let Some(status) = child.try_wait()? {
                return Ok(status.success());
            }
            std::thread::sleep(POLL_INTERVAL);
        }
        child.kill()?;
        child.wait()?;
        Ok(false)
    }

    /// Runs and returns everything it printed; past the limit the child is ended, and what it printed until then is
    /// all there is.
    pub(crate) fn output_within(&self, limit: Duration) -> Result<Output> {
        let mut command = self.command();
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().with_context(|| self.cannot_start())?;
        let (out, err) = (read_all(child.stdout.take()), read_all(child.stderr.take()));
        let started = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if started.elapsed() >= limit {
                child.kill()?;
                break child.wait()?;
            }
            std::thread::sleep(POLL_INTERVAL);
        };
        let collect = |reader: JoinHandle<Vec<u8>>| reader.join().unwrap_or_default();
        Ok(Output { status, stdout: collect(out), stderr: collect(err) })
    }

    /// The command, ready to be spawned.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(self.resolved_program());
        command.args(&self.args).current_dir(&self.folder);
        for (name, _) in std::env::vars_os() {
            if name.to_str().is_some_and(|name| LEAKED_PREFIXES.iter().any(|prefix| name.starts_with(prefix)))
            {
                command.env_remove(name);
            }
        }
        // Cargo's own plug-ins take a set CARGO for "called as `cargo NAME`" and would swallow their first argument.
        if self.program != CARGO {
            command.env_remove("CARGO");
        }
        // Nothing is compiled a second time where every checkout is new: half of what a build writes would never be read.
        if std::env::var_os("CI").is_some() {
            command.env("CARGO_INCREMENTAL", "0");
        }
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    fn resolved_program(&self) -> OsString {
        let ours = if self.program == CARGO { std::env::var_os("CARGO") } else { None };
        ours.unwrap_or_else(|| OsString::from(&self.program))
    }

    fn cannot_start(&self) -> String {
        format!("cannot start `{}`: is it installed and on PATH?", self.program)
    }
}

impl fmt::Display for CommandLine {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.env {
            write!(out, "{name}={} ", quoted(value))?;
        }
        write!(out, "{}", quoted(&self.program))?;
        self.args.iter().try_for_each(|arg| write!(out, " {}", quoted(arg)))
    }
}

/// A child that prints more than a pipe holds would wait for ever.
fn read_all(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What cannot be read was not said.
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@+".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.to_owned() } else { format!("'{word}'") }
}

#[cfg(test)]
#[path = "command_line_tests.rs"]
mod tests;
