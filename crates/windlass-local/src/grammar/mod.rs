//! What a model may write: the port between decoding and grammars.
//!
//! Decoding knows tokens and masks; a grammar knows tools and schemas. Neither knows the other's trade.
//!
//! - `vocabulary`, `tokens`: a model's tokens as plain values, and what the parser wants of them
//! - `grammars`: makes constraints, keeps compiled grammars
//! - `answer`: one answer held to its grammar; `speech`: its free text; `nesting`: how deep its JSON may go
//! - `schema`: a schema made fit for a grammar, never wider than it says without a word
//! - `lark`: the text of a grammar; `copied`, `spans`: strings that are copied from texts
//!
//! Arguments come in the order in which their schema lists them; those that are not required may be left out.
//! An object whose schema lists properties and does not speak of others has those properties and no others.

mod answer;
mod copied;
mod grammars;
mod lark;
mod nesting;
mod schema;
pub mod spans;
mod speech;
mod tokens;
mod vocabulary;

#[cfg(test)]
#[path = "sampling_tests.rs"]
pub(crate) mod sampling;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use windlass_core::protocol::tool::ToolSpec;

pub use grammars::Grammars;
pub use vocabulary::{Tokenise, Vocabulary};

/// What one answer must obey.
#[derive(Debug, Clone)]
pub struct AnswerWish {
    /// How the model writes calls and text.
    pub syntax: CallSyntax,
    /// How the model separates what it writes as JSON.
    pub json: JsonStyle,
    /// The tools that may be called now, and no others.
    pub tools: Vec<Arc<ToolSpec>>,
    pub form: GrammarForm,
    /// Most calls of one answer.
    pub calls_max: usize,
    /// Where strings of arguments must come from; free when absent.
    pub sources: Option<CopySources>,
    /// Values of this moment: a string of a schema that says `"x-windlass-live": KIND` is one of those of its kind.
    /// A kind that is not here leaves the string free.
    pub live: Arc<BTreeMap<String, Vec<String>>>,
}

impl AnswerWish {
    /// A wish for a free answer with these tools.
    pub fn free(syntax: CallSyntax, json: JsonStyle, tools: Vec<Arc<ToolSpec>>) -> Self {
        let live = Arc::default();
        Self { syntax, json, tools, form: GrammarForm::Free, calls_max: 1, sources: None, live }
    }
}

/// The form of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum GrammarForm {
    /// Free text; a call once it is begun.
    Free,
    /// At least one call.
    CallRequired,
    /// Exactly this tool, once.
    CallNamed(String),
    /// Text alone: nothing that begins a call.
    TextOnly,
    /// JSON of this schema and nothing else.
    Json(Value),
    /// A grammar in Lark's language, for callers that bring their own.
    Lark(String),
}

/// How a family of models writes calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallSyntax {
    /// `<tool_call>{"name": …, "arguments": …}</tool_call>` (Qwen, Hermes, SmolLM, the built-in model).
    Tags {
        /// What begins a call, often one reserved token.
        begin: String,
        end: String,
    },
    /// Bare `{"name": …, "parameters": …}` as the whole answer (Llama 3).
    BareObject,
    /// `[TOOL_CALLS][{"name": …, "arguments": …}]` (Mistral).
    List {
        /// What begins the list.
        begin: String,
    },
}

/// What stands between the parts of an object or a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum JsonStyle {
    /// `{"a":1,"b":2}`, as the built-in model is trained to write.
    Compact,
    /// `{"a": 1, "b": 2}`, as most models write.
    Spaced,
    /// Either, as the model likes.
    #[default]
    Either,
}

/// Texts that string arguments are copied from.
#[derive(Debug, Clone)]
pub struct CopySources {
    /// The words of the user, and of outcomes where a later call may copy from them.
    pub texts: Vec<Arc<str>>,
}

/// Makes constraints for one model's tokens.
pub trait GrammarPort: Send + Sync {
    /// The constraint of one answer.
    fn constrain(&self, wish: &AnswerWish) -> Result<Box<dyn Constraint>, GrammarError>;
}

/// Holds one answer to its grammar, token by token.
pub trait Constraint: Send {
    /// Which tokens may come next; nothing when all may.
    fn mask(&mut self) -> Result<Option<&TokenMask>, GrammarError>;
    /// Takes a token that was chosen or forced.
    fn accept(&mut self, token: u32) -> Result<(), GrammarError>;
    /// Tokens that must come next whatever the model thinks; they need no decision. The caller accepts each.
    fn forced(&mut self) -> Vec<u32>;
    /// Whether the answer is complete and nothing may follow.
    fn is_done(&self) -> bool;
    /// Where the grammar is wider than what was wished for, for the user: what comes is still checked elsewhere.
    fn notices(&self) -> &[String] {
        &[]
    }
}

/// A set of tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenMask {
    words: Vec<u32>,
}

impl TokenMask {
    /// Of words of 32 tokens each, lowest first.
    pub fn of_words(words: Vec<u32>) -> Self {
        Self { words }
    }

    /// Of a set of tokens of a vocabulary of that size.
    pub(crate) fn of_tokens(size: usize, tokens: impl Iterator<Item = u32>) -> Self {
        let mut mask = Self { words: vec![0; size.div_ceil(32)] };
        tokens.for_each(|token| mask.set(token, true));
        mask
    }

    /// Puts a token in or takes it out; one beyond the end is in no set.
    pub(crate) fn set(&mut self, token: u32, is_in: bool) {
        let word = usize::try_from(token / 32).unwrap_or(usize::MAX);
        if let Some(word) = self.words.get_mut(word) {
            let bit = 1 << (token % 32);
            *word = if is_in { *word | bit } else { *word & !bit };
        }
    }

    /// Becomes the set of these words.
    pub(crate) fn copy_words(&mut self, words: &[u32]) {
        self.words.clear();
        self.words.extend_from_slice(words);
    }

    /// Takes in all of another set.
    pub(crate) fn add(&mut self, other: &TokenMask) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        self.words.iter_mut().zip(&other.words).for_each(|(own, more)| *own |= more);
    }

    /// The tokens in it, ascending.
    pub fn tokens(&self) -> impl Iterator<Item = u32> + '_ {
        (0_u32..).zip(&self.words).flat_map(|(at, &word)| {
            (0..32).filter(move |bit| word & (1 << bit) != 0).map(move |bit| at * 32 + bit)
        })
    }

    /// Whether no token is in it.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// Whether a token is in it.
    pub fn allows(&self, token: u32) -> bool {
        let word = usize::try_from(token / 32).unwrap_or(usize::MAX);
        self.words.get(word).is_some_and(|word| word & (1 << (token % 32)) != 0)
    }

    /// The words of 32 tokens each, lowest first.
    pub fn words(&self) -> &[u32] {
        &self.words
    }
}

/// Why an answer cannot be held to a grammar.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GrammarError {
    /// A tool's schema says something that no grammar can.
    #[error(
        "the schema of '{tool}' cannot be made a grammar: {message}; correct the schema, or do not offer the tool"
    )]
    Schema { tool: String, message: String },
    /// The grammar is wrong or too large.
    #[error("the grammar cannot be used: {0}")]
    Grammar(String),
    /// A token came that the mask did not allow.
    #[error("the token {0} does not fit the grammar")]
    Token(u32),
}
