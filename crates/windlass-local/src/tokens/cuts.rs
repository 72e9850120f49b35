//! Where words are cut before pairs are merged: every family of tokenizers has its own rule, known by a name.
//!
//! Owns the names and the patterns. Patterns of a rule are tried one after another: what the first one cut, the next
//! one cuts further. Knows no vocabulary.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CutRule {
    pub(super) patterns: &'static [&'static str],
    /// Whether a word that is in the vocabulary is taken whole, whatever its pairs would make of it.
    pub(super) takes_whole_words: bool,
}

const GPT_2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)";
const DIGIT: &str = r"\p{N}";
const QWEN: &str = r"'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD]|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const LLAMA: &str = r"'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD]|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const SEED: &str = r"'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD]|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+|\s+(?!\S)|\s+";
const TEKKEN: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";

/// The rule of a name; a file that names none is of the time when there was but one.
pub(super) fn find(name: &str) -> Option<CutRule> {
    let patterns: &[&str] = match name {
        "" | "default" => &[r"[\p{P}\$\+<=>\^~\|]+", GPT_2, r"\p{N}+", r"[0-9][0-9][0-9]"],
        "gpt-2" | "phi-2" | "mellum" | "trillion" | "gigachat" | "a.x-4.0" => &[GPT_2],
        "smollm" | "starcoder" | "refact" | "minerva-7b" => &[DIGIT, GPT_2],
        "qwen2" | "deepseek-r1-qwen" | "megrez" | "kormo" => &[QWEN],
        "llama-bpe" | "llama3" | "llama-v3" | "falcon3" | "pixtral" | "midm-2.0" | "smaug-bpe" | "dbrx" => {
            &[LLAMA]
        }
        "seed-coder" => &[SEED],
        "tekken" => &[TEKKEN],
        "deepseek-coder" => &[
            r"[\r\n]",
            r"\s?\p{L}+",
            r"\s?\p{P}+",
            r"[\u{4E00}-\u{9FA5}\u{0800}-\u{4E00}\u{AC00}-\u{D7FF}]+",
            DIGIT,
        ],
        _ => return None,
    };
    let takes_whole_words =
        matches!(name, "llama-bpe" | "llama3" | "llama-v3" | "falcon3" | "pixtral" | "midm-2.0" | "tekken");
    Some(CutRule { patterns, takes_whole_words })
}
