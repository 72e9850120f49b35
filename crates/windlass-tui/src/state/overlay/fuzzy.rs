//! How well a row fits what was typed: every word of it must be found, as a piece or letter by letter.

/// Points of a word that is found in one piece at the beginning.
const AT_START: u32 = 400;

/// Points of a word that is found in one piece where a word begins.
const AT_WORD: u32 = 300;

/// Points of a word that is found in one piece.
const INSIDE: u32 = 200;

/// Points of a word whose letters are found in their order, less one for every letter between them.
const SCATTERED: u32 = 100;

/// How well a row fits a filter; nothing if it does not. Case does not count; more is better. What a row is called
/// counts twice, and what else is known of it only where a word is in it in one piece: letters are everywhere.
pub fn score(filter: &str, label: &str, rest: &str) -> Option<u32> {
    let (label, rest) = (label.to_lowercase(), rest.to_lowercase());
    filter.to_lowercase().split_whitespace().try_fold(0_u32, |sum, word| {
        let called = in_one_piece(word, &label).map(|points| points.saturating_mul(2));
        let known = called.or_else(|| in_one_piece(word, &rest));
        Some(sum.saturating_add(known.or_else(|| scattered(word, &label))?))
    })
}

fn in_one_piece(word: &str, text: &str) -> Option<u32> {
    let points = |(at, _): (usize, &str)| match text.get(..at).and_then(|before| before.chars().next_back()) {
        None => AT_START,
        Some(sign) if !sign.is_alphanumeric() => AT_WORD,
        Some(_) => INSIDE,
    };
    text.match_indices(word).map(points).max()
}

fn scattered(word: &str, text: &str) -> Option<u32> {
    let mut rest = text;
    let mut between = 0_usize;
    for (place, wanted) in word.chars().enumerate() {
        let (before, after) = rest.split_once(wanted)?;
        // What stands before the first letter says nothing about how near the others are.
        between += if place == 0 { 0 } else { before.len() };
        rest = after;
    }
    let between = u32::try_from(between).unwrap_or(u32::MAX);
    Some(SCATTERED.saturating_sub(between).max(1))
}

#[cfg(test)]
#[path = "fuzzy_tests.rs"]
mod tests;
