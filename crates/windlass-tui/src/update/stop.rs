//! The wish to stop: the first stops what goes on, the second leaves.

use crate::effect::AppEffect;
use crate::state::{LEAVE_MS, TuiState};

/// Ctrl-C: stops the run; with nothing to stop, empties the message; a second one leaves.
pub(super) fn press_interrupt(state: &mut TuiState) -> Vec<AppEffect> {
    if is_second(state) {
        return leave(state);
    }
    if let Some(effects) = cancel(state) {
        return effects;
    }
    if state.overlay.take().is_some() {
        return Vec::new();
    }
    state.stopped_ms = Some(state.now_ms);
    if !state.composer.take().is_empty() {
        state.tell("cleared; Ctrl-C again quits");
        return Vec::new();
    }
    state.tell("Ctrl-C again quits");
    Vec::new()
}

/// Esc where nothing else is to be left: stops the run; a second one leaves.
pub(super) fn press_escape(state: &mut TuiState) -> Vec<AppEffect> {
    if is_second(state) {
        return leave(state);
    }
    cancel(state).unwrap_or_default()
}

fn is_second(state: &TuiState) -> bool {
    state.cancelling.is_some()
        || state.stopped_ms.is_some_and(|stopped| state.now_ms.saturating_sub(stopped) <= LEAVE_MS)
}

/// Stops the run that goes on; what was to be sent after it goes back into the message.
pub(super) fn cancel(state: &mut TuiState) -> Option<Vec<AppEffect>> {
    let run_id = state.running()?.clone();
    state.cancelling = Some(run_id.clone());
    state.stopped_ms = Some(state.now_ms);
    state.take_back_waiting();
    state.tell("cancelling; what was done stays done. Press again to quit");
    Some(vec![AppEffect::Cancel(run_id)])
}

pub(super) fn leave(state: &mut TuiState) -> Vec<AppEffect> {
    state.is_over = true;
    vec![AppEffect::Quit]
}
