//! Reads a script line by line and word by word, and knows where it is.
//!
//! Knows columns, here-texts and numbers; knows no word of the language itself.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::Split;

use windlass_core::text::nearest::nearest_names;

use crate::limits::{DELAY_MS_MAX, SHOWN_CHARS_MAX};
use crate::script::JsonText;

/// Why a script cannot be read: what was wrong, where, and what was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct ScriptParseError {
    pub script: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    pub message: String,
    /// What would have been right.
    pub expected: String,
    /// The word that was probably meant.
    pub suggestion: Option<String>,
}

impl fmt::Display for ScriptParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { script, line, column, message, expected, suggestion } = self;
        write!(f, "{script}:{line}:{column}: {message}; expected {expected}")?;
        match suggestion {
            Some(word) => write!(f, " (did you mean '{word}'?)"),
            None => Ok(()),
        }
    }
}

/// A script being read.
pub(crate) struct ScriptReader<'a> {
    name: &'a str,
    lines: Split<'a, char>,
    number: u32,
    line: &'a str,
    rest: &'a str,
    /// Line and column of the last thing taken.
    mark: (u32, u32),
}

impl<'a> ScriptReader<'a> {
    pub(crate) fn new(name: &'a str, text: &'a str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Self { name, lines: text.split('\n'), number: 0, line: "", rest: "", mark: (1, 1) }
    }

