//! Changes inside a file that a request spells out: append, put before, replace. What it does not spell out is no change.
//!
//! Knows words alone; the calls that make the change are in `edit_calls`.

use super::english::FILLERS;
use super::words::{EnglishWord, WordKind, words};

/// What a request says of a change inside a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum EditWish {
    #[default]
    None,
    /// It wants one, and does not spell it out as we read it.
    Unclear,
    Clear(Edit),
}

/// A change inside a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) path: String,
    pub(super) change: Change,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Change {
    /// This comes at the end.
    Append(String),
    /// This comes at the beginning.
    Prepend(String),
    /// One text comes in the place of another.
    Replace { old: String, new: String, is_everywhere: bool },
}

/// Verbs that add to a file where `to`, or its end, is said.
const ADDING: &[&str] =
    &["append", "add", "prepend", "attach", "insert", "put", "write", "apend", "appned", "appen"];
/// Words before what would have to be made up.
const DETERMINERS: &[&str] = &["the", "a", "an", "new", "this", "some", "my", "our", "more", "another"];
/// Those that add words as they are.
const SURELY_APPENDING: &[&str] = &["append", "prepend", "apend", "appned", "appen"];
/// Those that mean it by themselves.
const SURELY_ADDING: &[&str] = &["append", "add", "prepend", "attach", "apend", "appned", "appen"];
/// Verbs that put one text in the place of another.
const REPLACING: &[&str] =
    &["replace", "change", "swap", "substitute", "rename", "relpace", "repalce", "replce", "chnage"];
/// Verbs of changes that are never spelled out.
const OTHER: &[&str] = &["delete", "remove", "erase", "edit", "modify", "truncate", "delet", "remvoe"];
/// Politeness before the verb.
const POLITE: &[&str] = &[
    "can", "could", "would", "will", "you", "u", "i", "want", "need", "like", "to", "i'd", "we", "help",
    "me", "go", "ahead",
];
const ENDS: &[&str] = &["end", "bottom", "tail", "foot"];
const TOPS: &[&str] = &["top", "beginning", "start", "head", "front"];
const PREPOSITIONS: &[&str] = &["to", "onto", "into", "in", "at", "on", "inside", "within"];

impl EditWish {
    /// What a request of one thing says.
    pub(super) fn of(text: &str) -> Self {
        let all = words(text);
        let quiet =
            |word: &EnglishWord| word.is_any(FILLERS) || word.is_any(POLITE) || word.kind == WordKind::Mark;
        let begin = all.iter().position(|word| !quiet(word)).unwrap_or(all.len());
        let mut rest = all.get(begin..).unwrap_or_default();
        let mut file = None;
        // `in a.txt, replace b with c`
        if let Some((path, after)) = leading_file(all.get(..).unwrap_or_default()) {
            (file, rest) = (Some(path), after);
        }
        let Some((verb, rest)) = rest.split_first() else { return Self::None };
        let reader = EditReader { text, file };
        if verb.is_any(REPLACING) {
            reader.replacement(rest)
        } else if verb.is_any(ADDING) {
            reader.addition(verb, rest)
        } else {
            let names_file = rest.iter().any(is_file);
            if verb.is_any(OTHER) && names_file { Self::Unclear } else { Self::None }
        }
    }
}

/// `in FILE` or `in the file FILE` at the beginning, and what follows it.
fn leading_file(words: &[EnglishWord]) -> Option<(String, &[EnglishWord])> {
    let begin = words.iter().position(|word| !word.is_any(FILLERS) && word.kind != WordKind::Mark)?;
    let (first, rest) = words.get(begin..)?.split_first()?;
    if !first.is_any(&["in", "inside", "within", "to"]) {
        return None;
    }
    let rest = skip(rest, &["the", "file", "called", "named", "end", "of"]);
    let (file, rest) = rest.split_first()?;
    let at = rest.iter().position(|word| word.kind != WordKind::Mark && !word.is_any(FILLERS))?;
    is_file(file).then(|| (file.text.clone(), rest.get(at..).unwrap_or_default()))
}

