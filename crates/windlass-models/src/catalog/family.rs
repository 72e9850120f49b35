//! Families: what holds for models of a kind, wherever they are served. One row each, by the pattern of
//! a name; all rows that match apply, in order, so that a narrow row stands after a broad one.

use crate::quirks::{
    AnswerForms, CallDialect, ChoiceForm, ParallelCalls, Quirks, ReasoningAsk, ReasoningEcho, SchemaDialect,
};
use crate::target::{Abilities, WireKind};

/// Models of a kind.
pub(super) struct ModelFamily {
    served_by: ServedBy,
    /// Their names: `*` stands for anything, no upper case; held against the whole name and against what
    /// follows its last slash.
    names: &'static [&'static str],
    /// What holds for them.
    change: fn(&mut Quirks, &mut Abilities),
}

/// Who serves a family.
enum ServedBy {
    By(&'static [&'static str]),
    /// Whoever speaks this wire.
    On(WireKind),
    Anywhere,
}

/// Lays what is known of a model's families over what is known of its provider.
pub(super) fn apply(
    provider: &str,
    wire: WireKind,
    model: &str,
    quirks: &mut Quirks,
    abilities: &mut Abilities,
) {
    let name = model.to_ascii_lowercase();
    let last = name.rsplit('/').next().unwrap_or(&name);
    for family in FAMILIES {
        let is_served = match family.served_by {
            ServedBy::By(providers) => providers.contains(&provider),
            ServedBy::On(own) => own == wire,
            ServedBy::Anywhere => true,
        };
        if is_served && family.names.iter().any(|pattern| fits(pattern, &name) || fits(pattern, last)) {
            (family.change)(quirks, abilities);
        }
    }
}

/// Whether a name fits a pattern in which `*` stands for anything.
fn fits(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(tail) = name.strip_prefix(start) else { return false };
    if rest.is_empty() {
        return true;
    }
    tail.char_indices()
        .map(|(at, _)| at)
        .chain([tail.len()])
        .any(|at| tail.get(at..).is_some_and(|tail| fits(rest, tail)))
}

const OPENAI: ServedBy = ServedBy::By(&["openai", "openai-chat", "azure"]);
const ROUTER: ServedBy = ServedBy::By(&["openrouter"]);
const GROK: ServedBy = ServedBy::By(&["xai"]);
const CLAUDE: ServedBy = ServedBy::On(WireKind::Messages);
const GEMINI: ServedBy = ServedBy::On(WireKind::Gemini);
const OLLAMA: ServedBy = ServedBy::On(WireKind::Ollama);

