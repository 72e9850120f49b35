//! Token counts of chat completions in their normal form: input includes cached, output includes thinking.

use serde_json::Value;
use windlass_core::protocol::model::Usage;

use super::chunk::{JsonLeaf, Perhaps};

#[derive(Debug, serde::Deserialize)]
pub(super) struct ChatUsage<'a> {
    #[serde(borrow, default)]
    prompt_tokens: JsonLeaf<'a>,
    #[serde(borrow, default)]
    completion_tokens: JsonLeaf<'a>,
    #[serde(borrow, default)]
    total_tokens: JsonLeaf<'a>,
    #[serde(borrow, default)]
    cached_tokens: JsonLeaf<'a>,
    #[serde(borrow, default)]
    prompt_cache_hit_tokens: JsonLeaf<'a>,
    #[serde(borrow, default)]
    prompt_tokens_details: Perhaps<Details<'a>>,
    #[serde(borrow, default)]
    completion_tokens_details: Perhaps<Details<'a>>,
    #[serde(borrow, default)]
    cost: JsonLeaf<'a>,
}

/// What a count is made of.
#[derive(Debug, serde::Deserialize)]
struct Details<'a> {
    #[serde(borrow, default)]
    cached_tokens: JsonLeaf<'a>,
    #[serde(borrow, default)]
    reasoning_tokens: JsonLeaf<'a>,
}

impl ChatUsage<'_> {
    /// The counts in their normal form; `None` if nothing was counted.
    pub(super) fn to_usage(&self) -> Option<Usage> {
        let input = to_count(&self.prompt_tokens);
        let output = to_count(&self.completion_tokens);
        if input.is_none() && output.is_none() {
            return None;
        }
        let input = input.unwrap_or(0);
        let written = output.unwrap_or(0);
        let details = self.completion_tokens_details.0.as_ref();
        let reasoning = details.and_then(|details| to_count(&details.reasoning_tokens)).unwrap_or(0);
        // Some count thinking beside the answer, most inside it: the total tells.
        let beside = written.saturating_add(reasoning);
        let total = to_count(&self.total_tokens);
        // More thinking than output cannot be inside it, and not everybody sends a total.
        let is_beside = reasoning > written || total == Some(input.saturating_add(beside));
        let details = self.prompt_tokens_details.0.as_ref();
        let cached = details
            .and_then(|details| to_count(&details.cached_tokens))
            .or_else(|| to_count(&self.cached_tokens))
            // DeepSeek has a field of its own.
            .or_else(|| to_count(&self.prompt_cache_hit_tokens))
            .unwrap_or(0);
        Some(Usage {
            input,
            output: if is_beside { beside } else { written },
            cached: cached.min(input),
            reasoning,
            cost_usd: to_number(&self.cost),
        })
    }
}

/// A count; some endpoints write it as a fraction.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be a small count")]
fn to_count(leaf: &JsonLeaf<'_>) -> Option<u64> {
    match leaf {
        JsonLeaf::Number(count) => Some(*count),
        JsonLeaf::Null | JsonLeaf::Text(_) | JsonLeaf::Other(_) => {
            to_number(leaf).filter(|count| (0.0..1e15).contains(count)).map(|count| count as u64)
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a sum of money")]
fn to_number(leaf: &JsonLeaf<'_>) -> Option<f64> {
    match leaf {
        JsonLeaf::Number(number) => Some(*number as f64),
        JsonLeaf::Other(value) => Value::as_f64(value),
        JsonLeaf::Null | JsonLeaf::Text(_) => None,
    }
}
