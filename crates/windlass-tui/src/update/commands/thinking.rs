//! `/thinking`: folds or unfolds the thinking.

use crate::effect::Effect;
use crate::state::State;

/// Folds or unfolds the thinking.
pub(in crate::update) fn run(state: &mut State, _rest: &str) -> Vec<Effect> {
    state.transcript.flip_thinking();
    Vec::new()
}
