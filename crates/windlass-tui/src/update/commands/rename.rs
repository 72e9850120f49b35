//! `/rename`.

use crate::effect::Effect;
use crate::state::State;

/// Carries it out.
pub(in crate::update) fn run(state: &mut State, _rest: &str) -> Vec<Effect> {
    state.tell("/rename does nothing yet");
    Vec::new()
}
