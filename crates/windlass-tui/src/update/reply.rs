//! What effects gave.

use std::sync::Arc;

use windlass_core::ports::host::{HostError, StartedRun};
use windlass_core::ports::store::SessionRow;
use windlass_core::protocol::event::Record;
use windlass_core::protocol::ids::SessionId;

use super::{commands, composer, question, send_waiting};
use crate::effect::{AppEffect, Sending};
use crate::input::{HostReply, RefusedWish, wants};
use crate::state::TuiState;
use crate::state::overlay::{Overlay, PickerKind};

pub(super) fn take(state: &mut TuiState, reply: HostReply) -> Vec<AppEffect> {
    match reply {
        HostReply::Opened { row, records } => return show(state, *row, &records),
        HostReply::Started { run, session } => return begin(state, run, session),
        HostReply::Forked(run) => {
            state.tell("forked: this is the new session, /sessions finds the other one");
            return vec![state.turn_to(run.session_id)];
        }
        HostReply::Resumed(run) => return begin(state, run, None),
        HostReply::Deleted(session_id) => return commands::sessions::deleted(state, &session_id),
        HostReply::Models(models) => commands::model::fill(state, models),
        HostReply::Paths(paths) => composer::take_paths(state, paths),
        HostReply::Sessions { text, rows } => {
            commands::sessions::fill(state, text.as_deref(), &rows);
            if let Some(text) = text {
                commands::search::fill_sessions(state, &text, &rows);
            }
        }
        HostReply::Switched { session_id, approve } => {
            return commands::mode::switched(state, &session_id, approve);
        }
        HostReply::Set { session_id, settings } => commands::settings::set(state, &session_id, *settings),
        HostReply::Renamed { session_id, title } => commands::sessions::renamed(state, &session_id, &title),
        HostReply::UnfinishedRuns(runs) => commands::resume::fill(state, &runs),
        HostReply::Rules(rules) => commands::policy::fill(state, &rules),
        HostReply::RuleRemoved { id, rules } => commands::policy::removed(state, &id, &rules),
        HostReply::Explained { tool, explanation } => commands::policy::explained(state, &tool, &explanation),
        HostReply::Tree { paths, is_cut } => commands::context::fill(state, &paths, is_cut),
        HostReply::Found { query, hits, is_cut, notice } => {
            commands::search::fill(state, &query, &hits, is_cut);
            notice.into_iter().for_each(|notice| state.tell(notice));
        }
        HostReply::Indexing(progress) => state.indexing = progress,
        HostReply::Folder(report) => commands::trust::show(state, *report),
        HostReply::Done(text) => state.tell(text),
        HostReply::Quiet => {}
        HostReply::Refused { wish: RefusedWish::Open(session_id), error } => {
            return keep_following(state, &session_id, &error);
        }
        HostReply::Refused { wish, error } => refuse(state, wish, &error),
    }
    Vec::new()
}

/// Shows a session that was read, and sends what was written for it meanwhile.
fn show(state: &mut TuiState, row: SessionRow, records: &[Arc<Record>]) -> Vec<AppEffect> {
    let is_other = state.session.as_ref().is_some_and(|open| open.row.session_id != row.session_id);
    let is_chosen = state.turning_to.take_if(|chosen| *chosen == row.session_id).is_some();
    if is_other {
        // The user has turned to yet another one meanwhile.
        if state.turning_to.is_some() {
            return Vec::new();
        }
        let waiting = is_chosen.then(|| std::mem::take(&mut state.waiting));
        commands::new::leave(state);
        state.waiting = waiting.unwrap_or_default();
    }
    // One that is read again, because something of it was missed, stays where it is on the screen.
    if is_other || state.session.is_none() {
        state.transcript = Default::default();
    }
    let session = state.open(row);
    records.iter().for_each(|record| session.apply(record));
    let (session_id, after) = (session.row.session_id.clone(), session.durable_seq);
    commands::resume::begin_watch(state);
    let mut effects = vec![AppEffect::Follow { session_id, after }];
    effects.extend(send_waiting(state));
    effects
}

