//! `/search`: passages or lines of the project's files and documents, and sessions in which something was said.

use windlass_core::ports::store::SessionRow;
use windlass_core::protocol::ids::SessionId;

use super::{open, refuse, sessions};
use crate::command::SlashCommand;
use crate::effect::AppEffect;
use crate::input::FoundLine;
use crate::state::overlay::{Picker, PickerKind, PickerRow};
use crate::state::{Focus, TuiState};
use crate::text::one_line;

/// Marks a row that is a session.
const SESSION: &str = "session:";

/// Marks a row that is a file.
const FILE: &str = "file:";

/// Marks a row that is a document.
const DOCUMENT: &str = "document:";

pub(super) const COMMAND: SlashCommand = SlashCommand {
    aliases: &["grep"],
    arguments: "TEXT",
    ..SlashCommand::new("search", "search the project's files", run)
};

fn run(state: &mut TuiState, rest: &str) -> Vec<AppEffect> {
    if rest.is_empty() {
        return refuse(state, "/search ", "what should be searched for? /search TEXT");
    }
    let title = format!("Search: {}", one_line(rest));
    let empty = "nothing was found: not in the project's files, and not in what was said in sessions";
    let mut picker = Picker::loading(PickerKind::Hits, title).with_words("take", empty);
    (picker.pending, picker.about) = (2, rest.to_owned());
    open(state, picker);
    vec![AppEffect::Search(rest.to_owned()), AppEffect::ListSessions { text: Some(rest.to_owned()) }]
}

fn list_of<'a>(state: &'a mut TuiState, query: &str) -> Option<&'a mut Picker> {
    let picker = state.overlay.as_mut()?.picker_mut(PickerKind::Hits)?;
    (picker.about == query).then_some(picker)
}

/// The files were searched; answers to a search that nobody looks at any more go.
pub(in crate::update) fn fill(state: &mut TuiState, query: &str, hits: &[FoundLine], is_cut: bool) {
    let row = |hit: &FoundLine| {
        let place = format!("{}:{}", hit.path, hit.line);
        let text = match &hit.why {
            Some(why) => format!("{}  {why}", hit.text.trim()),
            None => hit.text.trim().to_owned(),
        };
        let (mark, badge) = if hit.is_document { (DOCUMENT, "document") } else { (FILE, "file") };
        PickerRow::new(format!("{mark}{}", hit.path), place, text).with_badge(badge)
    };
    let Some(picker) = list_of(state, query) else { return };
    picker.pending = picker.pending.saturating_sub(1);
    // Files come first, whichever answer came first.
    let others = picker.rows().to_vec();
    picker.set_rows(hits.iter().map(row).chain(others).collect());
    picker.jump(false);
    if is_cut {
        picker.title = format!("{} (the first {})", picker.title, hits.len());
    }
}

/// Sessions in which the text was said.
pub(in crate::update) fn fill_sessions(state: &mut TuiState, query: &str, rows: &[SessionRow]) {
    let now_ms = state.now_ms;
    let row = |row: &SessionRow| {
        let found = sessions::row_of(row, now_ms, None);
        PickerRow { id: format!("{SESSION}{}", row.session_id), badge: "session".into(), ..found }
    };
    let Some(picker) = list_of(state, query) else { return };
    picker.pending = picker.pending.saturating_sub(1);
    picker.add_rows(rows.iter().map(row).collect());
}

/// A row was chosen: a file or a document goes into the message, a session is opened.
pub(in crate::update) fn choose(state: &mut TuiState, id: &str) -> Vec<AppEffect> {
    state.overlay = None;
    if let Some(session_id) = id.strip_prefix(SESSION) {
        return vec![state.turn_to(SessionId::new(session_id))];
    }
    // A document has no path that a tool could read: it goes in by its name.
    let named = id.strip_prefix(DOCUMENT).map(|name| format!("\"{name}\""));
    let meant = id.strip_prefix(FILE).map(|path| format!("@{path}")).or(named);
    if let Some(meant) = meant {
        let written = state.composer.text();
        let gap = if written.is_empty() || written.ends_with(char::is_whitespace) { "" } else { " " };
        state.composer.insert(&format!("{gap}{meant} "));
        state.focus = Focus::Composer;
    }
    Vec::new()
}
