//! What a model may write: the port between decoding and grammars.
//!
//! Decoding knows tokens and masks; a grammar knows tools and schemas. Neither knows the other's trade.

use std::sync::Arc;

use serde_json::Value;
use windlass_core::tool::ToolSpec;

/// What one answer must obey.
#[derive(Debug, Clone)]
pub struct Wish {
    /// How the model writes calls and text.
    pub syntax: CallSyntax,
    /// The tools that may be called now, and no others.
    pub tools: Vec<Arc<ToolSpec>>,
    /// What must happen.
    pub form: AnswerForm,
    /// Most calls of one answer.
    pub calls_max: usize,
    /// Where strings of arguments must come from; free when absent.
    pub sources: Option<Sources>,
}

/// The form of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum AnswerForm {
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
        /// What ends it.
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

/// Texts that string arguments are copied from.
#[derive(Debug, Clone)]
pub struct Sources {
    /// The words of the user, and of outcomes where a later call may copy from them.
    pub texts: Vec<Arc<str>>,
}

/// Makes constraints for one model's tokens.
pub trait GrammarPort: Send + Sync {
    /// The constraint of one answer.
    fn constrain(&self, wish: &Wish) -> Result<Box<dyn Constraint>, GrammarError>;
}

/// Holds one answer to its grammar, token by token.
pub trait Constraint: Send {
    /// Which tokens may come next; nothing when all may.
    fn mask(&mut self) -> Result<Option<&TokenMask>, GrammarError>;
    /// Takes the token that was chosen.
    fn accept(&mut self, token: u32) -> Result<(), GrammarError>;
    /// Tokens that must come next whatever the model thinks; they need no decision.
    fn forced(&mut self) -> Vec<u32>;
    /// Whether the answer is complete and nothing may follow.
    fn is_done(&self) -> bool;
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
    #[error("the schema of '{tool}' cannot be made a grammar: {message}")]
    Schema {
        /// The tool.
        tool: String,
        /// What it says.
        message: String,
    },
    /// The grammar is wrong or too large.
    #[error("the grammar cannot be used: {0}")]
    Grammar(String),
    /// A token came that the mask did not allow.
    #[error("the token {0} does not fit the grammar")]
    Token(u32),
}
