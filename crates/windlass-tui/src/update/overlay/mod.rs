//! Keys, pastes and the wheel in what lies over the screen.

mod confirm;
mod pager;
mod picker;
mod prompt;

use crossterm::event::KeyEvent;

use super::inspector;
use crate::effect::AppEffect;
use crate::state::TuiState;
use crate::state::overlay::Overlay;

/// A key while something lies over the screen.
pub(super) fn press(state: &mut TuiState, key: KeyEvent) -> Vec<AppEffect> {
    match &state.overlay {
        Some(Overlay::Picker(_)) => picker::press(state, key),
        Some(Overlay::Pager(_)) => pager::press(state, key),
        Some(Overlay::Confirm(_)) => confirm::press(state, key),
        Some(Overlay::Prompt(_)) => prompt::press(state, key),
        Some(Overlay::Inspector(_)) => inspector::press(state, key),
        None => Vec::new(),
    }
}

/// Text that was pasted while something lies over the screen.
pub(super) fn paste(state: &mut TuiState, text: &str) {
    let line = text.lines().next().unwrap_or_default();
    match &mut state.overlay {
        Some(Overlay::Picker(picker)) if picker.takes_letters() => {
            picker.set_filter(format!("{}{line}", picker.filter));
        }
        Some(Overlay::Pager(pager)) if pager.is_searching => {
            pager.search.get_or_insert_default().push_str(line);
        }
        Some(Overlay::Prompt(prompt)) => {
            prompt.area.insert_str(line);
        }
        Some(Overlay::Picker(_) | Overlay::Pager(_) | Overlay::Confirm(_) | Overlay::Inspector(_)) | None => {
        }
    }
}

/// The wheel, in lines; down is positive.
pub(super) fn wheel(state: &mut TuiState, lines: i64) {
    let rows = lines.try_into().unwrap_or_default();
    match &mut state.overlay {
        Some(Overlay::Picker(picker)) => picker.step(isize::signum(rows)),
        Some(Overlay::Pager(_)) => pager::scroll(state, rows),
        Some(Overlay::Confirm(_)) => confirm::scroll(state, rows),
        Some(Overlay::Inspector(inspector)) => inspector.scroll(lines),
        Some(Overlay::Prompt(_)) | None => {}
    }
}

/// Puts an overlay over what is there.
pub(super) fn open(state: &mut TuiState, overlay: Overlay) {
    let under = state.overlay.take();
    state.overlay = Some(overlay.over(under));
}

/// Takes the uppermost overlay away.
pub(super) fn close(state: &mut TuiState) {
    state.overlay = state.overlay.take().and_then(Overlay::into_under);
}