fn skip<'a>(mut words: &'a [EnglishWord], quiet: &[&str]) -> &'a [EnglishWord] {
    while let Some((first, rest)) = words.split_first().filter(|(first, _)| first.is_any(quiet)) {
        let _ = first;
        words = rest;
    }
    words
}

/// Without `the line` or `this text:` before what is meant.
fn skip_label(words: &[EnglishWord]) -> &[EnglishWord] {
    let rest = skip(words, DETERMINERS);
    let labelled = skip(
        rest,
        &[
            "line",
            "lines",
            "text",
            "word",
            "words",
            "string",
            "sentence",
            "phrase",
            "entry",
            "following",
            "name",
        ],
    );
    if labelled.len() == rest.len() {
        return words;
    }
    skip(labelled, &["saying", "that", "says", "with", "reading"])
}

fn is_file(word: &EnglishWord) -> bool {
    let is_named = matches!(word.kind, WordKind::Name | WordKind::Quoted);
    is_named
        && !word.text.starts_with('-')
        && !word.text.to_lowercase().starts_with("task_")
        && (word.kind == WordKind::Name
            || word
                .text
                .rsplit_once('.')
                .is_some_and(|(stem, end)| !stem.is_empty() && !end.contains(' ') && !end.is_empty()))
}

/// Words at the end of a request that say nothing of the change.
const TRAILING: &[&str] = &[
    "please",
    "pls",
    "plz",
    "thanks",
    "thank",
    "you",
    "for",
    "me",
    "now",
    "as",
    "a",
    "new",
    "line",
    "everywhere",
    "file",
];

struct EditReader<'a> {
    text: &'a str,
    /// The file, where it was said first.
    file: Option<String>,
}

impl EditReader<'_> {
    /// `A with B in FILE`.
    fn replacement(&self, rest: &[EnglishWord]) -> EditWish {
        let is_everywhere = rest
            .iter()
            .any(|word| word.is_any(&["all", "every", "each", "everywhere", "occurrences", "occurrence"]));
        let (path, body) = match &self.file {
            Some(path) => (path.clone(), without_trailing(rest)),
            None => match trailing_file(rest) {
                Some(found) if !found.is_behind_content => (found.path, found.before),
                // The whole of a file is replaced: that is writing it.
                Some(_) | None => return EditWish::None,
            },
        };
        let body =
            skip_label(skip(body, &["all", "every", "each", "occurrences", "occurrence", "of", "instances"]));
        let cuts: Vec<usize> = (0..)
            .zip(body)
            .filter(|(_, word)| word.is_any(&["with", "by", "to", "into", "for"]))
            .map(|(at, _)| at)
            .collect();
        let [cut] = cuts.as_slice() else { return EditWish::Unclear };
        let (old, new) = (body.get(..*cut).unwrap_or_default(), body.get(cut + 1..).unwrap_or_default());
        if old.iter().any(|word| word.is_any(&["content", "contents", "everything", "it"])) {
            return EditWish::None;
        }
        let new = skip_label(new);
        match (self.said(old), self.said(new)) {
            (Some(old), Some(new)) if old != new => {
                EditWish::Clear(Edit { path, change: Change::Replace { old, new, is_everywhere } })
            }
            _ => EditWish::Unclear,
        }
    }

    /// `X to FILE`, `X at the end of FILE`, `to FILE: X`.
    fn addition(&self, verb: &EnglishWord, rest: &[EnglishWord]) -> EditWish {
        let is_sure = verb.is_any(SURELY_ADDING);
        let speaks_of_tasks =
            rest.iter().any(|word| word.is_any(&["task", "tasks", "todo", "todos", "to-do", "list"]));
        let speaks_of_place = rest.iter().any(|word| word.is_any(ENDS) || word.is_any(TOPS));
        let makes_file = rest
            .windows(2)
            .any(|pair| matches!(pair, [a, b] if a.is_any(&["a", "new"]) && b.is_any(&["file", "new"])));
        if makes_file || speaks_of_tasks || (!is_sure && !speaks_of_place) {
            return EditWish::None;
        }
        let at_top = verb.is("prepend") || rest.iter().any(|word| word.is_any(TOPS));
        let is_literal = |word: &EnglishWord| word.is_any(&["to", "onto"]);
        if !speaks_of_place && self.file.is_none() && !rest.iter().any(is_literal) {
            // `add up the numbers in a.txt`
            return EditWish::None;
        }
        let found = match (&self.file, leading_place(rest)) {
            (Some(path), _) => Some((path.clone(), without_trailing(rest))),
            (None, Some(found)) => Some(found),
            (None, None) => trailing_file(rest).map(|found| (found.path, found.before)),
        };
        let Some((path, content)) = found else {
            return if rest.iter().any(is_file) { EditWish::Unclear } else { EditWish::None };
        };
        let given = skip_label(content);
        // `add error handling to main.rs` would have to be made up first.
        let is_given = given.len() < content.len()
            || given.first().is_some_and(|word| word.kind == WordKind::Quoted || is_colon(word))
            || (verb.is_any(SURELY_APPENDING) && !given.first().is_some_and(|word| word.is_any(DETERMINERS)));
        match self.said(given).filter(|_| is_given) {
            Some(said) if at_top => EditWish::Clear(Edit { path, change: Change::Prepend(said) }),
            Some(said) => EditWish::Clear(Edit { path, change: Change::Append(said) }),
            None => EditWish::Unclear,
        }
    }

    /// The text of some words: what is quoted, or all of it as it stands.
    fn said(&self, words: &[EnglishWord]) -> Option<String> {
        let begin = words.iter().position(|word| !is_colon(word))?;
        let words = words.get(begin..)?;
        if let [quoted] = words
            && quoted.kind == WordKind::Quoted
        {
            return Some(quoted.text.clone());
        }
        let (first, last) = (words.first()?, words.last()?);
        let said = self.text.get(first.place.start..last.place.end)?.trim();
        (!said.is_empty()).then(|| said.to_owned())
    }
}

