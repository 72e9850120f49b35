//! The slash commands, one file each: `COMMAND` declares its word, help, keys and completion and names what carries it
//! out, `run(state, rest)` with what follows the word. A new one is a file, and its lines here.
//!
//! What a command says it needs is there when it is called. A command that opens a list also says what choosing
//! a row of it does, and what becomes of the answers that fill it.
//!
//! - `allowed`: what may run and what counts: `mode`, `policy` (rules and grants) and `trust` (the project's folder)
//! - `again`: the last message, to be changed and sent once more
//! - `apply`: makes an edit that a run has staged, after it was looked at
//! - `cancel`: stops the run
//! - `context`: the project's file tree as background for the next message, and how full the context is
//! - `copy`: the last answer, or the whole session, to the clipboard of the terminal
//! - `export`: the session as a Markdown file
//! - `fork`: goes on from a step of a run in a session of its own
//! - `help`: keys and commands, from the tables that they are made of
//! - `inspect`: everything that is on record of a run
//! - `model`: which model answers from the next run on
//! - `new`: the next message starts a session
//! - `profile`: limits and manners from the next run on
//! - `quit`: leaves
//! - `rename`: gives the session another title
//! - `resume`: takes up runs that stopped in the middle
//! - `search`: passages or lines of the project's files and documents, and sessions in which something was said
//! - `sessions`: opens, renames and forgets sessions
//! - `settings`: what the runs of the session are asked with: shown with the defaults, set and unset
//! - `tasks`: shows or hides the task list; where it has no place of its own, it is a text
//! - `theme`: how the app looks, at once and from now on
//! - `thinking`: folds or unfolds the thinking
//! - `tools`: what a model can call, and with which arguments

pub(super) mod again;
pub(super) mod allowed;
pub(super) mod apply;
pub(super) mod cancel;
pub(super) mod context;
pub(super) mod copy;
pub(super) mod export;
pub(super) mod fork;
pub(super) mod help;
pub(super) mod inspect;
pub(super) mod model;
pub(super) mod new;
pub(super) mod profile;
pub(super) mod quit;
pub(super) mod rename;
pub(super) mod resume;
pub(super) mod search;
pub(super) mod sessions;
pub(super) mod settings;
pub(super) mod tasks;
pub(super) mod theme;
pub(super) mod thinking;
pub(super) mod tools;

pub(super) use allowed::{mode, policy, trust};

use super::{command, overlay};
use crate::command::{SlashCommand, find};
use crate::effect::AppEffect;
use crate::state::TuiState;
use crate::state::overlay::{Deed, Overlay, Pager, Picker, PickerKind, PickerRow, PromptKind};

/// All commands, in the order in which they are shown.
pub static COMMANDS: [&SlashCommand; 25] = [
    &help::COMMAND,
    &model::COMMAND,
    &profile::COMMAND,
    &mode::COMMAND,
    &settings::COMMAND,
    &theme::COMMAND,
    &tools::COMMAND,
    &tasks::COMMAND,
    &policy::COMMAND,
    &trust::COMMAND,
    &search::COMMAND,
    &sessions::COMMAND,
    &new::COMMAND,
    &again::COMMAND,
    &rename::COMMAND,
    &resume::COMMAND,
    &fork::COMMAND,
    &apply::COMMAND,
    &inspect::COMMAND,
    &context::COMMAND,
    &thinking::COMMAND,
    &copy::COMMAND,
    &export::COMMAND,
    &cancel::COMMAND,
    &quit::COMMAND,
];

/// A row of a list was chosen.
pub(super) fn choose(state: &mut TuiState, kind: PickerKind, row: PickerRow) -> Vec<AppEffect> {
    match kind {
        PickerKind::Commands => choose_command(state, &row.id),
        PickerKind::Models => model::choose(state, &row.id),
        PickerKind::Profiles => profile::choose(state, &row.id),
        PickerKind::Modes => mode::choose(state, &row.id),
        PickerKind::Themes => theme::choose(state, &row.id),
        PickerKind::Tools => tools::choose(state, &row.id),
        PickerKind::Rules => policy::choose(state, &row),
        PickerKind::Sessions => sessions::choose(state, &row.id),
        PickerKind::Unfinished => resume::choose(state, &row.id),
        PickerKind::Steps => fork::choose(state, &row.id),
        PickerKind::Hits => search::choose(state, &row.id),
    }
}

/// A command that needs more than its word is written for the user to end; the others are carried out.
fn choose_command(state: &mut TuiState, word: &str) -> Vec<AppEffect> {
    overlay::close(state);
    match find(word) {
        Some(row) if row.must_have_arguments() => {
            state.composer.set_aside_for(&format!("/{word} "));
            Vec::new()
        }
        Some(row) => command::carry_out(state, row, ""),
        None => Vec::new(),
    }
}

/// A key of a list's own was pressed; the row that was chosen then.
pub(super) fn act(
    state: &mut TuiState,
    kind: PickerKind,
    key: char,
    row: Option<PickerRow>,
) -> Vec<AppEffect> {
    match kind {
        PickerKind::Rules => policy::act(state, key, row),
        PickerKind::Sessions => sessions::act(state, key, row),
        PickerKind::Commands
        | PickerKind::Models
        | PickerKind::Profiles
        | PickerKind::Modes
        | PickerKind::Themes
        | PickerKind::Tools
        | PickerKind::Unfinished
        | PickerKind::Steps
        | PickerKind::Hits => Vec::new(),
    }
}

pub(super) fn carry_out(state: &mut TuiState, deed: Deed) -> Vec<AppEffect> {
    match deed {
        Deed::DeleteSession(session_id) => vec![AppEffect::Delete(session_id)],
        Deed::RemoveRule(id) => vec![AppEffect::RemoveRule(id)],
        Deed::Apply(proposal) => apply::confirm(state, *proposal),
        Deed::RunAll => mode::accept_all(state),
        Deed::TrustFolder(digest) => vec![AppEffect::TrustFolder(digest)],
    }
}

/// A key of a text's own was pressed.
pub(super) fn act_on_text(state: &mut TuiState, key: char) -> Vec<AppEffect> {
    context::act(state, key)
}

/// A line was written.
pub(super) fn take_line(state: &mut TuiState, kind: PromptKind, text: &str) -> Vec<AppEffect> {
    match kind {
        PromptKind::Rename(session_id) => sessions::rename(state, session_id, text),
        PromptKind::Confirmation(proposal) => apply::take_word(state, *proposal, text),
    }
}

fn open(state: &mut TuiState, picker: Picker) {
    overlay::open(state, Overlay::Picker(picker));
}

fn open_text(state: &mut TuiState, pager: Pager) {
    overlay::open(state, Overlay::Pager(pager));
}

/// Says why a line cannot be carried out; it goes back to be mended, unless something else is written already.
fn refuse(state: &mut TuiState, line: &str, why: impl Into<String>) -> Vec<AppEffect> {
    if state.composer.is_empty() && !line.is_empty() {
        state.composer.put_back(line);
    }
    state.complain(why);
    Vec::new()
}
