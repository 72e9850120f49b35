use super::*;

/// What vendors write, each with the status it comes with.
const TOO_LONG: &[(&str, u16, &str)] = &[
    (
        "openai",
        400,
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9411 tokens.",
    ),
    (
        "openai responses",
        400,
        "Your input exceeds the context window of this model. Please adjust your input and try again.",
    ),
    ("anthropic", 400, "prompt is too long: 213462 tokens > 200000 maximum"),
    ("anthropic", 400, "input length and `max_tokens` exceed context limit: 197501 + 21333 > 200000"),
    ("anthropic", 413, "Request exceeds the maximum size"),
    (
        "gemini",
        400,
        "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
    ),
    ("xai", 400, "This model's maximum prompt length is 131072 but the request contains 537812 tokens."),
    ("groq", 400, "Please reduce the length of the messages or completion."),
    ("groq", 413, "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 8012"),
    (
        "openrouter",
        400,
        "This endpoint's maximum context length is 204800 tokens. However, you requested about 300000 tokens",
    ),
    ("mistral", 400, "Prompt contains 40211 tokens, too large for model with 32768 maximum context length"),
    ("llama.cpp", 400, "the request exceeds the available context size, try increasing it"),
    (
        "lm studio",
        400,
        "The number of tokens to keep from the initial prompt is greater than the context length",
    ),
    (
        "lm studio",
        400,
        "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with 4096",
    ),
    ("ollama", 400, "prompt too long; exceeded max context length by 4 tokens"),
    ("vllm", 400, "The decoder prompt (length 5000) is longer than the maximum model length of 4096."),
    ("vllm", 400, "You passed 4001 input tokens. However, the model's context length is only 4096 tokens"),
    ("sglang", 400, "The input (5000 tokens) is longer than the model's context length (4096 tokens)."),
    ("together", 422, "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193"),
    ("fireworks", 400, "The prompt is too long: 140000, model maximum context length: 131072"),
    ("moonshot", 400, "Invalid request: Your request exceeded model token limit: 262144 (requested: 291211)"),
    ("z.ai", 400, "Prompt exceeds max length"),
    ("minimax", 400, "invalid params, context window exceeds limit"),
    ("cerebras", 413, ""),
];

const OTHER: &[(u16, &str)] = &[
    (429, "This request would exceed your organization's rate limit of 30,000 input tokens per minute"),
    (
        429,
        "Rate limit reached for model `x` on tokens per minute (TPM): Limit 6000, please reduce the length of the messages",
    ),
    (400, "Throttling error: too many tokens, please wait before trying again."),
    (400, "max_tokens is too large: 100000. This model supports at most 16384 completion tokens"),
    (400, "Invalid 'tools[0].function.name': string too long"),
    (500, "internal error"),
];

#[test]
fn every_vendors_words_for_a_request_that_is_too_long_are_known() {
    for (vendor, status, words) in TOO_LONG {
        assert!(is_overflow(Some(*status), &words.to_lowercase()), "{vendor}: {words}");
    }
}

#[test]
fn a_limit_on_use_over_time_is_no_overflow() {
    for (status, words) in OTHER {
        assert!(!is_overflow(Some(*status), &words.to_lowercase()), "{status}: {words}");
    }
}
