//! Token counts of chat completions in their normal form: input includes cached, output includes thinking.

use serde_json::Value;
use windlass_core::model::Usage;

/// Reads a `usage` object; `None` if it counts nothing.
pub(super) fn read_usage(usage: &Value) -> Option<Usage> {
    let count = |name: &str| usage.get(name).and_then(to_count);
    let detail = |group: &str, name: &str| usage.get(group)?.get(name).and_then(to_count);
    let input = count("prompt_tokens");
    let output = count("completion_tokens");
    if input.is_none() && output.is_none() {
        return None;
    }
    let input = input.unwrap_or(0);
    let written = output.unwrap_or(0);
    let reasoning = detail("completion_tokens_details", "reasoning_tokens").unwrap_or(0);
    // Some count thinking beside the answer, most inside it: the total tells.
    let beside = written.saturating_add(reasoning);
    let is_beside = reasoning > written || count("total_tokens") == Some(input.saturating_add(beside));
    let cached = detail("prompt_tokens_details", "cached_tokens")
        .or_else(|| count("cached_tokens"))
        .or_else(|| count("prompt_cache_hit_tokens"))
        .unwrap_or(0);
    Some(Usage {
        input,
        output: if is_beside { beside } else { written },
        cached: cached.min(input),
        reasoning,
        cost_usd: usage.get("cost").and_then(Value::as_f64),
    })
}

/// A count; some endpoints write it as a fraction.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be a small count")]
fn to_count(value: &Value) -> Option<u64> {
    let fraction = || value.as_f64().filter(|count| (0.0..1e15).contains(count)).map(|count| count as u64);
    value.as_u64().or_else(fraction)
}
