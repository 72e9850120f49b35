//! Keys in the message.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{command, stop, transcript};
use crate::command::is_command;
use crate::effect::{Effect, Sending};
use crate::state::{Focus, State};

/// A key in the message.
pub(super) fn press(state: &mut State, key: KeyEvent) -> Vec<Effect> {
    let is_alone = key.modifiers.is_empty();
    match key.code {
        KeyCode::Esc => stop::press_escape(state),
        KeyCode::Tab | KeyCode::BackTab => {
            transcript::enter(state);
            Vec::new()
        }
        KeyCode::Enter if is_alone => submit(state),
        KeyCode::Enter => {
            state.composer.area.insert_newline();
            Vec::new()
        }
        KeyCode::Char('j') if key.modifiers.contains(KeyModifiers::CONTROL) => {
            state.composer.area.insert_newline();
            Vec::new()
        }
        KeyCode::Char('d') if key.modifiers == KeyModifiers::CONTROL && state.composer.is_empty() => {
            stop::leave(state)
        }
        _ => {
            state.composer.area.input(key);
            Vec::new()
        }
    }
}

/// Text that was pasted.
pub(super) fn paste(state: &mut State, text: &str) {
    state.focus = Focus::Composer;
    state.composer.area.insert_str(text);
}

fn submit(state: &mut State) -> Vec<Effect> {
    let text = state.composer.take();
    if text.trim().is_empty() {
        return Vec::new();
    }
    state.composer.history.push(text.clone());
    let mut effects = vec![Effect::Remember(text.clone())];
    if is_command(&text) {
        effects.extend(command::run(state, &text));
    } else if state.running().is_some() || state.sending.is_some() {
        state.waiting.push_back(text);
    } else {
        effects.extend(send(state, text));
    }
    effects
}

/// Sends a message.
pub(super) fn send(state: &mut State, text: String) -> Vec<Effect> {
    state.sending = Some((text.clone(), state.now_ms));
    state.transcript.go_to_end();
    let session_id = state.session.as_ref().map(|session| session.row.session_id.clone());
    let (model, profile) = (state.about.model.clone(), state.about.profile.clone());
    vec![Effect::Send(Box::new(Sending { session_id, text, model, profile }))]
}
