//! Token budgets: how much of what was found is given.
//!
//! Owns which passages fit into the total, the file's and the passage's budget, and how one passage that alone is too
//! long is cut. The same passages and budget always give the same text. Knows no ranking: passages come best first.

use std::collections::HashMap;

use windlass_core::ports::search::{Passage, TokenBudget};

/// Stands where a passage was cut.
pub(crate) const CUT_MARK: &str = "\n… (cut)";

/// Estimated tokens of a text: four bytes each, as everywhere in the house.
pub(crate) fn estimate_tokens(text: &str) -> u32 {
    u32::try_from(text.len().div_ceil(4)).unwrap_or(u32::MAX)
}

/// Keeps what fits, in order. A passage that does not fit is left out whole and later, smaller ones may still come; only
/// one that is longer than any passage may be is cut.
pub(crate) fn fit(passages: Vec<Passage>, budget: &TokenBudget) -> Vec<Passage> {
    let passage_max = budget.passage.min(budget.file).min(budget.total);
    let mut left = budget.total;
    let mut left_of_file: HashMap<String, u32> = HashMap::new();
    let mut kept = Vec::new();
    for mut passage in passages {
        if estimate_tokens(&passage.text) > passage_max {
            let Some(text) = cut(&passage.text, passage_max) else { continue };
            passage.text = text;
        }
        let tokens = estimate_tokens(&passage.text);
        let of_file = left_of_file.get(&passage.path).copied().unwrap_or(budget.file);
        if tokens > left || tokens > of_file {
            continue;
        }
        left -= tokens;
        left_of_file.insert(passage.path.clone(), of_file - tokens);
        kept.push(passage);
    }
    kept
}

/// The beginning of a text with a mark, within so many tokens; `None` if not even a line of it fits beside the mark.
pub(crate) fn cut(text: &str, tokens_max: u32) -> Option<String> {
    let bytes_max = usize::try_from(tokens_max).unwrap_or(usize::MAX).saturating_mul(4);
    let room = bytes_max.checked_sub(CUT_MARK.len()).filter(|room| *room >= SHORTEST_BYTES)?;
    let head = text.get(..text.floor_char_boundary(room))?;
    // A whole last line reads better, unless it would cost much of the text.
    let head = match head.rfind('\n') {
        Some(at) if at >= room / 2 => head.get(..at)?,
        Some(_) | None => head,
    };
    Some(format!("{}{CUT_MARK}", head.trim_end()))
}

/// Less of a passage says nothing.
const SHORTEST_BYTES: usize = 16;

#[cfg(test)]
#[path = "budget_tests.rs"]
mod tests;
