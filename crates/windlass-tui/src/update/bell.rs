//! When the user is called, who may look elsewhere: a question came up where none was, or a long run has ended.

use windlass_core::protocol::ids::RunId;

use crate::effect::AppEffect;
use crate::state::TuiState;

/// A run that took longer may have lost its watcher.
const LONG_RUN_MS: u64 = 10_000;

/// What went on before a record came.
pub(super) struct BellBefore {
    run_id: Option<RunId>,
    was_asking: bool,
}

impl BellBefore {
    /// Looks at what goes on.
    pub(super) fn of(state: &TuiState) -> Self {
        Self { run_id: state.running().cloned(), was_asking: !state.questions().is_empty() }
    }

    /// Rings, if what goes on now is worth it.
    pub(super) fn ring(self, state: &TuiState) -> Option<AppEffect> {
        let is_asking = !self.was_asking && !state.questions().is_empty();
        let ended = self.run_id.filter(|_| state.running().is_none());
        // Whoever stopped it is there.
        let ended = ended.filter(|run_id| state.cancelling.as_ref() != Some(run_id));
        let took_ms = ended.and_then(|run_id| {
            let timing = state.session.as_ref()?.timing.run(&run_id)?;
            Some(timing.ended_ms?.saturating_sub(timing.started_ms))
        });
        (is_asking || took_ms.is_some_and(|ms| ms > LONG_RUN_MS)).then_some(AppEffect::Bell)
    }
}
