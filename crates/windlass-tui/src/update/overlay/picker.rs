//! Keys in a list.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::close;
use crate::effect::AppEffect;
use crate::state::TuiState;
use crate::state::overlay::{Overlay, OverlayBox, Picker};
use crate::update::commands;

/// A key in a list.
pub(super) fn press(state: &mut TuiState, key: KeyEvent) -> Vec<AppEffect> {
    let page = isize::try_from(OverlayBox::on(state.size).text_rows()).unwrap_or(10).saturating_sub(3).max(1);
    let Some(Overlay::Picker(picker)) = &mut state.overlay else { return Vec::new() };
    let is_ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Esc if picker.is_filtering || !picker.filter.is_empty() => {
            picker.is_filtering = false;
            picker.set_filter(String::new());
        }
        KeyCode::Esc => close(state),
        KeyCode::Enter => return choose(state),
        KeyCode::Up => picker.step(-1),
        KeyCode::Down => picker.step(1),
        KeyCode::PageUp => picker.step(-page),
        KeyCode::PageDown => picker.step(page),
        KeyCode::Home => picker.jump(false),
        KeyCode::End => picker.jump(true),
        KeyCode::Delete => return act(state, 'd'),
        KeyCode::Backspace => {
            let mut filter = std::mem::take(&mut picker.filter);
            filter.pop();
            picker.is_filtering &= !filter.is_empty();
            picker.set_filter(filter);
        }
        KeyCode::Char(sign) if is_ctrl => return press_ctrl(state, sign),
        KeyCode::Char(sign) => return type_sign(state, sign),
        _ => {}
    }
    Vec::new()
}

fn press_ctrl(state: &mut TuiState, sign: char) -> Vec<AppEffect> {
    let Some(Overlay::Picker(picker)) = &mut state.overlay else { return Vec::new() };
    match sign {
        _ if has_action(picker, sign) => return act(state, sign),
        'u' => picker.set_filter(String::new()),
        'p' | 'k' => picker.step(-1),
        'n' | 'j' => picker.step(1),
        _ => {}
    }
    Vec::new()
}

fn type_sign(state: &mut TuiState, sign: char) -> Vec<AppEffect> {
    let Some(Overlay::Picker(picker)) = &mut state.overlay else { return Vec::new() };
    if picker.takes_letters() {
        let filter = format!("{}{sign}", picker.filter);
        picker.set_filter(filter);
        return Vec::new();
    }
    match sign {
        _ if has_action(picker, sign) => return act(state, sign),
        '/' => picker.is_filtering = true,
        'q' => close(state),
        'k' => picker.step(-1),
        'j' => picker.step(1),
        _ => {}
    }
    Vec::new()
}

fn has_action(picker: &Picker, sign: char) -> bool {
    picker.actions.iter().any(|action| action.key == sign)
}

fn choose(state: &mut TuiState) -> Vec<AppEffect> {
    let Some(Overlay::Picker(picker)) = &state.overlay else { return Vec::new() };
    let Some(row) = picker.chosen_row().cloned() else { return Vec::new() };
    commands::choose(state, picker.kind, row)
}

fn act(state: &mut TuiState, key: char) -> Vec<AppEffect> {
    let Some(Overlay::Picker(picker)) = &state.overlay else { return Vec::new() };
    if !has_action(picker, key) {
        return Vec::new();
    }
    let (kind, row) = (picker.kind, picker.chosen_row().cloned());
    commands::act(state, kind, key, row)
}
