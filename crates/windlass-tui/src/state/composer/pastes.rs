//! Long texts that stand in the message by name: `[pasted text 1: 120 lines]`. They are in it again when it is sent.
//!
//! A name that was changed is a text like any other. Knows neither keys nor the screen.

use std::iter::Peekable;
use std::ops::Range;
use std::str::Chars;

/// Longer texts are kept under a name.
const CHARS_MAX: usize = 2_000;

/// Texts of more lines are kept under a name.
const LINES_MAX: usize = 20;

/// Texts that are kept after they were sent, to be named again if their message comes back.
const KEPT_BYTES_MAX: usize = 16 << 20;

#[derive(Debug, Clone, Default)]
pub struct Pastes {
    kept: Vec<Paste>,
    /// How many there were.
    count: usize,
}

#[derive(Debug, Clone)]
struct Paste {
    name: String,
    text: String,
}

/// Whether a text would fill the message.
pub fn is_long(text: &str) -> bool {
    text.chars().nth(CHARS_MAX).is_some() || text.lines().nth(LINES_MAX).is_some()
}

impl Pastes {
    /// Keeps a text; its name.
    pub fn keep(&mut self, text: &str) -> String {
        if let Some(known) = self.kept.iter().find(|paste| paste.text == text) {
            return known.name.clone();
        }
        self.count += 1;
        let lines = text.lines().count();
        let name = match lines {
            0 | 1 => format!("[pasted text {}: {} characters]", self.count, text.chars().count()),
            lines => format!("[pasted text {}: {lines} lines]", self.count),
        };
        self.kept.push(Paste { name: name.clone(), text: text.to_owned() });
        name
    }

    /// A message as it is sent: texts in place of their names.
    pub fn unfold(&self, message: &str) -> String {
        let mut unfolded = String::with_capacity(message.len());
        let mut rest = message;
        // Each place is looked at once: a name inside a pasted text is a part of that text.
        while let Some((at, paste)) = self.next_name(rest) {
            let (before, behind) = rest.split_at_checked(at).unwrap_or((rest, ""));
            unfolded.push_str(before);
            unfolded.push_str(&paste.text);
            rest = behind.strip_prefix(paste.name.as_str()).unwrap_or_default();
        }
        unfolded.push_str(rest);
        unfolded
    }

    fn next_name(&self, text: &str) -> Option<(usize, &Paste)> {
        self.kept.iter().filter_map(|paste| Some((text.find(&paste.name)?, paste))).min_by_key(|(at, _)| *at)
    }

    /// A message as it was written: names in place of long texts. What is still long gets a name as a whole.
    pub fn fold(&mut self, message: &str) -> String {
        if !is_long(message) {
            return message.to_owned();
        }
        let mut folded = message.to_owned();
        for paste in self.kept.iter().rev() {
            folded = folded.replace(&paste.text, &paste.name);
        }
        if is_long(&folded) { self.keep(message) } else { folded }
    }

    /// Where names are in a line.
    pub fn places(&self, line: &str) -> Vec<Range<usize>> {
        if !line.contains('[') {
            return Vec::new();
        }
        let mut places: Vec<Range<usize>> = self
            .kept
            .iter()
            .flat_map(|paste| line.match_indices(&paste.name).map(|(at, name)| at..at + name.len()))
            .collect();
        places.sort_unstable_by_key(|place| place.start);
        places
    }

    /// The name with which a text ends.
    pub fn name_at_end(&self, text: &str) -> Option<&str> {
        self.kept.iter().map(|paste| paste.name.as_str()).find(|name| text.ends_with(name))
    }

    /// Lets go of the oldest texts when there are too many; only while no message is being written.
    pub fn forget_oldest(&mut self) {
        let mut bytes: usize = self.kept.iter().map(|paste| paste.text.len()).sum();
        while bytes > KEPT_BYTES_MAX && !self.kept.is_empty() {
            bytes -= self.kept.remove(0).text.len();
        }
    }
}

/// A text as it may be pasted: line ends are line feeds, and nothing in it commands a terminal.
pub fn harmless(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut kept = String::with_capacity(text.len());
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '\n' | '\t' => kept.push(sign),
            '\u{1b}' => skip_sequence(&mut signs),
            sign if sign.is_control() => {}
            sign => kept.push(sign),
        }
    }
    kept
}

/// The rest of an escape sequence: colours of a text that was copied off a terminal.
fn skip_sequence(signs: &mut Peekable<Chars<'_>>) {
    match signs.peek() {
        Some('[') => {
            signs.next();
            while signs.next_if(|sign| matches!(sign, ' '..='?')).is_some() {}
            signs.next_if(|sign| matches!(sign, '@'..='~'));
        }
        Some(']') => {
            while signs.next_if(|sign| !matches!(sign, '\u{7}' | '\u{1b}' | '\n')).is_some() {}
            // The sequence ends with a bell, or with another that consists of a backslash.
            if signs.next_if_eq(&'\u{1b}').is_some() {
                signs.next_if_eq(&'\\');
            }
        }
        Some(_) | None => {}
    }
}

#[cfg(test)]
#[path = "pastes_tests.rs"]
mod tests;
