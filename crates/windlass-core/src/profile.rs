//! Profiles: named limits, dialect, envelope and manners.
//!
//! Five of them reproduce the five systems that Windlass unites, number for number (requirements §6.6);
//! `default` is the better one. A profile is data: the machine has no branch on a profile's name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::limits::{CALL_TIMEOUT_CEILING_MS, FULL_RESULT_CHARS_MAX, Limits};

/// The six profiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ProfileName {
    /// The better one.
    #[default]
    Default,
    /// EDISON's structured loop.
    Edison,
    /// The DSPy engine's tool wrapper.
    Dspy,
    /// Prompt Studio's streaming loop.
    Studio,
    /// ploke's event-bus loop.
    Ploke,
    /// ZodoLlama's terminal agent.
    Zodo,
}

impl ProfileName {
    /// All of them.
    pub const ALL: [ProfileName; 6] = [
        ProfileName::Default,
        ProfileName::Edison,
        ProfileName::Dspy,
        ProfileName::Studio,
        ProfileName::Ploke,
        ProfileName::Zodo,
    ];

    /// The word of flags and configuration.
    pub fn word(self) -> &'static str {
        match self {
            ProfileName::Default => "default",
            ProfileName::Edison => "edison",
            ProfileName::Dspy => "dspy",
            ProfileName::Studio => "studio",
            ProfileName::Ploke => "ploke",
            ProfileName::Zodo => "zodo",
        }
    }

    /// What it is for, in a sentence.
    pub fn about(self) -> &'static str {
        match self {
            ProfileName::Default => "Native calls, parallel reads, generous limits: the one to use.",
            ProfileName::Edison => {
                "EDISON's structured loop: calls as JSON in plain text, four built-in tools."
            }
            ProfileName::Dspy => "The DSPy engine's tool wrapper: calls as a field of a structured output.",
            ProfileName::Studio => "Prompt Studio's streaming loop, with its event frames and limits.",
            ProfileName::Ploke => "ploke's event-bus loop, with its envelope and limits.",
            ProfileName::Zodo => "ZodoLlama's terminal agent, with its envelope and limits.",
        }
    }
}

/// EDISON's four (E-2).
const EDISON_TOOLS: [&str; 4] = ["generate_image", "rag_search", "system_stats", "web_search"];
/// ploke's one (P-2).
const PLOKE_TOOLS: [&str; 1] = ["request_code_context"];

impl ProfileName {
    /// The built-in tools it offers, if not all of them. Tools of the host program are always offered.
    pub fn builtin_tools(self) -> Option<&'static [&'static str]> {
        match self {
            ProfileName::Edison => Some(&EDISON_TOOLS),
            ProfileName::Ploke => Some(&PLOKE_TOOLS),
            ProfileName::Default | ProfileName::Dspy | ProfileName::Studio | ProfileName::Zodo => None,
        }
    }
}

impl fmt::Display for ProfileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for ProfileName {
    type Err = UnknownProfile;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|name| name.word() == word).ok_or_else(|| UnknownProfile(word.to_owned()))
    }
}

/// There is no such profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown profile '{0}'; the profiles are default, edison, dspy, studio, ploke and zodo")]
pub struct UnknownProfile(pub String);

/// How calls and outcomes are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// The provider's own tool calling.
    Native,
    /// A JSON object in plain text (EDISON).
    Text,
    /// A field `tool_call` of a structured output (DSPy).
    Field,
}

/// How an outcome is wrapped for its reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Envelope {
    /// `{ok, output | error{…}}`.
    Windlass,
    /// `{ok, error, data}` (E-20).
    Edison,
    /// The bare value (D-9).
    Value,
    /// `{success, result | error}` (S-8).
    Studio,
    /// `{ok, …}` (P-17, P-18).
    Ploke,
    /// `{success, data, error_message, error_type, metadata}` (Z-9).
    Zodo,
}

/// What a bad call leads to when no correction is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Uncorrected {
    /// One last answer without tools.
    Finalise,
    /// The run ends with the error as its answer (E-33).
    Reject,
    /// Bad calls are ordinary failures; only the step limit ends them.
    Ignore,
}

/// What a failed call leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OnToolError {
    /// The model is told and goes on.
    Continue,
    /// The run fails (D-18).
    Abort,
}

/// What the step limit leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AtCap {
    /// One last answer without tools.
    Finalise,
    /// The run fails (D-18, P-20).
    Fail,
}

/// Whether reading in the project needs asking when no rule speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// It runs without asking; files that hold secrets excepted.
    Free,
    /// The risk of each call decides (Z-4, Z-12).
    #[default]
    ByRisk,
}

