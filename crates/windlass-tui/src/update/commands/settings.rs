//! `/settings`: what the runs of the session are asked with: shown with the defaults, set and unset.

use windlass_core::protocol::ids::SessionId;
use windlass_core::protocol::settings::SessionSettings;

use super::{open_text, refuse};
use crate::command::SlashCommand;
use crate::effect::AppEffect;
use crate::state::TuiState;
use crate::state::composer::popup::Suggestion;
use crate::state::overlay::{Pager, StyledLine};
use crate::text::{clean, one_line};
use crate::theme::TextRole;

const USAGE: &str = "/settings shows them; /settings set NAME VALUE, or unset NAME";

/// Words that may follow `/settings`, and what they do.
const WORDS: [(&str, &str); 2] = [("set", "set one for the next runs"), ("unset", "let it have its default")];

pub(super) const COMMAND: SlashCommand = SlashCommand {
    aliases: &["setting", "set"],
    arguments: "[set NAME VALUE | unset NAME]",
    offer,
    ..SlashCommand::new("settings", "system text, sampling, format and tool choice of the session", run)
};

/// Shows the settings, or changes one.
fn run(state: &mut TuiState, rest: &str) -> Vec<AppEffect> {
    let (word, argument) = split(rest);
    let (name, value) = split(argument);
    let changed = match (word, name, value) {
        ("", _, _) => return show(state),
        ("set", name, value) if !value.is_empty() => own(state).with(name, value),
        ("unset", name, "") if !name.is_empty() => own(state).without(name),
        (_, _, _) => Err(USAGE.to_owned()),
    };
    match changed {
        Ok(settings) => take(state, settings),
        Err(why) => refuse(state, &format!("/settings {rest}"), one_line(&why)),
    }
}

/// What may follow the word, after what already does.
fn offer(_state: &TuiState, earlier: &[String]) -> Option<(&'static str, Vec<Suggestion>)> {
    let rows = match earlier {
        [] => WORDS.map(|(word, about)| Suggestion::begun(word, about)).to_vec(),
        [_] => SessionSettings::NAMES.map(|name| Suggestion::begun(name, "")).to_vec(),
        _ => return None,
    };
    Some(("settings", rows))
}

fn split(text: &str) -> (&str, &str) {
    let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (first, rest.trim())
}

/// What is set, here or for a session that begins.
fn own(state: &TuiState) -> &SessionSettings {
    state.session.as_ref().map_or(&state.about.settings, |session| &session.row.begin.settings)
}

fn show(state: &mut TuiState) -> Vec<AppEffect> {
    let set = own(state);
    let usual =
        SessionSettings { sampling: state.about.defaults.sampling.clone(), ..SessionSettings::default() };
    let columns = SessionSettings::NAMES.iter().map(|name| name.len()).max().unwrap_or(0);
    let mut lines: Vec<StyledLine> = SessionSettings::NAMES
        .iter()
        .map(|name| {
            let (role, value) = match (set.shown(name), usual.shown(name)) {
                (Some(value), _) => (TextRole::Strong, clean(&one_line(&value)).into_owned()),
                (None, Some(value)) => (TextRole::Muted, format!("default ({})", clean(&one_line(&value)))),
                (None, None) => (TextRole::Muted, "default".to_owned()),
            };
            StyledLine::new(role, &format!("{name:columns$}  {value}"))
        })
        .collect();
    lines.push(StyledLine::default());
    lines.push(StyledLine::new(
        TextRole::Muted,
        "/settings set NAME VALUE sets one, /settings unset NAME takes it back",
    ));
    open_text(state, Pager::new("Settings of this session", lines));
    Vec::new()
}

/// A session that has not begun begins so; one that has is told.
fn take(state: &mut TuiState, settings: SessionSettings) -> Vec<AppEffect> {
    match &state.session {
        Some(session) => {
            let session_id = session.row.session_id.clone();
            vec![AppEffect::SetSettings { session_id, settings: Box::new(settings) }]
        }
        None => {
            state.tell(told(&settings));
            state.about.settings = settings;
            Vec::new()
        }
    }
}

/// The host has taken them.
pub(in crate::update) fn set(state: &mut TuiState, session_id: &SessionId, settings: SessionSettings) {
    if let Some(session) = state.session.as_mut().filter(|open| open.row.session_id == *session_id) {
        let words = told(&settings);
        session.row.begin.settings = settings;
        state.tell(words);
    }
}

/// What is set, in a line.
fn told(settings: &SessionSettings) -> String {
    let set =
        SessionSettings::NAMES.iter().filter_map(|name| Some(format!("{name} {}", settings.shown(name)?)));
    let set: Vec<String> = set.collect();
    match set.as_slice() {
        [] => "all settings are at their defaults".to_owned(),
        set => format!("from the next run on: {}", one_line(&set.join(", "))),
    }
}
