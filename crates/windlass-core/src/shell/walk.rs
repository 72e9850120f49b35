//! The commands of a line, one after another, with what is known of variables, folder and input.

use std::collections::HashMap;

use super::filter::{is_source_of_strange_text, printed};
use super::lex::{Piece, Redirect, Token, Word, lex};

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
pub enum Input {
    /// Nothing that the line says.
    #[default]
    Nothing,
    /// This text.
    Known(String),
    /// Something.
    Unknown,
    /// Something from the network or out of a decoder.
    Strange,
}

impl Input {
    fn joined(self, more: Input) -> Input {
        match (self, more) {
            (Input::Nothing, other) | (other, Input::Nothing) => other,
            (Input::Known(text), Input::Known(more)) => Input::Known(text + &more),
            (Input::Strange, _) | (_, Input::Strange) => Input::Strange,
            (Input::Unknown, _) | (_, Input::Unknown) => Input::Unknown,
        }
    }

    /// As a part of a word.
    fn text(&self) -> String {
        match self {
            Input::Nothing => String::new(),
            Input::Known(text) => text.trim_end_matches('\n').to_owned(),
            Input::Unknown => UNKNOWN.to_string(),
            Input::Strange => STRANGE.to_string(),
        }
    }
}

/// A program that a line runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Its name, without folders.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Files that it is connected to.
    pub redirects: Vec<(Redirect, String)>,
    /// The folder it runs in; nothing when only the running shell knows.
    pub folder: Option<String>,
    /// What it reads.
    pub input: Input,
    /// Whether it runs text that nobody can read beforehand.
    pub is_unreadable: bool,
}

impl Run {
    /// The program and its arguments, with single spaces between them, as a rule names a command.
    pub fn line(&self) -> String {
        std::iter::once(&self.program).chain(&self.args).map(String::as_str).collect::<Vec<_>>().join(" ")
    }
}

/// Everything that a line would run, wrappers taken off, innermost lines too. `folder` is where it begins.
pub fn runs(line: &str, folder: &str) -> Vec<Run> {
    let mut walker = Walker { folder: Some(folder.to_owned()), ..Walker::default() };
    walker.walk(line);
    walker.runs
}

#[derive(Default)]
pub(super) struct Walker {
    pub(super) runs: Vec<Run>,
    pub(super) folder: Option<String>,
    values: HashMap<String, String>,
    /// What is in the files of `<(…)`.
    files: Vec<Input>,
    depth: usize,
}

/// A command that is being read.
#[derive(Default)]
struct Pending {
    words: Vec<Word>,
    redirects: Vec<(Redirect, Word)>,
    here: Option<Word>,
    expects: Option<Expects>,
}

enum Expects {
    File(Redirect),
    Here,
}

impl Pending {
    fn take(&mut self, word: Word) {
        match self.expects.take() {
            Some(Expects::File(redirect)) => self.redirects.push((redirect, word)),
            Some(Expects::Here) => self.here = Some(word),
            None => self.words.push(word),
        }
    }
}

impl Walker {
    /// Follows a line; what it prints.
    pub(super) fn walk(&mut self, line: &str) -> Input {
        if self.depth >= DEPTH_MAX || self.runs.len() >= RUNS_MAX {
            return Input::Unknown;
        }
        self.depth += 1;
        let printed = self.walk_tokens(lex(line));
        self.depth -= 1;
        printed
    }

