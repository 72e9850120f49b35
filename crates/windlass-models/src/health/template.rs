//! Reserved tokens of chat templates inside outcomes: on servers that write a template themselves, a file
//! that holds `<|im_end|>` could end its own message and speak as somebody else.

use std::borrow::Cow;

use super::limits::TOKEN_BYTES_MAX;

/// Joins nothing and shows nothing, but no tokeniser reads a reserved token through it.
const JOINER: char = '\u{200d}';
/// Reserved tokens that are not written `<|…|>`.
const TOKENS: [&str; 26] = [
    "<s>",
    "</s>",
    "<bos>",
    "<eos>",
    "<pad>",
    "<unk>",
    "<start_of_turn>",
    "<end_of_turn>",
    "<tool_call>",
    "</tool_call>",
    "<tool_response>",
    "</tool_response>",
    "<think>",
    "</think>",
    "<<SYS>>",
    "<</SYS>>",
    "[INST]",
    "[/INST]",
    "[TOOL_CALLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[ARGS]",
    "[SYSTEM_PROMPT]",
    "[gMASK]",
];

/// Whether a provider runs raw templates.
pub(super) fn is_raw(provider: &str) -> bool {
    matches!(provider, "llamacpp" | "llama.cpp" | "vllm" | "lmstudio" | "ollama" | "openai-compatible")
}

/// The text with every reserved token broken up behind its first character.
pub(super) fn escape(text: &str) -> Cow<'_, str> {
    let mut escaped = String::new();
    let mut kept = 0;
    for (at, found) in text.match_indices(['<', '[']) {
        let is_reserved = text.get(at..).is_some_and(begins_with_token);
        if is_reserved && let Some(before) = text.get(kept..at + found.len()) {
            escaped.push_str(before);
            escaped.push(JOINER);
            kept = at + found.len();
        }
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    escaped.push_str(text.get(kept..).unwrap_or_default());
    Cow::Owned(escaped)
}

fn begins_with_token(text: &str) -> bool {
    TOKENS.iter().any(|token| text.starts_with(token))
        || is_barred(text, "<|", "|>")
        || is_barred(text, "<｜", "｜>")
}

/// `<|word|>`, whatever the word: every family has its own.
fn is_barred(text: &str, open: &str, close: &str) -> bool {
    let Some(rest) = text.strip_prefix(open) else { return false };
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '▁' | ' ');
    let length: usize = rest.chars().take_while(|c| is_part(*c)).map(char::len_utf8).sum();
    (1..=TOKEN_BYTES_MAX).contains(&length)
        && rest.get(length..).is_some_and(|behind| behind.starts_with(close))
}

#[cfg(test)]
#[path = "template_tests.rs"]
mod tests;
