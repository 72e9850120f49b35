//! `/theme`: how the app looks, at once and from now on.

use super::{open, refuse};
use crate::command::SlashCommand;
use crate::effect::AppEffect;
use crate::state::TuiState;
use crate::state::composer::popup::Suggestion;
use crate::state::overlay::{Picker, PickerKind, PickerRow};
use crate::text::one_line;
use crate::theme::{Theme, ThemeKind};

pub(super) const COMMAND: SlashCommand = SlashCommand {
    arguments: "[dark|light|plain]",
    offer,
    ..SlashCommand::new("theme", "choose how it looks", run)
};

/// Lists the themes, or takes the one that is named.
fn run(state: &mut TuiState, rest: &str) -> Vec<AppEffect> {
    if rest.is_empty() {
        let now = state.theme.kind();
        let row =
            |kind: &ThemeKind| PickerRow::new(kind.word(), kind.word(), about(*kind)).current(*kind == now);
        let rows = ThemeKind::ALL.iter().map(row).collect();
        open(state, Picker::new(PickerKind::Themes, "Theme", rows));
        return Vec::new();
    }
    if ThemeKind::from_word(rest).is_none() {
        let words = ThemeKind::ALL.map(ThemeKind::word).join(", ");
        return refuse(
            state,
            &format!("/theme {rest}"),
            format!("there is no theme {}; there are {words}", one_line(rest)),
        );
    }
    choose(state, rest)
}

/// What may follow the word, after what already does.
fn offer(_state: &TuiState, earlier: &[String]) -> Option<(&'static str, Vec<Suggestion>)> {
    let row = |kind: &ThemeKind| Suggestion::whole(kind.word(), "");
    earlier.is_empty().then(|| ("themes", ThemeKind::ALL.iter().map(row).collect()))
}

/// A row was chosen.
pub(in crate::update) fn choose(state: &mut TuiState, word: &str) -> Vec<AppEffect> {
    state.overlay = None;
    let Some(kind) = ThemeKind::from_word(word) else { return Vec::new() };
    state.theme = Theme::new(kind);
    vec![AppEffect::KeepTheme(kind)]
}

fn about(kind: ThemeKind) -> &'static str {
    match kind {
        ThemeKind::Dark => "for terminals with a dark background",
        ThemeKind::Light => "for terminals with a light background",
        ThemeKind::Plain => "without colour",
    }
}
