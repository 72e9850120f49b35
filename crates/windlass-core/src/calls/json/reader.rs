//! The fast way from strict JSON to a value: one pass, one allocation for each string and container.
//!
//! It builds the same value as `serde_json`, and accepts what `serde_json` accepts but for what would not come out
//! as it was written: a key that stands twice in an object, and a number that would be rounded. Tests hold the
//! two together. Why a text is no JSON, `serde_json` explains; the rest [`find_altered`] does.

use serde_json::map::Entry;
use serde_json::{Map, Number, Value};

use super::DEPTH_MAX;
use super::number::{ReadNumber, read_number};
use super::scan::{plain_run, skip_blanks};

/// Fields to make room for at once: most objects of calls have at most this many.
const FIELDS_ROOM: usize = 4;
/// Items to make room for at once: lists of edits, paths and tags are mostly shorter.
const ITEMS_ROOM: usize = 8;

/// Digits that surely fit in 64 bits.
const DIGITS_MAX: usize = 18;

/// The value of a whole text, or `None` if it is not one strict JSON value that comes out as it was written.
pub(super) fn read_value(text: &str) -> Option<Value> {
    let mut reader = StrictReader::new(text);
    let value = reader.value()?;
    (skip_blanks(reader.bytes, reader.at) == text.len()).then_some(value)
}

/// What of a text would not come out as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Altered {
    /// Where it begins, in bytes.
    pub(super) offset: usize,
    /// What it is, with its JSON pointer.
    pub(super) message: String,
}

/// The first place of a text at which the reader refused what `serde_json` would have changed.
#[cold]
pub(super) fn find_altered(text: &str) -> Option<Altered> {
    let mut reader = StrictReader::new(text);
    let (offset, fault) = match reader.value() {
        Some(_) => return None,
        None => reader.fault?,
    };
    let path: String = reader.path.iter().rev().map(|step| format!("/{step}")).collect();
    let message = match fault {
        ReadFault::Key => format!("the key at {path} is written twice; write it once"),
        ReadFault::Number(number) => {
            format!("the number {number} at {path} cannot be kept exactly; send it as text")
        }
    };
    Some(Altered { offset, message })
}

enum ReadFault {
    Key,
    Number(String),
}

struct StrictReader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    depth_left: u8,
    /// Why the text was refused although it is JSON, and where; `path` leads there, the innermost step first.
    fault: Option<(usize, ReadFault)>,
    path: Vec<String>,
}

