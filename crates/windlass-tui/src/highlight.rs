//! Colours of code, line by line: words, strings, numbers and comments of the languages people see, from tables.
//!
//! Reads code as a reader does who looks at it from afar: it knows where strings and comments begin and end and which
//! words belong to the language, not what the code means. What a line leaves open is carried into the next one, so that
//! code can be coloured as it arrives. Knows no colours: it gives roles.

mod languages;
mod lines;

use std::collections::HashMap;
use std::sync::LazyLock;

use self::languages::{HighlightLanguage, LANGUAGES, LanguageShape, QuoteForm};
use crate::theme::TextRole;

/// The words of a language, and what they are.
#[derive(Debug)]
struct Lexicon {
    language: &'static HighlightLanguage,
    words: HashMap<&'static str, TextRole>,
}

static LEXICONS: LazyLock<Vec<Lexicon>> = LazyLock::new(|| {
    let lexicon = |language: &'static HighlightLanguage| {
        let lists = [
            (language.types, TextRole::Name),
            (language.constants, TextRole::Number),
            (language.keywords, TextRole::Keyword),
        ];
        let words = lists
            .into_iter()
            .flat_map(|(list, role)| list.split_ascii_whitespace().map(move |word| (word, role)))
            .collect();
        Lexicon { language, words }
    };
    LANGUAGES.iter().map(lexicon).collect()
});

/// What a line leaves open.
#[derive(Debug, Clone, Copy, Default)]
enum OpenSyntax {
    #[default]
    Nothing,
    Comment,
    Quote(&'static QuoteForm),
    Tag,
}

/// Colours the lines of a piece of code, in order.
#[derive(Debug, Clone)]
pub struct Highlighter {
    lexicon: Option<&'static Lexicon>,
    open: OpenSyntax,
}

impl Highlighter {
    /// For a language by one of its names, by the ending of a file's name, or by what a fence says after its ticks. Code
    /// of a language that is not known has no colours.
    pub fn new(language: &str) -> Self {
        let word = language
            .split([' ', ',', '{', '}', ':', '\t'])
            .find(|word| !word.is_empty())
            .unwrap_or_default()
            .to_lowercase();
        let ending = word.rsplit(['.', '/']).next().unwrap_or_default();
        let find = |name: &str| LEXICONS.iter().find(|lexicon| lexicon.language.names.contains(&name));
        Self { lexicon: find(&word).or_else(|| find(ending)), open: OpenSyntax::Nothing }
    }

    /// Colours the next line; the pieces together are the line.
    pub fn line<'t>(&mut self, line: &'t str) -> Vec<(&'t str, TextRole)> {
        let mut paint = Paint { line, painted: 0, runs: Vec::new() };
        match self.lexicon {
            None => paint.put(line.len(), TextRole::Text),
            Some(lexicon) => match lexicon.language.shape {
                LanguageShape::Code => self.paint_code(lexicon, &mut paint),
                LanguageShape::Markup => self.paint_markup(lexicon, &mut paint),
                LanguageShape::Diff => paint.put(line.len(), lines::diff_role(line)),
                LanguageShape::Markdown => lines::paint_markdown(&mut paint),
            },
        }
        paint.runs
    }

    fn paint_code(&mut self, lexicon: &Lexicon, paint: &mut Paint<'_>) {
        while !paint.rest().is_empty() {
            if !self.paint_open(lexicon, paint)
                && !paint_blanks(paint)
                && !self.paint_comment(lexicon, paint)
                && !self.paint_quote(lexicon, paint)
                && !paint_sigil(lexicon, paint)
                && !paint_number(paint)
                && !paint_word(lexicon, paint)
            {
                paint.put_sign();
            }
        }
    }

    /// Tags are code, and what is between them is text.
    fn paint_markup(&mut self, lexicon: &Lexicon, paint: &mut Paint<'_>) {
        while !paint.rest().is_empty() {
            if self.paint_open(lexicon, paint) {
                continue;
            }
            if matches!(self.open, OpenSyntax::Tag) {
                if paint.rest().starts_with('>') {
                    self.open = OpenSyntax::Nothing;
                    paint.put_sign();
                } else if !self.paint_quote(lexicon, paint) && !paint_run(lexicon, paint, TextRole::Name) {
                    paint.put_sign();
                }
            } else if !self.paint_comment(lexicon, paint) {
                let text = paint.rest();
                match text.strip_prefix('<') {
                    Some(inner) => {
                        paint.put_sign();
                        if inner.starts_with(['/', '!', '?']) {
                            paint.put_sign();
                        }
                        if paint_run(lexicon, paint, TextRole::Keyword) {
                            self.open = OpenSyntax::Tag;
                        }
                    }
                    None => paint.put(text.find('<').unwrap_or(text.len()), TextRole::Text),
                }
            }
        }
    }

