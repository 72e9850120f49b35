//! `/profile`: limits and manners from the next run on.

use windlass_core::profile::ProfileName;
use windlass_core::text::nearest::nearest_names;

use super::{open, refuse};
use crate::command::SlashCommand;
use crate::effect::AppEffect;
use crate::state::TuiState;
use crate::state::composer::popup::Suggestion;
use crate::state::overlay::{Picker, PickerKind, PickerRow};
use crate::text::one_line;

pub(super) const COMMAND: SlashCommand = SlashCommand {
    aliases: &["profiles"],
    arguments: "[NAME]",
    offer,
    ..SlashCommand::new("profile", "choose the profile of the next run", run)
};

/// Lists the profiles, or takes the one that is named.
fn run(state: &mut TuiState, rest: &str) -> Vec<AppEffect> {
    if rest.is_empty() {
        let now = state.profile();
        let row = |name: &ProfileName| {
            PickerRow::new(name.word(), name.word(), name.about()).current(name.word() == now)
        };
        let rows = ProfileName::ALL.iter().map(row).collect();
        open(state, Picker::new(PickerKind::Profiles, "Profile of the next run", rows));
        return Vec::new();
    }
    match ProfileName::ALL.iter().find(|name| name.word().eq_ignore_ascii_case(rest)) {
        Some(name) => choose(state, name.word()),
        None => {
            let words = ProfileName::ALL.iter().map(|name| name.word());
            let near = nearest_names(rest, words.clone(), 1);
            let hint = match near.first() {
                Some(near) => format!("did you mean {near}?"),
                None => format!("there are {}", words.collect::<Vec<_>>().join(", ")),
            };
            refuse(
                state,
                &format!("/profile {rest}"),
                format!("there is no profile {}; {hint}", one_line(rest)),
            )
        }
    }
}

/// What may follow the word, after what already does.
fn offer(_state: &TuiState, earlier: &[String]) -> Option<(&'static str, Vec<Suggestion>)> {
    let row = |name: &ProfileName| Suggestion::whole(name.word(), name.about());
    earlier.is_empty().then(|| ("profiles", ProfileName::ALL.iter().map(row).collect()))
}

/// A row was chosen.
pub(in crate::update) fn choose(state: &mut TuiState, word: &str) -> Vec<AppEffect> {
    state.overlay = None;
    state.about.profile = Some(word.to_owned());
    state.tell(format!("profile {word} applies from the next run on"));
    Vec::new()
}
