//! The commands of a line, one after another, with what is known of variables, folder and input.

use std::collections::HashMap;

use super::braces::braces;
use super::change::{changed, is_variable};
use super::filter::{is_source_of_strange_text, printed, prints_exactly};
use super::lex::{Redirect, ShellToken, ShellWord, WordPart, lex, quoted};

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
/// Bytes of all lines within a line: many times what a system gives a program as one word.
const BYTES_MAX: usize = 8_000_000;
/// Characters of a value that a variable may stand for; longer ones are not known.
const VALUE_CHARS_MAX: usize = 16_384;

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
    fn unknown() -> Self {
        Self {
            program: UNKNOWN.to_string(),
            args: Vec::new(),
            redirects: Vec::new(),
            folder: None,
            input: CommandInput::Unknown,
            is_unreadable: false,
        }
    }

    /// Whether nobody can say which program it is: only the running shell knows a part of its name.
    pub fn is_unknown(&self) -> bool {
        let is_pattern = self.program.contains(['*', '?', '{'])
            || (self.program.contains('[') && self.program.contains(']'));
        is_pattern && self.program != "[[" || self.program.contains([UNKNOWN, STRANGE])
    }

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

/// Everything that a line could run, for whoever must miss nothing: what is not certain is `UNKNOWN`, and where a
/// program cannot be told a run stands whose program is `UNKNOWN`.
pub fn possible_runs(line: &str) -> Vec<ProgramRun> {
    let mut first = Walker { is_strict: true, ..Walker::default() };
    first.walk(line);
    // Once more, with every value that a variable is given anywhere: loops and functions run again.
    let Walker { given, aliases, written, .. } = first;
    let mut second = Walker { is_strict: true, given, aliases, written, ..Walker::default() };
    second.walk(line);
    second.runs
}

#[derive(Default)]
pub(super) struct Walker {
    pub(super) runs: Vec<ProgramRun>,
    pub(super) folder: Option<String>,
    values: HashMap<String, String>,
    /// What is in the files of `<(…)`.
    files: Vec<CommandInput>,
    depth: usize,
    /// How many lines within the line were followed, and the bytes of them all.
    lines: usize,
    bytes: usize,
    /// How many commands were started in thought, and how many of them are within each other.
    pub(super) starts: usize,
    pub(super) nested: usize,
    /// Whether what is not certain counts as unknown.
    pub(super) is_strict: bool,
    /// What each variable is given anywhere in the line; nothing where that is several values.
    given: HashMap<String, Option<String>>,
    /// Other names of commands.
    pub(super) aliases: HashMap<String, String>,
    /// Files that the line itself writes, and what is in them if that is known.
    pub(super) written: HashMap<String, Option<String>>,
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

    /// Whether a bracket may open here: elsewhere it is a pattern for names that some shells know.
    fn may_stand_before_bracket(&self) -> bool {
        let Some(last) = self.words.last() else { return true };
        let is_assignment =
            matches!(last.0.as_slice(), [(WordPart::Text(text), false)] if text.ends_with('='));
        let begins = self.words.first().and_then(ShellWord::bare);
        is_assignment
            || matches!(begins, Some("case" | "for" | "[[" | "function"))
            || last.bare().is_some_and(|word| KEYWORDS.contains(&word) || word == "time")
    }
}

