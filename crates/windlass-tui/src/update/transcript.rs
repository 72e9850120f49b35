//! Keys in the transcript.

use crossterm::event::{KeyCode, KeyEvent};

use crate::effect::Effect;
use crate::state::{Focus, State};

/// A key in the transcript.
pub(super) fn press(state: &mut State, key: KeyEvent) -> Vec<Effect> {
    let page = isize::try_from(state.size.1).unwrap_or(24).saturating_sub(6).max(1);
    match key.code {
        KeyCode::PageUp => scroll(state, -page),
        KeyCode::PageDown => scroll(state, page),
        KeyCode::Esc => state.focus = Focus::Composer,
        _ => {}
    }
    Vec::new()
}

/// Scrolls by lines; down is positive.
pub(super) fn scroll(state: &mut State, lines: isize) {
    state.transcript.lines_back = state.transcript.lines_back.saturating_add_signed(lines.saturating_neg());
}
