//! Taint: what text from outside in a run's context means for a call that reaches out.
//!
//! The run folds its context and looks at each call (`run/taint.rs`); here is what it finds, in which manner it counts,
//! and what people are told. Knows no transcript.
//!
//! - `leak`: the tripwire for private text in arguments

mod leak;

use std::fmt;

use serde::{Deserialize, Serialize};

pub(crate) use self::leak::find_leak;

/// What is done with calls that reach out while the context has text from outside (`--taint`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TaintMode {
    /// Nothing: rules, grants and the mode decide alone.
    Off,
    /// They are asked about, unless the user named where they lead.
    #[default]
    Ask,
    /// Everything that changes something is asked about, wherever it leads.
    Strict,
}

impl TaintMode {
    /// All of them, from the loosest to the tightest.
    pub const ALL: [TaintMode; 3] = [Self::Off, Self::Ask, Self::Strict];

    /// Reads the word of the flag.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.word() == word.trim())
    }

    /// The word of flags and files.
    pub fn word(self) -> &'static str {
        match self {
            TaintMode::Off => "off",
            TaintMode::Ask => "ask",
            TaintMode::Strict => "strict",
        }
    }
}

/// Since when a run has text from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaintSource {
    /// Where the first of it came from, in words on one line.
    pub words: String,
    /// The step that it came in; nothing if it was there before the run.
    pub step: Option<u32>,
}

impl fmt::Display for TaintSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.step {
            Some(step) => write!(f, "since step {step} this run has text from {}", self.words),
            None => write!(f, "since an earlier message this session has text from {}", self.words),
        }
    }
}

/// A piece of private text in the arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeakFinding {
    /// The argument that has it.
    pub argument: String,
    /// Where it came from.
    pub source: TaintSource,
}

impl fmt::Display for LeakFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { argument, source: TaintSource { words, step } } = self;
        write!(f, "the argument '{argument}' holds text of {words}")?;
        match step {
            Some(step) => write!(f, ", which came in step {step}"),
            None => f.write_str(", which came earlier in this session"),
        }
    }
}

/// What the context of a run says of one call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TaintFinding {
    /// The first text from outside; nothing where there is none.
    pub source: Option<TaintSource>,
    /// How many other places text came from.
    pub others: usize,
    /// Whether the user named every place that the call leads to.
    pub is_named: bool,
    /// Private text in the arguments.
    pub leak: Option<LeakFinding>,
}

impl TaintFinding {
    /// Whether there is anything to ask about.
    pub fn is_clean(&self) -> bool {
        self.source.is_none() && self.leak.is_none()
    }

    /// What the user is told, in words of the program.
    pub fn sentence(&self) -> Option<String> {
        let source = self.source.as_ref().map(|source| match self.others {
            0 => source.to_string(),
            1 => format!("{source} and one other place"),
            others => format!("{source} and {others} other places"),
        });
        let leak = self.leak.as_ref().map(ToString::to_string);
        let said: Vec<String> = [source, leak].into_iter().flatten().map(|text| capital(&text)).collect();
        (!said.is_empty()).then(|| said.join(" "))
    }
}

/// A sentence: a capital at its beginning, a full stop at its end.
fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(chars).chain(['.']).collect()
}

#[cfg(test)]
#[path = "taint_tests.rs"]
mod tests;
