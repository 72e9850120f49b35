//! Keys in the transcript: scrolling, and the focus on what can be folded.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{composer, inspector};
use crate::effect::AppEffect;
use crate::state::cells::Cells;
use crate::state::transcript::Foldable;
use crate::state::{Focus, TuiState};
use crate::transcript_text::copied;

/// A key in the transcript.
pub(super) fn press(state: &mut TuiState, key: KeyEvent) -> Vec<AppEffect> {
    let rows = i64::try_from(state.transcript.sight.rows.len()).unwrap_or(i64::MAX);
    // Two lines stay, so that the eye finds its place.
    let page = rows.saturating_sub(2).max(1);
    let is_plain = !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    match key.code {
        KeyCode::PageUp => state.transcript.scroll(-page),
        KeyCode::PageDown => state.transcript.scroll(page),
        KeyCode::Home => state.transcript.go_to_start(),
        KeyCode::End => state.transcript.go_to_end(),
        KeyCode::Esc => leave(state),
        KeyCode::Tab | KeyCode::Down => focus_next(state),
        KeyCode::BackTab | KeyCode::Up => focus_previous(state),
        KeyCode::Enter => flip(state),
        KeyCode::Char(sign) if is_plain => return press_letter(state, sign, key),
        _ => {}
    }
    Vec::new()
}

fn press_letter(state: &mut TuiState, sign: char, key: KeyEvent) -> Vec<AppEffect> {
    match sign {
        'j' => focus_next(state),
        'k' => focus_previous(state),
        ' ' => flip(state),
        'i' => inspector::open(state),
        'y' => {
            let meant = state.session.as_ref().zip(state.transcript.focused.as_ref());
            let Some(text) = meant.and_then(|(session, thing)| copied(&session.view, thing)) else {
                return Vec::new();
            };
            state.tell("copied");
            return vec![AppEffect::Copy(text)];
        }
        // Whoever writes means the message.
        _ => {
            leave(state);
            return composer::press(state, key);
        }
    }
    Vec::new()
}

/// From the message to the newest thing that can be folded, if there is one.
pub(super) fn enter(state: &mut TuiState) {
    if let Some(newest) = Cells::new(state).newest_foldable() {
        state.focus = Focus::Transcript;
        focus(state, newest);
    }
}

/// Back to the message.
fn leave(state: &mut TuiState) {
    state.focus = Focus::Composer;
    state.transcript.focused = None;
}

fn focus(state: &mut TuiState, thing: Foldable) {
    state.transcript.hold();
    state.transcript.reveal = Some(thing.clone());
    state.transcript.focused = Some(thing);
}

/// Below the newest thing is the message.
fn focus_next(state: &mut TuiState) {
    let cells = Cells::new(state);
    let place = state.transcript.focused.as_ref().and_then(|thing| cells.cell_of(thing));
    match place.and_then(|cell| cells.foldable_after(cell)) {
        Some(thing) => focus(state, thing),
        None => leave(state),
    }
}

fn focus_previous(state: &mut TuiState) {
    let cells = Cells::new(state);
    let place = state.transcript.focused.as_ref().and_then(|thing| cells.cell_of(thing));
    let found = match place {
        Some(cell) => cells.foldable_before(cell),
        // What had the focus is gone: a step that was tried again.
        None => cells.newest_foldable(),
    };
    if let Some(thing) = found {
        focus(state, thing);
    }
}

fn flip(state: &mut TuiState) {
    if let Some(thing) = state.transcript.focused.clone() {
        state.transcript.flip(&thing);
    }
}

/// A click on a line that can be folded.
pub(super) fn click(state: &mut TuiState, column: u16, row: u16) {
    if let Some(thing) = state.transcript.sight.foldable_at(column, row).cloned() {
        state.transcript.flip(&thing);
    }
}
