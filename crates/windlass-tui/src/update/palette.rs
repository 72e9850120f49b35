//! The palette: all commands in a list that is narrowed by typing, from anywhere and whatever is being written.

use super::command::obstacle;
use super::overlay;
use crate::command::COMMANDS;
use crate::state::TuiState;
use crate::state::overlay::{Overlay, Picker, PickerKind, PickerRow};

/// Opens it. What cannot be done now is not in it.
pub(super) fn open(state: &mut TuiState) {
    let possible = COMMANDS.iter().filter(|row| obstacle(state, row.needs).is_none());
    let rows = possible
        .map(|row| PickerRow::new(row.word, format!("/{}", row.word), row.about).with_badge(row.keys));
    let picker = Picker::new(PickerKind::Commands, "Commands", rows.collect());
    overlay::open(state, Overlay::Picker(picker.with_words("run", "no such command")));
}
