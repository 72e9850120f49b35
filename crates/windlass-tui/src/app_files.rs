//! Files that the app itself needs on the machine of the terminal. Whoever starts the app provides them.

use crate::theme::ThemeKind;

/// Files of the person at the terminal, on the machine of the terminal.
pub trait AppFilesPort: Send + Sync {
    /// What was typed before, oldest first.
    fn history(&self) -> Vec<String>;
    /// Keeps what was typed.
    fn remember(&self, line: &str) -> Result<(), AppFilesError>;
    /// Keeps the theme for the next start.
    fn keep_theme(&self, theme: ThemeKind) -> Result<(), AppFilesError>;
    /// Writes a file that does not exist yet; where it is now. A relative name is below the folder in which the
    /// app was started.
    fn export(&self, name: &str, text: &str) -> Result<String, AppFilesError>;
}

/// Why a file could not be read or written: what was wrong, where, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct AppFilesError(pub String);
