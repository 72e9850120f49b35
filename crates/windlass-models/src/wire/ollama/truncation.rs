//! Silent truncation: a daemon drops the front of a prompt that does not fit and says nothing.

/// Characters of a token at the most, averaged over a prompt: prose has four to five, code three.
const TOKEN_CHARS_MAX: u64 = 6;

/// Whether a daemon must have dropped some of what it was sent: the least number of tokens that so many
/// characters can be does not fit the context, or is more than was read although the context was well used.
/// A small count alone proves nothing: older daemons do not count what they still had in their cache.
pub fn is_truncated(sent_chars: u64, prompt_eval_count: u64, context_tokens: u64) -> bool {
    let tokens_min = sent_chars / TOKEN_CHARS_MAX;
    let is_well_used = prompt_eval_count.saturating_mul(2) >= context_tokens;
    tokens_min > context_tokens || (prompt_eval_count < tokens_min && is_well_used)
}

#[cfg(test)]
mod tests {
    use super::is_truncated;

    #[test]
    fn ollama_5_truncation_is_silent_and_seen_by_the_count() {
        let cases = [
            // (characters sent, tokens read, context, truncated)
            (4_000, 1_000, 4_096, false),
            (40_000, 4_096, 4_096, true),
            (40_000, 10_000, 16_384, false),
            (60_000, 9_000, 16_384, true),
            // What the daemon still had in its cache was not counted.
            (12_000, 30, 8_192, false),
            // It cannot fit, whatever was counted.
            (600_000, 12, 32_768, true),
            (0, 0, 4_096, false),
            (u64::MAX, u64::MAX, u64::MAX, false),
        ];
        for (chars, count, context, expected) in cases {
            assert_eq!(is_truncated(chars, count, context), expected, "{chars} {count} {context}");
        }
    }
}