impl Walker {
    /// Follows a line; what it prints.
    pub(super) fn walk(&mut self, line: &str) -> CommandInput {
        self.lines += 1;
        self.bytes += line.len();
        let is_much = self.lines > RUNS_MAX || self.runs.len() >= RUNS_MAX || self.bytes > BYTES_MAX;
        if self.depth >= DEPTH_MAX || is_much {
            self.note_unknown();
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
        let mut has_case = false;
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                ShellToken::Word(word) => pending.take(word),
                ShellToken::Redirect(redirect) => pending.expects = Some(Expects::File(redirect)),
                ShellToken::HereWord => pending.expects = Some(Expects::Here),
                ShellToken::HereText(word) => pending.here = Some(word),
                ShellToken::Broken => self.note_unknown(),
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
                ShellToken::Open => {
                    if !pending.may_stand_before_bracket() {
                        self.note_unknown();
                    }
                    scopes.push((self.folder.clone(), self.values.clone()));
                }
                // A further pattern of a `case` runs nothing but what tells it.
                ShellToken::Close if has_case && scopes.is_empty() && pending.words.len() == 1 => {
                    for word in std::mem::take(&mut pending).words {
                        self.fields(&word);
                    }
                }
                ShellToken::Close => {
                    has_case |= pending.words.first().and_then(ShellWord::bare) == Some("case");
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
                // `coproc NAME { …`: the keyword before is gone already.
                [_, brace, rest @ ..] if self.is_strict && brace.bare() == Some("{") => words = rest,
                [first, name, inn, values @ ..]
                    if matches!(first.bare(), Some("for" | "select")) && inn.bare() == Some("in") =>
                {
                    let name = name.bare().unwrap_or_default().to_owned();
                    let values: Vec<String> = values.iter().flat_map(|word| self.fields(word)).collect();
                    // All values at once: the body is looked at one time, with each of them in it.
                    self.assign(&name, values.join(" "));
                    if self.is_strict && values.len() > 1 {
                        self.forget(&name);
                    }
                    return CommandInput::Nothing;
                }
                [first, rest @ ..] if first.bare() == Some("case") => {
                    // For the lines that are run to tell what is compared.
                    rest.iter().for_each(|word| {
                        self.fields(word);
                    });
                    return CommandInput::Nothing;
                }
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
        let written: Vec<String> = files
            .iter()
            .filter(|(redirect, _)| *redirect != Redirect::Read)
            .map(|(_, path)| path.clone())
            .collect();
        let output = self.start(fields, files, input);
        self.keep_written(written, &output);
        output
    }

    /// Keeps what a command writes into files: the line may run them.
    fn keep_written(&mut self, paths: Vec<String>, output: &CommandInput) {
        for path in paths.into_iter().filter(|_| self.is_strict) {
            let text = match output {
                CommandInput::Known(text) if !self.written.contains_key(&path) => Some(text.clone()),
                CommandInput::Known(_)
                | CommandInput::Nothing
                | CommandInput::Unknown
                | CommandInput::Strange => None,
            };
            self.written.insert(path, text);
        }
    }

    fn file_of(&self, files: &[(Redirect, String)]) -> CommandInput {
        let read = files.iter().rev().find(|(redirect, _)| *redirect == Redirect::Read);
        read.map_or(CommandInput::Unknown, |(_, path)| self.file(path).unwrap_or(CommandInput::Unknown))
    }

    /// What is in a file of `<(…)`.
    pub(super) fn file(&self, path: &str) -> Option<CommandInput> {
        if let Some(text) = self.written.get(path).or_else(|| self.written.get(path.strip_prefix("./")?)) {
            return Some(text.clone().map_or(CommandInput::Strange, CommandInput::Known));
        }
        let number: usize = path.strip_prefix("/dev/fd/w")?.parse().ok()?;
        self.files.get(number).cloned()
    }

    /// `NAME=VALUE`, as a word.
    fn assignment(&mut self, word: &ShellWord) -> Option<(String, String)> {
        let (WordPart::Text(text), false) = word.0.first()? else { return None };
        let (name, _) = text.split_once('=')?;
        let is_added = name.ends_with('+');
        let name = name.strip_suffix('+').unwrap_or(name);
        // `a[0]=x`
        let name =
            name.split_once('[').filter(|_| name.ends_with(']')).map_or(name, |(name, _)| name).to_owned();
        if !is_variable(&name) {
            return None;
        }
        let whole = self.fields_quoted(word);
        let value = whole.split_once('=').map(|(_, value)| value.to_owned()).unwrap_or_default();
        // A home as well; the lexer knows it only at the beginning of a word.
        let value = value.strip_prefix('~').map_or(value.clone(), |rest| format!("{HOME}{rest}"));
        if is_added {
            // Both, for the line may come to this more than once.
            let before = self.values.get(&name).cloned().unwrap_or_else(|| UNKNOWN.to_string());
            self.given.remove(&name);
            return Some((name, before + &value));
        }
        Some((name, value))
    }

    pub(super) fn assign(&mut self, name: &str, value: String) {
        if self.is_strict {
            // Shells and programs run what is in these.
            const LINES: [&str; 10] = [
                "PS4",
                "PROMPT_COMMAND",
                "PAGER",
                "GIT_PAGER",
                "MANPAGER",
                "EDITOR",
                "VISUAL",
                "GIT_EDITOR",
                "GIT_SSH_COMMAND",
                "GIT_EXTERNAL_DIFF",
            ];
            if LINES.contains(&name) {
                self.fields_quoted(&quoted(&value));
                self.walk(&value);
            }
            match self.given.get(name) {
                None => _ = self.given.insert(name.to_owned(), Some(value.clone())),
                Some(Some(own)) if *own == value => {}
                Some(_) => self.forget(name),
            }
        }
        if value.len() <= VALUE_CHARS_MAX {
            self.values.insert(name.to_owned(), value);
        } else {
            self.forget(name);
        }
    }

    /// From now on only the running shell knows what is in a variable.
    pub(super) fn forget(&mut self, name: &str) {
        if self.is_strict {
            self.given.insert(name.to_owned(), None);
            self.values.insert(name.to_owned(), UNKNOWN.to_string());
        }
    }

    fn value(&mut self, name: &str, fallback: Option<&str>, change: &str) -> String {
        if self.is_strict {
            return self.certain_value(name, fallback, change);
        }
        if let Some(value) = self.values.get(name) {
            return value.clone();
        }
        if let Some(text) = fallback {
            return self.fallback(text);
        }
        self.usual_value(name)
    }

    /// Follows the lines in a text that is no part of a word.
    fn aside(&mut self, text: &str) {
        // The other reading takes such text for a fallback, which it follows.
        if !self.is_strict {
            return;
        }
        self.bytes += text.len();
        if self.depth >= DEPTH_MAX || self.bytes > BYTES_MAX {
            return self.note_unknown();
        }
        self.depth += 1;
        self.fields_quoted(&quoted(text));
        self.depth -= 1;
    }

    fn fallback(&mut self, text: &str) -> String {
        if self.depth >= DEPTH_MAX {
            return UNKNOWN.to_string();
        }
        self.depth += 1;
        let words: Vec<ShellToken> = lex(text);
        let fields: Vec<String> = words
            .iter()
            .flat_map(|token| match token {
                ShellToken::Word(word) => self.fields(word),
                _ => Vec::new(),
            })
            .collect();
        self.depth -= 1;
        fields.join(" ")
    }

    fn usual_value(&self, name: &str) -> String {
        match name {
            "HOME" => HOME.to_string(),
            "PWD" => self.folder.clone().unwrap_or_else(|| UNKNOWN.to_string()),
            "IFS" => " ".to_owned(),
            _ => UNKNOWN.to_string(),
        }
    }

    /// The value of a variable where the line leaves no doubt about it.
    fn certain_value(&mut self, name: &str, fallback: Option<&str>, change: &str) -> String {
        let is_certain = self.given.get(name).is_none_or(Option::is_some);
        let value = self.values.get(name).filter(|_| is_certain).cloned();
        // Whether it is set, and then which of the two counts, is not worked out.
        if fallback.is_some() {
            return UNKNOWN.to_string();
        }
        match value {
            Some(value) if change.is_empty() => value,
            Some(value) => changed(&value, name, change).unwrap_or_else(|| UNKNOWN.to_string()),
            None if is_certain && change.is_empty() => self.usual_value(name),
            None => UNKNOWN.to_string(),
        }
    }

    fn piece(&mut self, piece: &WordPart) -> String {
        match piece {
            WordPart::Text(text) => text.clone(),
            WordPart::Home => HOME.to_string(),
            WordPart::Variable { name, fallback, change } => self.value(name, fallback.as_deref(), change),
            WordPart::Aside(text) => {
                self.aside(text);
                String::new()
            }
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
        if self.depth >= DEPTH_MAX {
            self.note_unknown();
            return CommandInput::Unknown;
        }
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
            let mut text = self.piece(piece);
            let splits = !is_quoted && matches!(piece, WordPart::Variable { .. } | WordPart::Output(_));
            has_brace |= !is_quoted && text.contains('{');
            is_there |= *is_quoted || !text.is_empty();
            if !splits {
                if let Some(last) = fields.last_mut() {
                    last.push_str(&text);
                }
                continue;
            }
            if self.is_strict && self.given.contains_key("IFS") {
                // Where it is parted now, is not worked out.
                text = UNKNOWN.to_string();
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

    /// Notes that something runs of which nobody can say what it is.
    pub(super) fn note_unknown(&mut self) {
        if self.is_strict {
            let program = UNKNOWN.to_string();
            let last = self.runs.last().is_some_and(|run| run.program == program);
            if !last {
                self.runs.push(ProgramRun::unknown());
            }
        }
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
        let told = printed(&program, &args, &input, self.folder.as_deref());
        let output = match told.filter(|_| !self.is_strict || prints_exactly(&program, &args)) {
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

#[cfg(test)]
#[path = "walk_tests.rs"]
mod tests;
