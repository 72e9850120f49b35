//! Reads one value in a text that is nearly JSON, and notes each liberty it took.
//!
//! Strict JSON is read without a note and to the same value as by the strict reader. Which liberties are
//! believed is not decided here: the reader takes them all and the notes tell.

use serde_json::{Map, Value};

use super::DEPTH_MAX;
use super::note::{NoteSet, RepairNote};
use super::number::{ReadNumber, read_number};
use super::reader::{read_escape, read_hex};
use super::scan::{plain_run, skip_blanks};

/// A value found in a text.
pub(super) struct LenientValue {
    pub(super) value: Value,
    /// The offset behind it.
    pub(super) end: usize,
    pub(super) notes: NoteSet,
}

/// Reads the value that begins at `start`.
pub(super) fn read_lenient(text: &str, start: usize) -> Option<LenientValue> {
    let notes = NoteSet::default();
    let mut reader =
        LenientReader { text, bytes: text.as_bytes(), at: start, depth_left: DEPTH_MAX - 1, notes };
    let value = reader.value()?;
    Some(LenientValue { value, end: reader.at, notes: reader.notes })
}

/// The quotes a string may stand in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum QuoteMark {
    Double,
    Single,
    SmartDouble,
    SmartSingle,
}

impl QuoteMark {
    fn opened_by(c: char) -> Option<Self> {
        match c {
            '"' => Some(Self::Double),
            '\'' => Some(Self::Single),
            '“' | '”' | '„' | '‟' => Some(Self::SmartDouble),
            '‘' | '’' | '‚' | '‛' => Some(Self::SmartSingle),
            _ => None,
        }
    }

    fn is_closed_by(self, c: char) -> bool {
        match self {
            Self::Double => c == '"',
            Self::Single => c == '\'',
            Self::SmartDouble => matches!(c, '“' | '”' | '„' | '‟' | '"'),
            Self::SmartSingle => matches!(c, '‘' | '’' | '‚' | '‛' | '\''),
        }
    }

    fn note(self) -> Option<RepairNote> {
        match self {
            Self::Double => None,
            Self::Single => Some(RepairNote::SingleQuotes),
            Self::SmartDouble | Self::SmartSingle => Some(RepairNote::SmartQuotes),
        }
    }
}

struct LenientReader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    depth_left: u8,
    notes: NoteSet,
}

