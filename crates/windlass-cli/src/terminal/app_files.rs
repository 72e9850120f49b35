//! The files of the terminal app: what was typed before, the theme that was chosen, and files that are
//! written from it. What the project brings is trusted here, too.

use std::fs::OpenOptions;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};

use windlass_tui::{AppFilesError, AppFilesPort, ThemeKind, TrustReport};

use crate::args::GlobalArgs;
use crate::complaint::CommandError;
use crate::config::{CliConfig, Folders, keep_word, private};
use crate::trust::TrustState;
use crate::trust::looked_at::{self, KeepFault};

/// Lines of history that are offered again.
const HISTORY_LINES_MAX: usize = 1_000;

/// Longest line that is kept: what was pasted is not looked for again.
const HISTORY_BYTES_MAX: usize = 16 * 1024;

/// Files around the terminal app.
pub(crate) struct AppFiles {
    history_file: PathBuf,
    config_file: PathBuf,
    folder: PathBuf,
    /// How the project is found; nothing where it is another machine's.
    project: Option<GlobalArgs>,
}

impl AppFiles {
    pub(crate) fn new(folders: &Folders, folder: PathBuf) -> Self {
        let config_file = folders.config_file.clone();
        Self { history_file: folders.data.join("history.jsonl"), config_file, folder, project: None }
    }

    /// With a project of this machine, which can be trusted.
    pub(crate) fn with_project(self, global: &GlobalArgs) -> Self {
        Self { project: Some(global.clone()), ..self }
    }

    /// What the project brings now: it may have changed since the program began.
    fn look(&self) -> Result<CliConfig, AppFilesError> {
        let Some(global) = &self.project else {
            return Err(AppFilesError(
                "this app shows a server; its folder is trusted where it is: windlass trust add".to_owned(),
            ));
        };
        looked_at::look(global, None).map_err(|complaint| told(&complaint))
    }

    fn read_history(&self) -> io::Result<Vec<String>> {
        let file = std::fs::File::open(&self.history_file)?;
        let mut lines = Vec::new();
        for line in BufReader::new(file).lines() {
            // A line that was cut off with the power is not worth a word.
            if let Ok(text) = serde_json::from_str(&line?) {
                lines.push(text);
            }
        }
        Ok(lines.split_off(lines.len().saturating_sub(HISTORY_LINES_MAX)))
    }

    fn add_to_history(&self, line: &str) -> io::Result<()> {
        if let Some(folder) = self.history_file.parent() {
            private::make_folder(folder)?;
        }
        let text = serde_json::to_string(line)?;
        // One write: two apps may add at the same time.
        private::options()
            .create(true)
            .append(true)
            .open(&self.history_file)?
            .write_all(format!("{text}\n").as_bytes())
    }
}

impl AppFilesPort for AppFiles {
    fn history(&self) -> Vec<String> {
        self.read_history().unwrap_or_default()
    }

    fn remember(&self, line: &str) -> Result<(), AppFilesError> {
        if line.len() > HISTORY_BYTES_MAX {
            return Ok(());
        }
        self.add_to_history(line).map_err(|error| unwritten(&self.history_file, &error))
    }

    fn keep_theme(&self, theme: ThemeKind) -> Result<(), AppFilesError> {
        keep_word(&self.config_file, "terminal", "theme", theme.word()).map_err(|complaint| told(&complaint))
    }

    fn trust(&self) -> Result<TrustReport, AppFilesError> {
        let config = self.look()?;
        let trust = &config.trust;
        Ok(TrustReport {
            root: trust.root.display().to_string(),
            is_trusted: trust.is_trusted(),
            can_be_trusted: trust.brings_something() && !matches!(trust.state, TrustState::Unreadable(_)),
            digest: trust.brought.digest(),
            text: looked_at::told(trust, true),
        })
    }

    fn trust_folder(&self, digest: &str) -> Result<String, AppFilesError> {
        let config = self.look()?;
        looked_at::keep_shown(&config, digest).map_err(|fault| match fault {
            KeepFault::Changed(why) => AppFilesError(format!("{why}; /trust shows it as it is now")),
            KeepFault::Untrustable(why) => AppFilesError(why),
            KeepFault::Failed(complaint) => told(&complaint),
        })?;
        Ok(format!("trusted: {}; what it brings counts from the next start on", config.trust.root.display()))
    }

    fn revoke_trust(&self) -> Result<String, AppFilesError> {
        let config = self.look()?;
        let root = config.trust.root.display();
        match looked_at::revoke(&config).map_err(|complaint| told(&complaint))? {
            true => Ok(format!("no longer trusted: {root}; it counts until windlass is started again")),
            false => Err(AppFilesError(format!("{root} is not trusted"))),
        }
    }

    fn export(&self, name: &str, text: &str) -> Result<String, AppFilesError> {
        let path = self.folder.join(name);
        let written = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&path)
            .and_then(|mut file| file.write_all(text.as_bytes()));
        match written {
            Ok(()) => Ok(path.display().to_string()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(AppFilesError(format!("{} is there already; name another file", path.display())))
            }
            Err(error) => Err(unwritten(&path, &error)),
        }
    }
}

/// A complaint on one line.
fn told(complaint: &CommandError) -> AppFilesError {
    AppFilesError(complaint.to_string().replace("\n  ", "; "))
}

fn unwritten(path: &Path, error: &io::Error) -> AppFilesError {
    AppFilesError(format!("{} cannot be written: {error}", path.display()))
}

#[cfg(test)]
#[path = "app_files_tests.rs"]
mod tests;
