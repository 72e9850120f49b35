//! Words of code and prose: how a text is cut for comparing it with another.
//!
//! Owns the cut: identifiers whole and in parts, paths and file names, words of any script, stop words of prose. One
//! function serves the index of words, the embedder and the comparison of passages, so that all of them mean the same
//! by a word. Knows no index but for the adapter in `analyzer`.

mod analyzer;
mod split;
mod stem;

pub use analyzer::{CodeTokenizer, CodeTokens};
pub(crate) use stem::stem;

use split::{WordParts, is_wide};

/// Longest word that is kept: longer ones are keys and encoded bytes, which nobody types.
const WORD_BYTES_MAX: usize = 64;
/// Longest run of letters that is looked into at all.
const RUN_BYTES_MAX: usize = 256;
/// Parts of one identifier that are kept.
const PARTS_MAX: usize = 12;

/// One word, as it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeWord {
    /// Lower case; the stem of plain words and parts.
    pub text: String,
    pub kind: CodeWordKind,
    pub start: usize,
    /// The byte after its last.
    pub end: usize,
    /// Its place among the words; an identifier has the place of its first part.
    pub position: usize,
}

/// What a word was in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CodeWordKind {
    /// A word of its own.
    Plain,
    /// An identifier of several parts, a file name or a hyphenated word, joined: `HTTPServer` and `http_server` are
    /// `httpserver`.
    Whole,
    /// A part of an identifier.
    Part,
}

pub fn words(text: &str) -> Vec<CodeWord> {
    let mut found = Vec::with_capacity(text.len() / 6);
    each_word(text, |word, kind, start, end, position| {
        found.push(CodeWord { text: word.to_owned(), kind, start, end, position });
    });
    found
}

/// Calls back for every word: its text, what it was, its bytes and its position.
pub fn each_word(text: &str, mut found: impl FnMut(&str, CodeWordKind, usize, usize, usize)) {
    let mut cutter = WordCutter { text, position: 0, buffer: String::new() };
    let mut at = 0;
    while let Some((start, end)) = next_run(text, at) {
        at = cutter.cut(start, end, &mut found);
    }
}

/// Whether a word of prose carries no meaning of its own.
fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

const STOP_WORDS: [&str; 74] = [
    "a", "about", "also", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can",
    "could", "did", "do", "does", "for", "from", "had", "has", "have", "he", "how", "i", "if", "in", "into",
    "is", "it", "its", "just", "ll", "me", "my", "of", "on", "or", "our", "please", "she", "should", "so",
    "some", "such", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this",
    "those", "to", "ve", "was", "we", "were", "what", "when", "where", "which", "who", "why", "will", "with",
    "would", "you", "your",
];

/// The next run of letters, digits and `_` at or after a byte.
fn next_run(text: &str, at: usize) -> Option<(usize, usize)> {
    let rest = text.get(at..)?;
    let start = at + rest.find(is_word_char)?;
    let run = text.get(start..)?;
    let end = start + run.find(|c| !is_word_char(c)).unwrap_or(run.len());
    Some((start, end))
}

fn is_word_char(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphanumeric() || c == '_' } else { c.is_alphanumeric() }
}

struct WordCutter<'a> {
    text: &'a str,
    position: usize,
    buffer: String,
}

