//! Ties a model's tokens to grammars: what decoding and grammars know of each other.

use std::sync::Arc;

use crate::grammar::{GrammarPort, Grammars, Tokenise, Vocabulary};
use crate::port::GrammarMaker;
use crate::tokens::ModelTokens;

/// Reserved tokens that are part of an answer.
const THINKING: [&str; 2] = ["<think>", "</think>"];

/// Makes the grammars that hold a model to the tools it may call.
pub fn grammars() -> GrammarMaker {
    Arc::new(|tokens: &Arc<ModelTokens>| {
        let grammars: Arc<dyn GrammarPort> = Arc::new(Grammars::new(vocabulary(tokens))?);
        Ok(grammars)
    })
}

fn vocabulary(tokens: &Arc<ModelTokens>) -> Vocabulary {
    let count = u32::try_from(tokens.len()).unwrap_or(u32::MAX);
    let own = Arc::clone(tokens);
    // What a model writes in the middle of its text is no end of it.
    let special = tokens.reserved().filter(|(name, _)| !THINKING.contains(name));
    // What cannot be read is not forced: the model chooses token by token.
    let tokenise: Tokenise =
        Arc::new(move |bytes: &[u8]| own.read_text(&String::from_utf8_lossy(bytes)).unwrap_or_default());
    Vocabulary {
        tokens: (0..count).map(|token| tokens.bytes(token).to_vec()).collect(),
        special: special.map(|(name, token)| (token, name.to_owned())).collect(),
        ends: tokens.stops().to_vec(),
        // A tokenizer that puts a blank before every text would force it too.
        tokenise: (!tokens.has_space_prefix()).then_some(tokenise),
    }
}
