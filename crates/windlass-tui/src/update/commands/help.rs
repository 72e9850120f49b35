//! `/help`: keys and commands, from the tables that they are made of.

use windlass_core::text::nearest::nearest_names;

use super::{open_text, refuse};
use crate::command::{COMMANDS, SlashCommand, find};
use crate::effect::AppEffect;
use crate::keys::KEYS;
use crate::state::TuiState;
use crate::state::composer::popup::Suggestion;
use crate::state::overlay::{Pager, StyledLine};
use crate::text::{one_line, width};
use crate::theme::TextRole;

pub(in crate::update) const COMMAND: SlashCommand = SlashCommand {
    aliases: &["h", "?", "commands"],
    arguments: "[COMMAND]",
    keys: "?",
    offer,
    ..SlashCommand::new("help", "keys and commands", run)
};

/// Shows all of it, or one command.
fn run(state: &mut TuiState, rest: &str) -> Vec<AppEffect> {
    if rest.is_empty() {
        open_text(state, Pager::new("Help", all()));
        return Vec::new();
    }
    let word = rest.trim_start_matches('/');
    match find(word) {
        Some(row) => {
            open_text(state, Pager::new(format!("/{}", row.word), about(row)));
            Vec::new()
        }
        None => {
            let near = nearest_names(word, COMMANDS.iter().map(|row| row.word), 1);
            let hint = near
                .first()
                .map_or_else(|| "/help lists them".to_owned(), |near| format!("did you mean /{near}?"));
            refuse(
                state,
                &format!("/help {rest}"),
                format!("there is no command /{}; {hint}", one_line(word)),
            )
        }
    }
}

/// What may follow the word, after what already does.
fn offer(_state: &TuiState, earlier: &[String]) -> Option<(&'static str, Vec<Suggestion>)> {
    earlier
        .is_empty()
        .then(|| ("commands", COMMANDS.iter().map(|row| Suggestion::whole(row.word, row.about)).collect()))
}

fn all() -> Vec<StyledLine> {
    let mut lines = vec![StyledLine::new(TextRole::Heading, "Commands")];
    let columns = COMMANDS.iter().map(|row| width(row.word) + 1).max().unwrap_or(0);
    for row in &COMMANDS {
        let keys = if row.keys.is_empty() { String::new() } else { format!(" ({})", row.keys) };
        lines.push(entry(&format!("/{}", row.word), &format!("{}{keys}", row.about), columns));
    }
    lines.push(StyledLine::new(TextRole::Muted, "  /help COMMAND says what may follow it"));
    for section in &KEYS {
        lines.push(StyledLine::default());
        lines.push(StyledLine::new(TextRole::Heading, section.title));
        let columns = section.rows.iter().map(|row| width(row.keys)).max().unwrap_or(0);
        lines.extend(section.rows.iter().map(|row| entry(row.keys, row.about, columns)));
    }
    lines
}

fn entry(name: &str, about: &str, columns: usize) -> StyledLine {
    let blanks = " ".repeat(columns.saturating_sub(width(name)));
    StyledLine::new(TextRole::Accent, &format!("  {name}{blanks}  ")).and(TextRole::Text, about)
}

fn about(row: &SlashCommand) -> Vec<StyledLine> {
    let mut lines = vec![
        StyledLine::new(TextRole::Strong, &row.usage()),
        StyledLine::default(),
        StyledLine::new(TextRole::Text, row.about),
    ];
    if !row.aliases.is_empty() {
        let words: Vec<String> = row.aliases.iter().map(|word| format!("/{word}")).collect();
        lines.push(StyledLine::new(TextRole::Muted, "aliases      ").and(TextRole::Text, &words.join(", ")));
    }
    if !row.keys.is_empty() {
        lines.push(StyledLine::new(TextRole::Muted, "keys         ").and(TextRole::Text, row.keys));
    }
    lines
}