    /// Goes to the next line, whatever is in it.
    fn advance(&mut self) -> Option<&'a str> {
        self.line = self.lines.next()?.trim_end_matches('\r');
        self.rest = self.line;
        self.number = self.number.saturating_add(1);
        self.mark = (self.number, 1);
        Some(self.line)
    }

    /// Goes to the next line that says something.
    pub(crate) fn next_line(&mut self) -> bool {
        while let Some(line) = self.advance() {
            let said = line.trim();
            if !said.is_empty() && !said.starts_with('#') {
                return true;
            }
        }
        false
    }

    /// The line being read, from 1.
    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// The next word, without taking it.
    pub(crate) fn peek(&self) -> Option<&'a str> {
        self.rest.split_whitespace().next()
    }

    /// Takes the next word.
    pub(crate) fn word(&mut self) -> Option<&'a str> {
        let start = self.rest.trim_start();
        self.mark_at(start);
        let end = start.find(char::is_whitespace).unwrap_or(start.len());
        let (word, rest) = start.split_at_checked(end)?;
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }

    /// Takes the next word, which must be there.
    pub(crate) fn need(&mut self, expected: &str) -> Result<&'a str, ScriptParseError> {
        self.word().ok_or_else(|| self.fault("the line ends here", expected))
    }

    /// Takes the next word if it begins so, and gives what follows.
    pub(crate) fn option(&mut self, prefix: &str) -> Option<&'a str> {
        let value = self.peek()?.strip_prefix(prefix)?;
        self.word();
        Some(value)
    }

    /// Takes a word that must be one of these.
    pub(crate) fn choose<T: Clone>(
        &mut self,
        expected: &str,
        known: &[T],
        word_of: impl Fn(&T) -> &'static str,
    ) -> Result<T, ScriptParseError> {
        let word = self.need(expected)?;
        match known.iter().find(|one| word_of(one) == word) {
            Some(found) => Ok(found.clone()),
            None => Err(self.unknown(word, expected, known.iter().map(word_of))),
        }
    }

    /// Takes a whole number within bounds.
    pub(crate) fn whole(
        &mut self,
        expected: &str,
        bounds: RangeInclusive<u64>,
    ) -> Result<u64, ScriptParseError> {
        let word = self.need(expected)?;
        self.whole_of(word, expected, bounds)
    }

    /// Reads a word as a whole number within bounds.
    pub(crate) fn whole_of(
        &self,
        word: &str,
        expected: &str,
        bounds: RangeInclusive<u64>,
    ) -> Result<u64, ScriptParseError> {
        let Ok(number) = word.parse::<u64>() else {
            return Err(self.fault(format!("'{}' is not a whole number", shown(word)), expected));
        };
        if bounds.contains(&number) {
            return Ok(number);
        }
        let (low, high) = (bounds.start(), bounds.end());
        Err(self.fault(format!("{number} is not from {low} to {high}"), expected))
    }

    /// Takes the number of a call.
    pub(crate) fn call_number(&mut self) -> Result<u32, ScriptParseError> {
        let number = self.whole("the number of a call", 1..=u64::from(u32::MAX))?;
        Ok(u32::try_from(number).unwrap_or(u32::MAX))
    }

    /// Reads a word as a duration: `200ms`, `2s`.
    pub(crate) fn duration_of(&self, word: &str) -> Result<u64, ScriptParseError> {
        let expected = "a duration such as 200ms or 2s";
        let (digits, factor) = match (word.strip_suffix("ms"), word.strip_suffix('s')) {
            (Some(digits), _) => (digits, 1),
            (None, Some(digits)) => (digits, 1_000),
            (None, None) => {
                return Err(self.fault(format!("'{}' is not a duration", shown(word)), expected));
            }
        };
        let number = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
        match number {
            Some(ms) if ms <= DELAY_MS_MAX => Ok(ms),
            Some(ms) => Err(self.fault(format!("{ms} ms is more than {DELAY_MS_MAX} ms"), expected)),
            None => Err(self.fault(format!("'{}' is not a duration", shown(word)), expected)),
        }
    }

    /// Takes the rest of the line, or the here-text that it opens; must not be empty.
    pub(crate) fn text(&mut self, expected: &str) -> Result<String, ScriptParseError> {
        match self.text_or_nothing()? {
            Some(text) => Ok(text),
            None => Err(self.fault("the line ends here", expected)),
        }
    }

    /// Takes the rest of the line, or the here-text that it opens, if there is any.
    pub(crate) fn text_or_nothing(&mut self) -> Result<Option<String>, ScriptParseError> {
        let start = self.rest.trim_start();
        self.mark_at(start);
        self.rest = "";
        let text = start.trim_end();
        match here_word(text) {
            Some(end) => self.here_text(end).map(Some),
            None if text.is_empty() => Ok(None),
            None => Ok(Some(text.to_owned())),
        }
    }

    /// Takes the rest of the line, or a here-text, as JSON.
    pub(crate) fn json(&mut self, expected: &str) -> Result<JsonText, ScriptParseError> {
        let text = self.text(expected)?;
        JsonText::parse(&text).map_err(|error| self.fault(format!("this is not JSON: {error}"), expected))
    }

    /// Reads lines up to one that is `end` alone.
    fn here_text(&mut self, end: &str) -> Result<String, ScriptParseError> {
        let opened = self.mark;
        let mut lines = Vec::new();
        while let Some(line) = self.advance() {
            if line.trim() == end {
                self.rest = "";
                self.mark = opened;
                return Ok(lines.join("\n"));
            }
            lines.push(line);
        }
        self.mark = opened;
        Err(self.fault("the text that begins here has no end", format!("a line '{end}' after it")))
    }

    /// Nothing more may stand in the line.
    pub(crate) fn end(&mut self) -> Result<(), ScriptParseError> {
        match self.word() {
            None => Ok(()),
            Some(word) => Err(self.fault(format!("'{}' is too much", shown(word)), "the end of the line")),
        }
    }

    /// An error about the last thing taken.
    pub(crate) fn fault(&self, message: impl Into<String>, expected: impl Into<String>) -> ScriptParseError {
        ScriptParseError {
            script: self.name.to_owned(),
            line: self.mark.0,
            column: self.mark.1,
            message: message.into(),
            expected: expected.into(),
            suggestion: None,
        }
    }

    /// Goes back to the beginning of a line, for an error about it.
    pub(crate) fn point_at(&mut self, line: u32) {
        self.mark = (line, 1);
    }

    /// An error about a word that is none of the known ones.
    pub(crate) fn unknown(
        &self,
        word: &str,
        expected: &str,
        known: impl IntoIterator<Item = &'static str>,
    ) -> ScriptParseError {
        let mut error = self.fault(format!("unknown word '{}'", shown(word)), expected);
        error.suggestion = nearest_names(word, known, 1).first().map(|word| (*word).to_owned());
        error
    }

    fn mark_at(&mut self, rest: &str) {
        let taken = self.line.len().saturating_sub(rest.len());
        let before = self.line.get(..taken).unwrap_or_default();
        let column = u32::try_from(before.chars().count()).unwrap_or(u32::MAX).saturating_add(1);
        self.mark = (self.number, column);
    }
}

/// The closing word of a here-text, if the text opens one: `<<END`.
pub(crate) fn here_word(text: &str) -> Option<&str> {
    let word = text.strip_prefix("<<")?;
    let is_named = word.starts_with(|c: char| c.is_ascii_uppercase())
        && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    is_named.then_some(word)
}

/// A text short enough for an error message.
pub(crate) fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARS_MAX) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

/// A list for readers: `a, b or c`.
pub(crate) fn listed<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<&str> = words.into_iter().collect();
    match words.split_last() {
        None => String::new(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
    }
}
