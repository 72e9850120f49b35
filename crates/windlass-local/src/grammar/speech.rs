//! The free text of an answer: nothing is asked of it but that a call begins where decoding can see it.
//!
//! While a model speaks no parser runs: which tokens may come depends on how much of what begins a call has been
//! written, and the sets are made once for each such point.

use std::sync::OnceLock;

use super::TokenMask;
use super::tokens::GrammarTokens;

/// What begins a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Trigger {
    None,
    Token(u32),
    /// Some text, wherever it stands.
    Text(Vec<u8>),
    /// An opening brace before all else.
    Brace,
}

/// What a token in free text leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeardToken {
    /// More text; so many bytes of the trigger stand at its end.
    Text(usize),
    /// A call has begun.
    Call,
    /// The token may not stand there.
    Wrong,
}

/// Free text with what begins a call in it.
pub(super) struct Speech {
    trigger: Trigger,
    may_call: bool,
    masks: Vec<OnceLock<TokenMask>>,
}

impl Speech {
    pub(super) fn new(trigger: Trigger, may_call: bool) -> Self {
        let points = match &trigger {
            Trigger::Text(text) => text.len(),
            // At the beginning, and later.
            Trigger::Brace => 2,
            Trigger::None | Trigger::Token(_) => 1,
        };
        Self { trigger, may_call, masks: (0..points).map(|_| OnceLock::new()).collect() }
    }

    /// Whether it is speech with this trigger.
    pub(super) fn is_of(&self, trigger: &Trigger, may_call: bool) -> bool {
        self.trigger == *trigger && self.may_call == may_call
    }

    /// Whether what begins a call is itself the beginning of the call's grammar.
    pub(super) fn is_anchored(&self) -> bool {
        self.trigger == Trigger::Brace
    }

    /// The tokens that may come after so many bytes of the trigger.
    pub(super) fn mask(&self, point: usize, tokens: &GrammarTokens) -> Option<&TokenMask> {
        let cell = self.masks.get(point)?;
        Some(cell.get_or_init(|| {
            let fits = |bytes| self.hear_bytes(point, bytes) != HeardToken::Wrong;
            let texts = tokens.texts().filter(|(_, bytes)| fits(bytes)).map(|(token, _)| token);
            let trigger = match self.trigger {
                Trigger::Token(token) if self.may_call => Some(token),
                Trigger::Token(_) | Trigger::None | Trigger::Text(_) | Trigger::Brace => None,
            };
            let rest = tokens.ends().iter().copied().chain(trigger);
            TokenMask::of_tokens(tokens.size(), texts.chain(rest))
        }))
    }

    /// Takes a token that does not end the answer.
    pub(super) fn hear(&self, point: usize, token: u32, tokens: &GrammarTokens) -> HeardToken {
        match (&self.trigger, tokens.bytes(token)) {
            (Trigger::Token(own), _) if *own == token => {
                if self.may_call {
                    HeardToken::Call
                } else {
                    HeardToken::Wrong
                }
            }
            (_, []) => HeardToken::Wrong,
            (_, bytes) => self.hear_bytes(point, bytes),
        }
    }

    fn hear_bytes(&self, point: usize, bytes: &[u8]) -> HeardToken {
        match &self.trigger {
            Trigger::None | Trigger::Token(_) => HeardToken::Text(0),
            Trigger::Brace if point == 1 => HeardToken::Text(1),
            // Blanks decide nothing yet: only the call's own grammar may begin with them.
            Trigger::Brace => match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
                None | Some(b'{') => HeardToken::Wrong,
                Some(_) => HeardToken::Text(1),
            },
            Trigger::Text(text) => self.hear_text(point, bytes, text),
        }
    }

    /// A call begins with a token's last byte: what came after it in the same token would not be held to the grammar.
    fn hear_text(&self, mut point: usize, bytes: &[u8], trigger: &[u8]) -> HeardToken {
        for (at, byte) in (1..).zip(bytes) {
            point = advance(trigger, point, *byte);
            if point == trigger.len() {
                let is_last = at == bytes.len();
                return if is_last && self.may_call { HeardToken::Call } else { HeardToken::Wrong };
            }
        }
        HeardToken::Text(point)
    }
}

/// How much of the trigger stands at the end after one more byte: the longest beginning of it that ends here.
fn advance(trigger: &[u8], point: usize, byte: u8) -> usize {
    let seen = trigger.get(..point).unwrap_or(trigger);
    (1..=point.saturating_add(1))
        .rev()
        .find(|&length| {
            let before = trigger.get(..length - 1);
            trigger.get(length - 1) == Some(&byte) && before.is_some_and(|before| seen.ends_with(before))
        })
        .unwrap_or_default()
}

#[cfg(test)]
#[path = "speech_tests.rs"]
mod tests;
