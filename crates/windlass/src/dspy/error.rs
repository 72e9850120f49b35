//! What can go wrong, in the words of the module engine (D-1, D-2, D-25, Appendix A.2).

use windlass_core::calls::dialect::field::CALL_FIELD;
use windlass_core::protocol::tool::{ErrorKind as FailureKind, ToolFailure};
use windlass_core::run::RunError;
#[cfg(feature = "modules")]
use windlass_modules::ModuleError;

use crate::error::WindlassError;

/// Why a tool did not do its work (D-1).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// There is no such tool.
    #[error("Tool not found: {0}")]
    NotFound(String),
    /// The arguments do not fit.
    #[error("Invalid arguments: {0}")]
    InvalidArgs(String),
    /// It failed.
    #[error("Execution failed: {0}")]
    ExecutionFailed(String),
    /// Something could not be written or read as JSON.
    #[error("Serialization error: {0}")]
    SerializationError(String),
}

/// The categories of [`ToolError`], for callers that only need to know which.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ToolErrorKind {
    /// There is no such tool.
    NotFound,
    /// The arguments do not fit.
    InvalidArgs,
    /// It failed.
    ExecutionFailed,
    /// Something could not be written or read as JSON.
    SerializationError,
}

impl ToolError {
    /// Which one it is.
    pub fn kind(&self) -> ToolErrorKind {
        match self {
            ToolError::NotFound(_) => ToolErrorKind::NotFound,
            ToolError::InvalidArgs(_) => ToolErrorKind::InvalidArgs,
            ToolError::ExecutionFailed(_) => ToolErrorKind::ExecutionFailed,
            ToolError::SerializationError(_) => ToolErrorKind::SerializationError,
        }
    }
}

impl From<ToolError> for ToolFailure {
    fn from(error: ToolError) -> Self {
        match error {
            ToolError::NotFound(name) => {
                let message = format!("Tool not found: {name}");
                let mut failure = ToolFailure::new(FailureKind::UnknownTool, message);
                failure.received = Some(name);
                failure
            }
            ToolError::InvalidArgs(message) => ToolFailure::invalid_args(message),
            ToolError::ExecutionFailed(message) => ToolFailure::internal(message),
            ToolError::SerializationError(message) => ToolFailure::new(FailureKind::ParseError, message),
        }
    }
}

impl From<ToolFailure> for ToolError {
    fn from(failure: ToolFailure) -> Self {
        match failure.kind {
            FailureKind::UnknownTool => ToolError::NotFound(failure.received.unwrap_or(failure.message)),
            FailureKind::InvalidArgs => ToolError::InvalidArgs(failure.message),
            FailureKind::ParseError => ToolError::SerializationError(failure.message),
            FailureKind::NotFound
            | FailureKind::IoError
            | FailureKind::PermissionDenied
            | FailureKind::SandboxDenied
            | FailureKind::Timeout
            | FailureKind::Cancelled
            | FailureKind::LimitExceeded
            | FailureKind::Unavailable
            | FailureKind::Interrupted
            | FailureKind::Internal => ToolError::ExecutionFailed(failure.message),
        }
    }
}

/// Why a module gave no output (D-25).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DSPyEngineError {
    /// There is no such module.
    #[error("Module not found: {0}")]
    ModuleNotFound(String),
    /// There is no such signature.
    #[error("Signature not found: {0}")]
    SignatureNotFound(String),
    /// The module does not use tools.
    #[error("Tools not enabled for module: {0}")]
    ToolsNotEnabled(String),
    /// The module still wanted calls when its steps were used up.
    #[error("Maximum iterations ({0}) reached during tool execution")]
    MaxIterationsReached(usize),
    /// The model failed.
    #[error("Inference error: {0}")]
    InferenceError(String),
    /// The inputs, the outputs, or the call in them, could not be read.
    #[error("Parse error: {0}")]
    ParseError(String),
    /// A file could not be read or written.
    #[error("IO error: {0}")]
    IoError(String),
    /// A file is no JSON.
    #[error("JSON error: {0}")]
    JsonError(String),
    /// The runtime failed.
    #[error("Runtime error: {0}")]
    RuntimeError(String),
    /// Something is set up wrongly.
    #[error("Configuration error: {0}")]
    ConfigError(String),
    /// The file of a module is not the one that its manifest speaks of.
    #[error("Hash mismatch for module {module}: expected {expected}, actual {actual}")]
    HashMismatch {
        /// The module.
        module: String,
        /// What the manifest says.
        expected: String,
        /// What the file has.
        actual: String,
    },
    /// A file is JSON and no module.
    #[error("Invalid module format: {0}")]
    InvalidModuleFormat(String),
    /// Files cannot be watched.
    #[error("Watcher error: {0}")]
    WatcherError(String),
    /// A changed file was not taken in.
    #[error("Hot reload failed for {path}: {reason}")]
    HotReloadFailed {
        /// The file.
        path: String,
        /// Why.
        reason: String,
    },
    /// A tool failed.
    #[error("Tool error: {0}")]
    ToolError(#[from] ToolError),
    /// It took too long.
    #[error("Operation timed out after {0}ms")]
    Timeout(u64),
}

/// The categories of [`DSPyEngineError`], for callers that only need to know which.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each is the error of the same name")]
pub enum ErrorKind {
    ModuleNotFound,
    SignatureNotFound,
    ToolsNotEnabled,
    MaxIterationsReached,
    InferenceError,
    ParseError,
    IoError,
    JsonError,
    RuntimeError,
    ConfigError,
    HashMismatch,
    InvalidModuleFormat,
    WatcherError,
    HotReloadFailed,
    ToolError,
    Timeout,
}

