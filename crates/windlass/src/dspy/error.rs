//! What can go wrong, in the words of the module engine (D-1, D-2, D-25, Appendix A.2).

use windlass_core::dialect::field::CALL_FIELD;
use windlass_core::run::RunError;
use windlass_core::tool::{ErrorKind, ToolFailure};

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

impl From<ToolError> for ToolFailure {
    fn from(error: ToolError) -> Self {
        match error {
            ToolError::NotFound(name) => {
                let message = format!("Tool not found: {name}");
                let mut failure = ToolFailure::new(ErrorKind::UnknownTool, message);
                failure.received = Some(name);
                failure
            }
            ToolError::InvalidArgs(message) => ToolFailure::invalid_args(message),
            ToolError::ExecutionFailed(message) => ToolFailure::internal(message),
            ToolError::SerializationError(message) => ToolFailure::new(ErrorKind::ParseError, message),
        }
    }
}

impl From<ToolFailure> for ToolError {
    fn from(failure: ToolFailure) -> Self {
        match failure.kind {
            ErrorKind::UnknownTool => ToolError::NotFound(failure.received.unwrap_or(failure.message)),
            ErrorKind::InvalidArgs => ToolError::InvalidArgs(failure.message),
            ErrorKind::ParseError => ToolError::SerializationError(failure.message),
            ErrorKind::NotFound
            | ErrorKind::IoError
            | ErrorKind::PermissionDenied
            | ErrorKind::Timeout
            | ErrorKind::Cancelled
            | ErrorKind::LimitExceeded
            | ErrorKind::Unavailable
            | ErrorKind::Interrupted
            | ErrorKind::Internal => ToolError::ExecutionFailed(failure.message),
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
    /// The output, or the call in it, could not be read.
    #[error("Parse error: {0}")]
    ParseError(String),
    /// Something is set up wrongly.
    #[error("Configuration error: {0}")]
    ConfigError(String),
    /// The runtime failed.
    #[error("Runtime error: {0}")]
    RuntimeError(String),
    /// A tool failed.
    #[error("Tool error: {0}")]
    ToolError(#[from] ToolError),
    /// It took too long.
    #[error("Operation timed out after {0}ms")]
    Timeout(u64),
}

impl From<WindlassError> for DSPyEngineError {
    fn from(error: WindlassError) -> Self {
        match error {
            WindlassError::Run(error) => (*error).into(),
            #[cfg(feature = "models")]
            WindlassError::Model(_) | WindlassError::NoToolSupport(_) => {
                DSPyEngineError::ConfigError(error.to_string())
            }
            WindlassError::NoModel
            | WindlassError::UnknownModel(_)
            | WindlassError::Script { .. }
            | WindlassError::Tool(_) => DSPyEngineError::ConfigError(error.to_string()),
            WindlassError::Send(_) | WindlassError::Runtime(_) => {
                DSPyEngineError::RuntimeError(error.to_string())
            }
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
    if failure.kind == ErrorKind::ParseError && failure.field.as_deref() == Some(CALL_FIELD) {
        return DSPyEngineError::ParseError(failure.message);
    }
    if failure.kind == ErrorKind::UnknownTool && failure.received.is_none() {
        let name = message.strip_prefix("Tool not found: ").unwrap_or(message);
        return ToolError::NotFound(name.to_owned()).into();
    }
    ToolError::from(failure).into()
}
