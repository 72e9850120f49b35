//! The folder of the server's project as its user is shown it before it is trusted, and the port behind which it is.
//!
//! Knows neither where trust is kept nor how a folder is read: the binary does.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use windlass_core::protocol::ids::Millis;

/// What a folder brings, and whether that is trusted. Every method reads the folder as it is now, and may wait for files.
pub trait FolderTrustPort: fmt::Debug + Send + Sync {
    /// The folder as it is now.
    fn look(&self) -> Result<SeenFolder, FolderTrustFault>;

    /// Trusts the folder, if it is as it was when this digest was shown.
    fn trust(&self, digest: &str) -> Result<SeenFolder, FolderTrustFault>;

    /// Trusts the folder no longer.
    fn revoke(&self) -> Result<SeenFolder, FolderTrustFault>;
}

/// Why a folder was not looked at, not trusted, or not taken back; the words are for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FolderTrustFault {
    /// It is other than when it was shown.
    Changed(String),
    /// It cannot be trusted as it is, or its settings cannot be read.
    Untrustable(String),
    /// It is not trusted.
    NotTrusted(String),
    /// The list of trusted folders could not be written.
    Failed(String),
}

/// A folder, what it brings, and whether that is trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "FolderTrust")]
pub struct SeenFolder {
    /// The folder of the server's project.
    pub root: String,
    pub state: FolderState,
    /// What is other now than when it was trusted, file by file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
    /// Why it cannot be read as a whole, and so not be trusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether it brings something that counts only with trust, and can be trusted.
    pub can_be_trusted: bool,
    /// Of everything that it brings: who trusts it says which contents they were shown.
    pub digest: String,
    /// That trust, or its end, counts from the next start on, where this server began otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// Settings that count only with trust.
    pub settings: Vec<SeenSetting>,
    pub files: Vec<SeenFolderFile>,
    /// All folders that are trusted on the server's machine.
    pub trusted: Vec<TrustedRoot>,
}

/// Whether what a folder brings is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum FolderState {
    Trusted,
    /// It was never trusted, or is trusted no longer.
    Untrusted,
    /// It was trusted with other contents.
    Changed,
    /// It cannot be read as a whole.
    Unreadable,
}

/// A setting that a folder makes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct SeenSetting {
    pub name: String,
    pub value: String,
}

/// A file that a folder brings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct SeenFolderFile {
    /// Its path below the folder.
    pub name: String,
    /// `module`, `tool` or `file`.
    pub kind: &'static str,
    pub bytes: u64,
    /// Its first lines, each cut where it is long, with everything in them visible.
    pub lines: Vec<String>,
    /// How many lines come after them.
    pub more_lines: u64,
}

/// A folder that is trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct TrustedRoot {
    pub root: String,
    pub trusted_ms: Millis,
}
