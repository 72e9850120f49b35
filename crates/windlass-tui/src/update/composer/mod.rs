//! Keys in the message, and what becomes of it.
//!
//! A key goes to what is looked for in the history, then to the list over the message, then to the text. Nothing of
//! this waits for a run: what is sent while one goes on is queued.

mod complete;
mod edit;
mod recall;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{command, commands, stop, transcript};
use crate::command::{is_command, parse};
use crate::effect::{AppEffect, Sending};
use crate::state::composer::{pastes, scrolled_to, text_columns, text_rows_max};
use crate::state::{Focus, TuiState};

pub(super) use complete::take_paths;

/// A key in the message.
pub(super) fn press(state: &mut TuiState, key: KeyEvent) -> Vec<AppEffect> {
    let effects = if state.composer.lookup.is_some() {
        recall::press(state, key);
        Vec::new()
    } else if let Some(effects) = complete::press(state, key) {
        effects
    } else {
        press_text(state, key)
    };
    keep_in_sight(state);
    effects
}

fn press_text(state: &mut TuiState, key: KeyEvent) -> Vec<AppEffect> {
    let is_ctrl = key.modifiers == KeyModifiers::CONTROL;
    match key.code {
        KeyCode::Esc => stop::press_escape(state),
        KeyCode::Tab if complete::reopen(state) => Vec::new(),
        KeyCode::BackTab => commands::mode::step(state),
        KeyCode::Tab => {
            transcript::enter(state);
            Vec::new()
        }
        KeyCode::Enter if key.modifiers.is_empty() && !edit::continues_line(state) => submit(state),
        KeyCode::Enter => write_line(state),
        KeyCode::Char('j') if is_ctrl => write_line(state),
        KeyCode::Char('d') if is_ctrl && state.composer.is_empty() => stop::leave(state),
        KeyCode::Char('r') if is_ctrl => {
            recall::begin(state);
            Vec::new()
        }
        KeyCode::Up | KeyCode::Down if key.modifiers.is_empty() => {
            recall::go(state, key.code == KeyCode::Down);
            Vec::new()
        }
        KeyCode::Char('n') if is_ctrl => {
            recall::go(state, true);
            Vec::new()
        }
        _ => press_editing(state, key),
    }
}

fn press_editing(state: &mut TuiState, key: KeyEvent) -> Vec<AppEffect> {
    let before = state.composer.cursor();
    let is_changed = edit::press(&mut state.composer, key);
    if is_changed || state.composer.cursor() != before {
        state.composer.goal_column = None;
        state.composer.walk.is_fresh = false;
    }
    complete::refresh(state, is_changed)
}

fn write_line(state: &mut TuiState) -> Vec<AppEffect> {
    edit::write_line(&mut state.composer);
    complete::refresh(state, false)
}

/// Text that was pasted. It never sends anything, whatever it ends with.
pub(super) fn paste(state: &mut TuiState, text: &str) {
    state.focus = Focus::Composer;
    let text = pastes::harmless(text);
    match state.composer.lookup.as_mut() {
        Some(lookup) => {
            lookup.query.push_str(text.lines().next().unwrap_or_default());
            state.composer.look_anew();
        }
        None => {
            state.composer.insert(&text);
            state.composer.walk.is_fresh = false;
            state.composer.goal_column = None;
            // What is pasted is meant as it is: no list opens over it.
            state.composer.popup = None;
        }
    }
    keep_in_sight(state);
}

/// The screen may have another size now.
pub(super) fn keep_in_sight(state: &mut TuiState) {
    let columns = text_columns(state.size.0);
    let rows = state.composer.rows(columns);
    let (row, _) = state.composer.cursor_cell(&rows, columns);
    let height = text_rows_max(state.size.1);
    state.composer.scrolled = scrolled_to(state.composer.scrolled, row, rows.len(), height);
}

fn submit(state: &mut TuiState) -> Vec<AppEffect> {
    let written = state.composer.text();
    if written.trim().is_empty() {
        state.composer.take();
        return Vec::new();
    }
    // A wrong word stays where it is, to be mended.
    if is_command(&written)
        && let Err(unknown) = parse(&written)
    {
        state.complain(unknown.to_string());
        return Vec::new();
    }
    // What was typed is trimmed, what was pasted is not.
    let text = state.composer.pastes.unfold(written.trim_start_matches('\n').trim_end());
    state.composer.take();
    let mut effects = Vec::new();
    if state.composer.keep_in_history(&text) {
        effects.push(AppEffect::Remember(text.clone()));
    }
    if is_command(&written) {
        effects.extend(command::run(state, &text));
    } else if state.is_busy() {
        state.waiting.push_back(text);
    } else {
        effects.extend(send(state, text));
    }
    effects
}

pub(super) fn send(state: &mut TuiState, text: String) -> Vec<AppEffect> {
    state.sending = Some((text.clone(), state.now_ms));
    state.transcript.go_to_end();
    let session_id = state.session.as_ref().map(|session| session.row.session_id.clone());
    let (model, profile) = (state.about.model.clone(), state.about.profile.clone());
    let context = state.background.take();
    let (approve, settings) = (state.about.approve, state.about.settings.clone());
    vec![AppEffect::Send(Box::new(Sending { session_id, text, model, profile, approve, settings, context }))]
}
