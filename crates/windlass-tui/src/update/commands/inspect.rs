//! `/inspect`: everything that is on record of a run.

use crate::command::{Needs, SlashCommand};
use crate::effect::Effect;
use crate::state::State;
use crate::update::inspector;

pub(super) const COMMAND: SlashCommand = SlashCommand {
    aliases: &["trace"],
    keys: "Ctrl-T",
    needs: Needs::Session,
    ..SlashCommand::new("inspect", "everything that the last run did", run)
};

/// Opens the inspector.
fn run(state: &mut State, _rest: &str) -> Vec<Effect> {
    inspector::open(state);
    Vec::new()
}
