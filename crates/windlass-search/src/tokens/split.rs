//! Parts of an identifier: where `HTTPServer`, `read_file`, `utf8Bytes` and `IDs` are cut.
//!
//! Owns the boundaries and nothing else: it gives byte ranges.

/// Byte ranges of the parts of one run of letters, digits and `_`.
pub(super) struct WordParts<'a> {
    run: &'a str,
    at: usize,
}

impl<'a> WordParts<'a> {
    pub(super) fn new(run: &'a str) -> Self {
        Self { run, at: 0 }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Upper,
    /// Lower-case letters, and those of scripts without cases.
    Lower,
    Digit,
    Gap,
}

fn class(c: char) -> Class {
    match c {
        '_' => Class::Gap,
        c if c.is_uppercase() => Class::Upper,
        c if c.is_numeric() => Class::Digit,
        _ => Class::Lower,
    }
}

impl Iterator for WordParts<'_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let rest = self.run.get(self.at..)?;
            let start = self.at + rest.find(|c| class(c) != Class::Gap)?;
            let end = start + part_length(self.run.get(start..)?);
            self.at = end;
            // A digit behind letters says nothing alone: `utf8` is `utf` and, whole, `utf8`.
            let is_tail = end - start == 1
                && self.run.get(start..end).is_some_and(|part| part.starts_with(char::is_numeric))
                && self.run.get(..start).is_some_and(|before| before.ends_with(char::is_alphabetic));
            if !is_tail {
                return Some((start, end));
            }
        }
    }
}

/// Bytes of the first part of a text that begins with no gap.
fn part_length(text: &str) -> usize {
    let mut chars = text.char_indices().map(|(at, c)| (at, class(c))).peekable();
    let Some((_, first)) = chars.next() else { return 0 };
    let mut last = (0, first);
    let mut uppers = usize::from(first == Class::Upper);
    while let Some(&(at, now)) = chars.peek() {
        match (last.1, now) {
            (Class::Upper, Class::Lower) if uppers > 1 => {
                return if is_plural(text.get(at..).unwrap_or_default()) { at + 1 } else { last.0 };
            }
            (Class::Upper | Class::Lower, Class::Lower) | (Class::Digit, Class::Digit) => {}
            (Class::Upper, Class::Upper) => uppers += 1,
            _ => return at,
        }
        last = (at, now);
        chars.next();
    }
    text.len()
}

/// Whether an acronym goes on with the `s` of its plural alone: `IDs`, `URLsSeen`.
fn is_plural(rest: &str) -> bool {
    rest.strip_prefix('s').is_some_and(|rest| rest.chars().next().is_none_or(|c| class(c) != Class::Lower))
}

/// Whether a character belongs to a script that writes no spaces between words.
pub(super) fn is_wide(c: char) -> bool {
    matches!(c,
        '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{3040}'..='\u{30FF}'
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}
