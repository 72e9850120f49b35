//! A folder with a home and a project in it, and the binary run there.

use std::fs;
use std::io::Write;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A home and a project.
pub(crate) struct Place {
    folder: TempDir,
    /// Whether whatever the project brings is trusted as it is written.
    is_trusting: bool,
}

/// What a command said.
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        for name in ["home", "project"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self { folder, is_trusting: false }
    }

    /// A place whose project has these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let place = Self::new();
        for (name, text) in files {
            place.write(name, text);
        }
        place
    }

    /// A place whose project has these files, and whose user trusts what it brings, also what is written later.
    pub(crate) fn trusting(files: &[(&str, &str)]) -> Self {
        let mut place = Self::with(files);
        place.is_trusting = true;
        if files.iter().any(|(name, _)| name.starts_with(".windlass/")) {
            place.trust();
        }
        place
    }

    /// The user trusts what the project brings now.
    pub(crate) fn trust(&self) {
        self.windlass(&["trust", "add", "--yes"]).exits(0);
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("project").join(name)
    }

    pub(crate) fn config_file(&self) -> PathBuf {
        self.folder.path().join("home/config/windlass/config.toml")
    }

    pub(crate) fn policies_file(&self) -> PathBuf {
        self.folder.path().join("home/config/windlass/policies.json")
    }

    pub(crate) fn data_folder(&self) -> PathBuf {
        self.folder.path().join("home/data/windlass")
    }

    pub(crate) fn audit_file(&self) -> PathBuf {
        self.folder.path().join("home/data/windlass/audit.log")
    }

    /// Writes a file of the project.
    pub(crate) fn write(&self, name: &str, text: &str) {
        write(&self.path(name), text);
        if self.is_trusting && name.starts_with(".windlass/") {
            self.trust();
        }
    }

    /// Writes the user's configuration.
    pub(crate) fn configure(&self, text: &str) {
        write(&self.config_file(), text);
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The binary, to be run in the project with nothing of the tester's own environment.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = self.bare(env!("CARGO_BIN_EXE_windlass"));
        command.args(args);
        command
    }

    /// The binary as a copy in the place: the folder it was built in may be closed to other users.
    pub(crate) fn command_of_copy(&self, args: &[&str]) -> Command {
        let copy = self.folder.path().join("windlass");
        if !copy.exists() {
            std::fs::copy(env!("CARGO_BIN_EXE_windlass"), &copy).unwrap();
        }
        let mut command = self.bare(copy.to_str().unwrap());
        command.args(args);
        command
    }

    /// The binary as somebody who may change nothing but the place.
    pub(crate) fn command_of_nobody(&self, args: &[&str]) -> Command {
        const NOBODY: u32 = 65_534;
        let mut command = self.command_of_copy(args);
        if rustix::process::getuid().is_root() {
            give(self.folder.path(), NOBODY);
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    }

    /// Another program in the same surroundings.
    pub(crate) fn bare(&self, program: &str) -> Command {
        let home = self.folder.path().join("home");
        let mut command = Command::new(program);
        command
            .current_dir(self.folder.path().join("project"))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("TERM", "xterm")
            .env("XDG_CONFIG_HOME", home.join("config"))
            .env("XDG_DATA_HOME", home.join("data"))
            .env("HOME", &home)
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn windlass(&self, args: &[&str]) -> Said {
        Said::of(self.command(args).output().unwrap())
    }

    /// The same with text on stdin.
    pub(crate) fn windlass_reading(&self, args: &[&str], stdin: &str) -> Said {
        self.windlass_told(args, stdin, &[])
    }

    /// The same with text on stdin and variables.
    pub(crate) fn windlass_told(&self, args: &[&str], stdin: &str, vars: &[(&str, &str)]) -> Said {
        let mut child = self
            .command(args)
            .envs(vars.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A command that complains before it has listened is as good as one that listened first.
        let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
        Said::of(child.wait_with_output().unwrap())
    }

    /// The same with variables.
    pub(crate) fn windlass_with(&self, args: &[&str], vars: &[(&str, &str)]) -> Said {
        Said::of(self.command(args).envs(vars.iter().copied()).output().unwrap())
    }
}

/// Everything below the path belongs to this user from now on.
fn give(path: &Path, to: u32) {
    chown(path, Some(to), Some(to)).unwrap();
    if path.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| give(&entry.unwrap().path(), to));
    }
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

impl Said {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Asserts the exit code, and shows everything when it is another.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout: {}\nstderr: {}", self.out, self.err);
        self
    }

    /// Asserts that stderr is an error of ours that contains all of these, and nothing like a backtrace.
    #[track_caller]
    pub(crate) fn complains(self, code: i32, texts: &[&str]) -> Self {
        let said = self.exits(code);
        assert!(said.err.contains("error: "), "{}", said.err);
        for text in texts {
            assert!(said.err.contains(text), "no '{text}' in: {}", said.err);
        }
        assert!(!said.err.contains("panicked") && !said.err.contains("RUST_BACKTRACE"), "{}", said.err);
        said
    }

    /// Stdout as one document of JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}\n{}", self.out, self.err))
    }

    /// Stdout as one document of JSON a line.
    #[track_caller]
    pub(crate) fn lines(&self) -> Vec<Value> {
        self.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}