static FAMILIES: &[ModelFamily] = &[
    // OpenAI: a family that thinks refuses temperature and top_p, one that does not refuses efforts.
    ModelFamily {
        served_by: OPENAI,
        names: &["o1*", "o3*", "o4*", "gpt-5*", "gpt-6*"],
        change: |quirks, abilities| {
            quirks.thinks_unasked = true;
            quirks.samples_while_thinking = false;
            abilities.reasons = Some(true);
        },
    },
    // Before 5.1 thinking could only be made short.
    ModelFamily {
        served_by: OPENAI,
        names: &["o1*", "o3*", "o4*", "gpt-5", "gpt-5-*"],
        change: |quirks, _| quirks.stops_thinking = false,
    },
    ModelFamily {
        served_by: OPENAI,
        names: &["gpt-3.5*", "gpt-4*", "chatgpt-4o*", "gpt-5-chat*"],
        change: |quirks, abilities| {
            quirks.ask = ReasoningAsk::Absent;
            quirks.echo = ReasoningEcho::Never;
            quirks.thinks_unasked = false;
            quirks.stops_thinking = true;
            quirks.samples_while_thinking = true;
            abilities.reasons = Some(false);
        },
    },
    // Anthropic: a budget of thinking up to 4.5, adaptive thinking with an effort since 4.6.
    ModelFamily {
        served_by: CLAUDE,
        names: &["claude-3-5*", "claude-3-opus*", "claude-3-sonnet*", "claude-3-haiku*", "claude-2*"],
        change: |quirks, abilities| {
            quirks.ask = ReasoningAsk::Absent;
            abilities.reasons = Some(false);
        },
    },
    ModelFamily {
        served_by: CLAUDE,
        names: &[
            "claude-*-4-6*",
            "claude-*-4-7*",
            "claude-*-4-8*",
            "claude-opus-5*",
            "claude-sonnet-5*",
            "claude-haiku-5*",
            "claude-fable-5*",
            "claude-mythos-5*",
        ],
        change: |quirks, abilities| {
            quirks.ask = ReasoningAsk::Effort;
            quirks.thinks_midway = true;
            quirks.forces_while_thinking = true;
            abilities.reasons = Some(true);
        },
    },
    ModelFamily {
        served_by: CLAUDE,
        names: &[
            "claude-opus-5*",
            "claude-sonnet-5*",
            "claude-haiku-5*",
            "claude-fable-5*",
            "claude-mythos-5*",
        ],
        change: |quirks, _| quirks.thinks_unasked = true,
    },
    // They cannot but think: forced calls, which would skip it, are refused too.
    ModelFamily {
        served_by: CLAUDE,
        names: &["claude-opus-5-5*", "claude-sonnet-5-5*", "claude-fable-5-1*", "claude-mythos-5-1*"],
        change: |quirks, _| {
            quirks.choice = ChoiceForm::AutoOrNone;
            quirks.forces_while_thinking = false;
            quirks.stops_thinking = false;
        },
    },
    // Gemini: full JSON Schema since 2.5; a budget of thinking in 2.5, levels since 3.
    ModelFamily {
        served_by: GEMINI,
        names: &["gemini-1*", "gemini-2.0*", "gemini-pro*", "gemma*"],
        change: |quirks, abilities| {
            quirks.schema = SchemaDialect::Gemini;
            quirks.ask = ReasoningAsk::Absent;
            abilities.reasons = Some(false);
        },
    },
    ModelFamily {
        served_by: GEMINI,
        names: &["gemini-2.5*"],
        change: |quirks, abilities| {
            quirks.ask = ReasoningAsk::ThinkingType;
            quirks.thinks_unasked = true;
            abilities.reasons = Some(true);
        },
    },
    ModelFamily {
        served_by: GEMINI,
        names: &["gemini-3*"],
        change: |quirks, abilities| {
            quirks.thinks_unasked = true;
            abilities.reasons = Some(true);
        },
    },
    // DeepSeek: the older name of its models without thinking.
    ModelFamily {
        served_by: ServedBy::By(&["deepseek"]),
        names: &["deepseek-chat"],
        change: |quirks, _| {
            quirks.thinks_unasked = false;
            quirks.samples_while_thinking = true;
        },
    },
    // xAI: the first of the fourth generation think and cannot be told how hard.
    ModelFamily {
        served_by: GROK,
        names: &["grok-4", "grok-4-0709", "grok-4-fast*", "grok-4-1-fast*", "*non-reasoning*"],
        change: |quirks, _| quirks.ask = ReasoningAsk::Absent,
    },
    // A router passes on what its vendors refuse (S-18, by the vendor before the slash).
    ModelFamily {
        served_by: ROUTER,
        names: &["anthropic/*"],
        change: |quirks, _| quirks.parallel = ParallelCalls::Off,
    },
    ModelFamily {
        served_by: ROUTER,
        names: &["x-ai/*"],
        change: |quirks, _| {
            quirks.parallel = ParallelCalls::Off;
            quirks.choice = ChoiceForm::AutoOrNone;
            quirks.response_format = AnswerForms::Absent;
        },
    },
    // Moonshot.
    ModelFamily {
        served_by: ServedBy::By(&["moonshot"]),
        names: &["kimi-k2.5*", "kimi-k2.6*", "kimi-k3*"],
        change: |quirks, _| quirks.ask = ReasoningAsk::ThinkingType,
    },
    // Open models, wherever they run.
    ModelFamily {
        served_by: ServedBy::By(&["groq", "cerebras", "together", "fireworks", "vllm", "lmstudio"]),
        names: &["gpt-oss*"],
        change: |quirks, abilities| {
            quirks.ask = ReasoningAsk::Effort;
            quirks.thinks_unasked = true;
            quirks.stops_thinking = false;
            abilities.reasons = Some(true);
        },
    },
    ModelFamily {
        served_by: ServedBy::Anywhere,
        names: &["qwen3*", "qwq*"],
        change: |quirks, _| quirks.opens_thinking = true,
    },
    // Asked to think, Ollama refuses for models that cannot.
    ModelFamily {
        served_by: OLLAMA,
        names: &[
            "llama*",
            "mistral*",
            "mixtral*",
            "gemma",
            "gemma:*",
            "gemma2*",
            "gemma3*",
            "qwen2*",
            "phi3*",
            "command-r*",
            "codellama*",
        ],
        change: |quirks, abilities| {
            quirks.ask = ReasoningAsk::Absent;
            abilities.reasons = Some(false);
        },
    },
    // On Ollama too it is told how hard to think, and cannot be told not to.
    ModelFamily {
        served_by: OLLAMA,
        names: &["gpt-oss*"],
        change: |quirks, abilities| {
            quirks.ask = ReasoningAsk::Effort;
            quirks.thinks_unasked = true;
            quirks.stops_thinking = false;
            abilities.reasons = Some(true);
        },
    },
    // Models that were never taught the calls of their wire (Z-25): calls are tags in their text.
    ModelFamily {
        served_by: ServedBy::Anywhere,
        names: &[
            "gemma",
            "gemma:*",
            "gemma-2*",
            "gemma-3*",
            "gemma-7b*",
            "gemma2*",
            "gemma3*",
            "llama2*",
            "llama-2*",
            "llama3",
            "llama3:*",
            "llama3-*",
            "llama-3-*",
            "meta-llama-3-*",
            "codellama*",
            "tinyllama*",
            "vicuna*",
            "wizardlm*",
            "orca*",
            "phi",
            "phi:*",
            "phi2*",
            "phi-2*",
            "phi3*",
            "phi-3*",
            "qwen:*",
            "qwen1*",
            "qwen2:*",
            "qwen2-*",
            "starcoder*",
            "falcon*",
            "mistral-7b-instruct-v0.1*",
            "mistral-7b-instruct-v0.2*",
        ],
        change: |quirks, abilities| {
            quirks.calls = CallDialect::Tags;
            abilities.calls_tools = Some(false);
        },
    },
    ModelFamily {
        served_by: ServedBy::Anywhere,
        names: &[
            "gpt-oss*",
            "llama3.1*",
            "llama3.2*",
            "llama3.3*",
            "llama-3.1*",
            "llama-3.2*",
            "llama-3.3*",
            "llama4*",
            "llama-4*",
            "qwen2.5*",
            "qwen3*",
            "mistral",
            "mistral:*",
            "mistral-*",
            "mixtral*",
            "command-r*",
        ],
        change: |quirks, abilities| {
            if quirks.calls == CallDialect::Native {
                abilities.calls_tools = Some(true);
            }
        },
    },
];

#[cfg(test)]
#[path = "family_tests.rs"]
mod tests;
