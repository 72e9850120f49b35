//! Models of which something is known: sizes, prices, abilities, and who said so when.
//!
//! A row is here only if its figures could be checked; what is missing is unknown and is said to be.
//! Prices are dollars for a million tokens, for prompts of ordinary length where longer ones cost more.
//! Where a provider names no price for cached tokens, they cost as much as others.

use crate::target::{Abilities, Prices};

/// A model of which something is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KnownModel {
    pub provider: &'static str,
    /// The model, as the provider calls it.
    pub model: &'static str,
    /// What it can do and what it costs.
    pub abilities: Abilities,
    /// Who said so, and when that was read.
    pub source: &'static str,
}

const OPENAI: &str = "OpenAI's price list as gateways republish it, 2026-11";
const ANTHROPIC: &str = "Anthropic's model overview, 2026-11";
const GOOGLE: &str = "Google's model pages, prices as republished, 2026-09";
const XAI: &str = "xAI's model pages and reports of them, 2026-09";
const DEEPSEEK: &str = "DeepSeek's price list as clients republish it, 2026-06";
const MISTRAL: &str = "Mistral's price list as quoted, 2026-05";
const GROQ: &str = "Groq's supported models, 2026";
const MOONSHOT: &str = "Moonshot's model list as clients republish it, 2026-06";

/// Sees pictures, or reads text alone.
const SEES: bool = true;
const READS: bool = false;

/// A model that calls tools and thinks.
const fn thinker(
    provider: &'static str,
    model: &'static str,
    tokens: (u64, Option<u64>),
    prices: Option<[f64; 3]>,
    sees: bool,
    source: &'static str,
) -> KnownModel {
    let prices = match prices {
        Some([input, cached, output]) => Some(Prices { input, cached, output }),
        None => None,
    };
    let abilities = Abilities {
        context_tokens: Some(tokens.0),
        output_tokens_max: tokens.1,
        calls_tools: Some(true),
        reasons: Some(true),
        sees: Some(sees),
        prices,
    };
    KnownModel { provider, model, abilities, source }
}

/// The same for a model that does not think.
const fn talker(
    provider: &'static str,
    model: &'static str,
    tokens: (u64, Option<u64>),
    prices: Option<[f64; 3]>,
    sees: bool,
    source: &'static str,
) -> KnownModel {
    let known = thinker(provider, model, tokens, prices, sees, source);
    KnownModel { abilities: Abilities { reasons: Some(false), ..known.abilities }, ..known }
}

const GPT_6: (u64, Option<u64>) = (1_050_000, Some(128_000));
const CLAUDE_5: (u64, Option<u64>) = (1_000_000, Some(128_000));
const GEMINI_3: (u64, Option<u64>) = (1_048_576, Some(65_536));

/// All of them, by provider.
#[rustfmt::skip]
pub(super) static MODELS: &[KnownModel] = &[
    thinker("openai", "gpt-6-astra", GPT_6, Some([10.0, 1.0, 50.0]), SEES, OPENAI),
    thinker("openai", "gpt-6.1-sol", GPT_6, Some([2.0, 0.2, 10.0]), SEES, OPENAI),
    thinker("openai", "gpt-6-sol", GPT_6, Some([2.0, 0.2, 10.0]), SEES, OPENAI),
    thinker("openai", "gpt-5.5", (1_000_000, Some(128_000)), Some([5.0, 0.5, 30.0]), SEES, OPENAI),
    talker("openai", "gpt-4.1", (1_047_576, Some(32_768)), Some([2.0, 0.5, 8.0]), SEES, OPENAI),
    talker("openai", "gpt-4o", (128_000, None), Some([2.5, 1.25, 10.0]), SEES, OPENAI),
    talker("openai", "gpt-4o-mini", (128_000, None), Some([0.15, 0.075, 0.6]), SEES, OPENAI),
    thinker("anthropic", "claude-fable-5-1", CLAUDE_5, Some([10.0, 0.25, 50.0]), SEES, ANTHROPIC),
    thinker("anthropic", "claude-opus-5-5", CLAUDE_5, Some([4.0, 0.2, 20.0]), SEES, ANTHROPIC),
    thinker("anthropic", "claude-opus-5", CLAUDE_5, Some([5.0, 0.5, 25.0]), SEES, ANTHROPIC),
    thinker("anthropic", "claude-sonnet-5-5", CLAUDE_5, Some([2.0, 0.2, 10.0]), SEES, ANTHROPIC),
    thinker("anthropic", "claude-sonnet-5", CLAUDE_5, Some([2.0, 0.2, 10.0]), SEES, ANTHROPIC),
    thinker("anthropic", "claude-haiku-5-5", CLAUDE_5, Some([0.1, 0.01, 0.5]), SEES, ANTHROPIC),
    thinker("anthropic", "claude-haiku-4-5", (200_000, Some(64_000)), Some([1.0, 0.1, 5.0]), SEES, ANTHROPIC),
    thinker("gemini", "gemini-3.8-flash", GEMINI_3, Some([0.75, 0.75, 3.75]), SEES, GOOGLE),
    thinker("gemini", "gemini-3.7-flash", GEMINI_3, None, SEES, GOOGLE),
    thinker("gemini", "gemini-3.1-pro-preview", GEMINI_3, Some([2.0, 2.0, 12.0]), SEES, GOOGLE),
    thinker("xai", "grok-4.7", (500_000, None), Some([2.0, 0.5, 6.0]), SEES, XAI),
    thinker("xai", "grok-4.5", (500_000, None), Some([2.0, 0.5, 6.0]), SEES, XAI),
    thinker("xai", "grok-4.3", (1_000_000, None), Some([1.25, 0.2, 2.5]), SEES, XAI),
    thinker("deepseek", "deepseek-v4-flash", (1_048_576, Some(393_216)), Some([0.14, 0.0028, 0.28]), READS, DEEPSEEK),
    thinker("deepseek", "deepseek-v4-pro", (1_048_576, Some(393_216)), Some([0.435, 0.003625, 0.87]), READS, DEEPSEEK),
    talker("mistral", "mistral-medium-latest", (256_000, None), Some([1.5, 1.5, 7.5]), SEES, MISTRAL),
    talker("mistral", "mistral-medium-3-5", (256_000, None), Some([1.5, 1.5, 7.5]), SEES, MISTRAL),
    thinker("groq", "openai/gpt-oss-120b", (131_072, Some(65_536)), Some([0.15, 0.15, 0.6]), READS, GROQ),
    thinker("groq", "openai/gpt-oss-20b", (131_072, Some(65_536)), Some([0.075, 0.075, 0.3]), READS, GROQ),
    talker("groq", "llama-3.3-70b-versatile", (131_072, Some(32_768)), Some([0.59, 0.59, 0.79]), READS, GROQ),
    talker("groq", "llama-3.1-8b-instant", (131_072, Some(131_072)), Some([0.05, 0.05, 0.08]), READS, GROQ),
    thinker("moonshot", "kimi-k2.7-code", (262_144, Some(262_144)), None, SEES, MOONSHOT),
    talker("moonshot", "kimi-k2.6", (262_144, Some(262_144)), None, SEES, MOONSHOT),
];
