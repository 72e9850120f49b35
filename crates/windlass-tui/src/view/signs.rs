//! Signs: one for each state, so that colour never stands alone, and a spinner for what moves.

use windlass_core::protocol::ids::Millis;
use windlass_core::protocol::tool::OutcomeStatus;
use windlass_core::protocol::view::CallState;

use crate::theme::TextRole;

/// What the user said.
pub(super) const USER: &str = "›";
pub(super) const FOLDED: &str = "▸";
pub(super) const UNFOLDED: &str = "▾";
/// What needs a look.
pub(super) const WARNING: &str = "!";
pub(super) const FAILED: &str = "✗";
pub(super) const STOPPED: &str = "■";

/// How long a picture of the spinner stays.
pub(super) const SPIN_MS: u64 = 100;

const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// The picture of the spinner at a time.
pub(super) fn spinner(now_ms: Millis) -> &'static str {
    let at = usize::try_from(now_ms / SPIN_MS % 10).unwrap_or(0);
    SPINNER.get(at).copied().unwrap_or("⠋")
}

/// The sign of a call, and how it is meant.
pub(super) fn call(state: &CallState, now_ms: Millis) -> (&'static str, TextRole) {
    match state {
        CallState::Requested => ("○", TextRole::Muted),
        CallState::Asking => ("?", TextRole::Warn),
        CallState::Running => (spinner(now_ms), TextRole::Accent),
        CallState::Ended(outcome) => status(outcome.status()),
    }
}

/// The sign of an outcome, and how it is meant.
pub(super) fn status(status: OutcomeStatus) -> (&'static str, TextRole) {
    match status {
        OutcomeStatus::Ok => ("✓", TextRole::Good),
        OutcomeStatus::Failed => (FAILED, TextRole::Bad),
        OutcomeStatus::Denied => ("⊘", TextRole::Warn),
        OutcomeStatus::Staged => ("±", TextRole::Warn),
        OutcomeStatus::Cancelled => (STOPPED, TextRole::Muted),
        OutcomeStatus::Interrupted => (WARNING, TextRole::Warn),
    }
}
