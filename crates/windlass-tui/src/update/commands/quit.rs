//! `/quit`: leaves.

use crate::effect::Effect;
use crate::state::State;
use crate::update::stop;

/// Leaves.
pub(in crate::update) fn run(state: &mut State, _rest: &str) -> Vec<Effect> {
    stop::leave(state)
}
