//! `/cancel`: stops the run.

use crate::command::{Needs, SlashCommand};
use crate::effect::Effect;
use crate::state::State;
use crate::update::stop;

pub(super) const COMMAND: SlashCommand = SlashCommand {
    aliases: &["stop"],
    keys: "Esc",
    needs: Needs::Running,
    ..SlashCommand::new("cancel", "stop the run; what was done stays done", run)
};

/// Stops the run that goes on; the wish to leave is another one.
fn run(state: &mut State, _rest: &str) -> Vec<Effect> {
    if state.cancelling.is_some() {
        state.tell("the run is being stopped already");
        return Vec::new();
    }
    stop::cancel(state).unwrap_or_default()
}
