//! `/thinking`: folds or unfolds the thinking.

use crate::command::SlashCommand;
use crate::effect::Effect;
use crate::state::State;

pub(super) const COMMAND: SlashCommand = SlashCommand {
    aliases: &["reasoning"],
    keys: "Ctrl-O",
    ..SlashCommand::new("thinking", "fold or unfold the thinking", run)
};

/// Folds or unfolds the thinking.
fn run(state: &mut State, _rest: &str) -> Vec<Effect> {
    state.transcript.flip_thinking();
    Vec::new()
}