impl LenientReader<'_> {
    fn note(&mut self, note: RepairNote) {
        self.notes.add(note);
    }

    /// The next byte that is neither blank nor comment, not yet taken.
    #[inline]
    fn peek(&mut self) -> Option<u8> {
        loop {
            self.at = skip_blanks(self.bytes, self.at);
            let byte = *self.bytes.get(self.at)?;
            let opens_comment =
                byte == b'#' || byte == b'/' && matches!(self.bytes.get(self.at + 1), Some(b'/' | b'*'));
            if !opens_comment {
                return Some(byte);
            }
            self.skip_comment();
        }
    }

    #[cold]
    fn skip_comment(&mut self) {
        self.note(RepairNote::Comment);
        let rest = self.text.get(self.at..).unwrap_or_default();
        let (end, closing) = if rest.starts_with("/*") { ("*/", 2) } else { ("\n", 1) };
        self.at += rest.find(end).map_or(rest.len(), |found| found + closing);
    }

    fn take(&mut self, wanted: u8) -> bool {
        let is_there = self.peek() == Some(wanted);
        self.at += usize::from(is_there);
        is_there
    }

    fn value(&mut self) -> Option<Value> {
        match self.peek()? {
            b'{' => self.nested(Self::object),
            b'[' => self.nested(Self::array),
            b'0'..=b'9' | b'-' | b'+' | b'.' => self.number(),
            byte if byte.is_ascii_alphabetic() => self.word(),
            _ => {
                let quote = self.take_quote()?;
                self.string(quote).map(Value::String)
            }
        }
    }

    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Option<Value>) -> Option<Value> {
        self.depth_left = self.depth_left.checked_sub(1)?;
        self.at += 1;
        let inner = read(self)?;
        self.depth_left += 1;
        Some(inner)
    }

    fn array(&mut self) -> Option<Value> {
        let mut items = Vec::new();
        let mut has_comma = true;
        while self.goes_on(b']', has_comma, items.is_empty()) {
            items.push(self.value()?);
            has_comma = self.take(b',');
        }
        Some(Value::Array(items))
    }

    fn object(&mut self) -> Option<Value> {
        let mut fields = Map::new();
        let mut has_comma = true;
        while self.goes_on(b'}', has_comma, fields.is_empty()) {
            let key = self.key()?;
            // Only the end of the text may stand for the colon: there it was cut.
            if !self.take(b':') && self.peek().is_some() {
                return None;
            }
            if self.peek().is_none() {
                self.note(RepairNote::CutShort);
                break;
            }
            let value = self.value()?;
            if fields.insert(key, value).is_some() {
                self.note(RepairNote::DuplicateKey);
            }
            has_comma = self.take(b',');
        }
        Some(Value::Object(fields))
    }

    /// Whether another item follows; takes the closing bracket if not.
    fn goes_on(&mut self, close: u8, has_comma: bool, is_first: bool) -> bool {
        match self.peek() {
            Some(byte) if byte == close => {
                self.at += 1;
                if has_comma && !is_first {
                    self.note(RepairNote::TrailingComma);
                }
                false
            }
            // The end, or the bracket of what is around: it was forgotten here.
            None | Some(b'}' | b']') => {
                self.note(RepairNote::MissingClose);
                false
            }
            Some(_) => {
                if !has_comma {
                    self.note(RepairNote::MissingComma);
                }
                true
            }
        }
    }

    fn key(&mut self) -> Option<String> {
        self.peek()?;
        if let Some(quote) = self.take_quote() {
            return self.string(quote);
        }
        let name = self.take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'-'));
        if name.is_empty() {
            return None;
        }
        let name = name.to_owned();
        self.note(RepairNote::UnquotedKey);
        Some(name)
    }

    fn take_while(&mut self, is_part: impl Fn(&u8) -> bool) -> &str {
        let start = self.at;
        let rest = self.bytes.get(start..).unwrap_or_default();
        self.at += rest.iter().take_while(|byte| is_part(byte)).count();
        self.text.get(start..self.at).unwrap_or_default()
    }

    fn word(&mut self) -> Option<Value> {
        let (value, note) = match self.take_while(u8::is_ascii_alphanumeric) {
            "true" => return Some(Value::Bool(true)),
            "false" => return Some(Value::Bool(false)),
            "null" => return Some(Value::Null),
            "True" | "TRUE" => (Value::Bool(true), RepairNote::LiteralSpelling),
            "False" | "FALSE" => (Value::Bool(false), RepairNote::LiteralSpelling),
            "None" | "Null" | "NULL" => (Value::Null, RepairNote::LiteralSpelling),
            "NaN" | "Infinity" => (Value::Null, RepairNote::NotANumber),
            _ => return None,
        };
        self.note(note);
        Some(value)
    }

    fn number(&mut self) -> Option<Value> {
        let digits = self.take_while(|byte| byte.is_ascii_digit() || b"+-.eE".contains(byte));
        if let Some(read) = read_number(digits) {
            return Some(self.keep(read));
        }
        // `-Infinity` is a sign and a word.
        if matches!(digits, "-" | "+") {
            return self.word().filter(Value::is_null);
        }
        let mut spelled = digits.strip_prefix('+').unwrap_or(digits).to_owned();
        if spelled.starts_with('.') {
            spelled.insert(0, '0');
        }
        if spelled.ends_with('.') {
            spelled.push('0');
        }
        let read = read_number(&spelled)?;
        self.note(RepairNote::NumberSpelling);
        Some(self.keep(read))
    }

    fn keep(&mut self, read: ReadNumber) -> Value {
        match read {
            ReadNumber::Exact(number) => Value::Number(number),
            ReadNumber::Rounded(number) => {
                self.note(RepairNote::RoundedNumber);
                Value::Number(number)
            }
        }
    }

    fn take_quote(&mut self) -> Option<QuoteMark> {
        let first = self.text.get(self.at..)?.chars().next()?;
        let quote = QuoteMark::opened_by(first)?;
        self.at += first.len_utf8();
        if let Some(note) = quote.note() {
            self.note(note);
        }
        Some(quote)
    }

    fn string(&mut self, quote: QuoteMark) -> Option<String> {
        let mut string = String::new();
        loop {
            let end = self.stop(quote);
            string.push_str(self.text.get(self.at..end)?);
            self.at = end;
            let Some(c) = self.text.get(end..)?.chars().next() else {
                self.note(RepairNote::CutShort);
                return Some(string);
            };
            self.at += c.len_utf8();
            if quote.is_closed_by(c) {
                return Some(string);
            }
            if c == '\\' {
                self.escape(quote, &mut string);
                continue;
            }
            if c < ' ' {
                self.note(RepairNote::RawControl);
            }
            string.push(c);
        }
    }

    /// The next place where a string may end or needs care.
    fn stop(&self, quote: QuoteMark) -> usize {
        if quote == QuoteMark::Double {
            return plain_run(self.bytes, self.at);
        }
        // Typographic quotes all begin with this byte.
        let is_care = |byte: &u8| *byte < b' ' || matches!(byte, b'"' | b'\'' | b'\\' | 0xe2);
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        rest.iter().position(is_care).map_or(self.bytes.len(), |plain| self.at + plain)
    }

    /// Reads behind a backslash.
    fn escape(&mut self, quote: QuoteMark, string: &mut String) {
        if let Some((escaped, behind)) = read_escape(self.bytes, self.at) {
            string.push(escaped);
            self.at = behind;
            return;
        }
        match (self.bytes.get(self.at), quote) {
            // Other languages write these, and mean nothing else by them.
            (Some(b'\''), _) => {
                self.note(RepairNote::SingleQuotes);
                string.push('\'');
                self.at += 1;
            }
            // Python's escape, so it counts in Python's quotes only.
            (Some(b'x'), QuoteMark::Single) => {
                match read_hex(self.bytes, self.at + 1, 2).and_then(char::from_u32) {
                    Some(escaped) => {
                        string.push(escaped);
                        self.at += 3;
                    }
                    None => self.keep_backslash(string),
                }
            }
            _ => self.keep_backslash(string),
        }
    }

    fn keep_backslash(&mut self, string: &mut String) {
        self.note(RepairNote::BadEscape);
        string.push('\\');
    }
}
