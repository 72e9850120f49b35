//! Keys while one line is written.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::close;
use crate::effect::AppEffect;
use crate::state::TuiState;
use crate::state::overlay::Overlay;
use crate::update::commands;

/// A key while one line is written.
pub(super) fn press(state: &mut TuiState, key: KeyEvent) -> Vec<AppEffect> {
    let Some(Overlay::Prompt(prompt)) = &mut state.overlay else { return Vec::new() };
    match key.code {
        KeyCode::Esc => close(state),
        KeyCode::Enter => {
            let (kind, text) = (prompt.kind.clone(), prompt.text());
            close(state);
            return commands::take_line(state, kind, text.trim());
        }
        KeyCode::Char('u') if key.modifiers.contains(KeyModifiers::CONTROL) => {
            prompt.area.delete_line_by_head();
        }
        _ => {
            prompt.area.input(key);
        }
    }
    Vec::new()
}
