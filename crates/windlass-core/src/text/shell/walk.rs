//! The commands of a line, one after another, with what is known of variables, folder and input.

use std::collections::HashMap;

use super::filter::{is_source_of_strange_text, printed};
use super::lex::{Redirect, ShellToken, ShellWord, WordPart, lex};

/// Stands for a part that only the running shell knows.
pub const UNKNOWN: char = '\u{1}';
/// Stands for somebody's home folder.
pub const HOME: char = '\u{2}';
/// Stands for text from the network or out of a decoder, which nobody can read beforehand.
pub const STRANGE: char = '\u{3}';

/// How deep lines within lines are looked into.
const DEPTH_MAX: usize = 10;
/// Commands that are looked at in one line: more than anybody writes.
const RUNS_MAX: usize = 2_000;
/// Characters of a value that a variable may stand for; longer ones are not known.
const VALUE_CHARS_MAX: usize = 16_384;
/// Words that a brace may become.
const BRACES_MAX: usize = 256;

/// Words that stand before a command and are none.
const KEYWORDS: [&str; 16] = [
    "if", "then", "elif", "else", "fi", "while", "until", "do", "done", "{", "}", "!", "coproc", "esac",
    "[[", "]]",
];

/// What a command reads.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum CommandInput {
    /// Nothing that the line says.
    #[default]
    Nothing,
    Known(String),
    Unknown,
    /// Something from the network or out of a decoder.
    Strange,
}

impl CommandInput {
    fn joined(self, more: CommandInput) -> CommandInput {
        match (self, more) {
            (CommandInput::Nothing, other) | (other, CommandInput::Nothing) => other,
            (CommandInput::Known(text), CommandInput::Known(more)) => CommandInput::Known(text + &more),
            (CommandInput::Strange, _) | (_, CommandInput::Strange) => CommandInput::Strange,
            (CommandInput::Unknown, _) | (_, CommandInput::Unknown) => CommandInput::Unknown,
        }
    }

    /// As a part of a word.
    fn text(&self) -> String {
        match self {
            CommandInput::Nothing => String::new(),
            CommandInput::Known(text) => text.trim_end_matches('\n').to_owned(),
            CommandInput::Unknown => UNKNOWN.to_string(),
            CommandInput::Strange => STRANGE.to_string(),
        }
    }
}

/// A program that a line runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramRun {
    /// Its name, without folders.
    pub program: String,
    pub args: Vec<String>,
    /// Files that it is connected to.
    pub redirects: Vec<(Redirect, String)>,
    /// The folder it runs in; nothing when only the running shell knows.
    pub folder: Option<String>,
    pub input: CommandInput,
    /// Whether it runs text that nobody can read beforehand.
    pub is_unreadable: bool,
}

impl ProgramRun {
    /// The program and its arguments, with single spaces between them, as a rule names a command.
    pub fn line(&self) -> String {
        std::iter::once(&self.program).chain(&self.args).map(String::as_str).collect::<Vec<_>>().join(" ")
    }
}

/// Everything that a line would run, wrappers taken off, innermost lines too. `folder` is where it begins.
pub fn runs(line: &str, folder: &str) -> Vec<ProgramRun> {
    let mut walker = Walker { folder: Some(folder.to_owned()), ..Walker::default() };
    walker.walk(line);
    walker.runs
}

#[derive(Default)]
pub(super) struct Walker {
    pub(super) runs: Vec<ProgramRun>,
    pub(super) folder: Option<String>,
    values: HashMap<String, String>,
    /// What is in the files of `<(…)`.
    files: Vec<CommandInput>,
    depth: usize,
}

/// A command that is being read.
#[derive(Default)]
struct UnfinishedCommand {
    words: Vec<ShellWord>,
    redirects: Vec<(Redirect, ShellWord)>,
    here: Option<ShellWord>,
    expects: Option<Expects>,
}

enum Expects {
    File(Redirect),
    Here,
}

impl UnfinishedCommand {
    fn take(&mut self, word: ShellWord) {
        match self.expects.take() {
            Some(Expects::File(redirect)) => self.redirects.push((redirect, word)),
            Some(Expects::Here) => self.here = Some(word),
            None => self.words.push(word),
        }
    }
}

impl Walker {
    /// Follows a line; what it prints.
    pub(super) fn walk(&mut self, line: &str) -> CommandInput {
        if self.depth >= DEPTH_MAX || self.runs.len() >= RUNS_MAX {
            return CommandInput::Unknown;
        }
        self.depth += 1;
        let printed = self.walk_tokens(lex(line));
        self.depth -= 1;
        printed
    }

