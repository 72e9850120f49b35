//! The exit codes of `windlass`: what a script can rely on.

use std::process::ExitCode;

use windlass_core::protocol::event::RunOutcome;

/// How the command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// It did what was asked.
    Done,
    Failed,
    /// It was asked wrongly, or is configured wrongly.
    Usage,
    /// A limit was reached; an answer was still given.
    Limit,
    /// The user stopped it.
    Cancelled,
}

impl Exit {
    pub(crate) fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Limit => 3,
            Exit::Cancelled => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.code())
    }
}

impl From<RunOutcome> for Exit {
    fn from(outcome: RunOutcome) -> Self {
        match outcome {
            RunOutcome::Completed => Exit::Done,
            RunOutcome::LimitReached => Exit::Limit,
            RunOutcome::Cancelled => Exit::Cancelled,
            RunOutcome::Failed => Exit::Failed,
        }
    }
}
