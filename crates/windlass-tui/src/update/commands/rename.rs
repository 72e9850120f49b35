//! `/rename`: gives the session another title.

use super::{refuse, sessions};
use crate::command::{Needs, SlashCommand};
use crate::effect::AppEffect;
use crate::state::TuiState;
use crate::text::one_line;

pub(super) const COMMAND: SlashCommand = SlashCommand {
    aliases: &["title"],
    arguments: "TITLE",
    needs: Needs::Session,
    ..SlashCommand::new("rename", "give this session a title", run)
};

fn run(state: &mut TuiState, rest: &str) -> Vec<AppEffect> {
    let title = one_line(rest);
    let session_id = state.session.as_ref().map(|session| session.row.session_id.clone());
    match session_id.filter(|_| !title.is_empty()) {
        Some(session_id) => sessions::rename(state, session_id, &title),
        None => refuse(state, "/rename ", "what should it be called? /rename TITLE"),
    }
}
