//! `/thinking`: folds or unfolds the thinking.

use crate::command::SlashCommand;
use crate::effect::AppEffect;
use crate::state::TuiState;

pub(super) const COMMAND: SlashCommand = SlashCommand {
    aliases: &["reasoning"],
    keys: "Ctrl-O",
    ..SlashCommand::new("thinking", "fold or unfold the thinking", run)
};

/// Folds or unfolds the thinking.
fn run(state: &mut TuiState, _rest: &str) -> Vec<AppEffect> {
    state.transcript.flip_thinking();
    Vec::new()
}
