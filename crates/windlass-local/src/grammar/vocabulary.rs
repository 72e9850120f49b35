//! A model's tokens as plain values: what a tokenizer knows, without the tokenizer.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Cuts bytes into the tokens that the model's own tokenizer would give, taking no part of them for a special token.
pub type Tokenise = Arc<dyn Fn(&[u8]) -> Vec<u32> + Send + Sync>;

/// The tokens of a model.
#[derive(Clone, Default)]
pub struct Vocabulary {
    /// The bytes of each token, by its number. Those of special tokens do not matter.
    pub tokens: Vec<Vec<u8>>,
    /// Tokens that are never part of a text, with their names: `<|im_end|>`, `[TOOL_CALLS]`. One that a model may
    /// write in the middle of its text, such as `<think>`, is an ordinary token and not listed here.
    pub special: BTreeMap<u32, String>,
    /// Tokens that end an answer.
    pub ends: Vec<u32>,
    /// How the model's tokenizer cuts text. Without it nothing is forced: every token is the model's choice.
    pub tokenise: Option<Tokenise>,
}

impl fmt::Debug for Vocabulary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vocabulary")
            .field("tokens", &self.tokens.len())
            .field("special", &self.special)
            .field("ends", &self.ends)
            .finish_non_exhaustive()
    }
}
