//! What was sent before comes back: Up and Down walk through it, Ctrl-R looks for something in it.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::state::TuiState;
use crate::state::composer::history::HistoryLookup;
use crate::state::composer::text_columns;

/// Up and Down: through the rows of the text, and through the history where the rows end.
pub(super) fn go(state: &mut TuiState, goes_down: bool) {
    let columns = text_columns(state.size.0);
    let composer = &mut state.composer;
    composer.popup = None;
    if !composer.walk.is_fresh && composer.go_to_row(goes_down, columns) {
        return;
    }
    // A message that waits is nearer than what was sent.
    if !goes_down
        && composer.is_empty()
        && composer.walk.at.is_none()
        && let Some(waiting) = state.waiting.pop_back()
    {
        composer.put_back(&waiting);
        return;
    }
    if goes_down {
        composer.walk_on();
    } else {
        composer.walk_back();
    }
}

/// Begins to look for something in the history.
pub(super) fn begin(state: &mut TuiState) {
    state.composer.popup = None;
    state.composer.lookup = Some(HistoryLookup::default());
}

/// A key while something is looked for.
pub(super) fn press(state: &mut TuiState, key: KeyEvent) {
    let composer = &mut state.composer;
    let is_ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
    let before = composer.lookup.as_ref().and_then(|lookup| lookup.found);
    match key.code {
        KeyCode::Char('r') if is_ctrl => composer.look_back(before.unwrap_or(composer.history.len())),
        KeyCode::Char('s') if is_ctrl => composer.look_on(),
        KeyCode::Up => composer.look_back(before.unwrap_or(composer.history.len())),
        KeyCode::Down => composer.look_on(),
        KeyCode::Esc => composer.lookup = None,
        KeyCode::Char('g') if is_ctrl => composer.lookup = None,
        KeyCode::Char(sign) if !is_ctrl && !key.modifiers.contains(KeyModifiers::ALT) => {
            change_query(state, |query| query.push(sign));
        }
        KeyCode::Backspace => change_query(state, |query| {
            query.pop();
        }),
        KeyCode::Char('h') if is_ctrl => change_query(state, |query| {
            query.pop();
        }),
        KeyCode::Char('u') if is_ctrl => change_query(state, String::clear),
        KeyCode::Enter | KeyCode::Tab | KeyCode::Right | KeyCode::Left | KeyCode::End | KeyCode::Home => {
            accept(state);
        }
        _ => {}
    }
}

fn change_query(state: &mut TuiState, change: impl FnOnce(&mut String)) {
    if let Some(lookup) = state.composer.lookup.as_mut() {
        change(&mut lookup.query);
    }
    state.composer.look_anew();
}

/// What was found becomes the message; nothing is sent by it. What was written can be had back by undoing.
fn accept(state: &mut TuiState) {
    let composer = &mut state.composer;
    if let Some(found) = composer.looked_up().map(str::to_owned) {
        let folded = composer.pastes.fold(&found);
        composer.replace(&folded);
    }
    composer.lookup = None;
}
