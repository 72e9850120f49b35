//! One input changes the state, and may ask for effects. Pure: the clock comes in as data.
//!
//! Keys go to whatever has the user's attention: what lies over the screen, then a question that has settled
//! (`state::question`), then the transcript or the message. Only the wish to stop is heard everywhere.

mod bell;
mod command;
mod commands;
mod composer;
pub(crate) mod inspector;
mod offer;
mod overlay;
mod palette;
mod question;
mod reply;
mod stop;
mod transcript;

use crossterm::event::{
    KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use windlass_core::ports::host::HostDelivery;
use windlass_core::protocol::ids::{Millis, SessionId};

pub use self::commands::COMMANDS;
use crate::effect::AppEffect;
use crate::input::AppInput;
use crate::state::question::KeyTarget;
use crate::state::{Focus, TuiState};
use crate::view;

/// How often somebody looks how far the index is, while it is built.
const INDEX_POLL_MS: u64 = 1_000;

/// Lines of a notch of the mouse wheel.
const WHEEL_LINES: i64 = 3;

/// Takes an input at a time.
pub fn update(state: &mut TuiState, input: AppInput, now_ms: Millis) -> Vec<AppEffect> {
    state.now_ms = now_ms;
    if state.notice.as_ref().is_some_and(|notice| notice.until_ms <= now_ms) {
        state.notice = None;
    }
    let effects = take(state, input);
    question::watch(state);
    effects
}

fn take(state: &mut TuiState, input: AppInput) -> Vec<AppEffect> {
    match input {
        AppInput::Key(key) if key.kind == KeyEventKind::Release => Vec::new(),
        AppInput::Key(key) => press(state, key),
        AppInput::Mouse(mouse) => point(state, mouse),
        AppInput::Paste(text) => paste(state, text),
        AppInput::Resized { columns, rows } => {
            state.size = (columns, rows);
            composer::keep_in_sight(state);
            Vec::new()
        }
        AppInput::Delivered(session_id, delivery) => deliver(state, &session_id, delivery),
        AppInput::Followed(session_id) => {
            if let Some(session) = state.session.as_mut().filter(|open| open.row.session_id == session_id) {
                session.is_cut = false;
            }
            Vec::new()
        }
        AppInput::StreamEnded(session_id) => reconnect(state, &session_id),
        AppInput::Reply(reply) => reply::take(state, reply),
        AppInput::Seen(sight) => {
            inspector::see(state, &sight);
            state.transcript.see(*sight);
            Vec::new()
        }
        AppInput::Tick => {
            commands::resume::watch(state);
            watch_index(state)
        }
        AppInput::Stop => {
            state.is_over = true;
            vec![AppEffect::Quit]
        }
    }
}

/// While the index is built, somebody looks now and then how far it is.
fn watch_index(state: &mut TuiState) -> Vec<AppEffect> {
    let is_due = state.now_ms.saturating_sub(state.index_asked_ms) >= INDEX_POLL_MS;
    if state.indexing.is_none() || !is_due {
        return Vec::new();
    }
    state.index_asked_ms = state.now_ms;
    vec![AppEffect::WatchIndex]
}

fn press(state: &mut TuiState, key: KeyEvent) -> Vec<AppEffect> {
    if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) {
        return stop::press_interrupt(state);
    }
    if state.overlay.is_some() {
        return overlay::press(state, key);
    }
    let ear = state.ear();
    let heard = match ear {
        KeyTarget::Question => question::press(state, key),
        KeyTarget::Nobody if key.code == KeyCode::Esc => Some(stop::press_escape(state)),
        KeyTarget::Nobody => Some(Vec::new()),
        KeyTarget::Others => None,
    };
    if let Some(effects) = heard.or_else(|| press_anywhere(state, key)) {
        return effects;
    }
    match state.focus {
        _ if ear == KeyTarget::Question => Vec::new(),
        Focus::Composer => {
            state.asking.typed_ms = Some(state.now_ms);
            composer::press(state, key)
        }
        Focus::Transcript => transcript::press(state, key),
    }
}

