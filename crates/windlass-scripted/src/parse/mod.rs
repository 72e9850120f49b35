//! Reads the text form of scripts. Every error says where it is, what was wrong and what was expected.
//!
//! Owns the grammar. Knows nothing of how a script is played.

mod body;
mod expect;
mod header;
mod model;
mod reader;

use std::collections::BTreeMap;

pub use reader::ScriptParseError;
pub(crate) use reader::{here_word, listed, shown};

use crate::limits::SCRIPT_BYTES_MAX;
use crate::script::{
    EventPattern, Expectation, ModelLine, Script, ScriptHappening, ScriptHeader, ScriptLine,
};
use crate::words::{BODY, HEADER};
use reader::ScriptReader;

impl Script {
    /// Reads a script. `name` is its file, for error messages and the model's name.
    pub fn parse(name: &str, text: &str) -> Result<Script, ScriptParseError> {
        let mut parser = Parser::new(ScriptReader::new(name, text));
        if text.len() > SCRIPT_BYTES_MAX {
            let message = format!("the script has {} bytes", text.len());
            return Err(parser.reader.fault(message, format!("at most {SCRIPT_BYTES_MAX} bytes")));
        }
        while parser.reader.next_line() {
            parser.read_line()?;
        }
        parser.finish(name)
    }
}

/// A script being read, and what is known of it so far.
struct Parser<'a> {
    reader: ScriptReader<'a>,
    header: ScriptHeader,
    lines: Vec<ScriptLine>,
    /// Numbers of the calls so far, and the lines where they stand.
    calls: BTreeMap<u32, u32>,
}

impl<'a> Parser<'a> {
    fn new(reader: ScriptReader<'a>) -> Self {
        Self { reader, header: ScriptHeader::default(), lines: Vec::new(), calls: BTreeMap::new() }
    }

    /// Reads one line, which is not empty.
    fn read_line(&mut self) -> Result<(), ScriptParseError> {
        let number = self.reader.number();
        let word = self.reader.need("a word")?;
        let in_header = self.lines.is_empty();
        if HEADER.contains(&word) && (in_header || !BODY.contains(&word)) {
            if !in_header {
                let message = format!("'{word}' belongs to the header");
                return Err(self.reader.fault(message, "header lines before the first 'user' line"));
            }
            return self.read_header(word);
        }
        if !BODY.contains(&word) {
            let (expected, known) = match in_header {
                true => (listed(HEADER.into_iter().chain(["user"])), HEADER.iter().chain(&BODY)),
                false => (listed(BODY), BODY.iter().chain(&[])),
            };
            return Err(self.reader.unknown(word, &expected, known.copied()));
        }
        if in_header && word != "user" {
            let message = format!("'{word}' stands before the first message");
            return Err(self.reader.fault(message, "a line 'user TEXT' before anything else happens"));
        }
        let waits = matches!(
            self.lines.last(),
            Some(ScriptLine { happening: ScriptHappening::ExpectRequest(_), .. })
        );
        if waits && word != "model" && word != "expect-request" {
            return Err(self.reader.fault("'expect-request' checks nothing here", BEFORE_MODEL));
        }
        let happening = self.read_happening(word)?;
        self.push(number, happening);
        Ok(())
    }

    /// Adds a happening. Event expectations that follow each other are one.
    fn push(&mut self, number: u32, happening: ScriptHappening) {
        match (self.lines.last_mut(), happening) {
            (
                Some(ScriptLine { happening: ScriptHappening::Expect(Expectation::Events(so_far)), .. }),
                ScriptHappening::Expect(Expectation::Events(more)),
            ) => so_far.extend(more),
            (_, happening) => self.lines.push(ScriptLine { number, happening }),
        }
    }

    fn finish(mut self, name: &str) -> Result<Script, ScriptParseError> {
        match self.lines.last() {
            None => Err(self.reader.fault("the script says nothing", "a line 'user TEXT'")),
            Some(ScriptLine { happening: ScriptHappening::ExpectRequest(_), number }) => {
                self.reader.point_at(*number);
                Err(self.reader.fault("'expect-request' checks nothing here", BEFORE_MODEL))
            }
            Some(_) => Ok(Script { name: name.to_owned(), header: self.header, lines: self.lines }),
        }
    }

    /// Takes the number of a call that stands further up.
    fn known_call(&mut self) -> Result<u32, ScriptParseError> {
        let number = self.reader.call_number()?;
        // A model that writes its calls as text has no call lines: there, calls are just counted.
        if self.calls.is_empty() || self.calls.contains_key(&number) {
            return Ok(number);
        }
        let known: Vec<String> = self.calls.keys().map(u32::to_string).collect();
        let expected = format!("a call made before this line: {}", listed(known.iter().map(String::as_str)));
        Err(self.reader.fault(format!("there is no call {number} yet"), expected))
    }

    /// Notes a new call.
    fn new_call(&mut self) -> Result<u32, ScriptParseError> {
        let number = self.reader.call_number()?;
        let line = self.reader.number();
        match self.calls.insert(number, line) {
            None => Ok(number),
            Some(taken) => {
                let next = self.calls.keys().next_back().map_or(1, |last| last.saturating_add(1));
                let message = format!("call {number} already stands in line {taken}");
                Err(self.reader.fault(message, format!("a number of its own, such as {next}")))
            }
        }
    }
}

const BEFORE_MODEL: &str = "the 'model' lines that it checks directly after it";

#[cfg(test)]
#[path = "mod_tests.rs"]
mod tests;
