//! Whether a request asks for a file to be written: with which name, and with words that it gives.

use super::english::{ABOUT_FILE, DOMAINS, FILLERS, MADE_UP, NEEDS, QUESTIONS, READS, WRITES, WRITTEN};
use super::sentence::{asks_at, from_lead, is_like, is_mark};
use super::words::{EnglishWord, WordKind};

/// Whether a word can be the name of a file; folders end in a slash.
fn is_file(word: &EnglishWord) -> bool {
    word.kind == WordKind::Quoted
        || (word.kind == WordKind::Name
            && !word.text.to_lowercase().starts_with("task_")
            && !word.text.starts_with('-')
            && !word.text.ends_with('/')
            && (word.text.contains(['.', '/']) || !word.text.starts_with(|c: char| c.is_ascii_digit())))
}

pub(super) fn asks_to_write(sentence: &[EnglishWord], wishes: bool) -> bool {
    let is_of_tasks =
        sentence.iter().any(|word| word.is_any(&["task", "tasks", "todo", "todos", "to-do", "reminder"]));
    if is_of_tasks && !sentence.iter().any(|word| word.is("file")) {
        return false;
    }
    let by_verb = (0..)
        .zip(sentence)
        .any(|(at, word)| is_like(word, WRITES) && asks_at(sentence, at) && gives_content(sentence, at));
    let looks = || sentence.iter().any(|word| word.is_any(READS));
    let by_wish = wishes
        && sentence.iter().any(|word| word.is_any(NEEDS))
        && sentence.iter().any(|word| word.is_any(WRITTEN))
        && !looks();
    let new = sentence
        .windows(2)
        .any(|pair| matches!(pair, [a, b] if a.is("new") && (b.is("file") || b.kind == WordKind::Name)));
    // `I need this in FILE: X`, `the line "X" goes into FILE`
    let is_given = sentence.iter().filter(|word| word.kind == WordKind::Quoted).count() > 0
        || sentence.windows(2).any(|pair| matches!(pair, [a, b] if is_file(a) && is_mark(b, &[":"])));
    let into = sentence
        .windows(2)
        .any(|pair| matches!(pair, [a, b] if a.is_any(&["in", "into", "called"]) && is_file(b)));
    let into_new = sentence.windows(3).any(|three| matches!(three, [a, b, c] if a.is_any(&["in", "into"]) && b.is("a") && c.is_any(&["file", "new"])));
    let is_given = is_given || into_new;
    let placed = wishes && is_given && into && sentence.iter().any(|word| word.is_any(NEEDS)) && !looks();
    // `another file: FILE with X`, `"X" into FILE`
    let lead = from_lead(sentence);
    let begin = lead.iter().position(|word| !word.is_any(NEW_FILE)).unwrap_or(0);
    let named = lead.get(begin..).and_then(|rest| {
        rest.iter().position(is_file).filter(|at| *at <= 2).and_then(|at| rest.get(at + 1..))
    });
    let labelled = wishes
        && lead.iter().take(begin + 1).any(|word| word.is_any(&["file", "filename"]))
        && lead.first().is_some_and(|word| word.is_any(NEW_FILE))
        && named.is_some_and(introduces)
        && !looks();
    let arrow = matches!(lead, [a, b, c] | [a, b, _, c] if a.kind == WordKind::Quoted
        && (b.text.contains('>') || b.is_any(&["to", "into", "as", "in"])) && is_file(c));
    by_verb || by_wish || new || placed || labelled || arrow
}