    /// Goes on with what is open: to its end, or to the end of the line.
    fn paint_open(&mut self, lexicon: &Lexicon, paint: &mut Paint<'_>) -> bool {
        match self.open {
            OpenSyntax::Nothing | OpenSyntax::Tag => return false,
            OpenSyntax::Comment => {
                let end = lexicon
                    .language
                    .block_comment
                    .and_then(|(_, close)| paint.rest().find(close).map(|at| at + close.len()));
                self.close_at(end, paint, lexicon, TextRole::Comment);
            }
            OpenSyntax::Quote(quote) => {
                let end = quote_end(paint.rest(), quote);
                self.close_at(end, paint, lexicon, TextRole::Literal);
            }
        }
        true
    }

    fn close_at(&mut self, end: Option<usize>, paint: &mut Paint<'_>, lexicon: &Lexicon, role: TextRole) {
        paint.put(end.unwrap_or(paint.rest().len()), role);
        if end.is_some() {
            let is_markup_string =
                lexicon.language.shape == LanguageShape::Markup && role == TextRole::Literal;
            self.open = if is_markup_string { OpenSyntax::Tag } else { OpenSyntax::Nothing };
        }
    }

    fn paint_comment(&mut self, lexicon: &Lexicon, paint: &mut Paint<'_>) -> bool {
        let rest = paint.rest();
        if let Some((open, close)) = lexicon.language.block_comment
            && let Some(inner) = behind(rest, open)
        {
            match inner.find(close) {
                Some(at) => paint.put(open.len() + at + close.len(), TextRole::Comment),
                None => {
                    paint.put(rest.len(), TextRole::Comment);
                    self.open = OpenSyntax::Comment;
                }
            }
            return true;
        }
        // Where one sign begins a comment it is often part of a word too.
        let is_apart = |open: &str| open.len() > 1 || paint.follows_blank();
        if lexicon.language.line_comments.iter().any(|open| behind(rest, open).is_some() && is_apart(open)) {
            paint.put(rest.len(), TextRole::Comment);
            return true;
        }
        false
    }

    fn paint_quote(&mut self, lexicon: &Lexicon, paint: &mut Paint<'_>) -> bool {
        let rest = paint.rest();
        for quote in lexicon.language.quotes {
            let Some(inner) = behind(rest, quote.open) else { continue };
            let end = quote_end(inner, quote).map(|at| quote.open.len() + at);
            if quote.is_sign && !is_one_sign(inner, end.map(|end| end - quote.open.len() - quote.close.len()))
            {
                continue;
            }
            let bytes = end.unwrap_or(rest.len());
            let role =
                if is_key(lexicon.language, rest.get(bytes..)) { TextRole::Name } else { TextRole::Literal };
            paint.put(bytes, role);
            if end.is_none() && quote.is_multi_line {
                self.open = OpenSyntax::Quote(quote);
            }
            return true;
        }
        false
    }
}

/// Pieces of a line, in order.
struct Paint<'t> {
    line: &'t str,
    painted: usize,
    runs: Vec<(&'t str, TextRole)>,
}

impl<'t> Paint<'t> {
    fn rest(&self) -> &'t str {
        self.line.get(self.painted..).unwrap_or_default()
    }

    fn follows_blank(&self) -> bool {
        self.line
            .get(..self.painted)
            .is_none_or(|before| before.is_empty() || before.ends_with([' ', '\t', ';', '(']))
    }

    /// Paints so many bytes of the rest; runs of one role stay together.
    fn put(&mut self, bytes: usize, role: TextRole) {
        let end = self.painted + bytes;
        match self.runs.last_mut() {
            Some((run, last)) if *last == role => {
                *run = self.line.get(self.painted - run.len()..end).unwrap_or_default();
            }
            _ => self.runs.push((self.line.get(self.painted..end).unwrap_or_default(), role)),
        }
        self.painted = end;
    }

    /// The next sign means nothing.
    fn put_sign(&mut self) {
        self.put(self.rest().chars().next().map_or(0, char::len_utf8), TextRole::Text);
    }
}

