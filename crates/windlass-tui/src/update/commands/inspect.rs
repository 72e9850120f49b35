//! `/inspect`: everything that is on record of a run.

use crate::command::{Needs, SlashCommand};
use crate::effect::AppEffect;
use crate::state::TuiState;
use crate::update::inspector;

pub(super) const COMMAND: SlashCommand = SlashCommand {
    aliases: &["trace"],
    keys: "Ctrl-T",
    needs: Needs::Session,
    ..SlashCommand::new("inspect", "inspect the last run", run)
};

fn run(state: &mut TuiState, _rest: &str) -> Vec<AppEffect> {
    inspector::open(state);
    Vec::new()
}
