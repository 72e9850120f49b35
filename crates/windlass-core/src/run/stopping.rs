//! Why the machine stops calls itself, and the words their outcomes get.

use crate::calls::phrase::phrase_cancelled;
use crate::protocol::tool::{ErrorKind, ToolFailure};

/// Why calls that had no outcome yet were given one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StopCause {
    /// They began while the model spoke, and its step came to nothing.
    Discarded,
    /// The model failed for good after they had begun.
    ModelFailed,
    /// The run is out of time.
    OutOfTime,
    /// The user stopped the run.
    Cancelled,
    JournalFailed,
}

impl StopCause {
    /// The outcome of the calls.
    pub(super) fn failure(self) -> ToolFailure {
        match self {
            StopCause::Discarded => cancelled("The model's step came to nothing; the call was stopped"),
            StopCause::ModelFailed => cancelled("The model failed; the call was stopped"),
            StopCause::OutOfTime => {
                ToolFailure::new(ErrorKind::Timeout, "The run is out of time; the call was stopped")
                    .hint("answer from what you have")
            }
            StopCause::Cancelled => cancelled(phrase_cancelled()),
            StopCause::JournalFailed => cancelled("The journal failed; the call was stopped"),
        }
    }
}

fn cancelled(message: &str) -> ToolFailure {
    ToolFailure::new(ErrorKind::Cancelled, message)
}
