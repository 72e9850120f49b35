//! A pane of tmux with the app in it, in a home and a project of its own: keys in, the screen out.
//!
//! Knows nothing of what is played in it, and why.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

const PATIENCE: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(30);

/// Keys right after a question appeared are not for it.
const THINKING: Duration = Duration::from_millis(700);

/// A screen that did not change for so long is at rest.
const REST: Duration = Duration::from_millis(1_000);

/// The pane; its tmux server and its folder end with it.
pub(crate) struct Pane {
    tmux: PathBuf,
    socket: String,
    folder: PathBuf,
}

impl Pane {
    /// No pane yet: a project with these files.
    pub(crate) fn new(tmux: &Path, name: &str, files: &[(&str, &str)]) -> Result<Self> {
        let socket = format!("windlass-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(&socket);
        let pane = Self { tmux: tmux.to_owned(), socket, folder };
        std::fs::create_dir_all(pane.project())?;
        for (name, text) in files {
            let file = pane.project().join(name);
            if let Some(parent) = file.parent() {
                std::fs::create_dir_all(parent)?;
            }
            std::fs::write(file, text)?;
        }
        Ok(pane)
    }

    /// The folder of the project.
    pub(crate) fn project(&self) -> PathBuf {
        self.folder.join("crane")
    }

    /// The home of whoever sits there.
    pub(crate) fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    /// Starts the app in a pane of this size.
    pub(crate) fn start(&self, size: (u16, u16), binary: &Path, args: &[&str]) -> Result<()> {
        let (columns, rows) = (size.0.to_string(), size.1.to_string());
        let (home, project) = (format!("HOME={}", self.home().display()), self.project());
        let (project, binary) = (project.to_string_lossy(), binary.to_string_lossy());
        let line = [
            &["-f", "/dev/null", "new-session", "-d", "-x", &columns, "-y", &rows, "-c", &project][..],
            &["env", "-i", "TERM=tmux-256color", "LANG=C.UTF-8", "PATH=/usr/bin:/bin", &home, &binary],
            args,
        ];
        self.tmux(&line.concat()).map(|_| ())
    }

    fn tmux(&self, args: &[&str]) -> Result<Output> {
        let output = Command::new(&self.tmux).args(["-L", &self.socket]).args(args).output()?;
        if !output.status.success() {
            bail!("tmux {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(output)
    }

    /// The process in the pane.
    pub(crate) fn process(&self) -> Result<u32> {
        let said = self.tmux(&["display-message", "-p", "#{pane_pid}"])?;
        Ok(String::from_utf8(said.stdout)?.trim().parse()?)
    }

    pub(crate) fn type_text(&self, text: &str) -> Result<()> {
        self.tmux(&["send-keys", "-l", text]).map(|_| ())
    }

    pub(crate) fn press(&self, key: &str) -> Result<()> {
        self.tmux(&["send-keys", key]).map(|_| ())
    }

    /// Answers questions with a key until the screen shows a text.
    pub(crate) fn answer(&self, key: &str, then: &str) -> Result<()> {
        let begun = Instant::now();
        while !self.text()?.contains(then) {
            if begun.elapsed() > PATIENCE {
                bail!("'{then}' never came; on the screen:\n{}", self.text()?);
            }
            if self.text()?.contains("[1] Allow Once") {
                std::thread::sleep(THINKING);
                self.press(key)?;
            }
            std::thread::sleep(THINKING);
        }
        Ok(())
    }

    /// What is on the screen, with its colours.
    pub(crate) fn coloured(&self) -> Result<String> {
        Ok(String::from_utf8(self.tmux(&["capture-pane", "-p", "-e"])?.stdout)?)
    }

    /// What is on the screen.
    pub(crate) fn text(&self) -> Result<String> {
        Ok(String::from_utf8(self.tmux(&["capture-pane", "-p"])?.stdout)?)
    }

    /// Waits until the screen shows a text.
    pub(crate) fn wait_for(&self, text: &str) -> Result<()> {
        let begun = Instant::now();
        while !self.text()?.contains(text) {
            if begun.elapsed() > PATIENCE {
                bail!("'{text}' never came; on the screen:\n{}", self.text()?);
            }
            std::thread::sleep(LOOK);
        }
        Ok(())
    }

    /// Waits until the screen stays as it is.
    pub(crate) fn wait_for_rest(&self) -> Result<()> {
        let mut last = self.text()?;
        loop {
            std::thread::sleep(REST);
            let now = self.text()?;
            if now == last {
                return Ok(());
            }
            last = now;
        }
    }
}

impl Drop for Pane {
    fn drop(&mut self) {
        // What is left over lies in the system's own folder for such things.
        let _ = self.tmux(&["kill-server"]);
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
