//! Keys in what lies over the screen.

use crossterm::event::{KeyCode, KeyEvent};

use super::inspector;
use crate::effect::Effect;
use crate::state::State;
use crate::state::overlay::Overlay;

/// A key while something lies over the screen.
pub(super) fn press(state: &mut State, key: KeyEvent) -> Vec<Effect> {
    let pager = match state.overlay.as_mut() {
        Some(Overlay::Pager(pager)) => pager,
        Some(Overlay::Inspector(_)) => return inspector::press(state, key),
        None => return Vec::new(),
    };
    match key.code {
        KeyCode::Esc | KeyCode::Char('q') => state.overlay = None,
        KeyCode::Down => pager.scrolled = pager.scrolled.saturating_add(1),
        KeyCode::Up => pager.scrolled = pager.scrolled.saturating_sub(1),
        _ => {}
    }
    Vec::new()
}
