//! Keys in what lies over the screen.

use crossterm::event::{KeyCode, KeyEvent};

use crate::effect::Effect;
use crate::state::State;
use crate::state::overlay::Overlay;

/// A key while something lies over the screen.
pub(super) fn press(state: &mut State, key: KeyEvent) -> Vec<Effect> {
    let Some(Overlay::Pager(pager)) = state.overlay.as_mut() else { return Vec::new() };
    match key.code {
        KeyCode::Esc | KeyCode::Char('q') => state.overlay = None,
        KeyCode::Down => pager.scrolled = pager.scrolled.saturating_add(1),
        KeyCode::Up => pager.scrolled = pager.scrolled.saturating_sub(1),
        _ => {}
    }
    Vec::new()
}
