//! The tokenizer for tantivy: hands out the words of a text as its tokens.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use super::each_word;

/// Cuts texts for the index of words.
#[derive(Debug, Clone, Default)]
pub struct CodeTokenizer {
    // Kept from text to text, with the memory of its words.
    tokens: Vec<Token>,
}

/// The words of one text.
#[derive(Debug)]
pub struct CodeTokens<'a> {
    tokens: &'a mut Vec<Token>,
    count: usize,
    /// The token after the current one.
    next: usize,
    none: Token,
}

impl Tokenizer for CodeTokenizer {
    type TokenStream<'a> = CodeTokens<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> CodeTokens<'a> {
        let mut count = 0;
        each_word(text, |word, _, start, end, position| {
            if count == self.tokens.len() {
                self.tokens.push(Token::default());
            }
            if let Some(token) = self.tokens.get_mut(count) {
                token.text.clear();
                token.text.push_str(word);
                token.offset_from = start;
                token.offset_to = end;
                token.position = position;
            }
            count += 1;
        });
        CodeTokens { tokens: &mut self.tokens, count, next: 0, none: Token::default() }
    }
}

impl TokenStream for CodeTokens<'_> {
    fn advance(&mut self) -> bool {
        let is_there = self.next < self.count;
        self.next += usize::from(is_there);
        is_there
    }

    fn token(&self) -> &Token {
        self.next.checked_sub(1).and_then(|at| self.tokens.get(at)).unwrap_or(&self.none)
    }

    fn token_mut(&mut self) -> &mut Token {
        let token = self.next.checked_sub(1).and_then(|at| self.tokens.get_mut(at));
        token.unwrap_or(&mut self.none)
    }
}
