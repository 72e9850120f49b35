//! Words and operators of a shell line, with their quotes taken off and their expansions kept apart.
//!
//! Never fails: what is not closed is read to its end and said to be broken. Knows no command and no variable's value.

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WordPart {
    /// Text that stands for itself.
    Text(String),
    /// `~` or `~name` at the beginning.
    Home,
    /// `$NAME` or `${NAME…}`, with what stands for it when it is not set, and what is done to its value.
    Variable { name: String, fallback: Option<String>, change: String },
    /// Text that is no part of the word, but in which lines are run all the same: `$((…))`, `${X/$(…)/}`.
    Aside(String),
    /// `$(…)` or backquotes: the line inside.
    Output(String),
    /// `<(…)`: a file with the output of the line inside.
    OutputFile(String),
}

/// A word, in pieces; each says whether it stood in quotes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ShellWord(pub(super) Vec<(WordPart, bool)>);

impl ShellWord {
    /// The word, if it is plain text outside quotes: only then it can be a keyword.
    pub(super) fn bare(&self) -> Option<&str> {
        match self.0.as_slice() {
            [(WordPart::Text(text), false)] => Some(text),
            _ => None,
        }
    }

    fn push(&mut self, text: char, is_quoted: bool) {
        match self.0.last_mut() {
            Some((WordPart::Text(own), quoted)) if *quoted == is_quoted => own.push(text),
            _ => self.0.push((WordPart::Text(text.to_string()), is_quoted)),
        }
    }
}

/// How a redirection treats its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Redirect {
    /// `<`
    Read,
    /// `>`, `>|`, `&>`
    Write,
    /// `>>`, `<>`
    Append,
}

/// What a line is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ShellToken {
    Word(ShellWord),
    /// `|`, `|&`
    Pipe,
    /// `;`, `&`, `&&`, `||`, a line end
    End,
    Open,
    Close,
    /// The next word is its file.
    Redirect(Redirect),
    /// The next word is the input (`<<<`).
    HereWord,
    /// A here-document: the input itself.
    HereText(ShellWord),
    /// A quote or bracket is not closed, or shells differ in where it closes.
    Broken,
}

/// A here-document whose text begins on the next line.
struct HereDocument {
    end: String,
    is_quoted: bool,
    strips_tabs: bool,
    /// Which token it is.
    at: usize,
}

/// Reads a line into tokens.
pub(super) fn lex(line: &str) -> Vec<ShellToken> {
    let mut lexer = Lexer::of(line);
    lexer.read();
    if lexer.is_broken || !lexer.heres.is_empty() {
        lexer.tokens.push(ShellToken::Broken);
    }
    lexer.tokens
}

struct Lexer {
    chars: Vec<char>,
    at: usize,
    tokens: Vec<ShellToken>,
    heres: Vec<HereDocument>,
    is_broken: bool,
}

impl Lexer {
    fn of(text: &str) -> Self {
        let chars = text.chars().collect();
        Self { chars, at: 0, tokens: Vec::new(), heres: Vec::new(), is_broken: false }
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek(0)?;
        self.at += 1;
        Some(c)
    }

    /// Takes these characters if they come next.
    fn take(&mut self, text: &str) -> bool {
        let comes = text.chars().enumerate().all(|(ahead, c)| self.peek(ahead) == Some(c));
        if comes {
            self.at += text.chars().count();
        }
        comes
    }

