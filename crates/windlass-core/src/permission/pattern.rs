//! Patterns for what a call touches: paths, hosts, command lines.
//!
//! One text, read by the kind of thing it meets:
//!
//! - path: `*` stays within a name, `**` between slashes crosses folders, `dir/**` and `dir/` mean
//!   `dir` and all below it, `*.ext` means the ending at any depth, `*` alone means everything;
//! - host: exact, with its port if it is not the usual one; `*.suffix` means every host below it;
//! - command: exact; `git status *` means these whole words and whatever follows.
//!
//! `\` makes the next character literal. There are two directions, and they differ on purpose:
//! `covers` (to allow) is strict, `touches` (to deny or ask) is generous. Knows no rule and no tool.

use std::fmt;

use super::command_line::{PatternPiece, could_be, lines_of, runs_beside};
use super::question::Target;
use super::rule::RuleError;
use crate::text::shell::possible_runs;

/// Literal pieces with a `*` between each two; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Wild(Vec<String>);

impl Wild {
    /// `None` is a `*`.
    fn of(tokens: &[Option<char>]) -> Self {
        Self(tokens.split(Option::is_none).map(|piece| piece.iter().flatten().collect()).collect())
    }

    fn is_exact(&self) -> bool {
        self.0.len() == 1
    }

    /// As one row of characters and gaps.
    fn pieces(&self) -> Vec<PatternPiece> {
        let mut pieces = Vec::new();
        for (number, text) in self.0.iter().enumerate() {
            if number > 0 {
                pieces.push(PatternPiece::Any);
            }
            pieces.extend(text.chars().map(PatternPiece::Char));
        }
        pieces
    }

    fn lowered(&self) -> Self {
        Self(self.0.iter().map(|piece| piece.to_ascii_lowercase()).collect())
    }

    /// Pieces are looked for from left to right; taking the first place found never loses a match.
    fn matches(&self, text: &str) -> bool {
        let (first, middle, last) = match self.0.as_slice() {
            [] => return false,
            [only] => return only == text,
            [first, middle @ .., last] => (first.as_str(), middle, last.as_str()),
        };
        // The end is taken off what the beginning left: `ab*ba` does not mean `aba`.
        let inner = text.strip_prefix(first).and_then(|text| text.strip_suffix(last));
        let Some(mut left) = inner else { return false };
        for piece in middle {
            let Some((_, after)) = left.split_once(piece.as_str()) else { return false };
            left = after;
        }
        true
    }
}

/// Runs of names with a `**` between each two: `Wild` once more, one level up; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PathGlob(Vec<Vec<Wild>>);

impl PathGlob {
    fn of(tokens: &[Option<char>]) -> Self {
        if tokens == [None] {
            return Self(vec![Vec::new(), Vec::new()]);
        }
        let mut runs = Vec::new();
        let mut run = Vec::new();
        if tokens.starts_with(&[None, Some('.')]) && !tokens.contains(&Some('/')) {
            runs.push(Vec::new());
        }
        // A slash at the end means everything below.
        let (tokens, is_folder) = match tokens {
            [folder @ .., Some('/')] => (folder, true),
            tokens => (tokens, false),
        };
        for name in tokens.split(|token| *token == Some('/')) {
            match name {
                [Some('.')] => {}
                [None, None] => runs.push(std::mem::take(&mut run)),
                name => run.push(Wild::of(name)),
            }
        }
        runs.push(run);
        if is_folder {
            runs.push(Vec::new());
        }
        Self(runs)
    }

