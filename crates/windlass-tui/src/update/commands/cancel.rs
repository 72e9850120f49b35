//! `/cancel`: stops the run.

use crate::effect::Effect;
use crate::state::State;
use crate::update::stop;

/// Stops the run that goes on; the wish to leave is another one.
pub(in crate::update) fn run(state: &mut State, _rest: &str) -> Vec<Effect> {
    if state.cancelling.is_some() {
        state.tell("the run is being stopped already");
        return Vec::new();
    }
    stop::cancel(state).unwrap_or_default()
}
