//! Keys while the app asks whether something should really be done.

use crossterm::event::{KeyCode, KeyEvent};

use super::close;
use crate::effect::AppEffect;
use crate::state::TuiState;
use crate::state::overlay::{Overlay, OverlayBox, StyledLine};
use crate::update::commands;

/// A key while something is to be confirmed. Enter alone does nothing: too many things are confirmed by it unread.
pub(super) fn press(state: &mut TuiState, key: KeyEvent) -> Vec<AppEffect> {
    let page = isize::try_from(OverlayBox::on(state.size).text_rows()).unwrap_or(10).max(1);
    match key.code {
        KeyCode::Char('y' | 'Y') => return accept(state),
        KeyCode::Esc | KeyCode::Char('n' | 'N' | 'q') => close(state),
        KeyCode::Down => scroll(state, 1),
        KeyCode::Up => scroll(state, -1),
        KeyCode::PageDown => scroll(state, page),
        KeyCode::PageUp => scroll(state, -page),
        _ => {}
    }
    Vec::new()
}

/// Scrolls by rows; down is positive.
pub(super) fn scroll(state: &mut TuiState, rows: isize) {
    let room = OverlayBox::on(state.size);
    let Some(Overlay::Confirm(confirm)) = &mut state.overlay else { return };
    let rows_of = |line: &StyledLine| line.rows(room.text_columns(), state.theme).len();
    let all: usize = confirm.lines.iter().map(rows_of).sum();
    confirm.scrolled = confirm.scrolled.saturating_add_signed(rows).min(all.saturating_sub(room.text_rows()));
}

fn accept(state: &mut TuiState) -> Vec<AppEffect> {
    let Some(Overlay::Confirm(confirm)) = &state.overlay else { return Vec::new() };
    let deed = confirm.deed.clone();
    close(state);
    commands::carry_out(state, deed)
}