/// Whether the verb at a place puts given words into a file: `X to FILE`, `FILE with X`. What would have to be made up
/// first is not given.
fn gives_content(sentence: &[EnglishWord], at: usize) -> bool {
    let after = sentence.get(at + 1..).unwrap_or_default();
    let verb_is = |verbs: &[&str]| sentence.get(at).is_some_and(|word| word.is_any(verbs));
    let mut files = (0..).zip(after).filter(|(_, word)| is_file(word)).map(|(file, _)| file).peekable();
    if files.peek().is_none() {
        // `in FILE put X`
        let is_place = |pair: &[EnglishWord]| matches!(pair, [a, b] if a.is_any(&["in", "into", "to", "at", "under", "file", "called", "named", "name"]) && is_file(b));
        let says = after.iter().any(|word| word.kind != WordKind::Mark);
        let before = sentence.get(..at).unwrap_or_default();
        // `FILE is missing, create it with X`
        let it = after.first().is_some_and(|word| word.is_any(&["it", "one"])) && introduces(after);
        let takes_up =
            it && verb_is(&["create", "make", "replace", "overwrite", "fill"]) && before.iter().any(is_file);
        let puts = verb_is(&["put", "write", "save", "store", "insert", "enter", "record"]);
        // `FILE is empty, put X in there`
        let there = after.iter().any(|word| word.is_any(&["it", "there", "instead"]));
        let looks = before.iter().any(|word| word.is_any(READS));
        let into_it = puts && there && !looks && before.iter().any(is_file);
        return says && ((puts && before.windows(2).any(is_place)) || takes_up || into_it);
    }
    files.any(|file| {
        let (before, follows) =
            (after.get(..file).unwrap_or_default(), after.get(file + 1..).unwrap_or_default());
        let is_made_up = before.windows(2).any(
            |pair| matches!(pair, [a, b] if a.is_any(MADE_UP) && b.is_any(&["of", "about", "for", "on"])),
        );
        let into = before.iter().rev().find(|word| word.kind == WordKind::Speech && !word.is_any(ABOUT_FILE));
        let into = into
            .is_some_and(|word| word.is_any(&["to", "into", "in", "as", "under", "inside", "onto", "too"]))
            && !verb_is(&["replace", "change", "set", "update", "add"]);
        // `overwrite whatever is in FILE with X`
        let is_all = verb_is(&["overwrite", "replace"])
            && before
                .iter()
                .all(|word| word.is_any(ABOUT_FILE) || word.is_any(ALL_OF_IT) || word.kind == WordKind::Mark)
            && introduces(follows);
        let is_object = before.iter().all(|word| {
            word.kind != WordKind::Speech
                || word.is_any(ABOUT_FILE)
                || word.is_any(&["up", "it", "me", "us", "for", "in"])
        }) || before.last().is_some_and(|word| word.is_any(&["file", "called", "named"]));
        let whole = is_object && !before.first().is_some_and(|word| word.is("of")) && introduces(follows);
        is_all || (!is_made_up && !before.iter().any(|word| word.is_any(QUESTIONS)) && (into || whole))
    })
}

/// Words before the name of a file that is to be: `another file: a.txt with X`. Of `the file` something is said.
const NEW_FILE: &[&str] = &[
    "a", "an", "another", "next", "one", "more", "quick", "new", "text", "file", "filename", "called",
    "named", "name", "i", "we", "need", "want",
];

/// Words for all that a file has.
const ALL_OF_IT: &[&str] = &["everything", "whole", "whatever", "what's", "what", "is", "in", "all"];

/// Whether what follows a file's name gives its content.
fn introduces(follows: &[EnglishWord]) -> bool {
    follows.iter().take(4).any(|word| {
        word.kind == WordKind::Quoted
            || is_mark(word, &[":", "=", "\n"])
            || word.is_any(&["with", "containing", "contains", "contain", "that", "saying", "say", "says", "content", "text", "to", "so", "holding", "whose", "wiht", "wih", "as"])
    }) || follows.windows(2).any(|pair| matches!(pair, [a, b] if a.is("and") && b.is_any(&["put", "write", "fill", "have", "insert", "enter", "save"])))
}

/// Names of files in a request.
pub(super) fn files_of(words: &[EnglishWord]) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        let is_called = before.is_some_and(|word| word.is_any(&["file", "called", "named", "as"]));
        let has_ending = word.text.rsplit_once('.').is_some_and(|(stem, ending)| {
            !stem.is_empty() && (1..=10).contains(&ending.len()) && ending.chars().all(char::is_alphanumeric)
        });
        let is_file = match word.kind {
            WordKind::Name => is_file(word),
            WordKind::Quoted => is_called || has_ending && word.text.len() < 200,
            WordKind::Speech => {
                is_called
                    && !word.is_any(FILLERS)
                    && !word.is_any(&[
                        "with",
                        "that",
                        "called",
                        "named",
                        "containing",
                        "in",
                        "to",
                        "saying",
                        "which",
                        "a",
                        "the",
                    ])
            }
            WordKind::Number | WordKind::Url | WordKind::Mark => false,
        };
        if is_file && !files.contains(&word.text) {
            files.push(word.text.clone());
        }
    }
    files
}

/// Addresses in a request; `example.org/a` is one too.
pub(super) fn urls_of(words: &[EnglishWord]) -> Vec<String> {
    let is_domain = |text: &str| {
        let host = text.split(['/', '?', '#']).next().unwrap_or_default();
        host.rsplit_once('.').is_some_and(|(name, top)| !name.is_empty() && DOMAINS.contains(&top))
    };
    let urls = words.iter().filter(|word| match word.kind {
        WordKind::Url => true,
        WordKind::Name | WordKind::Quoted => {
            is_domain(&word.text) || word.text.contains("://") || word.text.starts_with("localhost")
        }
        WordKind::Speech | WordKind::Number | WordKind::Mark => false,
    });
    urls.map(|word| word.text.clone()).collect()
}
