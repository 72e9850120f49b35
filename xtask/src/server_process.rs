//! Servers for the suites: the emulator of a provider, and `windlass serve` in front of it.
//!
//! Owns processes and their end. Both say on standard output where they listen.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use crate::command_line::CommandLine;

/// A server that does not say where it listens by then does not start.
const START_LIMIT: Duration = Duration::from_secs(30);

/// A process that listens, ended with this value.
pub(crate) struct ServerProcess {
    child: Child,
    /// `http://127.0.0.1:PORT`.
    pub(crate) url: String,
    /// What clients of `windlass serve` send.
    pub(crate) token: String,
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl ServerProcess {
    /// Starts it and waits until it has said where it listens.
    pub(crate) fn start(invocation: &CommandLine, log: &Path) -> Result<Self> {
        let log_file =
            std::fs::File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
        let mut command = invocation.command();
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log_file);
        let mut child = command.spawn().with_context(|| format!("cannot start `{invocation}`"))?;
        let (said, heard) = mpsc::channel();
        let out = child.stdout.take().context("a child with a pipe has one")?;
        // Read to its end, or the child would stop at a full pipe.
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                if let Some((_, address)) = line.split_once("http://") {
                    let _ = said.send(format!("http://{}", address.trim().trim_end_matches('/')));
                }
            }
        });
        let mut served = Self { child, url: String::new(), token: String::new() };
        match heard.recv_timeout(START_LIMIT) {
            Ok(url) => served.url = url,
            Err(_) => bail!("`{invocation}` does not listen; {} has what it said", log.display()),
        }
        Ok(served)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// `127.0.0.1:PORT`.
    pub(crate) fn address(&self) -> &str {
        self.url.trim_start_matches("http://")
    }

    /// The emulator with the answers of a file.
    pub(crate) fn provider(root: &Path, target_folder: &Path, answers: &str) -> Result<Self> {
        let tools = target_folder.join("xtask-tools");
        let entry = tools.join("aimock/node_modules/@copilotkit/aimock/dist/cli.js");
        let entry = entry.to_string_lossy();
        let args = [&*entry, "--port", "0", "--host", "127.0.0.1", "--fixtures", answers];
        // Without it an answer for one place in a conversation is given at any other that has none.
        let emulator = CommandLine::new(root, "node", &args).env("AIMOCK_STRICT_TURN_INDEX", "1");
        Self::start(&emulator, &tools.join("provider.log"))
    }

    /// `windlass serve` with folders of its own.
    pub(crate) fn windlass(
        root: &Path,
        target_folder: &Path,
        binary: &Path,
        model: &Model<'_>,
    ) -> Result<Self> {
        let place = target_folder.join("xtask-tools/served");
        let _ = std::fs::remove_dir_all(&place);
        let project = place.join("project");
        std::fs::create_dir_all(&project)?;
        std::fs::write(place.join("config.toml"), "")?;
        std::fs::write(project.join("notes.txt"), "The needle is here.\n")?;
        let args = serve_args(&place, "data", model.name);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        // What is stored by a suite (rules, for one) must not be the user's own, nor the next suite's.
        let home = place.join("home").display().to_string();
        let serve = CommandLine::new(root, &binary.to_string_lossy(), &args)
            .env("HOME", &home)
            .env("XDG_CONFIG_HOME", &home)
            .env("XDG_DATA_HOME", &home)
            .env("WINDLASS_LOG", "error")
            .env("WINDLASS_BASE_URL", model.base_url);
        let mut served = Self::start(&serve, &target_folder.join("xtask-tools/served.log"))?;
        // It was made before the server said where it listens.
        let token = std::fs::read_to_string(place.join("data/token")).context("the server made no token")?;
        token.trim().clone_into(&mut served.token);
        Ok(served)
    }
}

/// `windlass serve` in a place that has `config.toml` and `project`, on a port that it chooses.
pub(crate) fn serve_args(place: &Path, data: &str, model: &str) -> Vec<String> {
    let path = |name: &str| place.join(name).display().to_string();
    let places = [("--config", path("config.toml")), ("--data", path(data)), ("--root", path("project"))];
    let head = ["serve", "--addr", "127.0.0.1:0", "--model", model].map(str::to_owned);
    head.into_iter().chain(places.into_iter().flat_map(|(flag, path)| [flag.to_owned(), path])).collect()
}

/// The model behind a server.
pub(crate) struct Model<'a> {
    pub(crate) name: &'a str,
    pub(crate) base_url: &'a str,
}

/// Builds the binary and says where it is.
pub(crate) fn build_binary(root: &Path, target_folder: &Path) -> Result<PathBuf> {
    let build = CommandLine::cargo(root, &["build", "--quiet", "--package", "windlass-cli"]);
    if !build.succeeds()? {
        bail!("`{build}` failed");
    }
    Ok(target_folder.join("debug").join(format!("windlass{}", std::env::consts::EXE_SUFFIX)))
}
