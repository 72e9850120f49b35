//! What a message of EDISON's is answered with beside its own words (E-40): passages of the chat's documents and of the
//! project, pages that were found, and exchanges of the chat that its history has no place for any more, chosen by words in
//! common. Each has its share of the bound (E-31); what one leaves goes to the next.

use std::collections::BTreeSet;
use std::sync::Arc;

use windlass_core::calls::json::clip::clip_chars;
use windlass_core::ports::search::Passage;
use windlass_core::protocol::event::{DurableEvent, Event, Record};
use windlass_core::protocol::model::NoticeKind;

/// Exchanges that are shown, as `rag_search` gives them when nobody says how many (E-4).
const EXCHANGES_MAX: usize = 3;
/// Passages that are shown of the chat's documents, and of the project.
pub(super) const PASSAGES_MAX: usize = 3;
/// Characters of the chat's own documents, which come first, of pages, of earlier exchanges and of the project: together
/// as many as a context has (E-31).
pub(super) const SHARES: [usize; 4] = [800, 500, 300, 400];
/// Exchanges that a shortened history still has for certain.
const EXCHANGES_KEPT: usize = 2;
/// What stands between them.
const GAP: &str = "\n\n";
/// Letters of a word that says something.
const WORD_CHARS_MIN: usize = 4;

/// What was said, and what was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EdisonExchange {
    pub(super) user: String,
    pub(super) answer: String,
}

/// The exchanges of a session that its history has no place for any more, oldest first: none while nothing was left out.
pub(super) fn forgotten(records: &[Arc<Record>]) -> Vec<EdisonExchange> {
    let mut exchanges = Vec::new();
    let mut user = String::new();
    let mut is_shortened = false;
    for record in records {
        match &record.event {
            Event::Durable(DurableEvent::RunStarted { message, .. }) => user = message.text(),
            Event::Durable(DurableEvent::RunEnded { answer, .. }) if !answer.is_empty() => {
                exchanges.push(EdisonExchange { user: std::mem::take(&mut user), answer: answer.clone() });
            }
            Event::Durable(DurableEvent::RequestAdjusted { kind: NoticeKind::Trimmed, .. }) => {
                is_shortened = true
            }
            Event::Durable(other) => other.ignored(),
            Event::Delta(_) => {}
        }
    }
    let kept = if is_shortened { EXCHANGES_KEPT } else { exchanges.len() };
    exchanges.truncate(exchanges.len().saturating_sub(kept));
    exchanges
}

/// Something that a message may be answered with, and what is cited of it: each name stands in the text as it is here.
#[derive(Debug, Default)]
pub(super) struct Material {
    pub(super) text: String,
    /// How a thing is named in the text, and how in the answer.
    pub(super) cites: Vec<(String, String)>,
}

impl Material {
    /// Material of which nothing is cited.
    pub(super) fn uncited(text: String) -> Self {
        Self { text, cites: Vec::new() }
    }
}

/// What a message is answered with: the text, and what of it the answer cites.
#[derive(Debug, Default)]
pub(super) struct EdisonBackground {
    pub(super) text: Option<String>,
    pub(super) sources: Vec<String>,
}

/// Puts material together, each within its share and what those before it left. What was cut off is not cited.
pub(super) fn share_out(materials: [Option<Material>; 4]) -> EdisonBackground {
    let mut context = String::new();
    let mut sources: Vec<String> = Vec::new();
    let mut left = 0_usize;
    for (material, share) in materials.into_iter().zip(SHARES) {
        left = left.saturating_add(share);
        let gap = if context.is_empty() { "" } else { GAP };
        let Some(Material { text, cites }) = material.filter(|_| left > gap.len()) else { continue };
        let piece = clip_chars(&text, left.saturating_sub(gap.len())).into_owned();
        left = left.saturating_sub(piece.chars().count()).saturating_sub(gap.len());
        for (named, cite) in cites {
            if piece.contains(&named) && !sources.contains(&cite) {
                sources.push(cite);
            }
        }
        context.push_str(gap);
        context.push_str(&piece);
    }
    EdisonBackground { text: (!context.is_empty()).then_some(context), sources }
}

/// Earlier exchanges that share words with a message, the closest first, as text; nothing if there are none.
pub(super) fn related(exchanges: &[EdisonExchange], message: &str) -> Option<String> {
    let wanted = words(message);
    let mut scored: Vec<(usize, usize, &EdisonExchange)> = exchanges
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
    let text = lines.join(GAP);
    (!text.is_empty()).then_some(text)
}

/// Passages as text, each with its place; nothing if there are none.
pub(super) fn quoted(passages: &[Passage]) -> Option<Material> {
    let quotes: Vec<String> = passages.iter().map(Passage::quoted).collect();
    let cites =
        passages.iter().map(|passage| (format!("From {}:", passage.path), passage.path.clone())).collect();
    (!quotes.is_empty()).then(|| Material { text: quotes.join(GAP), cites })
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
