//! `/new`: the next message starts a session. Nothing is created before it.

use crate::command::SlashCommand;
use crate::effect::AppEffect;
use crate::state::TuiState;

pub(super) const COMMAND: SlashCommand =
    SlashCommand { aliases: &["clear"], ..SlashCommand::new("new", "start a new session", run) };

/// Leaves the session that is shown.
pub(super) fn run(state: &mut TuiState, _rest: &str) -> Vec<AppEffect> {
    if state.session.is_none() && state.turning_to.is_none() {
        state.tell("the next message starts a session");
        return Vec::new();
    }
    let goes_on = state.running().is_some();
    let effects = leave(state);
    state.tell(match goes_on {
        true => "the next message starts a session; the run in the other one continues, /sessions finds it",
        false => "the next message starts a session; /sessions finds the others",
    });
    effects
}

/// Takes the session from the screen. What waited to be sent in it is not sent elsewhere: it goes back to be looked at.
pub(in crate::update) fn leave(state: &mut TuiState) -> Vec<AppEffect> {
    state.take_back_waiting();
    state.session = None;
    state.about.settings = Default::default();
    state.turning_to = None;
    state.sending = None;
    state.cancelling = None;
    state.still_since = None;
    state.transcript = Default::default();
    vec![AppEffect::Unfollow]
}
