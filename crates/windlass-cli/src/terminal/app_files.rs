//! The files of the terminal app: what was typed before, the theme that was chosen, and files that are
//! written from it.

use std::fs::OpenOptions;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};

use windlass_tui::{AppFilesError, AppFilesPort, ThemeKind};

use crate::config::{Folders, keep_word, private};

/// Lines of history that are offered again.
const HISTORY_LINES_MAX: usize = 1_000;

/// Longest line that is kept: what was pasted is not looked for again.
const HISTORY_BYTES_MAX: usize = 16 * 1024;

/// Files around the terminal app.
pub(crate) struct AppFiles {
    history_file: PathBuf,
    config_file: PathBuf,
    folder: PathBuf,
}

impl AppFiles {
    pub(crate) fn new(folders: &Folders, folder: PathBuf) -> Self {
        let config_file = folders.config_file.clone();
        Self { history_file: folders.data.join("history.jsonl"), config_file, folder }
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
        keep_word(&self.config_file, "terminal", "theme", theme.word())
            .map_err(|complaint| AppFilesError(complaint.to_string().replace("\n  ", "; ")))
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

fn unwritten(path: &Path, error: &io::Error) -> AppFilesError {
    AppFilesError(format!("{} cannot be written: {error}", path.display()))
}

#[cfg(test)]
#[path = "app_files_tests.rs"]
mod tests;
