//! What a run gives back.

use windlass_core::protocol::event::{RunOutcome, StopReason};
use windlass_core::protocol::model::Usage;
use windlass_core::protocol::trace::RunTrace;

/// The answer of a run, and how it came about. A run that reached a limit or was cancelled has one too;
/// `outcome` says which it was.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The answer.
    pub text: String,
    /// How the run ended.
    pub outcome: RunOutcome,
    /// Why it stopped.
    pub reason: StopReason,
    /// Every call, thought and warning of the run.
    pub trace: RunTrace,
    /// Token counts.
    pub usage: Usage,
}
