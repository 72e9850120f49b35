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
    /// What the project's folder brings of its own, and whether it counts. Folders are trusted on the machine that they
    /// are on.
    fn trust(&self) -> Result<TrustReport, AppFilesError>;
    /// Trusts the folder with just the contents of this digest; what is to be said of it.
    fn trust_folder(&self, digest: &str) -> Result<String, AppFilesError>;
    /// Trusts the folder no longer; what is to be said of it.
    fn revoke_trust(&self) -> Result<String, AppFilesError>;
    /// Writes a file that does not exist yet; where it is now. A relative name is below the folder in which the
    /// app was started.
    fn export(&self, name: &str, text: &str) -> Result<String, AppFilesError>;
}

/// What a folder brings of its own, for its user to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustReport {
    pub root: String,
    pub is_trusted: bool,
    /// Whether there is something to trust that can be trusted.
    pub can_be_trusted: bool,
    /// The digest of all that is shown.
    pub digest: String,
    /// Everything that it brings, in lines.
    pub text: String,
}

/// Why a file could not be read or written: what was wrong, where, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct AppFilesError(pub String);
