//! `/quit`: leaves.

use crate::command::SlashCommand;
use crate::effect::Effect;
use crate::state::State;
use crate::update::stop;

pub(super) const COMMAND: SlashCommand =
    SlashCommand { aliases: &["exit", "q"], keys: "Ctrl-D", ..SlashCommand::new("quit", "leave", run) };

/// Leaves.
fn run(state: &mut State, _rest: &str) -> Vec<Effect> {
    stop::leave(state)
}