    fn read(&mut self) {
        while let Some(c) = self.peek(0) {
            match c {
                '\n' => {
                    self.at += 1;
                    self.tokens.push(ShellToken::End);
                    self.read_heres();
                }
                '\\' if self.peek(1) == Some('\n') => self.at += 2,
                c if is_blank(c) => self.at += 1,
                // Only where a word would begin: in `a#b` it is a character.
                '#' => {
                    while self.peek(0).is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                _ => self.read_token(),
            }
        }
    }

    fn read_token(&mut self) {
        // Longer ones stand before those that they begin with.
        const OPERATORS: [(&str, ShellToken); 19] = [
            ("&>>", ShellToken::Redirect(Redirect::Append)),
            ("&>", ShellToken::Redirect(Redirect::Write)),
            ("&&", ShellToken::End),
            ("&", ShellToken::End),
            ("||", ShellToken::End),
            ("|&", ShellToken::Pipe),
            ("|", ShellToken::Pipe),
            (";", ShellToken::End),
            ("<<<", ShellToken::HereWord),
            ("<>", ShellToken::Redirect(Redirect::Append)),
            ("<&", ShellToken::Redirect(Redirect::Read)),
            (">>", ShellToken::Redirect(Redirect::Append)),
            (">|", ShellToken::Redirect(Redirect::Write)),
            (">&", ShellToken::Redirect(Redirect::Write)),
            ("\u{0}", ShellToken::End),
            ("(", ShellToken::Open),
            (")", ShellToken::Close),
            (">", ShellToken::Redirect(Redirect::Write)),
            ("<", ShellToken::Redirect(Redirect::Read)),
        ];
        // Before the operators: `<(` would be a redirection and a group.
        let is_file = |c: char| self.peek(0) == Some(c) && self.peek(1) == Some('(');
        if is_file('<') || is_file('>') {
            return self.read_word();
        }
        if self.peek(0) == Some('<') && self.peek(1) == Some('<') && self.peek(2) != Some('<') {
            return self.read_here();
        }
        for (text, token) in &OPERATORS {
            if self.take(text) {
                return self.tokens.push(token.clone());
            }
        }
        self.read_word();
    }

    fn read_here(&mut self) {
        self.at += 2;
        let strips_tabs = self.take("-");
        while self.peek(0).is_some_and(|c| c == ' ' || c == '\t') {
            self.at += 1;
        }
        let (mut end, mut is_quoted) = (String::new(), false);
        while let Some(c) = self.peek(0).filter(|c| !is_meta(*c)) {
            self.at += 1;
            match c {
                '\'' | '"' => {
                    is_quoted = true;
                    end.extend(std::iter::from_fn(|| self.next().filter(|inner| *inner != c)));
                }
                '\\' => {
                    is_quoted = true;
                    end.extend(self.next());
                }
                c => end.push(c),
            }
        }
        self.heres.push(HereDocument { end, is_quoted, strips_tabs, at: self.tokens.len() });
        self.tokens.push(ShellToken::HereText(ShellWord::default()));
    }

    /// Reads the texts of here-documents, which stand after the line.
    fn read_heres(&mut self) {
        for here in std::mem::take(&mut self.heres) {
            let mut text = String::new();
            while self.peek(0).is_some() {
                let mut line = String::new();
                while let Some(c) = self.next().filter(|c| *c != '\n') {
                    line.push(c);
                }
                let shown = if here.strips_tabs { line.trim_start_matches('\t') } else { &line };
                if shown == here.end {
                    break;
                }
                text.push_str(shown);
                text.push('\n');
            }
            let word =
                // With quotes around its mark nothing in the text is expanded.
                if here.is_quoted { ShellWord(vec![(WordPart::Text(text), true)]) } else { quoted(&text) };
            if let Some(token) = self.tokens.get_mut(here.at) {
                *token = ShellToken::HereText(word);
            }
        }
    }

    fn read_word(&mut self) {
        let mut word = ShellWord::default();
        let begin = self.at;
        if self.peek(0) == Some('~') {
            self.read_home(&mut word);
        }
        while let Some(c) = self.peek(0) {
            if (c == '<' || c == '>') && self.peek(1) == Some('(') {
                self.at += 2;
                let line = self.read_inside('(', ')', false);
                word.0.push((WordPart::OutputFile(line), false));
                continue;
            }
            if is_meta(c) {
                break;
            }
            self.at += 1;
            match c {
                '\'' => self.read_single(&mut word),
                '"' => self.read_double(&mut word),
                '$' => self.read_dollar(&mut word, false),
                '`' => self.read_backquoted(&mut word, false),
                '\\' => match self.next() {
                    Some('\n') | None => {}
                    // As in quotes, so that it is part of no keyword.
                    Some(c) => word.push(c, true),
                },
                c => word.push(c, false),
            }
        }
        // `2>file`, `{fd}>file`: the number, or the variable for one, belongs to the operator.
        let digits = self.chars.get(begin..self.at).unwrap_or_default();
        let is_number = !digits.is_empty() && digits.iter().all(char::is_ascii_digit);
        let is_named = match digits {
            ['{', name @ .., '}'] => name.iter().all(|c| c.is_ascii_alphanumeric() || *c == '_'),
            _ => false,
        };
        if (is_number || is_named) && matches!(self.peek(0), Some('<' | '>')) {
            return;
        }
        self.tokens.push(ShellToken::Word(word));
    }

    /// `~`, `~name`: up to the first slash, if nothing else is in it.
    fn read_home(&mut self, word: &mut ShellWord) {
        let mut ahead = 1;
        while self
            .peek(ahead)
            .is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+'))
        {
            ahead += 1;
        }
        if self.peek(ahead).is_none_or(|c| c == '/' || is_meta(c)) {
            self.at += ahead;
            word.0.push((WordPart::Home, false));
        }
    }

    fn read_single(&mut self, word: &mut ShellWord) {
        // Also `''` makes a word: an empty argument is one.
        word.0.push((WordPart::Text(String::new()), true));
        while let Some(c) = self.next() {
            match c {
                '\'' => return,
                c => word.push(c, true),
            }
        }
        self.is_broken = true;
    }

    fn read_double(&mut self, word: &mut ShellWord) {
        word.0.push((WordPart::Text(String::new()), true));
        while let Some(c) = self.next() {
            match c {
                '"' => return,
                '\\' => match self.next() {
                    Some('\n') | None => {}
                    Some(c @ ('"' | '\\' | '$' | '`')) => word.push(c, true),
                    Some(c) => {
                        word.push('\\', true);
                        word.push(c, true);
                    }
                },
                '$' => self.read_dollar(word, true),
                '`' => self.read_backquoted(word, true),
                c => word.push(c, true),
            }
        }
        self.is_broken = true;
    }

    fn read_dollar(&mut self, word: &mut ShellWord, is_quoted: bool) {
        let variable = |name: String| WordPart::Variable { name, fallback: None, change: String::new() };
        match self.peek(0) {
            Some('\'') if !is_quoted => {
                self.at += 1;
                self.read_escaped(word);
            }
            Some('"') if !is_quoted => {
                self.at += 1;
                self.read_double(word);
            }
            Some('(') => {
                self.at += 1;
                let is_sum = self.peek(0) == Some('(');
                let line = self.read_inside('(', ')', false);
                // `$((a) b)` is a line again.
                let piece = match line.strip_prefix('(').and_then(|line| line.strip_suffix(')')) {
                    Some(sum) if is_sum => {
                        word.0.push((WordPart::Aside(sum.to_owned()), is_quoted));
                        variable(String::new())
                    }
                    Some(_) | None => WordPart::Output(line),
                };
                word.0.push((piece, is_quoted));
            }
            Some('{') => {
                self.at += 1;
                let inside = self.read_inside('{', '}', is_quoted);
                if inside.contains(['$', '`', '<', '>']) {
                    word.0.push((WordPart::Aside(inside.clone()), is_quoted));
                }
                word.0.push((braced(&inside), is_quoted));
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let mut name = String::new();
                while let Some(c) = self.peek(0).filter(|c| c.is_ascii_alphanumeric() || *c == '_') {
                    name.push(c);
                    self.at += 1;
                }
                word.0.push((variable(name), is_quoted));
            }
            Some(c) if c.is_ascii_digit() || "@*#?-$!".contains(c) => {
                self.at += 1;
                word.0.push((variable(c.to_string()), is_quoted));
            }
            Some(_) | None => word.push('$', is_quoted),
        }
    }

    /// `$'…'`: text with escapes.
    fn read_escaped(&mut self, word: &mut ShellWord) {
        word.0.push((WordPart::Text(String::new()), true));
        while let Some(c) = self.next() {
            match c {
                '\'' => return,
                '\\' => {
                    let rest: String = self.chars.iter().skip(self.at).take(9).collect();
                    let (read, taken) = unescape(&rest);
                    self.at += taken;
                    match read {
                        // The text ends there, as in C; what follows up to the quote is dropped.
                        Some('\0') => {
                            while self.next().is_some_and(|c| c != '\'') {}
                            return;
                        }
                        read => read.into_iter().for_each(|c| word.push(c, true)),
                    }
                }
                c => word.push(c, true),
            }
        }
        self.is_broken = true;
    }

    fn read_backquoted(&mut self, word: &mut ShellWord, is_quoted: bool) {
        let mut line = String::new();
        loop {
            match self.next() {
                Some('`') => break,
                // Only before these is a backslash taken off; elsewhere it belongs to the line inside.
                Some('\\') => match self.next() {
                    Some(c @ ('`' | '$' | '\\')) => line.push(c),
                    Some('"') if is_quoted => line.push('"'),
                    Some(c) => line.extend(['\\', c]),
                    None => {}
                },
                Some(c) => line.push(c),
                None => {
                    self.is_broken = true;
                    break;
                }
            }
        }
        word.0.push((WordPart::Output(line), is_quoted));
    }

    /// The text up to the bracket that closes; brackets in quotes do not count, nor those of patterns of a `case`.
    fn read_inside(&mut self, open: char, close: char, is_quoted: bool) -> String {
        let (mut text, mut depth, mut quote) = (String::new(), 1_u32, None);
        let (mut word, mut open_cases) = (String::new(), 0_i32);
        while let Some(c) = self.next() {
            if c.is_ascii_alphanumeric() || c == '_' {
                word.push(c);
            } else {
                open_cases += match std::mem::take(&mut word).as_str() {
                    "case" => 1,
                    "esac" => -1,
                    _ => 0,
                };
            }
            match (quote, c) {
                (Some('\''), '\'') => quote = None,
                (Some('\''), _) => {}
                (_, '\\') => {
                    text.push(c);
                    text.extend(self.next());
                    continue;
                }
                (Some('"'), '"') => quote = None,
                (Some(_), _) => {}
                (None, '\'' | '"') => {
                    // `"${X:-'}"`: whether this opens a quote depends on operator and shell.
                    self.is_broken |= is_quoted && c == '\'';
                    quote = Some(c);
                }
                // In `${X:-{}` the second brace opens nothing.
                (None, c) if c == open && (open != '{' || text.ends_with('$')) => depth += 1,
                (None, c) if c == close && !(open == '(' && open_cases > 0) => {
                    depth -= 1;
                    if depth == 0 {
                        return text;
                    }
                }
                (None, _) => {}
            }
            text.push(c);
        }
        self.is_broken = true;
        text
    }
}

/// What parts words; other characters without ink are parts of words for a shell.
fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

/// Characters that end a word.
fn is_meta(c: char) -> bool {
    is_blank(c) || c == '\n' || "|&;()<>".contains(c) || c == '\0'
}

/// Text as it would be read between double quotes.
pub(super) fn quoted(text: &str) -> ShellWord {
    let mut lexer = Lexer::of(text);
    let mut word = ShellWord::default();
    while lexer.peek(0).is_some() {
        lexer.read_double(&mut word);
        // A quote in a here-document is a character like any other.
        if lexer.peek(0).is_some() {
            word.push('"', true);
        }
    }
    word
}

/// What stands in `${…}`.
fn braced(inside: &str) -> WordPart {
    let text = inside.trim_start_matches(['!', '#']);
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    let (name, rest) =
        text.split_at(if end == 0 { text.chars().next().map_or(0, char::len_utf8) } else { end });
    // With `+` the text stands where the variable is set: it is looked at all the same.
    let fallback = [":-", ":=", "-", "=", ":+", "+"].iter().find_map(|operator| rest.strip_prefix(operator));
    let is_value = inside.len() == text.len() && (fallback.is_some() || rest.is_empty());
    let change = if is_value { String::new() } else { inside.to_owned() };
    WordPart::Variable { name: name.to_owned(), fallback: fallback.map(str::to_owned), change }
}

/// The character of an escape after its backslash, and how many characters it takes.
pub(super) fn unescape(rest: &str) -> (Option<char>, usize) {
    let number = |digits: &str, radix: u32, most: usize| {
        let taken: String = digits.chars().take(most).take_while(|c| c.is_digit(radix)).collect();
        (u32::from_str_radix(&taken, radix).ok().and_then(char::from_u32), taken.len())
    };
    let mut chars = rest.chars();
    let after = |prefix: usize| rest.get(prefix..).unwrap_or_default();
    match chars.next() {
        Some('n') => (Some('\n'), 1),
        Some('t') => (Some('\t'), 1),
        Some('r') => (Some('\r'), 1),
        Some('x') => {
            let (c, taken) = number(after(1), 16, 2);
            (c, taken + 1)
        }
        Some('u') => {
            let (c, taken) = number(after(1), 16, 4);
            (c, taken + 1)
        }
        Some('U') => {
            let (c, taken) = number(after(1), 16, 8);
            (c, taken + 1)
        }
        Some('0'..='7') => number(rest, 8, 4),
        Some(c) => (Some(c), 1),
        None => (None, 0),
    }
}