/// A named set of limits and manners.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Profile {
    /// Which one it began as.
    pub name: ProfileName,
    /// How calls are written.
    pub dialect: Dialect,
    /// How outcomes are wrapped.
    pub envelope: Envelope,
    /// The numbers.
    pub limits: Limits,
    /// When corrections are used up.
    pub uncorrected: Uncorrected,
    /// When a call fails.
    pub on_tool_error: OnToolError,
    /// When the steps are used up.
    pub at_cap: AtCap,
    /// Whether the answer ends with the tools it used (E-35).
    pub has_sources_suffix: bool,
    /// Whether a failed call adds a note after the tool messages (P-18).
    pub has_failure_notes: bool,
    /// Whether identical reads are answered from the run itself (requirements §6.1 row 26).
    pub caches_repeats: bool,
    /// Start a read-only call as soon as it is complete, before the model has finished (`TOOL_LOOP_V2`).
    pub executes_while_streaming: bool,
    /// Whether reading in the project needs asking.
    #[serde(default)]
    pub reading: Reading,
}

impl Default for Profile {
    fn default() -> Self {
        Self {
            name: ProfileName::Default,
            dialect: Dialect::Native,
            envelope: Envelope::Windlass,
            limits: Limits::default(),
            uncorrected: Uncorrected::Finalise,
            on_tool_error: OnToolError::Continue,
            at_cap: AtCap::Finalise,
            has_sources_suffix: false,
            has_failure_notes: false,
            caches_repeats: true,
            executes_while_streaming: false,
            reading: Reading::Free,
        }
    }
}

impl Profile {
    /// The profile of that name.
    pub fn named(name: ProfileName) -> Self {
        match name {
            ProfileName::Default => Self::default(),
            ProfileName::Edison => Self::edison(),
            ProfileName::Dspy => Self::dspy(),
            ProfileName::Studio => Self::studio(),
            ProfileName::Ploke => Self::ploke(),
            ProfileName::Zodo => Self::zodo(),
        }
    }

    /// EDISON: 5 steps, one call a step, 12 s, text dialect, one correction (E-19, E-30, E-33).
    pub fn edison() -> Self {
        Self {
            name: ProfileName::Edison,
            reading: Reading::ByRisk,
            dialect: Dialect::Text,
            envelope: Envelope::Edison,
            uncorrected: Uncorrected::Reject,
            has_sources_suffix: true,
            limits: Limits {
                steps_max: 5,
                calls_per_step_max: 1,
                call_timeout_ms: 12_000,
                context_chars_max: 2_000,
                corrections_per_run_max: 5,
                display_bytes_max: 200,
                ..Limits::default()
            },
            ..Self::default()
        }
    }

    /// DSPy: 5 iterations, one call each, field dialect, errors end the run (D-12…D-18).
    pub fn dspy() -> Self {
        Self {
            name: ProfileName::Dspy,
            reading: Reading::ByRisk,
            dialect: Dialect::Field,
            envelope: Envelope::Value,
            uncorrected: Uncorrected::Ignore,
            on_tool_error: OnToolError::Abort,
            at_cap: AtCap::Fail,
            caches_repeats: false,
            limits: Limits {
                steps_max: 5,
                calls_per_step_max: 1,
                call_timeout_ms: CALL_TIMEOUT_CEILING_MS,
                result_chars_max: FULL_RESULT_CHARS_MAX,
                ..Limits::default()
            },
            ..Self::default()
        }
    }

    /// Prompt Studio: 5 iterations, 7.5 s, at most 6 searches (S-23).
    pub fn studio() -> Self {
        Self {
            name: ProfileName::Studio,
            reading: Reading::ByRisk,
            envelope: Envelope::Studio,
            uncorrected: Uncorrected::Ignore,
            limits: Limits {
                steps_max: 5,
                call_timeout_ms: 7_500,
                result_chars_max: FULL_RESULT_CHARS_MAX,
                search_calls_max: Some(6),
                search_calls_paid_max: Some(10),
                ..Limits::default()
            },
            ..Self::default()
        }
    }

    /// ploke: two retries are two more steps after the first; 30 s a call (P-20, P-21).
    pub fn ploke() -> Self {
        Self {
            name: ProfileName::Ploke,
            reading: Reading::ByRisk,
            envelope: Envelope::Ploke,
            uncorrected: Uncorrected::Ignore,
            at_cap: AtCap::Fail,
            has_failure_notes: true,
            limits: Limits {
                steps_max: 3,
                call_timeout_ms: 30_000,
                result_chars_max: FULL_RESULT_CHARS_MAX,
                ..Limits::default()
            },
            ..Self::default()
        }
    }

    /// ZodoLlama: 10 iterations of at most 15 calls (Z-20, Z-21).
    pub fn zodo() -> Self {
        Self {
            name: ProfileName::Zodo,
            reading: Reading::ByRisk,
            envelope: Envelope::Zodo,
            uncorrected: Uncorrected::Ignore,
            limits: Limits {
                call_timeout_ms: CALL_TIMEOUT_CEILING_MS,
                result_chars_max: 64_000,
                ..Limits::default()
            },
            ..Self::default()
        }
    }
}

#[cfg(test)]
#[path = "profile_tests.rs"]
mod tests;
