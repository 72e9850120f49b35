//! The tokens of a model as the parser wants them: a tree of their bytes, and how text is cut.

use std::collections::BTreeMap;

use toktrie::{TokRxInfo, TokTrie, TokenId, TokenizerEnv};

use super::nesting::is_long_number;
use super::{GrammarError, Tokenise, Vocabulary};

/// Longer tokens are never allowed: the tree has no room for them, and they are padding or noise.
const TOKEN_BYTES_MAX: usize = 512;

/// The most tokens that the tree can number.
const TOKENS_MAX: usize = 1 << 22;

/// The tokens of a model.
pub(super) struct GrammarTokens {
    tree: TokTrie,
    special: BTreeMap<u32, String>,
    ends: Vec<u32>,
    tokenise: Option<Tokenise>,
    /// The most brackets that one token opens.
    pub(super) opens_max: usize,
    /// The most characters of a number in one token.
    pub(super) number_max: usize,
    /// Tokens with so much of a number in them that they could pass a limit from anywhere.
    pub(super) numbers: Vec<u32>,
}

impl GrammarTokens {
    pub(super) fn new(vocabulary: Vocabulary) -> Result<Self, GrammarError> {
        let Vocabulary { tokens, special, ends, tokenise } = vocabulary;
        let wrong = |message: &str| Err(GrammarError::Grammar(format!("the model's vocabulary: {message}")));
        let size = match u32::try_from(tokens.len()) {
            Ok(size) if (1..=TOKENS_MAX).contains(&tokens.len()) => size,
            Ok(_) | Err(_) => return wrong("it is empty or too large; is the tokenizer's file whole?"),
        };
        let Some(&end) = ends.first() else {
            return wrong("no token ends an answer; the model's files must name one");
        };
        if ends.iter().chain(special.keys()).any(|&token| token >= size) {
            return wrong("a special token is not in it; do tokenizer and model belong together?");
        }
        let opens = |bytes: &Vec<u8>| bytes.iter().filter(|byte| matches!(byte, b'{' | b'[')).count();
        let words: Vec<Vec<u8>> = (0..)
            .zip(tokens)
            .map(|(token, bytes)| match special.get(&token) {
                Some(name) => [&[TokTrie::SPECIAL_TOKEN_MARKER], name.as_bytes()].concat(),
                None if bytes.len() > TOKEN_BYTES_MAX => Vec::new(),
                None => bytes,
            })
            .collect();
        let opens_max = words.iter().map(opens).max().unwrap_or_default();
        let digits = |bytes: &Vec<u8>| bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
        let number_max = words.iter().map(digits).max().unwrap_or_default().saturating_add(2);
        let numbers =
            (0..).zip(&words).filter(|(_, word)| is_long_number(word)).map(|(token, _)| token).collect();
        let tree = TokTrie::from(&TokRxInfo::new(size, end), &words).with_eos_tokens(&ends);
        Ok(Self { tree, special, ends, tokenise, opens_max, number_max, numbers })
    }

    /// How many there are.
    pub(super) fn size(&self) -> usize {
        self.tree.vocab_size()
    }

    /// The special token of that name.
    pub(super) fn special(&self, name: &str) -> Option<u32> {
        self.special.iter().find(|(_, own)| *own == name).map(|(&token, _)| token)
    }

    pub(super) fn is_end(&self, token: u32) -> bool {
        self.ends.contains(&token)
    }

    pub(super) fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// The bytes of a token that is part of a text; nothing for special ones and for numbers that are no token.
    pub(super) fn bytes(&self, token: u32) -> &[u8] {
        let is_known = usize::try_from(token).is_ok_and(|token| token < self.size());
        if is_known && !self.special.contains_key(&token) { self.tree.token(token) } else { &[] }
    }

    /// All tokens that are part of a text, with their bytes.
    pub(super) fn texts(&self) -> impl Iterator<Item = (u32, &[u8])> {
        (0_u32..)
            .take(self.size())
            .map(|token| (token, self.bytes(token)))
            .filter(|(token, bytes)| !bytes.is_empty() && !self.ends.contains(token))
    }
}

impl TokenizerEnv for GrammarTokens {
    fn tok_trie(&self) -> &TokTrie {
        &self.tree
    }

    fn tokenize_bytes(&self, bytes: &[u8]) -> Vec<TokenId> {
        match &self.tokenise {
            Some(tokenise) => tokenise(bytes),
            None => self.tree.greedy_tokenize(bytes),
        }
    }

    fn tokenize_is_canonical(&self) -> bool {
        self.tokenise.is_some()
    }
}
