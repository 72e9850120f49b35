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
    replace_starts(text, begins_with_token, |out, first| out.extend(first.chars().chain([JOINER])))
}

/// The text with something else in the place of the first character, `<` or `[`, of everything reserved.
pub(crate) fn replace_starts<'a>(
    text: &'a str,
    is_reserved: fn(&str) -> bool,
    put: impl Fn(&mut String, &str),
) -> Cow<'a, str> {
    let (mut out, mut kept) = (String::new(), 0);
    for (at, first) in text.match_indices(['<', '[']) {
        if is_reserved(text.get(at..).unwrap_or_default()) {
            out.push_str(text.get(kept..at).unwrap_or_default());
            put(&mut out, first);
            kept = at + first.len();
        }
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(kept..).unwrap_or_default());
    Cow::Owned(out)
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
