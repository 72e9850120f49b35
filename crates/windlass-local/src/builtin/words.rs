//! A request as words: what is quoted, what is a name, what is speech. Knows no tool.

use std::ops::Range;

/// What a word of a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordKind {
    /// Speech, in lower case.
    Speech,
    Number,
    /// A file, a folder, an identifier: what nobody says aloud.
    Name,
    /// An address of the web.
    Url,
    /// What stands between quotes; their inside.
    Quoted,
    /// A mark between words.
    Mark,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EnglishWord {
    pub(super) kind: WordKind,
    /// Speech in lower case with plain apostrophes; everything else as it stands.
    pub(super) text: String,
    /// Where it stands in the request, quotes included.
    pub(super) place: Range<usize>,
}

impl EnglishWord {
    /// Whether it is this word of speech.
    pub(super) fn is(&self, word: &str) -> bool {
        self.kind == WordKind::Speech && self.text == word
    }

    /// Whether it is one of these words of speech.
    pub(super) fn is_any(&self, words: &[&str]) -> bool {
        self.kind == WordKind::Speech && words.contains(&self.text.as_str())
    }

    /// The word of speech.
    pub(super) fn speech(&self) -> Option<&str> {
        (self.kind == WordKind::Speech).then_some(self.text.as_str())
    }
}

/// Marks that stand around a word and are no part of it.
const AROUND: &[char] = &[
    '.', ',', ';', ':', '!', '?', '(', ')', '[', ']', '{', '}', '<', '>', '"', '“', '”', '\'', '’', '…', '=',
];

/// The words of a request.
pub(super) fn words(text: &str) -> Vec<EnglishWord> {
    let mut words = Vec::new();
    // Who shouts says nothing by capitals.
    let is_shouted = !text.contains(char::is_lowercase);
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let Some(first) = rest.chars().next() else { break };
        if first == '\n' {
            words.push(mark("\n", at));
        }
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        if let Some((inside, length)) = quoted(rest) {
            let place = at..at + length;
            words.push(EnglishWord { kind: WordKind::Quoted, text: inside.to_owned(), place });
            at += length;
            continue;
        }
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        // A quote inside what has no blanks ends it: `="a b"`.
        let inner = rest.char_indices().skip(1).find(|(at, c)| {
            matches!(c, '"' | '`' | '“') && rest.get(*at..).is_some_and(|rest| quoted(rest).is_some())
        });
        let end = inner.map_or(end, |(inner, _)| inner.min(end));
        read_chunk(&mut words, rest.get(..end).unwrap_or_default(), at, is_shouted);
        at += end;
    }
    words
}

fn mark(text: &str, at: usize) -> EnglishWord {
    EnglishWord { kind: WordKind::Mark, text: text.to_owned(), place: at..at + text.len() }
}

/// What stands between quotes at the beginning of a text, and how long it is with them.
fn quoted(text: &str) -> Option<(&str, usize)> {
    let mut signs = text.chars();
    let close = match signs.next()? {
        '"' => '"',
        '`' => '`',
        '“' => '”',
        '\'' => '\'',
        '‘' => '’',
        '«' => '»',
        _ => return None,
    };
    let open = text.len() - signs.as_str().len();
    let inside = signs.as_str();
    let end = inside.char_indices().find(|(at, c)| {
        // An apostrophe inside a word closes nothing.
        let after = inside.get(at + c.len_utf8()..).and_then(|rest| rest.chars().next());
        *c == close && *at > 0 && (close != '\'' || !after.is_some_and(char::is_alphanumeric))
    });
    let (end, _) = end.filter(|(end, _)| !inside.get(..*end).unwrap_or_default().contains('\n'))?;
    Some((inside.get(..end)?, open + end + close.len_utf8()))
}

/// Words of a text without blanks.
fn read_chunk(words: &mut Vec<EnglishWord>, chunk: &str, at: usize, is_shouted: bool) {
    let begin = chunk.find(|c| !AROUND.contains(&c)).unwrap_or(chunk.len());
    // A dot before a letter belongs to a name: `.nvmrc`, `../a`.
    let begin = if chunk.get(..begin).is_some_and(|marks| marks.ends_with('.')) && begin < chunk.len() {
        chunk.get(..begin).map_or(begin, |marks| marks.trim_end_matches('.').len())
    } else {
        begin
    };
    let (before, rest) = chunk.split_at_checked(begin).unwrap_or((chunk, ""));
    let core = rest.trim_end_matches(AROUND);
    // Brackets that are opened inside are closed inside: `main(void)`, `malloc(`.
    let core = if core.contains('(') { rest.trim_end_matches([',', '.', ';', ':', '!', '?']) } else { core };
    before.char_indices().for_each(|(offset, c)| words.push(mark(c.encode_utf8(&mut [0; 4]), at + offset)));
    if !core.is_empty() {
        let place = at + begin..at + begin + core.len();
        let kind = kind_of(core, is_shouted);
        let text =
            if kind == WordKind::Speech { core.to_lowercase().replace('’', "'") } else { core.to_owned() };
        words.push(EnglishWord { kind, text, place });
    }
    let after = rest.get(core.len()..).unwrap_or_default();
    let end = at + begin + core.len();
    after.char_indices().for_each(|(offset, c)| words.push(mark(c.encode_utf8(&mut [0; 4]), end + offset)));
}

fn kind_of(core: &str, is_shouted: bool) -> WordKind {
    let lower = core.to_lowercase();
    if lower.contains("://") || lower.starts_with("www.") {
        return WordKind::Url;
    }
    if !core.contains(char::is_alphanumeric) {
        return WordKind::Mark;
    }
    if core.starts_with(|c: char| c.is_ascii_digit())
        && !core.contains(char::is_alphabetic)
        && !core.contains('/')
    {
        return WordKind::Number;
    }
    let letters: Vec<char> = core.chars().collect();
    let is_plain = letters.iter().all(|c| c.is_alphabetic() || matches!(c, '\'' | '’' | '-'));
    let is_hump =
        letters.windows(2).any(|pair| matches!(pair, [a, b] if a.is_lowercase() && b.is_uppercase()));
    // `LICENSE`, `Makefile`: what is a name by how it is written.
    let is_capital = !is_shouted && letters.len() > 3 && letters.iter().all(|c| c.is_uppercase());
    let is_made_by_file = letters.first().is_some_and(|c| c.is_uppercase())
        && core.len() > 4
        && lower.ends_with("file")
        && lower != "profile";
    let is_name = is_hump || core.starts_with('-') || is_capital || is_made_by_file;
    if is_plain && !is_name { WordKind::Speech } else { WordKind::Name }
}

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;
