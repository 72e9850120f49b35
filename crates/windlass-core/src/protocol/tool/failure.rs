//! Why a call failed: one taxonomy, told to three readers and mapped to every profile's words.

use serde::{Deserialize, Serialize};

use crate::permission::DeniedBy;

/// The kinds of failure (requirements §6.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// No such tool.
    UnknownTool,
    /// An argument is missing, of the wrong type or out of bounds.
    InvalidArgs,
    /// The arguments are not JSON.
    ParseError,
    /// The thing asked for does not exist.
    NotFound,
    /// The file system or the network failed.
    IoError,
    /// The user, a rule or the run forbids it.
    PermissionDenied,
    /// The sandbox around a command probably held it back.
    SandboxDenied,
    /// It took too long and was stopped.
    Timeout,
    /// The run was cancelled.
    Cancelled,
    /// A limit of the run was reached.
    LimitExceeded,
    /// The back end is missing or not set up.
    Unavailable,
    /// It was running when the process died; whether it happened is not known.
    Interrupted,
    /// A fault of the tool itself.
    Internal,
}

/// What a model should do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RetryAdvice {
    /// Correct the call and send it again.
    Correct,
    /// The same call may work later.
    Maybe,
    /// Do not send it again.
    No,
}

impl ErrorKind {
    /// All kinds, for tables and tests.
    pub const ALL: [ErrorKind; 13] = [
        ErrorKind::UnknownTool,
        ErrorKind::InvalidArgs,
        ErrorKind::ParseError,
        ErrorKind::NotFound,
        ErrorKind::IoError,
        ErrorKind::PermissionDenied,
        ErrorKind::SandboxDenied,
        ErrorKind::Timeout,
        ErrorKind::Cancelled,
        ErrorKind::LimitExceeded,
        ErrorKind::Unavailable,
        ErrorKind::Interrupted,
        ErrorKind::Internal,
    ];

    /// Our own word.
    pub fn word(self) -> &'static str {
        match self {
            ErrorKind::UnknownTool => "unknown_tool",
            ErrorKind::InvalidArgs => "invalid_args",
            ErrorKind::ParseError => "parse_error",
            ErrorKind::NotFound => "not_found",
            ErrorKind::IoError => "io_error",
            ErrorKind::PermissionDenied => "permission_denied",
            ErrorKind::SandboxDenied => "sandbox_denied",
            ErrorKind::Timeout => "timeout",
            ErrorKind::Cancelled => "cancelled",
            ErrorKind::LimitExceeded => "limit_exceeded",
            ErrorKind::Unavailable => "unavailable",
            ErrorKind::Interrupted => "interrupted",
            ErrorKind::Internal => "internal",
        }
    }

    /// The `error_type` of the zodo profile, one of seven (Z-10).
    pub fn zodo_word(self) -> &'static str {
        match self {
            ErrorKind::UnknownTool | ErrorKind::NotFound => "not_found",
            ErrorKind::InvalidArgs | ErrorKind::LimitExceeded => "validation_failed",
            ErrorKind::ParseError => "parse_error",
            ErrorKind::IoError => "io_error",
            ErrorKind::PermissionDenied | ErrorKind::SandboxDenied => "permission_denied",
            ErrorKind::Timeout
            | ErrorKind::Cancelled
            | ErrorKind::Unavailable
            | ErrorKind::Interrupted
            | ErrorKind::Internal => "internal_error",
        }
    }

    /// Whether the call itself was bad, so that the model gets a chance to correct it.
    pub fn is_correctable(self) -> bool {
        matches!(self.advice(), RetryAdvice::Correct)
    }

    /// What a model should do next.
    pub fn advice(self) -> RetryAdvice {
        match self {
            ErrorKind::UnknownTool | ErrorKind::InvalidArgs | ErrorKind::ParseError => RetryAdvice::Correct,
            ErrorKind::NotFound | ErrorKind::IoError | ErrorKind::Timeout | ErrorKind::Interrupted => {
                RetryAdvice::Maybe
            }
            ErrorKind::PermissionDenied
            | ErrorKind::SandboxDenied
            | ErrorKind::Cancelled
            | ErrorKind::LimitExceeded
            | ErrorKind::Unavailable
            | ErrorKind::Internal => RetryAdvice::No,
        }
    }
}

/// A failed call: `message` is for model and user alike, `hint` tells the model what to do next,
/// `detail` is for the operator's log and leaves the process nowhere else.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[error("{message}")]
pub struct ToolFailure {
    /// What kind of failure.
    pub kind: ErrorKind,
    /// What was wrong, where.
    pub message: String,
    /// The argument at fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// What was expected there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// What was there instead, cut short.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received: Option<String>,
    /// What to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Who denied it, if it was denied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub denied_by: Option<DeniedBy>,
    /// For the operator only: never serialised, so never in an event or a request.
    #[serde(skip)]
    pub detail: Option<String>,
}

impl ToolFailure {
    /// A failure with its message.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            field: None,
            expected: None,
            received: None,
            hint: None,
            denied_by: None,
            detail: None,
        }
    }

    /// Names the argument at fault, what was expected and what came.
    pub fn at(
        mut self,
        field: impl Into<String>,
        expected: impl Into<String>,
        received: impl Into<String>,
    ) -> Self {
        self.field = Some(field.into());
        self.expected = Some(expected.into());
        self.received = Some(received.into());
        self
    }

    /// Adds what to do next.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds what only the operator should read.
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// An argument is wrong.
    pub fn invalid_args(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidArgs, message)
    }

    /// The thing asked for does not exist.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotFound, message)
    }

    /// The file system or the network failed.
    pub fn io_error(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::IoError, message)
    }

    /// It is forbidden, by a limit of the tool.
    pub fn denied(message: impl Into<String>) -> Self {
        Self { denied_by: Some(DeniedBy::Limit), ..Self::new(ErrorKind::PermissionDenied, message) }
    }

    /// The back end is missing or not set up.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unavailable, message)
    }

    /// A fault of the tool itself.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal, message)
    }
}

/// A tool that only has words for what went wrong.
impl From<String> for ToolFailure {
    fn from(message: String) -> Self {
        Self::internal(message)
    }
}

/// A tool that only has words for what went wrong.
impl From<&str> for ToolFailure {
    fn from(message: &str) -> Self {
        Self::internal(message)
    }
}