fn is_colon(word: &EnglishWord) -> bool {
    word.kind == WordKind::Mark && matches!(word.text.as_str(), ":" | "," | "-" | "\n")
}

fn without_trailing(words: &[EnglishWord]) -> &[EnglishWord] {
    let end = words.iter().rposition(|word| {
        !(word.is_any(TRAILING)
            || (word.kind == WordKind::Mark && matches!(word.text.as_str(), "." | "!" | "?" | ",")))
    });
    words.get(..end.map_or(0, |end| end + 1)).unwrap_or_default()
}

/// A file at the end of a request.
struct TrailingFile<'a> {
    path: String,
    before: &'a [EnglishWord],
    /// `the contents of FILE`, or nothing before it: all of the file is meant.
    is_behind_content: bool,
}

fn trailing_file(words: &[EnglishWord]) -> Option<TrailingFile<'_>> {
    let words = without_trailing(words);
    let (file, rest) = words.split_last()?;
    if !is_file(file) {
        return None;
    }
    let quiet = |word: &EnglishWord| {
        word.is_any(&["the", "file", "called", "named", "of", "my", "our"])
            || word.is_any(ENDS)
            || word.is_any(TOPS)
            || word.is("very")
    };
    let end = rest.iter().rposition(|word| !quiet(word))?;
    let (kept, preposition) = (rest.get(..end)?, rest.get(end)?);
    preposition.is_any(PREPOSITIONS).then(|| TrailingFile {
        path: file.text.clone(),
        before: kept,
        is_behind_content: kept.is_empty(),
    })
}

/// `to FILE: X`, `to the end of FILE X`.
fn leading_place(words: &[EnglishWord]) -> Option<(String, &[EnglishWord])> {
    let (first, rest) = words.split_first()?;
    if !first.is_any(PREPOSITIONS) {
        return None;
    }
    let at = rest.iter().position(|word| {
        !(word.is_any(&["the", "file", "called", "named", "of", "very"])
            || word.is_any(ENDS)
            || word.is_any(TOPS))
    })?;
    let (file, content) = rest.get(at..)?.split_first()?;
    is_file(file).then(|| (file.text.clone(), without_trailing(content)))
}

#[cfg(test)]
#[path = "edit_tests.rs"]
mod tests;
