//! The desk: what lies around the terminal and not behind the host. Whoever starts the app provides it.

use crate::theme::ThemeKind;

/// Files of the person at the terminal, on the machine of the terminal.
pub trait DeskPort: Send + Sync {
    /// What was typed before, oldest first.
    fn history(&self) -> Vec<String>;
    /// Keeps what was typed.
    fn remember(&self, line: &str) -> Result<(), DeskError>;
    /// Keeps the theme for the next start.
    fn keep_theme(&self, theme: ThemeKind) -> Result<(), DeskError>;
    /// Writes a file that does not exist yet; where it is now. A relative name is below the folder in which the
    /// app was started.
    fn export(&self, name: &str, text: &str) -> Result<String, DeskError>;
}

/// Why the desk did not do it: what was wrong, where, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DeskError(pub String);