    fn matches(&self, names: &[&str]) -> bool {
        let (first, middle, last) = match self.0.as_slice() {
            [] => return false,
            [only] => return run_matches(only, names),
            [first, middle @ .., last] => (first, middle, last),
        };
        let Some((head, names)) = names.split_at_checked(first.len()) else { return false };
        let ending = names.len().checked_sub(last.len());
        let Some((mut left, tail)) = ending.and_then(|at| names.split_at_checked(at)) else { return false };
        // `a/**/**/b` has an empty run, which is anywhere; windows of no size would panic.
        for run in middle.iter().filter(|run| !run.is_empty()) {
            let found = left.windows(run.len()).position(|names| run_matches(run, names));
            let after = found.and_then(|at| left.get(at..)).and_then(|from| from.get(run.len()..));
            let Some(after) = after else { return false };
            left = after;
        }
        run_matches(first, head) && run_matches(last, tail)
    }
}

fn run_matches(run: &[Wild], names: &[&str]) -> bool {
    run.len() == names.len() && run.iter().zip(names).all(|(wild, name)| wild.matches(name))
}

/// The names of a path; the root itself has none.
fn names_of(path: &str) -> Vec<&str> {
    match path {
        "" | "." => Vec::new(),
        path => path.split('/').collect(),
    }
}

/// A pattern for one target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetPattern {
    text: String,
    line: Wild,
    path: PathGlob,
}

impl TargetPattern {
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        let mut tokens = Vec::new();
        let mut ends_in_space = false;
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            ends_in_space = c.is_whitespace();
            tokens.push(match c {
                '\\' => Some(chars.next().ok_or_else(|| RuleError::LoneEscape(text.to_owned()))?),
                '*' => None,
                c => Some(c),
            });
        }
        if tokens.is_empty() {
            return Err(RuleError::EmptyPattern);
        }
        if ends_in_space || text.starts_with(char::is_whitespace) {
            return Err(RuleError::OuterSpace(text.to_owned()));
        }
        Ok(Self::of(text.to_owned(), &tokens))
    }

    /// The pattern that means this target and nothing else.
    pub fn exact(target: &Target) -> Self {
        let text = match target {
            // A slash at the end would read as "everything below".
            Target::Path(path) => path.trim_end_matches('/'),
            Target::Host(text) | Target::Command(text) => text,
        };
        // Nothing cannot be written down; `.` is the root as a path and no host or command at all.
        let text = if text.is_empty() { "." } else { text };
        let tokens: Vec<Option<char>> = text.chars().map(Some).collect();
        Self::of(escape(text), &tokens)
    }

    fn of(text: String, tokens: &[Option<char>]) -> Self {
        Self { text, line: Wild::of(tokens), path: PathGlob::of(tokens) }
    }

    /// Whether it means one target and nothing else.
    pub(super) fn is_exact(&self) -> bool {
        self.line.is_exact() && !self.text.ends_with('/')
    }

    /// Whether the pattern is enough to allow this target.
    pub fn covers(&self, target: &Target) -> bool {
        match target {
            Target::Path(path) => {
                let names = names_of(path);
                // A canonical path has no `..`; one that has is not what it seems.
                !names.contains(&"..") && self.path.matches(&names)
            }
            Target::Host(host) => self.covers_host(host),
            Target::Command(line) if self.line.is_exact() => self.line.matches(line),
            // A `*` would swallow `; rm …` as well: such a line is covered only by its exact text.
            Target::Command(line) => {
                !is_compound(line)
                    && self.matches_words(line)
                    && !runs_beside(line, &self.text, |run| self.matches_words(run))
            }
        }
    }

    /// Whether the pattern, in a rule that denies or asks, means this target.
    ///
    /// A host is meant with any port unless the pattern names one; a command also as one part of a
    /// longer line, in quotes, behind `env`, `sudo` or `sh -c`, and through variables of the line. What cannot
    /// be told from the line counts as meant.
    pub fn touches(&self, target: &Target) -> bool {
        match target {
            // With `..` in it, too: what only seems to be meant is enough to deny.
            Target::Path(path) => self.path.matches(&names_of(path)),
            Target::Host(host) => {
                let pattern = self.line.lowered();
                pattern.matches(host) || pattern.matches(without_port(host))
            }
            Target::Command(line) => {
                // Roughly, as any shell might part it, and exactly, with quotes and wrappers taken off.
                self.matches_words(line)
                    || simple_commands(line).iter().any(|part| self.matches_words(part))
                    || self.could_be_run_by(line)
            }
        }
    }

    /// Whether the pattern names this target itself, and not a group that it belongs to.
    pub(super) fn names(&self, target: &Target) -> bool {
        let is_exact = match target {
            // A `**` or a slash at the end parts the names into more than one run.
            Target::Path(_) => match self.path.0.as_slice() {
                [names] => names.iter().all(Wild::is_exact),
                [] | [_, _, ..] => false,
            },
            Target::Host(_) | Target::Command(_) => self.line.is_exact(),
        };
        is_exact && self.covers(target)
    }

    /// Whether one of the programs that a line could run is meant, whatever the line leaves open.
    fn could_be_run_by(&self, line: &str) -> bool {
        // `/bin/rm *` means the program, wherever it is.
        let (first, rest) = self.text.split_at(self.text.find(' ').unwrap_or(self.text.len()));
        let bare = first.rsplit_once('/').filter(|(_, name)| !name.is_empty() && !first.contains('*'));
        let bare = bare.and_then(|(_, name)| Self::parse(&format!("{name}{rest}")).ok());
        let patterns: Vec<Vec<PatternPiece>> =
            [Some(self), bare.as_ref()].into_iter().flatten().map(|pattern| pattern.line.pieces()).collect();
        possible_runs(line).iter().flat_map(lines_of).any(|run| {
            patterns.iter().any(|pattern| could_be(pattern, &run) || could_be(pattern, &format!("{run} ")))
        })
    }

    fn covers_host(&self, host: &str) -> bool {
        // Hosts come in lower case, rules as somebody wrote them.
        let pattern = self.line.lowered();
        // A `*` anywhere else would let a stranger choose the end of the name.
        let is_bounded = match pattern.0.as_slice() {
            [] | [_] => true,
            [start, suffix] => start.is_empty() && (suffix.is_empty() || suffix.starts_with('.')),
            [_, _, _, ..] => false,
        };
        is_bounded && pattern.matches(host)
    }

    /// `git status *` also means `git status` alone: its words, then the end.
    fn matches_words(&self, line: &str) -> bool {
        self.line.matches(line) || self.line.matches(&format!("{line} "))
    }
}

