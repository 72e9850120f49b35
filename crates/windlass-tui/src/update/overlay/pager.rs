//! Keys in a text.

use crossterm::event::{KeyCode, KeyEvent};

use super::close;
use crate::effect::AppEffect;
use crate::state::TuiState;
use crate::state::overlay::{Overlay, OverlayBox, Pager};
use crate::theme::Theme;
use crate::update::commands;

/// A key in a text.
pub(super) fn press(state: &mut TuiState, key: KeyEvent) -> Vec<AppEffect> {
    let (room, theme) = (OverlayBox::on(state.size), state.theme);
    let Some(Overlay::Pager(pager)) = &mut state.overlay else { return Vec::new() };
    if pager.is_searching {
        type_search(pager, key, room, theme);
        return Vec::new();
    }
    let page = isize::try_from(room.text_rows()).unwrap_or(10).saturating_sub(1).max(1);
    match key.code {
        KeyCode::Esc if pager.search.is_some() => pager.search = None,
        KeyCode::Esc | KeyCode::Char('q') => close(state),
        KeyCode::Down | KeyCode::Enter | KeyCode::Char('j') => scroll(state, 1),
        KeyCode::Up | KeyCode::Char('k') => scroll(state, -1),
        KeyCode::PageDown | KeyCode::Char(' ') => scroll(state, page),
        KeyCode::PageUp | KeyCode::Char('b') => scroll(state, -page),
        KeyCode::Home | KeyCode::Char('g') => pager.scrolled = 0,
        KeyCode::End | KeyCode::Char('G') => scroll(state, isize::MAX),
        KeyCode::Char('/') => {
            pager.is_searching = true;
            pager.search = Some(String::new());
        }
        KeyCode::Char('n') => seek(pager, false, room, theme),
        KeyCode::Char('N') => seek(pager, true, room, theme),
        KeyCode::Char(sign) if pager.actions.iter().any(|action| action.key == sign) => {
            return commands::act_on_text(state, sign);
        }
        _ => {}
    }
    Vec::new()
}

/// Scrolls by rows; down is positive.
pub(super) fn scroll(state: &mut TuiState, rows: isize) {
    let room = OverlayBox::on(state.size);
    if let Some(Overlay::Pager(pager)) = &mut state.overlay {
        pager.scroll(rows, room, state.theme);
    }
}

fn type_search(pager: &mut Pager, key: KeyEvent, room: OverlayBox, theme: Theme) {
    let search = pager.search.get_or_insert_default();
    match key.code {
        KeyCode::Esc => (pager.search, pager.is_searching) = (None, false),
        KeyCode::Enter => {
            pager.is_searching = false;
            if search.is_empty() {
                pager.search = None;
            }
        }
        KeyCode::Backspace => {
            search.pop();
        }
        KeyCode::Char(sign) => {
            search.push(sign);
            // What is found is shown while it is typed, from where the reader is.
            pager.seek(false, pager.scrolled, room, theme);
        }
        _ => {}
    }
}

fn seek(pager: &mut Pager, is_back: bool, room: OverlayBox, theme: Theme) {
    let from = if is_back { pager.scrolled } else { pager.scrolled + 1 };
    pager.seek(is_back, from, room, theme);
}