impl WordCutter<'_> {
    /// Tells the words of the run, and of what hangs on it; gives the byte to go on at.
    fn cut(
        &mut self,
        start: usize,
        end: usize,
        found: &mut impl FnMut(&str, CodeWordKind, usize, usize, usize),
    ) -> usize {
        let Some(run) = self.text.get(start..end) else { return end };
        if run.len() > RUN_BYTES_MAX {
            self.position += 1;
            return end;
        }
        if run.chars().any(is_wide) {
            self.cut_wide(run, start, found);
            return end;
        }
        if let Some(name_end) = self.file_name_end(run, end) {
            self.tell_whole(start, name_end, found);
        } else if let Some(joined_end) = self.hyphenated_end(run, start, end) {
            self.tell_whole(start, joined_end, found);
        }
        self.cut_run(run, start, end, found);
        end
    }

    fn cut_run(
        &mut self,
        run: &str,
        start: usize,
        end: usize,
        found: &mut impl FnMut(&str, CodeWordKind, usize, usize, usize),
    ) {
        let mut parts = WordParts::new(run);
        let (first, second) = (parts.next(), parts.next());
        let Some((first_start, first_end)) = first else { return };
        let word = run.get(first_start..first_end).unwrap_or_default();
        if second.is_none() && word.len() == run.trim_matches('_').len() {
            lower_into(&mut self.buffer, word);
            // What an apostrophe leaves of a word is no word: `it's`, `don't`.
            let is_rest =
                word.len() == 1 && self.text.get(..start).is_some_and(|before| before.ends_with('\''));
            if self.buffer.len() <= WORD_BYTES_MAX && !is_stop_word(&self.buffer) && !is_rest {
                stem(&mut self.buffer);
                found(&self.buffer, CodeWordKind::Plain, start, end, self.position);
            }
            self.position += 1;
            return;
        }
        self.tell_whole(start, end, found);
        for (part_start, part_end) in WordParts::new(run).take(PARTS_MAX) {
            let part = run.get(part_start..part_end).unwrap_or_default();
            lower_into(&mut self.buffer, part);
            if self.buffer.len() <= WORD_BYTES_MAX {
                stem(&mut self.buffer);
                found(&self.buffer, CodeWordKind::Part, start + part_start, start + part_end, self.position);
            }
            self.position += 1;
        }
    }

    fn tell_whole(
        &mut self,
        start: usize,
        end: usize,
        found: &mut impl FnMut(&str, CodeWordKind, usize, usize, usize),
    ) {
        let whole = self.text.get(start..end).unwrap_or_default();
        self.buffer.clear();
        self.buffer.extend(whole.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase));
        if !self.buffer.is_empty() && self.buffer.len() <= WORD_BYTES_MAX {
            found(&self.buffer, CodeWordKind::Whole, start, end, self.position);
        }
    }

    /// Scripts without spaces: each character, and each pair of neighbours.
    fn cut_wide(
        &mut self,
        run: &str,
        start: usize,
        found: &mut impl FnMut(&str, CodeWordKind, usize, usize, usize),
    ) {
        let mut before: Option<(usize, char)> = None;
        for (at, c) in run.char_indices() {
            let end = start + at + c.len_utf8();
            self.buffer.clear();
            if let Some((before_at, before)) = before {
                self.buffer.push(before);
                self.buffer.extend(c.to_lowercase());
                found(
                    &self.buffer,
                    CodeWordKind::Whole,
                    start + before_at,
                    end,
                    self.position.saturating_sub(1),
                );
                self.buffer.clear();
            }
            self.buffer.extend(c.to_lowercase());
            found(&self.buffer, CodeWordKind::Plain, start + at, end, self.position);
            self.position += 1;
            before = Some((at, c));
        }
    }

    /// Where a file name ends that begins with this run: `main.rs`.
    fn file_name_end(&self, run: &str, end: usize) -> Option<usize> {
        let rest = self.text.get(end..)?.strip_prefix('.')?;
        let length = rest.find(|c| !is_word_char(c)).unwrap_or(rest.len());
        let ending = rest.get(..length)?;
        (!run.starts_with(|c: char| c.is_ascii_digit()) && FILE_ENDINGS.contains(&ending))
            .then(|| end + 1 + length)
    }

    /// Where a hyphenated word ends that begins with this run: `read-file`, but not `a-b`.
    fn hyphenated_end(&self, run: &str, start: usize, end: usize) -> Option<usize> {
        let is_piece = |piece: &str| piece.len() > 1 && piece.starts_with(char::is_alphabetic);
        let is_first = !self.text.get(..start).is_some_and(|before| before.ends_with('-'));
        if !is_first || !is_piece(run) {
            return None;
        }
        let mut joined_end = None;
        let mut at = end;
        while let Some(rest) = self.text.get(at..).and_then(|rest| rest.strip_prefix('-')) {
            let length = rest.find(|c| !is_word_char(c)).unwrap_or(rest.len());
            if !rest.get(..length).is_some_and(is_piece) {
                break;
            }
            at += 1 + length;
            joined_end = Some(at);
        }
        joined_end
    }
}

/// Endings by which `name.ending` is taken for a file and not for a field.
const FILE_ENDINGS: [&str; 44] = [
    "bat", "c", "cc", "cfg", "conf", "cpp", "cs", "css", "csv", "go", "h", "hpp", "html", "ini", "ipynb",
    "java", "js", "json", "jsonl", "jsx", "kt", "lock", "lua", "md", "mjs", "php", "proto", "ps1", "py",
    "rb", "rhai", "rs", "scm", "sh", "sql", "svg", "swift", "toml", "ts", "tsx", "txt", "yaml", "yml", "zig",
];

fn lower_into(buffer: &mut String, word: &str) {
    buffer.clear();
    if word.is_ascii() {
        buffer.push_str(word);
        buffer.make_ascii_lowercase();
    } else {
        buffer.extend(word.chars().flat_map(char::to_lowercase));
    }
}

#[cfg(test)]
#[path = "tokens_tests.rs"]
mod tests;