impl fmt::Display for TargetPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Writes text so that it reads back as itself and nothing else.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let start = text.len() - text.trim_start().len();
    let end = text.trim_end().len();
    let mut before = None;
    for (at, c) in text.char_indices() {
        let is_outer = at < start || at >= end;
        // `)(` stands between two patterns of a rule.
        let is_joint = c == '(' && before == Some(')');
        if c == '*' || c == '\\' || is_outer || is_joint {
            escaped.push('\\');
        }
        escaped.push(c);
        before = Some(c);
    }
    escaped
}

/// Whether a shell would see more in a line than one command with its words.
fn is_compound(line: &str) -> bool {
    line.contains([';', '&', '|', '`', '\n', '\r', '<', '>']) || line.contains("$(")
}

/// The commands of a line, as a rule would name them: single spaces, no assignments in front, and
/// once more without the folder of the program.
fn simple_commands(line: &str) -> Vec<String> {
    let mut commands = Vec::new();
    for part in line.split([';', '&', '|', '`', '\n', '\r', '<', '>', '(', ')', '{', '}']) {
        let words: Vec<&str> = part.split_whitespace().skip_while(|word| word.contains('=')).collect();
        let command = words.join(" ");
        if let Some((_, bare)) = words.first().and_then(|program| program.rsplit_once('/')) {
            let rest = words.iter().skip(1).copied();
            commands.push(std::iter::once(bare).chain(rest).collect::<Vec<_>>().join(" "));
        }
        commands.push(command);
    }
    commands
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
#[path = "pattern_tests.rs"]
mod tests;
