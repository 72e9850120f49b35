//! What can go wrong with the files of modules and with what is asked of a module.

/// Why a module could not be read, found or used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModuleError {
    /// There is no such module.
    #[error("Module not found: {0}")]
    ModuleNotFound(String),
    /// A module names a signature that nobody registered.
    #[error("Signature not found: {0}")]
    SignatureNotFound(String),
    /// The inputs, or the answer of the model, are not what the signature says.
    #[error("Parse error: {0}")]
    Parse(String),
    /// A file could not be read or written: file, and why.
    #[error("IO error: {0}")]
    Io(String),
    /// A file is no JSON: file, line, column, and why.
    #[error("JSON error: {0}")]
    Json(String),
    /// A file is JSON and no module or manifest: file, field, and why.
    #[error("Invalid module format: {0}")]
    InvalidFormat(String),
    /// The file of a module is not the one that its manifest speaks of.
    #[error("Hash mismatch for module {module}: expected {expected}, actual {actual}")]
    HashMismatch {
        module: String,
        /// What the manifest says.
        expected: String,
        /// What the file has.
        actual: String,
    },
    /// Something is set up wrongly.
    #[error("Configuration error: {0}")]
    Config(String),
    /// Files cannot be watched.
    #[error("Watcher error: {0}")]
    Watcher(String),
    /// A changed file was not taken in.
    #[error("Hot reload failed for {path}: {reason}")]
    HotReloadFailed { path: String, reason: String },
}