    fn walk_tokens(&mut self, tokens: Vec<ShellToken>) -> CommandInput {
        let (mut pending, mut input, mut printed) =
            (UnfinishedCommand::default(), CommandInput::Nothing, CommandInput::Nothing);
        let mut scopes = Vec::new();
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                ShellToken::Word(word) => pending.take(word),
                ShellToken::Redirect(redirect) => pending.expects = Some(Expects::File(redirect)),
                ShellToken::HereWord => pending.expects = Some(Expects::Here),
                ShellToken::HereText(word) => pending.here = Some(word),
                ShellToken::Pipe => {
                    input = match self.finish(&mut pending, std::mem::take(&mut input)) {
                        // Behind a pipe there is an input, although the line does not say what.
                        CommandInput::Nothing => CommandInput::Unknown,
                        output => output,
                    };
                }
                ShellToken::End => {
                    let output = self.finish(&mut pending, std::mem::take(&mut input));
                    printed = printed.joined(output);
                }
                // `name()`: what follows is its body.
                ShellToken::Open if pending.words.len() == 1 && tokens.peek() == Some(&ShellToken::Close) => {
                    tokens.next();
                    pending = UnfinishedCommand::default();
                }
                // Brackets are a process of their own: folder and variables come back behind them.
                ShellToken::Open => scopes.push((self.folder.clone(), self.values.clone())),
                ShellToken::Close => {
                    let output = self.finish(&mut pending, std::mem::take(&mut input));
                    printed = printed.joined(output);
                    if let Some((folder, values)) = scopes.pop() {
                        (self.folder, self.values) = (folder, values);
                    }
                    // What a group prints may go on into a pipe.
                    if tokens.peek() == Some(&ShellToken::Pipe) {
                        tokens.next();
                        input = match std::mem::take(&mut printed) {
                            CommandInput::Nothing => CommandInput::Unknown,
                            output => output,
                        };
                    }
                }
            }
        }
        let output = self.finish(&mut pending, input);
        printed.joined(output)
    }

    /// A command is complete: it is run in thought.
    fn finish(&mut self, pending: &mut UnfinishedCommand, piped: CommandInput) -> CommandInput {
        let UnfinishedCommand { words, redirects, here, .. } = std::mem::take(pending);
        let mut words = words.as_slice();
        loop {
            match words {
                [first, rest @ ..] if first.bare().is_some_and(|word| KEYWORDS.contains(&word)) => {
                    words = rest
                }
                [first, _, rest @ ..] if first.bare() == Some("function") => words = rest,
                [first, name, inn, values @ ..]
                    if matches!(first.bare(), Some("for" | "select")) && inn.bare() == Some("in") =>
                {
                    let name = name.bare().unwrap_or_default().to_owned();
                    let values: Vec<String> = values.iter().flat_map(|word| self.fields(word)).collect();
                    // All values at once: the body is looked at one time, with each of them in it.
                    self.assign(&name, values.join(" "));
                    return CommandInput::Nothing;
                }
                [first, ..] if first.bare() == Some("case") => return CommandInput::Nothing,
                [first, rest @ ..] => match self.assignment(first) {
                    Some((name, value)) => {
                        self.assign(&name, value);
                        words = rest;
                    }
                    None => break,
                },
                [] => break,
            }
        }
        let fields: Vec<String> = words.iter().flat_map(|word| self.fields(word)).collect();
        let files: Vec<(Redirect, String)> =
            redirects.iter().map(|(redirect, word)| (*redirect, self.fields(word).join(" "))).collect();
        let read = files.iter().any(|(redirect, _)| *redirect == Redirect::Read);
        let input = match here {
            Some(word) => CommandInput::Known(self.fields_quoted(&word) + "\n"),
            None if read => self.file_of(&files),
            None => piped,
        };
        // Also a redirection alone does something: `> file` empties it.
        if fields.is_empty() && files.is_empty() {
            return CommandInput::Nothing;
        }
        self.start(fields, files, input)
    }

    fn file_of(&self, files: &[(Redirect, String)]) -> CommandInput {
        let read = files.iter().rev().find(|(redirect, _)| *redirect == Redirect::Read);
        read.map_or(CommandInput::Unknown, |(_, path)| self.file(path).unwrap_or(CommandInput::Unknown))
    }

    /// What is in a file of `<(…)`.
    pub(super) fn file(&self, path: &str) -> Option<CommandInput> {
        let number: usize = path.strip_prefix("/dev/fd/w")?.parse().ok()?;
        self.files.get(number).cloned()
    }

    /// `NAME=VALUE`, as a word.
    fn assignment(&mut self, word: &ShellWord) -> Option<(String, String)> {
        let (WordPart::Text(text), false) = word.0.first()? else { return None };
        let (name, _) = text.split_once('=')?;
        let name = name.strip_suffix('+').unwrap_or(name).to_owned();
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !is_name || name.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let whole = self.fields_quoted(word);
        let value = whole.split_once('=').map(|(_, value)| value.to_owned()).unwrap_or_default();
        // A home as well; the lexer knows it only at the beginning of a word.
        let value = value.strip_prefix('~').map_or(value.clone(), |rest| format!("{HOME}{rest}"));
        Some((name, value))
    }

    pub(super) fn assign(&mut self, name: &str, value: String) {
        if value.len() <= VALUE_CHARS_MAX {
            self.values.insert(name.to_owned(), value);
        }
    }

    fn value(&mut self, name: &str, fallback: Option<&str>) -> String {
        if let Some(value) = self.values.get(name) {
            return value.clone();
        }
        if let Some(text) = fallback {
            let words: Vec<ShellToken> = lex(text);
            let fields: Vec<String> = words
                .iter()
                .flat_map(|token| match token {
                    ShellToken::Word(word) => self.fields(word),
                    _ => Vec::new(),
                })
                .collect();
            return fields.join(" ");
        }
        match name {
            "HOME" => HOME.to_string(),
            "PWD" => self.folder.clone().unwrap_or_else(|| UNKNOWN.to_string()),
            "IFS" => " ".to_owned(),
            _ => UNKNOWN.to_string(),
        }
    }

    fn piece(&mut self, piece: &WordPart) -> String {
        match piece {
            WordPart::Text(text) => text.clone(),
            WordPart::Home => HOME.to_string(),
            WordPart::Variable { name, fallback } => self.value(name, fallback.as_deref()),
            WordPart::Output(line) => self.inside(line).text(),
            WordPart::OutputFile(line) => {
                let output = self.inside(line);
                self.files.push(output);
                format!("/dev/fd/w{}", self.files.len() - 1)
            }
        }
    }

    /// Follows a line whose folder and variables are its own; what it prints.
    fn inside(&mut self, line: &str) -> CommandInput {
        let (folder, values) = (self.folder.clone(), self.values.clone());
        let printed = self.walk(line);
        (self.folder, self.values) = (folder, values);
        printed
    }

    fn fields_quoted(&mut self, word: &ShellWord) -> String {
        let pieces: Vec<String> = word.0.iter().map(|(piece, _)| self.piece(piece)).collect();
        pieces.concat()
    }

    /// The words that a word becomes.
    fn fields(&mut self, word: &ShellWord) -> Vec<String> {
        let mut fields: Vec<String> = vec![String::new()];
        let (mut has_brace, mut is_there) = (false, false);
        for (piece, is_quoted) in &word.0 {
            let text = self.piece(piece);
            let splits = !is_quoted && matches!(piece, WordPart::Variable { .. } | WordPart::Output(_));
            has_brace |= !is_quoted && text.contains('{');
            is_there |= *is_quoted || !text.is_empty();
            if !splits {
                if let Some(last) = fields.last_mut() {
                    last.push_str(&text);
                }
                continue;
            }
            for (number, part) in text.split_whitespace().enumerate() {
                match fields.last_mut().filter(|_| number == 0) {
                    Some(last) => last.push_str(part),
                    None => fields.push(part.to_owned()),
                }
            }
        }
        // A variable that is empty is no word, unless it stands in quotes.
        if !is_there {
            return Vec::new();
        }
        if has_brace { fields.iter().flat_map(|field| braces(field)).collect() } else { fields }
    }

    /// Puts a program on the list; what it prints.
    pub(super) fn note(
        &mut self,
        words: Vec<String>,
        redirects: Vec<(Redirect, String)>,
        input: CommandInput,
        is_unreadable: bool,
    ) -> CommandInput {
        let mut words = words.into_iter();
        let program = words.next().unwrap_or_default();
        let program = program.rsplit('/').next().unwrap_or(&program).to_owned();
        let args: Vec<String> = words.collect();
        let output = match printed(&program, &args, &input, self.folder.as_deref()) {
            Some(text) if text.contains(STRANGE) => CommandInput::Strange,
            Some(text) => CommandInput::Known(text),
            None if input == CommandInput::Strange || is_source_of_strange_text(&program) => {
                CommandInput::Strange
            }
            None => CommandInput::Unknown,
        };
        let folder = self.folder.clone();
        let is_unreadable = is_unreadable || program.contains(STRANGE);
        self.runs.push(ProgramRun { program, args, redirects, folder, input, is_unreadable });
        output
    }
}

/// `a{b,c}d` as `abd acd`.
fn braces(text: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut open = vec![text.to_owned()];
    while let Some(text) = open.pop() {
        match one_brace(&text).filter(|parts| done.len() + open.len() + parts.len() <= BRACES_MAX) {
            Some(parts) => open.extend(parts.into_iter().rev()),
            None => done.push(text),
        }
    }
    done
}

fn one_brace(text: &str) -> Option<Vec<String>> {
    let close = text.find('}')?;
    let open = text.get(..close)?.rfind('{')?;
    let (before, inside, after) = (text.get(..open)?, text.get(open + 1..close)?, text.get(close + 1..)?);
    inside.contains(',').then(|| inside.split(',').map(|part| format!("{before}{part}{after}")).collect())
}

#[cfg(test)]
#[path = "walk_tests.rs"]
mod tests;
