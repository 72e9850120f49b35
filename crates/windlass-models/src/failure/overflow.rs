//! Overflow: the many words in which providers say that a request is too long for the model.
//!
//! Each line is what one or more vendors write. Knows no statuses but the one that means nothing else.

/// What a vendor's text must contain, all of it, in lower case.
const WORDS: &[&[&str]] = &[
    // OpenAI, Azure, DeepSeek, vLLM, OpenRouter, Mistral, Fireworks
    &["maximum context length"],
    &["context_length_exceeded"],
    &["context length exceeded"],
    // OpenAI Responses, MiniMax
    &["exceeds the context window"],
    &["context window exceeds limit"],
    &["model_context_window_exceeded"],
    // Anthropic, Fireworks
    &["prompt is too long"],
    &["exceed context limit"],
    &["request_too_large"],
    // Gemini
    &["exceeds the maximum number of tokens"],
    // xAI
    &["maximum prompt length"],
    // Groq, Cerebras
    &["reduce the length of the messages"],
    &["request too large for model", "reduce your message size"],
    // llama.cpp
    &["exceeds the available context size"],
    &["exceed_context_size_error"],
    &["context shift is disabled"],
    // LM Studio
    &["tokens to keep", "context length"],
    &["tokens to keep", "n_ctx"],
    &["context the overflows"],
    // Ollama
    &["prompt too long", "context"],
    &["input length exceeds"],
    // vLLM, SGLang, Together
    &["longer than the maximum model length"],
    &["longer than the model's context length"],
    &["model's context length is only"],
    &["exceeds the model's maximum context"],
    &["tokens + `max_new_tokens` must be"],
    &["inputs` must have less than", "tokens"],
    // Moonshot
    &["exceeded model token limit"],
    // z.ai
    &["prompt exceeds max length"],
    // Bedrock
    &["input is too long for requested model"],
    // Copilot
    &["prompt token count", "exceeds the limit"],
    // Cohere
    &["too many tokens", "size limit exceeded"],
];

/// Words of a limit on use over time: waiting cures it, trimming need not.
const RATE_WORDS: &[&str] =
    &["rate limit", "rate_limit", "per minute", "per day", "too many requests", "throttl"];

/// Whether a provider's words, in lower case, say that the request was too long.
pub fn is_overflow(status: Option<u16>, words: &str) -> bool {
    // Too large is too large, also where a limit on tokens a minute is what it is too large for.
    if status == Some(413) {
        return true;
    }
    if status == Some(429) || RATE_WORDS.iter().any(|word| words.contains(word)) {
        return false;
    }
    WORDS.iter().any(|all| all.iter().all(|word| words.contains(word)))
}

#[cfg(test)]
#[path = "overflow_tests.rs"]
mod tests;
