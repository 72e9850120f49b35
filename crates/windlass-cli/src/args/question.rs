//! `windlass "QUESTION"`: a question without a command is a run.
//!
//! What looks like a command that was mistyped is left to clap, which suggests the right one.

use std::ffi::OsString;

use clap::CommandFactory;

use super::Args;
use crate::nearest::nearest;

/// The command line, with the command `run` put in where a question stands alone.
pub(super) fn as_run(mut line: Vec<OsString>) -> Vec<OsString> {
    let words: Vec<String> = line.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    if is_question(&words) {
        line.insert(1, "run".into());
    }
    line
}

/// Whether the words that are no flags are one question: a sentence, or a word that is like no command.
fn is_question(words: &[String]) -> bool {
    let said = without_flags(words);
    let Some(first) = said.first() else { return false };
    if first.contains(char::is_whitespace) {
        return true;
    }
    let command = Args::command();
    let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
    let is_command = names.contains(&first.as_str()) || first == "help";
    !is_command && said.len() == 1 && nearest(first, names).is_none()
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
