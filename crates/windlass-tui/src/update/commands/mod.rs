//! What each slash command does: one file each, `run(state, rest)` with what follows the word.
//!
//! What the table says a command needs is there when it is called.

pub(super) mod cancel;
pub(super) mod context;
pub(super) mod copy;
pub(super) mod export;
pub(super) mod fork;
pub(super) mod help;
pub(super) mod inspect;
pub(super) mod model;
pub(super) mod new;
pub(super) mod policy;
pub(super) mod profile;
pub(super) mod quit;
pub(super) mod rename;
pub(super) mod resume;
pub(super) mod search;
pub(super) mod sessions;
pub(super) mod tasks;
pub(super) mod theme;
pub(super) mod thinking;
pub(super) mod tools;

use super::{command, overlay};
use crate::command::find;
use crate::effect::Effect;
use crate::state::State;
use crate::state::overlay::{Deed, PickerKind, PickerRow, PromptKind};

/// A row of a list was chosen.
pub(super) fn choose(state: &mut State, kind: PickerKind, row: PickerRow) -> Vec<Effect> {
    match kind {
        PickerKind::Commands => choose_command(state, &row.id),
        _ => Vec::new(),
    }
}

/// A command that needs more than its word is written for the user to end; the others are carried out.
fn choose_command(state: &mut State, word: &str) -> Vec<Effect> {
    overlay::close(state);
    match find(word) {
        Some(row) if row.must_have_arguments() => {
            state.composer.set_aside_for(&format!("/{word} "));
            Vec::new()
        }
        Some(row) => command::carry_out(state, row.kind, ""),
        None => Vec::new(),
    }
}

/// A key of a list's own was pressed; the row that was chosen then.
pub(super) fn act(_state: &mut State, _kind: PickerKind, _key: char, _row: Option<PickerRow>) -> Vec<Effect> {
    Vec::new()
}

/// A key of a text's own was pressed.
pub(super) fn act_on_text(_state: &mut State, _key: char) -> Vec<Effect> {
    Vec::new()
}

/// Something was confirmed.
pub(super) fn carry_out(_state: &mut State, _deed: Deed) -> Vec<Effect> {
    Vec::new()
}

/// A line was written.
pub(super) fn take_line(_state: &mut State, _kind: PromptKind, _text: &str) -> Vec<Effect> {
    Vec::new()
}
