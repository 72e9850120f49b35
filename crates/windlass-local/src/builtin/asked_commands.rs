//! Whether a request asks for a command to be run, and names it.

use super::english::{FILLERS, LOOKERS, NO_COMMANDS, OUTPUTS, PROGRAMS, QUESTIONS, RUNS, SHELLS, STARTS};
use super::sentence::{asks_at, from_lead, is_like, is_mark, is_question, is_shell_mark, wonders};
use super::words::{EnglishWord, WordKind};

/// What is said of a program that nobody wants to run.
const BEING: &[&str] =
    &["is", "are", "was", "has", "can", "does", "did", "and", "or", "vs", "versus", "in", "on", "for", "or"];

/// Whether a sentence asks for a command that it names.
pub(super) fn asks_to_run(sentence: &[EnglishWord], request: &[EnglishWord]) -> bool {
    let speaks_of_shell = sentence.iter().any(|word| is_like(word, SHELLS));
    let begins_as_prompt = sentence.first().is_some_and(is_shell_mark);
    let spoken: Vec<&EnglishWord> = sentence.iter().filter(|word| !word.is_any(FILLERS)).collect();
    let as_label = spoken.windows(2).any(|pair| {
        matches!(pair, [a, b] if (is_like(a, SHELLS) || is_like(a, RUNS)) && b.kind == WordKind::Mark && b.text.starts_with([':', '-', '>']))
    });
    let as_program = speaks_of_shell
        && spoken.first().is_some_and(|word| word.speech().is_some_and(|word| LOOKERS.contains(&word)));
    // `git status please`, `on the command line, git status`
    let names_known = sentence.iter().any(|word| word.is_any(PROGRAMS));
    let is_bare = matches!(spoken.as_slice(), [first, next, ..] if first.is_any(PROGRAMS) && !next.is_any(BEING))
        && spoken.len() <= 5;
    if begins_as_prompt || as_label || as_program || is_bare || (speaks_of_shell && names_known) {
        return true;
    }
    let runs = (0..).zip(sentence).filter(|(at, word)| {
        let is_run = is_like(word, RUNS) || word.is_any(&["running", "executing", "executed", "ran", "run"]);
        let is_start = is_like(word, STARTS);
        let after = sentence.get(at + 1..).unwrap_or_default();
        let speaks_for_it = speaks_of_shell || names_program(after);
        (is_run || (is_start && speaks_for_it)) && (asks_at(sentence, *at) || is_wished(sentence, *at))
    });
    runs.map(|(at, _)| at).any(|at| names_command(sentence, at, request))
        || (speaks_of_shell && sentence.iter().any(|word| word.kind == WordKind::Quoted))
        || (from_lead(sentence)
            .first()
            .is_some_and(|word| word.kind == WordKind::Quoted && is_program(&word.text))
            && sentence.len() <= 3)
}

/// `I need ls executed`, `how about running ls`.
fn is_wished(sentence: &[EnglishWord], at: usize) -> bool {
    let before = sentence.get(..at).unwrap_or_default();
    let by_gerund = before
        .last()
        .is_some_and(|word| word.is_any(&["try", "about", "by", "of", "start", "mind", "consider"]));
    by_gerund
        || (before
            .iter()
            .any(|word| word.is_any(&["want", "need", "needs", "like", "has", "should", "must", "have"]))
            && sentence.get(at).is_some_and(|word| word.is_any(&["executed", "run", "ran"])))
}

/// Whether what follows a verb begins with a program: a path, a quotation, or one that is known.
fn names_program(after: &[EnglishWord]) -> bool {
    let object = after.iter().find(|word| {
        !word.is_any(FILLERS)
            && !is_mark(word, &[":"])
            && !word.is_any(&["off", "up", "the", "out", "a", "an"])
    });
    object.is_some_and(|word| match word.kind {
        WordKind::Quoted => is_program(&word.text),
        WordKind::Name => word.text.starts_with("./"),
        WordKind::Speech => LOOKERS.contains(&word.text.as_str()),
        WordKind::Number | WordKind::Url | WordKind::Mark => false,
    })
}

