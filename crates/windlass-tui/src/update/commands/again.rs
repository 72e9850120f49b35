//! `/again`: the last message goes back into the composer, to be changed and sent once more.

use crate::command::{Needs, SlashCommand};
use crate::effect::AppEffect;
use crate::state::TuiState;

pub(super) const COMMAND: SlashCommand = SlashCommand {
    aliases: &["retry"],
    needs: Needs::Session,
    ..SlashCommand::new("again", "put your last message back, to edit it and send it again", run)
};

fn run(state: &mut TuiState, _rest: &str) -> Vec<AppEffect> {
    let last = state.session.as_ref().and_then(|session| session.view.runs.last());
    match last.map(|run| run.user.clone()).filter(|text| !text.is_empty()) {
        Some(text) => state.composer.put_back(&text),
        None => state.complain("there is no message to send again yet"),
    }
    Vec::new()
}
