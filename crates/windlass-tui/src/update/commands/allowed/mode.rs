//! `/mode`: what runs without asking, from the next call on.

use windlass_core::permission::ApproveMode;
use windlass_core::protocol::ids::SessionId;
use windlass_core::text::nearest::nearest_names;

use super::super::{open, overlay, refuse};
use crate::command::SlashCommand;
use crate::effect::AppEffect;
use crate::state::composer::popup::Suggestion;
use crate::state::overlay::{Confirm, Deed, Overlay, Picker, PickerKind, PickerRow, StyledLine};
use crate::state::{AllAsked, TuiState};
use crate::text::one_line;
use crate::theme::TextRole;

pub(in crate::update) const COMMAND: SlashCommand = SlashCommand {
    aliases: &["modes", "approve"],
    arguments: "[read_only|ask|edit|all]",
    keys: "Shift-Tab",
    offer,
    ..SlashCommand::new("mode", "choose what runs without asking", run)
};

/// Lists the modes, or takes the one that is named.
fn run(state: &mut TuiState, rest: &str) -> Vec<AppEffect> {
    if rest.is_empty() {
        let now = state.approve();
        let row =
            |mode: ApproveMode| PickerRow::new(mode.word(), mode.word(), mode.about()).current(mode == now);
        let rows = ApproveMode::CHOICES.into_iter().map(row).collect();
        open(state, Picker::new(PickerKind::Modes, "What runs without asking", rows));
        return Vec::new();
    }
    match ApproveMode::from_word(&rest.to_lowercase()) {
        Some(mode) => take(state, mode),
        None => {
            let words = ApproveMode::CHOICES.map(ApproveMode::word);
            let hint = match nearest_names(rest, words.iter().copied(), 1).first() {
                Some(near) => format!("did you mean {near}?"),
                None => format!("there are {}", words.join(", ")),
            };
            refuse(state, &format!("/mode {rest}"), format!("there is no mode {}; {hint}", one_line(rest)))
        }
    }
}

/// What may follow the word, after what already does.
fn offer(_state: &TuiState, earlier: &[String]) -> Option<(&'static str, Vec<Suggestion>)> {
    let row = |mode: &ApproveMode| Suggestion::whole(mode.word(), mode.about());
    earlier.is_empty().then(|| ("modes", ApproveMode::CHOICES.iter().map(row).collect()))
}

/// A row was chosen.
pub(in crate::update) fn choose(state: &mut TuiState, word: &str) -> Vec<AppEffect> {
    state.overlay = None;
    ApproveMode::from_word(word).map_or_else(Vec::new, |mode| take(state, mode))
}

/// The next of the four; `all` is left out once the user did not want it.
pub(in crate::update) fn step(state: &mut TuiState) -> Vec<AppEffect> {
    let next = match state.approve().next_choice() {
        ApproveMode::All if state.about.all == AllAsked::Open => ApproveMode::All.next_choice(),
        next => next,
    };
    take(state, next)
}

/// Takes a mode; before `all`, once, the user is asked.
fn take(state: &mut TuiState, mode: ApproveMode) -> Vec<AppEffect> {
    if mode != ApproveMode::All || state.about.all == AllAsked::Yes {
        return switch(state, mode);
    }
    state.about.all = AllAsked::Open;
    let text = "Files are written, commands run and pages are fetched without a question, until you choose another mode. \
                Rules that deny still hold, and commands that destroy beyond the project are refused.";
    let lines = vec![StyledLine::new(TextRole::Text, text)];
    overlay::open(
        state,
        Overlay::Confirm(Confirm::new("Run everything without asking?", "run all", Deed::RunAll, lines)),
    );
    Vec::new()
}

/// The user wants it so.
pub(in crate::update) fn accept_all(state: &mut TuiState) -> Vec<AppEffect> {
    state.about.all = AllAsked::Yes;
    switch(state, ApproveMode::All)
}

/// A session that has not begun begins so; one that has is told.
fn switch(state: &mut TuiState, approve: ApproveMode) -> Vec<AppEffect> {
    // One that is still being read is the one that the user means.
    let open = state.session.as_ref().map(|session| &session.row.session_id);
    match state.turning_to.as_ref().or(open) {
        Some(session_id) => vec![AppEffect::SetApprove { session_id: session_id.clone(), approve }],
        None => {
            state.about.approve = Some(approve);
            state.tell(format!("mode {}: {}", approve.word(), approve.about()));
            Vec::new()
        }
    }
}

/// The host has taken it.
pub(in crate::update) fn switched(
    state: &mut TuiState,
    session_id: &SessionId,
    approve: ApproveMode,
) -> Vec<AppEffect> {
    if let Some(session) = state.session.as_mut().filter(|open| open.row.session_id == *session_id) {
        session.row.begin.approve = Some(approve);
        state.about.approve = Some(approve);
        state.tell(format!("mode {}: {}", approve.word(), approve.about()));
        return Vec::new();
    }
    // What is being read may be from before.
    if state.turning_to.as_ref() == Some(session_id) {
        vec![AppEffect::Open(session_id.clone())]
    } else {
        Vec::new()
    }
}
