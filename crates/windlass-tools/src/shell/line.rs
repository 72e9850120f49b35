//! A command as one line: what the user reads and what rules are matched against.
//!
//! A shell line is shown as it is, so that rules see all its parts; words of an argument list are
//! quoted, so that a part of one is never taken for a command. A folder other than the root is written as
//! `cd … &&` and own variables as assignments: a rule for the bare program does not allow those.

use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CommandLine {
    /// A program and its arguments, without a shell.
    Argv(Vec<String>),
    /// A line for the shell.
    Shell(String),
}

impl CommandLine {
    /// The words to start: the program first.
    pub(crate) fn words(&self) -> Vec<String> {
        match self {
            CommandLine::Argv(words) => words.clone(),
            CommandLine::Shell(line) => vec!["sh".to_owned(), "-c".to_owned(), line.clone()],
        }
    }

    /// The command as one line that means exactly this command.
    pub(crate) fn line(&self) -> String {
        match self {
            CommandLine::Shell(line) if is_plain(line) => {
                line.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
            }
            CommandLine::Shell(line) => line.trim().to_owned(),
            CommandLine::Argv(words) => {
                let quoted = words.iter().enumerate().map(|(at, word)| match at {
                    // A program of this name would read as an assignment.
                    0 if word.contains('=') => enclose(word),
                    _ => quote(word),
                });
                quoted.collect::<Vec<_>>().join(" ")
            }
        }
    }

    /// The line with everything that changes its meaning: folder and variables.
    pub(crate) fn full_line(&self, cwd: &str, env: &BTreeMap<String, String>) -> String {
        let mut line = String::new();
        if cwd != "." {
            line.push_str(&format!("cd {} && ", quote(cwd)));
        }
        for (name, value) in env {
            line.push_str(&format!("{name}={} ", quote(value)));
        }
        line + &self.line()
    }
}

/// Whether white space in a shell line only separates words.
fn is_plain(line: &str) -> bool {
    line.chars().all(|c| c == ' ' || c == '\t' || is_plain_char(c))
}

fn is_plain_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c)
}

/// A word as a shell would need it.
fn quote(word: &str) -> String {
    if !word.is_empty() && word.chars().all(is_plain_char) { word.to_owned() } else { enclose(word) }
}

fn enclose(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
#[path = "line_tests.rs"]
mod tests;
