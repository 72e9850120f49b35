//! `windlass "QUESTION"`: a question without a command is a run.
//!
//! What looks like a command that was mistyped asks nobody: the right one is suggested.

use std::ffi::OsString;

use clap::CommandFactory;
use clap::error::ErrorKind;

use super::Args;
use crate::terminal::nearest::nearest;

/// What the words of a command line are.
#[derive(Debug, PartialEq, Eq)]
enum Meant {
    /// A command, flags alone, or something that clap complains about.
    Command,
    /// One question: a sentence, or a word that is like no command.
    Question,
    /// A command that was mistyped, and the one that was probably meant.
    Misspelt(String, String),
}

/// The command line, with the command `run` put in where a question stands alone.
pub(super) fn as_run(mut line: Vec<OsString>) -> Vec<OsString> {
    let words: Vec<String> = line.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    match meant(&words) {
        Meant::Command => {}
        Meant::Question => line.insert(1, "run".into()),
        Meant::Misspelt(word, near) => {
            let message = format!("there is no command '{word}'; did you mean '{near}'?");
            Args::command().error(ErrorKind::InvalidSubcommand, message).exit()
        }
    }
    line
}

fn meant(words: &[String]) -> Meant {
    let said = without_flags(words);
    let Some(first) = said.first() else { return Meant::Command };
    if first.contains(char::is_whitespace) {
        return Meant::Question;
    }
    let command = Args::command();
    let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
    if names.contains(&first.as_str()) || first == "help" {
        return Meant::Command;
    }
    match nearest(first, names) {
        Some(near) => Meant::Misspelt(first.clone(), near.to_owned()),
        None if said.len() == 1 => Meant::Question,
        None => Meant::Command,
    }
}

/// The words that are neither flags nor values of flags.
fn without_flags(words: &[String]) -> Vec<String> {
    let takes_value = values_taken();
    let (mut said, mut words) = (Vec::new(), words.iter());
    while let Some(word) = words.next() {
        if word == "--" {
            said.extend(words.by_ref().cloned());
        } else if !word.starts_with('-') || word == "-" {
            said.push(word.clone());
        } else if takes_value.contains(word) {
            words.next();
        }
    }
    said
}

/// Flags, of all commands and of `run`, that take the word after them.
fn values_taken() -> Vec<String> {
    let command = Args::command();
    let run = command.find_subcommand("run");
    let flags = command.get_arguments().chain(run.into_iter().flat_map(clap::Command::get_arguments));
    let takes = flags.filter(|flag| flag.get_action().takes_values());
    takes.filter_map(|flag| flag.get_long().map(|name| format!("--{name}"))).collect()
}

#[cfg(test)]
#[path = "question_tests.rs"]
mod tests;
