//! `/cancel`: stops the run.

use crate::command::{Needs, SlashCommand};
use crate::effect::AppEffect;
use crate::state::TuiState;
use crate::update::stop;

pub(super) const COMMAND: SlashCommand = SlashCommand {
    aliases: &["stop"],
    keys: "Esc",
    needs: Needs::Running,
    ..SlashCommand::new("cancel", "stop the run; what was done stays done", run)
};

/// Stops the run that goes on; the wish to leave is another one.
fn run(state: &mut TuiState, _rest: &str) -> Vec<AppEffect> {
    if state.cancelling.is_some() {
        state.tell("the run is being stopped already");
        return Vec::new();
    }
    stop::cancel(state).unwrap_or_default()
}