/// Where a string ends, its last sign included.
fn quote_end(inner: &str, quote: &QuoteForm) -> Option<usize> {
    let mut signs = inner.char_indices();
    while let Some((at, sign)) = signs.next() {
        if quote.has_escapes && sign == '\\' {
            signs.next();
        } else if inner.get(at..)?.starts_with(quote.close) {
            return Some(at + quote.close.len());
        }
    }
    None
}

/// Whether what is between the quotes is one sign: in some languages a lone quote means something else.
fn is_one_sign(inner: &str, bytes: Option<usize>) -> bool {
    let Some(text) = bytes.and_then(|bytes| inner.get(..bytes)) else { return false };
    text.starts_with('\\') || text.chars().count() == 1
}

/// Whether a value comes next, in languages of names and values.
fn is_key(language: &HighlightLanguage, rest: Option<&str>) -> bool {
    let rest = rest.unwrap_or_default().trim_start();
    language.key_end.is_some_and(|end| {
        rest.strip_prefix(end).is_some_and(|value| end != ':' || !value.starts_with([':', '/']))
    })
}

fn paint_blanks(paint: &mut Paint<'_>) -> bool {
    let rest = paint.rest();
    let bytes = rest.len() - rest.trim_start_matches(' ').len();
    if bytes > 0 {
        paint.put(bytes, TextRole::Text);
    }
    bytes > 0
}

/// What comes after an opening, if the text begins with it. Most texts differ in the first byte already.
fn behind<'t>(text: &'t str, opening: &str) -> Option<&'t str> {
    if text.bytes().next() == opening.bytes().next() { text.strip_prefix(opening) } else { None }
}

/// A sign that makes a name of the word behind it.
fn paint_sigil(lexicon: &Lexicon, paint: &mut Paint<'_>) -> bool {
    let rest = paint.rest();
    for (sign, role) in lexicon.language.sigils {
        let Some(inner) = rest.strip_prefix(*sign) else { continue };
        let bytes = match inner.strip_prefix('{') {
            Some(name) if *sign == '$' => name.find('}').map_or(0, |at| at + 2),
            _ => run_bytes(lexicon.language, inner),
        };
        if bytes > 0 {
            paint.put(sign.len_utf8() + bytes, *role);
            return true;
        }
    }
    false
}

fn paint_number(paint: &mut Paint<'_>) -> bool {
    let rest = paint.rest();
    if !rest.starts_with(|sign: char| sign.is_ascii_digit()) {
        return false;
    }
    let bytes = rest
        .find(|sign: char| !(sign.is_ascii_alphanumeric() || matches!(sign, '.' | '_' | '%')))
        .unwrap_or(rest.len());
    let number = rest.get(..bytes).unwrap_or_default();
    let bytes = number.find("..").unwrap_or_else(|| number.trim_end_matches('.').len());
    paint.put(bytes, TextRole::Number);
    true
}

fn paint_word(lexicon: &Lexicon, paint: &mut Paint<'_>) -> bool {
    let language = lexicon.language;
    let rest = paint.rest();
    let bytes = run_bytes(language, rest);
    let (Some(word), Some(after)) = (rest.get(..bytes), rest.get(bytes..)) else { return false };
    let Some(first) = word.chars().next() else { return false };
    let known = if language.is_case_blind {
        lexicon.words.get(word.to_lowercase().as_str())
    } else {
        lexicon.words.get(word)
    };
    let is_type = language.has_capital_types && first.is_uppercase();
    let role = match known {
        _ if is_key(language, Some(after)) => TextRole::Name,
        Some(role) => *role,
        None if is_type || after.starts_with(language.call_signs) => TextRole::Name,
        None => TextRole::Text,
    };
    paint.put(bytes, role);
    true
}

fn paint_run(lexicon: &Lexicon, paint: &mut Paint<'_>, role: TextRole) -> bool {
    let bytes = run_bytes(lexicon.language, paint.rest());
    if bytes > 0 {
        paint.put(bytes, role);
    }
    bytes > 0
}

/// Bytes of the word that a text begins with.
fn run_bytes(language: &HighlightLanguage, text: &str) -> usize {
    let is_part = |sign: char| sign.is_alphanumeric() || sign == '_' || language.word_signs.contains(&sign);
    text.find(|sign| !is_part(sign)).unwrap_or(text.len())
}

#[cfg(test)]
#[path = "highlight_tests.rs"]
mod tests;
