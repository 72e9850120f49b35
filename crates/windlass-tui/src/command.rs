//! What a slash command declares of itself, and how a line is read as one.
//!
//! One declaration feeds the parser, completion, the palette and the help page, so none of them can know a command that
//! another does not. The commands themselves are in `update::commands`.

use windlass_core::text::nearest::nearest_names;

use crate::effect::AppEffect;
use crate::state::TuiState;
use crate::state::composer::popup::Suggestion;
pub use crate::update::COMMANDS;

/// What must be there for a command to make sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    Nothing,
    /// A session in which something was said.
    Session,
    /// A run that goes on.
    Running,
}

/// What may follow a command's word, and what that is called.
type OfferArguments = fn(&TuiState, &[String]) -> Option<(&'static str, Vec<Suggestion>)>;

/// A slash command. Parser, completion, palette and help page read this and nothing else of it.
#[derive(Debug, Clone, Copy)]
pub struct SlashCommand {
    /// Its word, without the slash.
    pub word: &'static str,
    /// Other words for it.
    pub aliases: &'static [&'static str],
    /// What may follow the word: `[NAME]` can be left out, `TEXT` cannot.
    pub arguments: &'static str,
    /// What it is for, in a few words.
    pub about: &'static str,
    /// Keys that do the same, if there are any.
    pub keys: &'static str,
    /// What must be there.
    pub needs: Needs,
    /// Carries it out; what follows the word comes with it.
    pub(crate) run: fn(&mut TuiState, &str) -> Vec<AppEffect>,
    /// What may follow the word, after what already does, and what that is called.
    pub(crate) offer: OfferArguments,
}

impl SlashCommand {
    /// A command with one word, without arguments, keys and needs.
    pub(crate) const fn new(
        word: &'static str,
        about: &'static str,
        run: fn(&mut TuiState, &str) -> Vec<AppEffect>,
    ) -> Self {
        let (aliases, arguments, keys, needs) = (&[], "", "", Needs::Nothing);
        Self { word, aliases, arguments, about, keys, needs, run, offer: |_, _| None }
    }

    /// Whether the word alone says too little.
    pub fn must_have_arguments(&self) -> bool {
        !self.arguments.is_empty() && !self.arguments.starts_with('[')
    }

    /// The word as it is typed, with what may follow it.
    pub fn usage(&self) -> String {
        match self.arguments {
            "" => format!("/{}", self.word),
            arguments => format!("/{} {arguments}", self.word),
        }
    }
}

/// A word that is no command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no command /{word}; {}", hint(*.nearest))]
pub struct UnknownCommand {
    /// The word, without the slash.
    pub word: String,
    /// What may have been meant.
    pub nearest: Option<&'static str>,
}

fn hint(nearest: Option<&'static str>) -> String {
    nearest.map_or_else(|| "/help lists them".to_owned(), |word| format!("did you mean /{word}?"))
}

/// Whether a text is a command and not a message: `/help` is one, `/etc/hosts is empty` is not.
pub fn is_command(text: &str) -> bool {
    text.strip_prefix('/').is_some_and(|line| !word_of(line).contains('/'))
}

/// Reads a line, with or without its slash: the command, and what follows its word.
pub fn parse(line: &str) -> Result<(&'static SlashCommand, &str), UnknownCommand> {
    let line = line.strip_prefix('/').unwrap_or(line);
    let word = word_of(line);
    let rest = line.get(word.len()..).unwrap_or_default().trim();
    match find(word) {
        Some(row) => Ok((row, rest)),
        None => {
            let words =
                COMMANDS.iter().flat_map(|row| [row.word].into_iter().chain(row.aliases.iter().copied()));
            let meant = nearest_names(word, words, 1).first().and_then(|word| find(word));
            Err(UnknownCommand { word: word.to_owned(), nearest: meant.map(|row| row.word) })
        }
    }
}

/// The command of a word or of another word for it.
pub fn find(word: &str) -> Option<&'static SlashCommand> {
    let word = word.to_lowercase();
    COMMANDS.iter().copied().find(|row| row.word == word || row.aliases.contains(&word.as_str()))
}

fn word_of(line: &str) -> &str {
    line.split(char::is_whitespace).next().unwrap_or_default()
}

#[cfg(test)]
#[path = "command_tests.rs"]
mod tests;