impl DSPyEngineError {
    /// Which one it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            DSPyEngineError::ModuleNotFound(_) => ErrorKind::ModuleNotFound,
            DSPyEngineError::SignatureNotFound(_) => ErrorKind::SignatureNotFound,
            DSPyEngineError::ToolsNotEnabled(_) => ErrorKind::ToolsNotEnabled,
            DSPyEngineError::MaxIterationsReached(_) => ErrorKind::MaxIterationsReached,
            DSPyEngineError::InferenceError(_) => ErrorKind::InferenceError,
            DSPyEngineError::ParseError(_) => ErrorKind::ParseError,
            DSPyEngineError::IoError(_) => ErrorKind::IoError,
            DSPyEngineError::JsonError(_) => ErrorKind::JsonError,
            DSPyEngineError::RuntimeError(_) => ErrorKind::RuntimeError,
            DSPyEngineError::ConfigError(_) => ErrorKind::ConfigError,
            DSPyEngineError::HashMismatch { .. } => ErrorKind::HashMismatch,
            DSPyEngineError::InvalidModuleFormat(_) => ErrorKind::InvalidModuleFormat,
            DSPyEngineError::WatcherError(_) => ErrorKind::WatcherError,
            DSPyEngineError::HotReloadFailed { .. } => ErrorKind::HotReloadFailed,
            DSPyEngineError::ToolError(_) => ErrorKind::ToolError,
            DSPyEngineError::Timeout(_) => ErrorKind::Timeout,
        }
    }
}

#[cfg(feature = "modules")]
impl From<ModuleError> for DSPyEngineError {
    fn from(error: ModuleError) -> Self {
        match error {
            ModuleError::ModuleNotFound(id) => DSPyEngineError::ModuleNotFound(id),
            ModuleError::SignatureNotFound(name) => DSPyEngineError::SignatureNotFound(name),
            ModuleError::Parse(why) => DSPyEngineError::ParseError(why),
            ModuleError::Io(why) => DSPyEngineError::IoError(why),
            ModuleError::Json(why) => DSPyEngineError::JsonError(why),
            ModuleError::InvalidFormat(why) => DSPyEngineError::InvalidModuleFormat(why),
            ModuleError::HashMismatch { module, expected, actual } => {
                DSPyEngineError::HashMismatch { module, expected, actual }
            }
            ModuleError::Config(why) => DSPyEngineError::ConfigError(why),
            ModuleError::Watcher(why) => DSPyEngineError::WatcherError(why),
            ModuleError::HotReloadFailed { path, reason } => {
                DSPyEngineError::HotReloadFailed { path, reason }
            }
            // Kinds that are added later are named by their sentence.
            other => DSPyEngineError::RuntimeError(other.to_string()),
        }
    }
}

impl From<WindlassError> for DSPyEngineError {
    fn from(error: WindlassError) -> Self {
        match error {
            WindlassError::Run(error) => (*error).into(),
            WindlassError::Answer(wrong) => DSPyEngineError::ParseError(wrong.problem),
            #[cfg(feature = "models")]
            WindlassError::Model(_) | WindlassError::NoToolSupport(_) => {
                DSPyEngineError::ConfigError(error.to_string())
            }
            #[cfg(feature = "local")]
            WindlassError::ModelFile { .. } => DSPyEngineError::ConfigError(error.to_string()),
            #[cfg(feature = "otel")]
            WindlassError::Telemetry(_) => DSPyEngineError::ConfigError(error.to_string()),
            WindlassError::NoModel
            | WindlassError::UnknownModel(_)
            | WindlassError::Script { .. }
            | WindlassError::Search(_)
            | WindlassError::Tool(_)
            | WindlassError::State(_)
            | WindlassError::Rule { .. }
            | WindlassError::Schema { .. }
            | WindlassError::Executor(_) => DSPyEngineError::ConfigError(error.to_string()),
            WindlassError::Send(_)
            | WindlassError::Host(_)
            | WindlassError::Failed { .. }
            | WindlassError::Store(_)
            | WindlassError::Runtime(_) => DSPyEngineError::RuntimeError(error.to_string()),
        }
    }
}

impl From<RunError> for DSPyEngineError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::StepsMax(steps) => DSPyEngineError::MaxIterationsReached(steps as usize),
            RunError::Tool { message, failure } => match failure.failure() {
                Some(failure) => of_failure(&message, failure.clone()),
                None => DSPyEngineError::RuntimeError(message),
            },
            RunError::Rejected(message) | RunError::Malformed(message) => {
                DSPyEngineError::ParseError(message)
            }
            RunError::Model(failure) => DSPyEngineError::InferenceError(failure.message),
            RunError::Journal(message) => DSPyEngineError::RuntimeError(message),
        }
    }
}

/// `message` is the sentence of D-2, the only place where an unknown tool's name stands alone.
fn of_failure(message: &str, failure: ToolFailure) -> DSPyEngineError {
    if failure.kind == FailureKind::ParseError && failure.field.as_deref() == Some(CALL_FIELD) {
        return DSPyEngineError::ParseError(failure.message);
    }
    if failure.kind == FailureKind::UnknownTool && failure.received.is_none() {
        let name = message.strip_prefix("Tool not found: ").unwrap_or(message);
        return ToolError::NotFound(name.to_owned()).into();
    }
    ToolError::from(failure).into()
}
