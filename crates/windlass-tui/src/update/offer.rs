//! The commands as they are offered for a word that begins with a slash.

use super::command::obstacle;
use crate::command::{COMMANDS, find};
use crate::state::TuiState;
use crate::state::composer::popup::Suggestion;

/// All commands; those that cannot be carried out now are told apart.
pub(super) fn commands(state: &TuiState) -> Vec<Suggestion> {
    let rows = COMMANDS.iter().map(|row| Suggestion {
        text: format!("/{}", row.word),
        label: format!("/{}", row.word),
        detail: obstacle(state, row.needs).unwrap_or(row.about).to_owned(),
        keys: row.keys,
        is_possible: obstacle(state, row.needs).is_none(),
        is_whole: !row.must_have_arguments(),
        ..Suggestion::default()
    });
    rows.collect()
}

/// Puts first what was typed out: a command's word, or another word for it.
pub(super) fn put_meant_first(rows: &mut Vec<Suggestion>, typed: &str, state: &TuiState) {
    let Some(meant) = find(typed) else { return };
    let text = format!("/{}", meant.word);
    let row = match rows.iter().position(|row| row.text == text) {
        Some(place) => rows.remove(place),
        None => match commands(state).into_iter().find(|row| row.text == text) {
            Some(row) => row,
            None => return,
        },
    };
    rows.insert(0, row);
}
