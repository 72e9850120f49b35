//! A pane of tmux with the app in it, in a home and a project of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use super::screen::Screen;

/// Columns and rows of the film.
pub(super) const SIZE: (u16, u16) = (104, 32);

const PATIENCE: Duration = Duration::from_secs(30);
const LOOK: Duration = Duration::from_millis(30);

/// The pane; its tmux server ends with it.
pub(super) struct Stage {
    tmux: PathBuf,
    socket: String,
    folder: PathBuf,
}

impl Stage {
    /// An empty pane in a project with these files.
    pub(super) fn open(tmux: &Path, files: &[(&str, &str)]) -> Result<Self> {
        let name = format!("windlass-picture-{}", std::process::id());
        let folder = std::env::temp_dir().join(&name);
        let stage = Self { tmux: tmux.to_owned(), socket: name, folder };
        for (name, text) in files {
            let file = stage.folder.join("crane").join(name);
            if let Some(parent) = file.parent() {
                std::fs::create_dir_all(parent)?;
            }
            std::fs::write(file, text)?;
        }
        Ok(stage)
    }

    /// Starts the app with a script for a model.
    pub(super) fn start(&self, binary: &Path, script: &Path) -> Result<()> {
        // The model's name is on the screen: a short one looks better than a path.
        std::fs::copy(script, self.folder.join("crane/tour"))?;
        let (columns, rows) = (SIZE.0.to_string(), SIZE.1.to_string());
        let home = self.folder.join("home");
        let (home, project) = (home.to_string_lossy(), self.folder.join("crane"));
        let line = [
            &["-f", "/dev/null", "new-session", "-d", "-x", &columns, "-y", &rows][..],
            &["-c", &project.to_string_lossy()],
            &["env", "-i", "TERM=tmux-256color", "LANG=C.UTF-8", "PATH=/usr/bin:/bin"],
            &[&format!("HOME={home}"), &*binary.to_string_lossy(), "--model", "scripted/tour"],
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

    /// Types text.
    pub(super) fn type_text(&self, text: &str) -> Result<()> {
        self.tmux(&["send-keys", "-l", text]).map(|_| ())
    }

    /// Presses a key.
    pub(super) fn press(&self, key: &str) -> Result<()> {
        self.tmux(&["send-keys", key]).map(|_| ())
    }

    /// Answers the question that is shown, until the screen shows something else. Keys right after a question appeared
    /// are not for it.
    pub(super) fn answer(&self, key: &str, then: &str) -> Result<()> {
        let begun = Instant::now();
        while !self.text()?.contains(then) {
            if begun.elapsed() > PATIENCE {
                bail!("'{then}' never came; on the screen:\n{}", self.text()?);
            }
            if self.text()?.contains("[1] Allow Once") {
                std::thread::sleep(Duration::from_millis(700));
                self.press(key)?;
            }
            std::thread::sleep(Duration::from_millis(300));
        }
        Ok(())
    }

    /// What is on the screen, with its colours.
    pub(super) fn screen(&self) -> Result<Screen> {
        let text = String::from_utf8(self.tmux(&["capture-pane", "-p", "-e"])?.stdout)?;
        Ok(Screen::read(&text))
    }

    fn text(&self) -> Result<String> {
        Ok(String::from_utf8(self.tmux(&["capture-pane", "-p"])?.stdout)?)
    }

    /// Waits until the screen shows a text.
    pub(super) fn wait_for(&self, text: &str) -> Result<()> {
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
    pub(super) fn wait_for_rest(&self) -> Result<()> {
        let mut last = self.text()?;
        loop {
            std::thread::sleep(Duration::from_millis(1_000));
            let now = self.text()?;
            if now == last {
                return Ok(());
            }
            last = now;
        }
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // What is left over lies in the system's own folder for such things.
        let _ = self.tmux(&["kill-server"]);
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