/// A run began or goes on, perhaps in another session than the one that is shown.
fn begin(state: &mut TuiState, run: StartedRun, session: Option<Box<SessionRow>>) -> Vec<AppEffect> {
    match (session, &state.session) {
        // The user has turned to something else meanwhile: the run goes on without being looked at.
        (Some(_), _) if state.sending.is_none() => {
            state.tell("the message was sent in a session of its own; /sessions finds it");
            Vec::new()
        }
        (Some(row), _) => {
            let session_id = row.session_id.clone();
            state.open(*row);
            vec![AppEffect::Follow { session_id, after: 0 }]
        }
        (None, Some(open)) if open.row.session_id == run.session_id => Vec::new(),
        (None, Some(_) | None) => vec![state.turn_to(run.session_id)],
    }
}

/// A session that is shown and could not be read again is tried again by the one who follows it.
fn keep_following(state: &mut TuiState, session_id: &SessionId, error: &HostError) -> Vec<AppEffect> {
    match state.session.as_mut().filter(|open| open.row.session_id == *session_id) {
        Some(session) => {
            session.is_cut = true;
            vec![AppEffect::Follow { session_id: session_id.clone(), after: session.durable_seq }]
        }
        None => {
            if state.turning_to.take_if(|chosen| chosen == session_id).is_some() {
                state.take_back_waiting();
            }
            state.complain(format!("the session could not be opened: {error}"));
            Vec::new()
        }
    }
}

fn refuse(state: &mut TuiState, wish: RefusedWish, error: &HostError) {
    match wish {
        RefusedWish::Send(sending) => give_back(state, *sending, error),
        RefusedWish::Cancel => {
            state.cancelling = None;
            state.complain(format!("the run could not be stopped: {error}"));
        }
        RefusedWish::Answer(call_id) => question::refuse(state, &call_id, error),
        RefusedWish::Open(_) => {}
        RefusedWish::Fill(what) => refuse_to_fill(state, what, error),
        RefusedWish::Line(what, line) => {
            if state.composer.is_empty() {
                state.composer.put_back(&line);
            }
            state.complain(format!("could not {what}: {error}"));
        }
        RefusedWish::Other(what) => state.complain(format!("could not {what}: {error}")),
    }
}

/// What was written is not lost, and neither is what was to go with it.
fn give_back(state: &mut TuiState, sending: Sending, error: &HostError) {
    state.sending = None;
    state.composer.put_back(&sending.text);
    if state.background.is_none() {
        state.background = sending.context;
    }
    state.complain(error.to_string());
}

/// What lies over the screen and waits for this says itself that it will not come.
fn refuse_to_fill(state: &mut TuiState, what: &'static str, error: &HostError) {
    let text = format!("could not {what}: {error}");
    match &mut state.overlay {
        Some(Overlay::Picker(picker)) if picker.pending > 0 && awaits(picker.kind, what) => {
            picker.pending = picker.pending.saturating_sub(1);
            picker.problem = Some(text);
        }
        Some(Overlay::Pager(pager)) if pager.is_loading && what == wants::TREE => {
            state.overlay = None;
            state.complain(text);
        }
        Some(
            Overlay::Picker(_)
            | Overlay::Pager(_)
            | Overlay::Confirm(_)
            | Overlay::Prompt(_)
            | Overlay::Inspector(_),
        )
        | None => state.complain(text),
    }
}

fn awaits(kind: PickerKind, what: &str) -> bool {
    match kind {
        PickerKind::Models => what == wants::MODELS,
        PickerKind::Rules => what == wants::RULES,
        PickerKind::Sessions => what == wants::SESSIONS,
        PickerKind::Unfinished => what == wants::RUNS,
        PickerKind::Hits => what == wants::SEARCH || what == wants::SESSIONS,
        PickerKind::Commands
        | PickerKind::Profiles
        | PickerKind::Modes
        | PickerKind::Themes
        | PickerKind::Tools
        | PickerKind::Steps => false,
    }
}
