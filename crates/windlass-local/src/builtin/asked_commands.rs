//! Whether a request asks for a command to be run, and names it.

use super::english::{FILLERS, LOOKERS, NO_COMMANDS, OUTPUTS, QUESTIONS, RUNS, SHELLS, STARTS};
use super::sentence::{asks_at, from_lead, is_like, is_mark, is_shell_mark};
use super::words::{Word, WordKind};

/// Whether a sentence asks for a command that it names.
pub(super) fn asks_to_run(sentence: &[Word], request: &[Word]) -> bool {
    let speaks_of_shell = sentence.iter().any(|word| is_like(word, SHELLS));
    let begins_as_prompt = sentence.first().is_some_and(|word| is_shell_mark(word));
    let spoken: Vec<&Word> = sentence.iter().filter(|word| !word.is_any(FILLERS)).collect();
    let as_label = spoken.windows(2).any(|pair| {
        matches!(pair, [a, b] if (is_like(a, SHELLS) || is_like(a, RUNS)) && b.kind == WordKind::Mark && b.text.starts_with([':', '-', '>']))
    });
    let as_program = speaks_of_shell
        && spoken.first().is_some_and(|word| word.speech().is_some_and(|word| LOOKERS.contains(&word)));
    if begins_as_prompt || as_label || as_program {
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
fn is_wished(sentence: &[Word], at: usize) -> bool {
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
fn names_program(after: &[Word]) -> bool {
    let object = after.iter().find(|word| {
        !word.is_any(FILLERS) && !is_mark(word, &[":"]) && !word.is_any(&["off", "up", "the", "out"])
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
    LOOKERS.contains(&first) || first.starts_with("./")
}

/// Whether the verb at a place has a command as its object.
fn names_command(sentence: &[Word], at: usize, request: &[Word]) -> bool {
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
    let named_before = said_before.clone().any(|word| word.kind == WordKind::Quoted)
        || from_lead(sentence.get(..at).unwrap_or_default()).first().is_some_and(|word| {
            (word.kind == WordKind::Name || word.speech().is_some_and(|word| LOOKERS.contains(&word)))
                && !word.is_any(QUESTIONS)
        })
        || said_before
            .clone()
            .next()
            .is_some_and(|word| word.speech().is_some_and(|word| LOOKERS.contains(&word)));
    let refers = object.is_none_or(|word| word.is_any(&["it", "this", "that"]));
    by_object || (has_label && (quoted || after.len() > 2)) || quoted || (refers && named_before)
}

/// A question for the output of a command that only looks.
pub(super) fn asks_output(sentence: &[Word]) -> bool {
    let wants = sentence.iter().any(|word| word.is_any(OUTPUTS))
        && !sentence.iter().any(|word| word.is_any(&["do", "mean", "happen", "happens"]));
    let looks = |text: &str| {
        let first = text.split_whitespace().next().unwrap_or_default();
        LOOKERS.contains(&first) && !text.contains(['>', '|', ';', '&', '$', '`', '<'])
    };
    wants
        && !is_question_why(sentence)
        && sentence.iter().any(|word| word.kind == WordKind::Quoted && looks(&word.text))
}

fn is_question_why(sentence: &[Word]) -> bool {
    from_lead(sentence)
        .first()
        .is_some_and(|word| word.is_any(&["why", "who", "where", "when", "explain", "describe", "how"]))
}