    fn walk_tokens(&mut self, tokens: Vec<Token>) -> Input {
        let (mut pending, mut input, mut printed) = (Pending::default(), Input::Nothing, Input::Nothing);
        let mut scopes = Vec::new();
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                Token::Word(word) => pending.take(word),
                Token::Redirect(redirect) => pending.expects = Some(Expects::File(redirect)),
                Token::HereWord => pending.expects = Some(Expects::Here),
                Token::HereText(word) => pending.here = Some(word),
                Token::Pipe => {
                    input = match self.finish(&mut pending, std::mem::take(&mut input)) {
                        Input::Nothing => Input::Unknown,
                        output => output,
                    };
                }
                Token::End => {
                    let output = self.finish(&mut pending, std::mem::take(&mut input));
                    printed = printed.joined(output);
                }
                // `name()`: what follows is its body.
                Token::Open if pending.words.len() == 1 && tokens.peek() == Some(&Token::Close) => {
                    tokens.next();
                    pending = Pending::default();
                }
                Token::Open => scopes.push((self.folder.clone(), self.values.clone())),
                Token::Close => {
                    let output = self.finish(&mut pending, std::mem::take(&mut input));
                    printed = printed.joined(output);
                    if let Some((folder, values)) = scopes.pop() {
                        (self.folder, self.values) = (folder, values);
                    }
                    // What a group prints may go on into a pipe.
                    if tokens.peek() == Some(&Token::Pipe) {
                        tokens.next();
                        input = match std::mem::take(&mut printed) {
                            Input::Nothing => Input::Unknown,
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
    fn finish(&mut self, pending: &mut Pending, piped: Input) -> Input {
        let Pending { words, redirects, here, .. } = std::mem::take(pending);
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
                    self.assign(&name, values.join(" "));
                    return Input::Nothing;
                }
                [first, ..] if first.bare() == Some("case") => return Input::Nothing,
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
            Some(word) => Input::Known(self.fields_quoted(&word) + "\n"),
            None if read => self.file_of(&files),
            None => piped,
        };
        // Also a redirection alone does something: `> file` empties it.
        if fields.is_empty() && files.is_empty() {
            return Input::Nothing;
        }
        self.start(fields, files, input)
    }

    fn file_of(&self, files: &[(Redirect, String)]) -> Input {
        let read = files.iter().rev().find(|(redirect, _)| *redirect == Redirect::Read);
        read.map_or(Input::Unknown, |(_, path)| self.file(path).unwrap_or(Input::Unknown))
    }

    /// What is in a file of `<(…)`.
    pub(super) fn file(&self, path: &str) -> Option<Input> {
        let number: usize = path.strip_prefix("/dev/fd/w")?.parse().ok()?;
        self.files.get(number).cloned()
    }

    /// `NAME=VALUE`, as a word.
    fn assignment(&mut self, word: &Word) -> Option<(String, String)> {
        let (Piece::Text(text), false) = word.0.first()? else { return None };
        let (name, _) = text.split_once('=')?;
        let name = name.strip_suffix('+').unwrap_or(name).to_owned();
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !is_name || name.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let whole = self.fields_quoted(word);
        let value = whole.split_once('=').map(|(_, value)| value.to_owned()).unwrap_or_default();
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
            let words: Vec<Token> = lex(text);
            let fields: Vec<String> = words
                .iter()
                .flat_map(|token| match token {
                    Token::Word(word) => self.fields(word),
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

    fn piece(&mut self, piece: &Piece) -> String {
        match piece {
            Piece::Text(text) => text.clone(),
            Piece::Home => HOME.to_string(),
            Piece::Variable { name, fallback } => self.value(name, fallback.as_deref()),
            Piece::Output(line) => self.inside(line).text(),
            Piece::OutputFile(line) => {
                let output = self.inside(line);
                self.files.push(output);
                format!("/dev/fd/w{}", self.files.len() - 1)
            }
        }
    }

    /// Follows a line whose folder and variables are its own; what it prints.
    fn inside(&mut self, line: &str) -> Input {
        let (folder, values) = (self.folder.clone(), self.values.clone());
        let printed = self.walk(line);
        (self.folder, self.values) = (folder, values);
        printed
    }

    fn fields_quoted(&mut self, word: &Word) -> String {
        let pieces: Vec<String> = word.0.iter().map(|(piece, _)| self.piece(piece)).collect();
        pieces.concat()
    }

    /// The words that a word becomes.
    fn fields(&mut self, word: &Word) -> Vec<String> {
        let mut fields: Vec<String> = vec![String::new()];
        let (mut has_brace, mut is_there) = (false, false);
        for (piece, is_quoted) in &word.0 {
            let text = self.piece(piece);
            let splits = !is_quoted && matches!(piece, Piece::Variable { .. } | Piece::Output(_));
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
        input: Input,
        is_unreadable: bool,
    ) -> Input {
        let mut words = words.into_iter();
        let program = words.next().unwrap_or_default();
        let program = program.rsplit('/').next().unwrap_or(&program).to_owned();
        let args: Vec<String> = words.collect();
        let output = match printed(&program, &args, &input, self.folder.as_deref()) {
            Some(text) if text.contains(STRANGE) => Input::Strange,
            Some(text) => Input::Known(text),
            None if input == Input::Strange || is_source_of_strange_text(&program) => Input::Strange,
            None => Input::Unknown,
        };
        let folder = self.folder.clone();
        let is_unreadable = is_unreadable || program.contains(STRANGE);
        self.runs.push(Run { program, args, redirects, folder, input, is_unreadable });
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
