//! `/quit`: leaves.

use crate::command::SlashCommand;
use crate::effect::AppEffect;
use crate::state::TuiState;
use crate::update::stop;

pub(super) const COMMAND: SlashCommand =
    SlashCommand { aliases: &["exit", "q"], keys: "Ctrl-D", ..SlashCommand::new("quit", "quit", run) };

fn run(state: &mut TuiState, _rest: &str) -> Vec<AppEffect> {
    stop::leave(state)
}