fn is_program(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    LOOKERS.contains(&first) || PROGRAMS.contains(&first) || first.starts_with("./")
}

/// Whether the verb at a place has a command as its object.
fn names_command(sentence: &[EnglishWord], at: usize, request: &[EnglishWord]) -> bool {
    let after = sentence.get(at + 1..).unwrap_or_default();
    let has_label = after
        .iter()
        .take(6)
        .any(|word| word.is_any(SHELLS) || word.is_any(&["following"]) || is_mark(word, &[":", "-"]));
    let quoted = after.iter().any(|word| word.kind == WordKind::Quoted);
    let object = after.iter().take_while(|word| !is_mark(word, &[","])).find(|word| {
        word.kind != WordKind::Mark && !word.is_any(FILLERS) && !word.is_any(&["for", "me", "us", "off"])
    });
    let by_object = match object {
        Some(word) if word.kind == WordKind::Speech => !word.is_any(NO_COMMANDS) && !word.is_any(SHELLS),
        Some(word) => matches!(word.kind, WordKind::Name | WordKind::Quoted),
        None => false,
    };
    // What was named before the verb: `git diff, execute it please`.
    let said_before = request
        .iter()
        .take_while(|word| word.place.start < sentence.get(at).map_or(0, |word| word.place.start));
    let named_before = said_before.clone().any(|word| word.kind == WordKind::Quoted || word.is_any(PROGRAMS))
        || from_lead(sentence.get(..at).unwrap_or_default()).first().is_some_and(|word| {
            (word.kind == WordKind::Name || word.speech().is_some_and(|word| LOOKERS.contains(&word)))
                && !word.is_any(QUESTIONS)
        })
        || said_before
            .clone()
            .next()
            .is_some_and(|word| word.speech().is_some_and(|word| LOOKERS.contains(&word)));
    let refers = object.is_none_or(|word| word.is_any(&["it", "this", "that"]));
    let by_program = after.iter().take(3).any(|word| word.is_any(PROGRAMS));
    by_object || by_program || quoted || (has_label && after.len() > 2) || (refers && named_before)
}

/// Whether a sentence wants the output of a command that it names. A mere question is answered by one that only looks.
pub(super) fn asks_output(sentence: &[EnglishWord]) -> bool {
    let wants = sentence.iter().any(|word| word.is_any(OUTPUTS))
        && !sentence.iter().any(|word| word.is_any(&["do", "mean", "happen", "happens"]));
    let is_mere_question = is_question(sentence) || wonders(sentence);
    let is_named = |text: &str| {
        let words: Vec<&str> = text.split_whitespace().collect();
        let is_plain = !text.contains(['>', '|', ';', '&', '$', '`', '<']);
        if is_mere_question { is_plain && only_looks(&words) } else { is_program(text) }
    };
    let mut named = (0..).zip(sentence).filter_map(|(at, word)| match word.kind {
        WordKind::Quoted => Some(word.text.clone()),
        WordKind::Speech if word.is_any(PROGRAMS) => {
            let rest = sentence.get(at..).unwrap_or_default().iter().take(2);
            Some(rest.map(|word| word.text.as_str()).collect::<Vec<_>>().join(" "))
        }
        WordKind::Speech | WordKind::Name | WordKind::Number | WordKind::Url | WordKind::Mark => None,
    });
    wants && !is_question_why(sentence) && named.any(|text| is_named(&text))
}

/// Whether a command changes nothing whatever follows it.
fn only_looks(words: &[&str]) -> bool {
    match words {
        ["git", what, ..] => ["status", "log", "diff", "show", "blame", "describe"].contains(what),
        [first, ..] => {
            ["ls", "pwd", "whoami", "uname", "df", "du", "wc", "ps", "uptime", "nproc", "lscpu", "date"]
                .contains(first)
        }
        [] => false,
    }
}

fn is_question_why(sentence: &[EnglishWord]) -> bool {
    from_lead(sentence)
        .first()
        .is_some_and(|word| word.is_any(&["why", "who", "where", "when", "explain", "describe", "how"]))
}
