//! `/inspect`: everything that is on record of a run.

use crate::effect::Effect;
use crate::state::State;
use crate::update::inspector;

/// Opens the inspector.
pub(in crate::update) fn run(state: &mut State, _rest: &str) -> Vec<Effect> {
    inspector::open(state);
    Vec::new()
}
