//! What a message of EDISON's is answered with beside its own words (E-40): earlier exchanges of the chat, chosen by
//! words in common, and passages of the index. All of it has a bound (E-31).

use std::collections::BTreeSet;
use std::sync::Arc;

use windlass_core::event::{Event, Record};
use windlass_core::json::clip::clip_chars;
use windlass_core::search::Passage;

/// Exchanges that are shown, as `rag_search` gives them when nobody says how many (E-4).
const EXCHANGES_MAX: usize = 3;
/// Passages that are shown of the chat's documents, and of the project.
pub(super) const PASSAGES_MAX: usize = 3;
/// Characters of all of them (E-31).
pub(super) const CONTEXT_CHARS_MAX: usize = 2_000;
/// Letters of a word that says something.
const WORD_CHARS_MIN: usize = 4;

/// What was said, and what was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Exchange {
    pub(super) user: String,
    pub(super) answer: String,
}

/// The exchanges of a session, oldest first.
pub(super) fn exchanges(records: &[Arc<Record>]) -> Vec<Exchange> {
    let mut exchanges = Vec::new();
    let mut user = String::new();
    for record in records {
        match &record.event {
            Event::RunStarted { message, .. } => user = message.text(),
            Event::RunEnded { answer, .. } if !answer.is_empty() => {
                exchanges.push(Exchange { user: std::mem::take(&mut user), answer: answer.clone() });
            }
            _ => {}
        }
    }
    exchanges
}

/// Earlier exchanges that share words with a message, the closest first, as text; nothing if there are none.
pub(super) fn related(exchanges: &[Exchange], message: &str) -> Option<String> {
    let wanted = words(message);
    let mut scored: Vec<(usize, usize, &Exchange)> = exchanges
        .iter()
        .enumerate()
        .map(|(at, exchange)| {
            let own = words(&format!("{} {}", exchange.user, exchange.answer));
            (own.intersection(&wanted).count(), at, exchange)
        })
        .filter(|(score, _, _)| *score > 0)
        .collect();
    // Of two that are as close, the newer one.
    scored.sort_by_key(|(score, at, _)| std::cmp::Reverse((*score, *at)));
    let lines: Vec<String> = scored
        .iter()
        .take(EXCHANGES_MAX)
        .map(|(_, _, exchange)| {
            format!("Earlier, the user said: {}\nThe answer was: {}", exchange.user, exchange.answer)
        })
        .collect();
    let text = lines.join("\n\n");
    (!text.is_empty()).then(|| clip_chars(&text, CONTEXT_CHARS_MAX).into_owned())
}

/// Passages as text, each with its place; nothing if there are none.
pub(super) fn quoted(passages: &[Passage]) -> Option<String> {
    let quotes: Vec<String> = passages
        .iter()
        .map(|passage| format!("From {}:{}\n{}", passage.path, passage.line, passage.text.trim_end()))
        .collect();
    (!quotes.is_empty()).then(|| quotes.join("\n\n"))
}

fn words(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() >= WORD_CHARS_MIN)
        .map(str::to_lowercase)
        .collect()
}

#[cfg(test)]
#[path = "memory_tests.rs"]
mod tests;