impl<'a> StrictReader<'a> {
    fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        // One less, so that it refuses at the depth at which `serde_json` does.
        Self { text, bytes, at: 0, depth_left: DEPTH_MAX - 1, fault: None, path: Vec::new() }
    }

    /// A step of the way to what was refused.
    #[cold]
    fn locate<T>(&mut self, step: impl FnOnce() -> String) -> Option<T> {
        if self.fault.is_some() {
            self.path.push(step());
        }
        None
    }

    /// Takes the next byte that is no blank.
    #[inline]
    fn next(&mut self) -> Option<u8> {
        let mut byte = *self.bytes.get(self.at)?;
        // Compact JSON has no blanks: one comparison is all it pays for them.
        if byte <= b' ' {
            self.at = skip_blanks(self.bytes, self.at);
            byte = *self.bytes.get(self.at)?;
        }
        self.at += 1;
        Some(byte)
    }

    fn value(&mut self) -> Option<Value> {
        let first = self.next()?;
        self.value_from(first)
    }

    fn value_from(&mut self, first: u8) -> Option<Value> {
        match first {
            b'"' => self.string().map(Value::String),
            b'{' => self.nested(Self::object).map(Value::Object),
            b'[' => self.nested(Self::array).map(Value::Array),
            b't' => self.word("rue", Value::Bool(true)),
            b'f' => self.word("alse", Value::Bool(false)),
            b'n' => self.word("ull", Value::Null),
            b'-' | b'0'..=b'9' => self.number(first).map(Value::Number),
            _ => None,
        }
    }

    #[inline]
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.depth_left = self.depth_left.checked_sub(1)?;
        let inner = read(self)?;
        self.depth_left += 1;
        Some(inner)
    }

    fn word(&mut self, rest: &str, value: Value) -> Option<Value> {
        if !self.bytes.get(self.at..)?.starts_with(rest.as_bytes()) {
            return None;
        }
        self.at += rest.len();
        Some(value)
    }

    fn array(&mut self) -> Option<Vec<Value>> {
        let mut first = self.next()?;
        if first == b']' {
            return Some(Vec::new());
        }
        let mut items = Vec::with_capacity(ITEMS_ROOM);
        loop {
            let Some(item) = self.value_from(first) else { return self.locate(|| items.len().to_string()) };
            items.push(item);
            match self.next()? {
                b',' => first = self.next()?,
                b']' => return Some(items),
                _ => return None,
            }
        }
    }

    fn object(&mut self) -> Option<Map<String, Value>> {
        let mut first = self.next()?;
        if first == b'}' {
            return Some(Map::new());
        }
        let mut fields = Map::with_capacity(FIELDS_ROOM);
        loop {
            if first != b'"' {
                return None;
            }
            let start = self.at - 1;
            let key = self.string()?;
            if self.next()? != b':' {
                return None;
            }
            let Some(value) = self.value() else { return self.locate(|| key) };
            match fields.entry(key) {
                Entry::Vacant(free) => drop(free.insert(value)),
                Entry::Occupied(taken) => {
                    self.fault = Some((start, ReadFault::Key));
                    return self.locate(|| taken.key().clone());
                }
            }
            match self.next()? {
                b',' => first = self.next()?,
                b'}' => return Some(fields),
                _ => return None,
            }
        }
    }

    #[inline]
    fn number(&mut self, first: u8) -> Option<Number> {
        let start = self.at - 1;
        if matches!(first, b'1'..=b'9') {
            let mut number = u64::from(first - b'0');
            let mut at = self.at;
            while let Some(digit @ b'0'..=b'9') = self.bytes.get(at) {
                // May wrap: a number of so many digits is read below instead.
                number = number.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
                at += 1;
            }
            if at - start <= DIGITS_MAX && !matches!(self.bytes.get(at), Some(b'.' | b'e' | b'E')) {
                self.at = at;
                return Some(number.into());
            }
        }
        self.rare_number(start)
    }

    /// Signs, zeros, fractions, exponents and long numbers are read by `serde_json` itself, so that no number
    /// depends on which way it was read.
    #[cold]
    fn rare_number(&mut self, start: usize) -> Option<Number> {
        while let Some(b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-') = self.bytes.get(self.at) {
            self.at += 1;
        }
        let text = self.text.get(start..self.at)?;
        match read_number(text)? {
            ReadNumber::Exact(number) => Some(number),
            ReadNumber::Rounded(_) => {
                self.fault = Some((start, ReadFault::Number(text.to_owned())));
                None
            }
        }
    }

    /// The string whose opening quote was taken.
    #[inline]
    fn string(&mut self) -> Option<String> {
        let end = plain_run(self.bytes, self.at);
        if self.bytes.get(end) != Some(&b'"') {
            return self.escaped_string();
        }
        let string = self.text.get(self.at..end)?.to_owned();
        self.at = end + 1;
        Some(string)
    }

    #[cold]
    fn escaped_string(&mut self) -> Option<String> {
        let mut string = String::new();
        loop {
            let end = plain_run(self.bytes, self.at);
            string.push_str(self.text.get(self.at..end)?);
            self.at = end + 1;
            match self.bytes.get(end)? {
                b'"' => return Some(string),
                b'\\' => {
                    let (escaped, behind) = read_escape(self.bytes, self.at)?;
                    string.push(escaped);
                    self.at = behind;
                }
                _ => return None,
            }
        }
    }
}

/// The character that an escape stands for and the offset behind it; `at` is just behind the backslash.
pub(super) fn read_escape(bytes: &[u8], at: usize) -> Option<(char, usize)> {
    let escaped = match bytes.get(at)? {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return read_unicode_escape(bytes, at + 1),
        _ => return None,
    };
    Some((escaped, at + 1))
}

/// Four hex digits, and four more behind a second `\u` where the first are one half of a pair. A half without
/// the other is no character.
fn read_unicode_escape(bytes: &[u8], at: usize) -> Option<(char, usize)> {
    let unit = read_hex(bytes, at, 4)?;
    if let Some(single) = char::from_u32(unit) {
        return Some((single, at + 4));
    }
    if bytes.get(at + 4..at + 6)? != b"\\u" {
        return None;
    }
    let low = read_hex(bytes, at + 6, 4)?;
    let units = [u16::try_from(unit).ok()?, u16::try_from(low).ok()?];
    let pair = char::decode_utf16(units).next()?.ok()?;
    Some((pair, at + 10))
}

/// A number of so many hex digits.
pub(super) fn read_hex(bytes: &[u8], at: usize, digits: usize) -> Option<u32> {
    bytes
        .get(at..at + digits)?
        .iter()
        .try_fold(0, |number, byte| Some(number << 4 | char::from(*byte).to_digit(16)?))
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;
