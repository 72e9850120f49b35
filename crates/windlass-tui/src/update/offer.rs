//! What can be offered for a word: the commands, and what each of them may be followed by.

use windlass_core::permission::ApproveMode;
use windlass_core::profile::ProfileName;
use windlass_core::settings::SessionSettings;

use super::command::obstacle;
use crate::command::{COMMANDS, CommandKind, find};
use crate::state::State;
use crate::state::composer::popup::Suggestion;
use crate::text::one_line;
use crate::theme::ThemeKind;

/// Words of `/policy`, and what they do.
const POLICY_WORDS: [(&str, &str); 5] = [
    ("allow", "never ask about calls like this"),
    ("deny", "refuse calls like this"),
    ("ask", "ask about calls like this"),
    ("remove", "forget a rule"),
    ("explain", "say what decides a call"),
];

/// What `/settings` does.
const SETTINGS_WORDS: [(&str, &str); 2] =
    [("set", "set one for the next runs"), ("unset", "let it have its default")];

/// All commands; those that cannot be carried out now are told apart.
pub(super) fn commands(state: &State) -> Vec<Suggestion> {
    let rows = COMMANDS.iter().map(|row| Suggestion {
        text: format!("/{}", row.word),
        label: format!("/{}", row.word),
        detail: obstacle(state, row.needs).unwrap_or(row.about).to_owned(),
        keys: row.keys,
        is_possible: obstacle(state, row.needs).is_none(),
        is_whole: !row.must_have_arguments(),
        ..Suggestion::default()
    });
    rows.collect()
}

/// Puts first what was typed out: a command's word, or another word for it.
pub(super) fn put_meant_first(rows: &mut Vec<Suggestion>, typed: &str, state: &State) {
    let Some(meant) = find(typed) else { return };
    let text = format!("/{}", meant.word);
    let row = match rows.iter().position(|row| row.text == text) {
        Some(place) => rows.remove(place),
        None => match commands(state).into_iter().find(|row| row.text == text) {
            Some(row) => row,
            None => return,
        },
    };
    rows.insert(0, row);
}

/// What a command may be followed by, after what already follows it, and what that is called.
pub(super) fn arguments(
    state: &State,
    word: &str,
    earlier: &[String],
) -> Option<(&'static str, Vec<Suggestion>)> {
    let kind = find(word)?.kind;
    match (kind, earlier) {
        (CommandKind::Help, []) => {
            Some(("commands", COMMANDS.iter().map(|row| whole(row.word, row.about)).collect()))
        }
        (CommandKind::Model, []) => Some(("models", models(state))),
        (CommandKind::Profile, []) => {
            Some(("profiles", ProfileName::ALL.iter().map(|name| whole(name.word(), name.about())).collect()))
        }
        (CommandKind::Mode, []) => {
            let rows = ApproveMode::CHOICES.iter().map(|mode| whole(mode.word(), mode.about()));
            Some(("modes", rows.collect()))
        }
        (CommandKind::Settings, []) => {
            let rows = SETTINGS_WORDS
                .iter()
                .map(|(word, about)| Suggestion { is_whole: false, ..whole(word, about) });
            Some(("settings", rows.collect()))
        }
        (CommandKind::Settings, [_]) => {
            let rows = SessionSettings::NAMES.map(|name| Suggestion { is_whole: false, ..whole(name, "") });
            Some(("settings", rows.to_vec()))
        }
        (CommandKind::Theme, []) => {
            Some(("themes", ThemeKind::ALL.iter().map(|kind| whole(kind.word(), "")).collect()))
        }
        (CommandKind::Tools, []) => Some(("tools", tools(state, true))),
        (CommandKind::Copy, []) => Some(("what to copy", vec![whole("all", "the whole session")])),
        (CommandKind::Policy, []) => {
            let rows =
                POLICY_WORDS.iter().map(|(word, about)| Suggestion { is_whole: false, ..whole(word, about) });
            Some(("policy", rows.collect()))
        }
        (CommandKind::Policy, [word]) if word != "remove" => Some(("tools", tools(state, false))),
        (
            CommandKind::Help
            | CommandKind::Model
            | CommandKind::Profile
            | CommandKind::Mode
            | CommandKind::Settings
            | CommandKind::Theme
            | CommandKind::Tools
            | CommandKind::Copy
            | CommandKind::Policy
            | CommandKind::Tasks
            | CommandKind::Search
            | CommandKind::Sessions
            | CommandKind::New
            | CommandKind::Rename
            | CommandKind::Resume
            | CommandKind::Fork
            | CommandKind::Apply
            | CommandKind::Inspect
            | CommandKind::Context
            | CommandKind::Thinking
            | CommandKind::Export
            | CommandKind::Cancel
            | CommandKind::Quit,
            _,
        ) => None,
    }
}

fn models(state: &State) -> Vec<Suggestion> {
    let row = |model: &windlass_core::host::ModelRow| {
        let detail = match (model.is_ready, model.is_default) {
            (false, _) => "not ready: its key or its server is not there",
            (true, true) => "the usual one",
            (true, false) => "",
        };
        Suggestion { is_possible: model.is_ready, ..whole(&one_line(&model.name), detail) }
    };
    state.about.models.iter().map(row).collect()
}

fn tools(state: &State, is_whole: bool) -> Vec<Suggestion> {
    let row = |tool: &std::sync::Arc<windlass_core::tool::ToolSpec>| Suggestion {
        is_whole,
        ..whole(&one_line(&tool.name), &one_line(&tool.description))
    };
    state.about.tools.iter().map(row).collect()
}

/// A word after which nothing must follow.
fn whole(word: &str, detail: &str) -> Suggestion {
    Suggestion {
        text: word.to_owned(),
        label: word.to_owned(),
        detail: detail.to_owned(),
        is_possible: true,
        is_whole: true,
        ..Suggestion::default()
    }
}