/// Keys that mean the same in the message and in the transcript.
fn press_anywhere(state: &mut TuiState, key: KeyEvent) -> Option<Vec<AppEffect>> {
    let is_ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Char('o') if is_ctrl => {
            state.transcript.flip_thinking();
            Some(Vec::new())
        }
        KeyCode::Char('t') if is_ctrl => {
            inspector::open(state);
            Some(Vec::new())
        }
        KeyCode::F(1) => Some(command::carry_out(state, &commands::help::COMMAND, "")),
        KeyCode::Char('?') if state.composer.is_empty() && state.composer.lookup.is_none() => {
            Some(command::carry_out(state, &commands::help::COMMAND, ""))
        }
        KeyCode::Char('p') if is_ctrl && !state.composer.is_choosing() => {
            palette::open(state);
            Some(Vec::new())
        }
        KeyCode::PageUp | KeyCode::PageDown => Some(transcript::press(state, key)),
        KeyCode::Home | KeyCode::End if is_ctrl || state.composer.is_empty() => {
            Some(transcript::press(state, key))
        }
        _ => None,
    }
}

fn point(state: &mut TuiState, mouse: MouseEvent) -> Vec<AppEffect> {
    let lines = match mouse.kind {
        MouseEventKind::ScrollUp => -WHEEL_LINES,
        MouseEventKind::ScrollDown => WHEEL_LINES,
        MouseEventKind::Down(MouseButton::Left) if state.overlay.is_none() => {
            transcript::click(state, mouse.column, mouse.row);
            return Vec::new();
        }
        _ => return Vec::new(),
    };
    let is_below = view::question_area(state).is_some_and(|area| mouse.row >= area.y);
    if state.overlay.is_some() {
        overlay::wheel(state, lines);
    } else if state.asking.shown.is_some() && is_below {
        question::scroll(state, lines.try_into().unwrap_or_default());
    } else {
        state.transcript.scroll(lines);
    }
    Vec::new()
}

fn paste(state: &mut TuiState, text: String) -> Vec<AppEffect> {
    if state.overlay.is_some() {
        overlay::paste(state, &text);
    } else if !question::paste(state, &text) {
        state.asking.typed_ms = Some(state.now_ms);
        composer::paste(state, &text);
    }
    Vec::new()
}

fn deliver(state: &mut TuiState, session_id: &SessionId, delivery: HostDelivery) -> Vec<AppEffect> {
    let before = bell::BellBefore::of(state);
    let Some(session) = state.session.as_mut().filter(|open| open.row.session_id == *session_id) else {
        return Vec::new();
    };
    match delivery {
        HostDelivery::Record(record) => {
            session.is_cut = false;
            session.apply(&record);
            state.sending = None;
            commands::resume::see(state, &record);
            let bell = before.ring(state);
            bell.into_iter().chain(send_waiting(state)).collect()
        }
        // Pieces were missed, and a server that was killed may have given their numbers to others: what is shown is
        // made again from what is on record.
        HostDelivery::Gap => vec![AppEffect::Unfollow, AppEffect::Open(session_id.clone())],
        HostDelivery::Deleted => {
            state.session = None;
            state.complain("this session was deleted; the next message starts a new one");
            vec![AppEffect::Unfollow]
        }
    }
}

/// The stream of the session is gone: it is opened again after the last record that is sure to be known.
fn reconnect(state: &mut TuiState, session_id: &SessionId) -> Vec<AppEffect> {
    let Some(session) = state.session.as_mut().filter(|open| open.row.session_id == *session_id) else {
        return Vec::new();
    };
    session.is_cut = true;
    vec![AppEffect::Follow { session_id: session_id.clone(), after: session.durable_seq }]
}

/// What was written while a run went on, or a session was being read, is sent after that.
fn send_waiting(state: &mut TuiState) -> Vec<AppEffect> {
    if state.is_busy() {
        return Vec::new();
    }
    state.cancelling = None;
    match state.waiting.pop_front() {
        Some(text) => composer::send(state, text),
        None => Vec::new(),
    }
}
