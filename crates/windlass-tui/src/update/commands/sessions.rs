//! `/sessions`: opens, renames and forgets sessions.

use windlass_core::ports::store::SessionRow;
use windlass_core::protocol::ids::{Millis, SessionId};
use windlass_core::text::time::ago;

use super::{new, open};
use crate::command::SlashCommand;
use crate::effect::AppEffect;
use crate::figures::plural;
use crate::state::TuiState;
use crate::state::overlay::{
    Action, Confirm, Deed, LinePrompt, Overlay, Picker, PickerKind, PickerRow, PromptKind, StyledLine,
};
use crate::text::one_line;
use crate::theme::TextRole;
use crate::update::overlay;

static ACTIONS: [Action; 3] = [
    Action { key: 'n', name: "n", verb: "new" },
    Action { key: 'r', name: "r", verb: "rename" },
    Action { key: 'd', name: "d", verb: "delete" },
];

pub(super) const COMMAND: SlashCommand = SlashCommand {
    aliases: &["session"],
    arguments: "[TEXT]",
    ..SlashCommand::new("sessions", "open another session", run)
};

/// Lists the sessions, or those with a text in them.
fn run(state: &mut TuiState, rest: &str) -> Vec<AppEffect> {
    let text = (!rest.is_empty()).then(|| rest.to_owned());
    let (title, empty) = match &text {
        Some(text) => {
            let text = one_line(text);
            (
                format!("Sessions with '{text}'"),
                format!("no session has '{text}' in its title or in what was said"),
            )
        }
        None => ("Sessions".to_owned(), "no sessions yet: the first message starts one".to_owned()),
    };
    let mut picker =
        Picker::loading(PickerKind::Sessions, title).with_words("open", empty).with_actions(&ACTIONS);
    picker.about = rest.to_owned();
    open(state, picker);
    vec![AppEffect::ListSessions { text }]
}

/// Sessions were listed; answers to what nobody looks at any more go.
pub(in crate::update) fn fill(state: &mut TuiState, text: Option<&str>, rows: &[SessionRow]) {
    let open = state.session.as_ref().map(|session| session.row.session_id.clone());
    let now_ms = state.now_ms;
    let Some(picker) = list(state).filter(|picker| picker.about == text.unwrap_or_default()) else { return };
    picker.pending = 0;
    picker.set_rows(rows.iter().map(|row| row_of(row, now_ms, open.as_ref())).collect());
}

fn list(state: &mut TuiState) -> Option<&mut Picker> {
    state.overlay.as_mut()?.picker_mut(PickerKind::Sessions)
}

/// A session in a list.
pub(super) fn row_of(row: &SessionRow, now_ms: Millis, open: Option<&SessionId>) -> PickerRow {
    let title = if row.begin.title.is_empty() { "(nothing said yet)" } else { &row.begin.title };
    let mut facts = vec![plural(usize::try_from(row.runs).unwrap_or(usize::MAX), "run")];
    if !row.begin.model.is_empty() {
        facts.push(row.begin.model.clone());
    }
    facts.push(match &row.begin.fork {
        Some(fork) => format!("from {}, forked at step {}", row.begin.origin, fork.step),
        None => format!("from {}", row.begin.origin),
    });
    PickerRow::new(row.session_id.as_str(), title, facts.join(" · "))
        .with_badge(ago(now_ms, row.updated_ms))
        .current(open == Some(&row.session_id))
}

/// A row was chosen.
pub(in crate::update) fn choose(state: &mut TuiState, id: &str) -> Vec<AppEffect> {
    state.overlay = None;
    let is_open = state.session.as_ref().is_some_and(|session| session.row.session_id.as_str() == id);
    if is_open {
        return Vec::new();
    }
    state.tell("opening the session …");
    vec![state.turn_to(SessionId::new(id))]
}

/// A key of the list's own.
pub(in crate::update) fn act(state: &mut TuiState, key: char, row: Option<PickerRow>) -> Vec<AppEffect> {
    match (key, row) {
        ('n', _) => {
            state.overlay = None;
            return new::run(state, "");
        }
        ('r', Some(row)) => {
            let kind = PromptKind::Rename(SessionId::new(row.id.as_str()));
            let prompt = LinePrompt::new("New title", kind, &row.label);
            overlay::open(state, Overlay::Prompt(Box::new(prompt)));
        }
        ('d', Some(row)) => {
            let lines = vec![
                StyledLine::new(TextRole::Strong, &row.label),
                StyledLine::new(TextRole::Muted, &format!("{} · {}", row.detail, row.badge)),
                StyledLine::default(),
                StyledLine::new(
                    TextRole::Text,
                    "Everything in it is deleted for good; a run that \
                 goes on in it is cancelled. Files that it changed stay as they are.",
                ),
            ];
            let deed = Deed::DeleteSession(SessionId::new(row.id.as_str()));
            let confirm = Confirm::new("Delete this session?", "delete", deed, lines);
            overlay::open(state, Overlay::Confirm(confirm));
        }
        (_, _) => {}
    }
    Vec::new()
}

/// A title was written.
pub(in crate::update) fn rename(state: &mut TuiState, session_id: SessionId, title: &str) -> Vec<AppEffect> {
    if title.is_empty() {
        state.complain("a title cannot be empty");
        return Vec::new();
    }
    vec![AppEffect::Rename { session_id, title: title.to_owned() }]
}

/// A session has another title.
pub(in crate::update) fn renamed(state: &mut TuiState, session_id: &SessionId, title: &str) {
    if let Some(open) = state.session.as_mut().filter(|open| open.row.session_id == *session_id) {
        open.row.begin.title = title.to_owned();
    }
    if let Some(picker) = list(state) {
        let mut rows = picker.rows().to_vec();
        rows.iter_mut()
            .filter(|row| row.id == session_id.as_str())
            .for_each(|row| row.label = title.to_owned());
        picker.set_rows(rows);
    }
    state.tell(format!("renamed to {}", one_line(title)));
}

/// A session is gone; the one that is shown goes from the screen.
pub(in crate::update) fn deleted(state: &mut TuiState, session_id: &SessionId) -> Vec<AppEffect> {
    if let Some(picker) = list(state) {
        let rows = picker.rows().iter().filter(|row| row.id != session_id.as_str()).cloned().collect();
        picker.set_rows(rows);
    }
    let is_open = state.session.as_ref().is_some_and(|open| open.row.session_id == *session_id);
    let effects = if is_open { new::leave(state) } else { Vec::new() };
    state.tell("the session is deleted");
    effects
}
