//! One answer, held to its grammar token by token.
//!
//! An answer begins as free text or in the grammar; once in the grammar it stays there to its end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use llguidance::{Matcher, TokenParser};

use super::nesting::Nesting;
use super::speech::{HeardToken, Speech};
use super::tokens::GrammarTokens;
use super::{Constraint, GrammarError, TokenMask};

/// How an answer begins.
pub(super) enum Begin {
    Grammar,
    /// As free text, until a call begins.
    Speech(Arc<Speech>),
}

/// A grammar that an answer is held to.
pub(super) struct AnswerGrammar {
    pub(super) parser: TokenParser,
    /// Whether what comes is JSON, whose nesting has a limit.
    pub(super) is_json: bool,
    pub(super) notices: Arc<[String]>,
    /// Set when the parser fails, so that nobody begins another answer with what it shares.
    pub(super) is_spoilt: Arc<AtomicBool>,
}

/// Where an answer stands.
enum AnswerPosition {
    /// In free text: so many bytes of what begins a call have been written.
    Speech(usize),
    /// Before the first solid byte, which decides whether it is text or a call.
    Undecided,
    Grammar,
    Done,
}

pub(super) struct ConstrainedAnswer {
    tokens: Arc<GrammarTokens>,
    matcher: Option<Matcher>,
    speech: Option<Arc<Speech>>,
    place: AnswerPosition,
    nesting: Option<Nesting>,
    mask: TokenMask,
    notices: Arc<[String]>,
    is_spoilt: Arc<AtomicBool>,
}

impl ConstrainedAnswer {
    /// An answer that is text alone.
    pub(super) fn of_text(tokens: Arc<GrammarTokens>, speech: Arc<Speech>) -> Self {
        Self {
            tokens,
            matcher: None,
            speech: Some(speech),
            place: AnswerPosition::Speech(0),
            nesting: None,
            mask: TokenMask::of_words(Vec::new()),
            notices: Arc::default(),
            is_spoilt: Arc::default(),
        }
    }

    pub(super) fn new(tokens: Arc<GrammarTokens>, grammar: AnswerGrammar, begin: Begin) -> Self {
        let AnswerGrammar { parser, is_json, notices, is_spoilt } = grammar;
        let (place, speech) = match begin {
            Begin::Grammar => (AnswerPosition::Grammar, None),
            Begin::Speech(speech) if speech.is_anchored() => (AnswerPosition::Undecided, Some(speech)),
            Begin::Speech(speech) => (AnswerPosition::Speech(0), Some(speech)),
        };
        Self {
            tokens,
            matcher: Some(Matcher::new(Ok(parser))),
            speech,
            place,
            nesting: is_json.then(Nesting::default),
            mask: TokenMask::of_words(Vec::new()),
            notices,
            is_spoilt,
        }
    }

    /// Puts the grammar's set into `mask`.
    fn ask_grammar(&mut self) -> Result<(), GrammarError> {
        let Some(matcher) = &mut self.matcher else { return Err(without_grammar()) };
        let set = matcher.compute_mask_or_eos().map_err(|error| {
            self.is_spoilt.store(true, Ordering::Relaxed);
            GrammarError::Grammar(error.to_string().lines().next().unwrap_or("unknown reason").to_owned())
        })?;
        let words = self.tokens.size().div_ceil(32);
        self.mask.copy_words(set.as_slice().get(..words).unwrap_or(set.as_slice()));
        self.nesting.map_or(Ok(()), |nesting| nesting.prune(&mut self.mask, &self.tokens))
    }

    fn accept_in_grammar(&mut self, token: u32) -> Result<(), GrammarError> {
        let Some(matcher) = &mut self.matcher else { return Err(without_grammar()) };
        if self.tokens.is_end(token) && matcher.is_accepting().unwrap_or(false) {
            self.place = AnswerPosition::Done;
            return Ok(());
        }
        let bytes = self.tokens.bytes(token);
        let mut nesting = self.nesting;
        let is_within = nesting.as_mut().is_none_or(|nesting| nesting.read(bytes));
        if !is_within {
            return Err(GrammarError::Token(token));
        }
        match matcher.try_consume_tokens(&[token]) {
            Ok(1) => {}
            Ok(_) => return Err(GrammarError::Token(token)),
            Err(_) => {
                self.is_spoilt.store(true, Ordering::Relaxed);
                return Err(GrammarError::Token(token));
            }
        }
        self.nesting = nesting;
        let is_over = matcher.is_stopped() && !matcher.is_error();
        self.place = if is_over { AnswerPosition::Done } else { self.place_after(bytes) };
        Ok(())
    }

    fn place_after(&self, bytes: &[u8]) -> AnswerPosition {
        match self.place {
            AnswerPosition::Undecided if bytes.iter().all(u8::is_ascii_whitespace) => {
                AnswerPosition::Undecided
            }
            AnswerPosition::Undecided | AnswerPosition::Grammar | AnswerPosition::Speech(_) => {
                AnswerPosition::Grammar
            }
            AnswerPosition::Done => AnswerPosition::Done,
        }
    }

    fn accept_in_speech(&mut self, point: usize, token: u32) -> Result<(), GrammarError> {
        let Some(speech) = &self.speech else { return Err(GrammarError::Token(token)) };
        if self.tokens.is_end(token) {
            self.place = AnswerPosition::Done;
            return Ok(());
        }
        self.place = match speech.hear(point, token, &self.tokens) {
            HeardToken::Text(point) => AnswerPosition::Speech(point),
            HeardToken::Call if self.matcher.is_some() => AnswerPosition::Grammar,
            HeardToken::Call | HeardToken::Wrong => return Err(GrammarError::Token(token)),
        };
        Ok(())
    }
}

impl Constraint for ConstrainedAnswer {
    fn mask(&mut self) -> Result<Option<&TokenMask>, GrammarError> {
        match self.place {
            AnswerPosition::Speech(point) => {
                let mask = self.speech.as_ref().and_then(|speech| speech.mask(point, &self.tokens));
                return Ok(mask);
            }
            AnswerPosition::Grammar => self.ask_grammar()?,
            AnswerPosition::Undecided => {
                self.ask_grammar()?;
                if let Some(mask) = self.speech.as_ref().and_then(|speech| speech.mask(0, &self.tokens)) {
                    self.mask.add(mask);
                }
            }
            AnswerPosition::Done => {
                self.mask = TokenMask::of_tokens(self.tokens.size(), self.tokens.ends().iter().copied())
            }
        }
        Ok(Some(&self.mask))
    }

    fn accept(&mut self, token: u32) -> Result<(), GrammarError> {
        match self.place {
            AnswerPosition::Speech(point) => self.accept_in_speech(point, token),
            AnswerPosition::Grammar => self.accept_in_grammar(token),
            AnswerPosition::Undecided => {
                self.accept_in_speech(0, token).or_else(|_| self.accept_in_grammar(token))
            }
            AnswerPosition::Done if self.tokens.is_end(token) => Ok(()),
            AnswerPosition::Done => Err(GrammarError::Token(token)),
        }
    }

    fn forced(&mut self) -> Vec<u32> {
        match (&self.place, &mut self.matcher) {
            (AnswerPosition::Grammar, Some(matcher)) => matcher.compute_ff_tokens(),
            (
                AnswerPosition::Grammar
                | AnswerPosition::Speech(_)
                | AnswerPosition::Undecided
                | AnswerPosition::Done,
                _,
            ) => Vec::new(),
        }
    }

    fn is_done(&self) -> bool {
        matches!(self.place, AnswerPosition::Done)
    }

    fn notices(&self) -> &[String] {
        &self.notices
    }
}

/// The places of the grammar are only reached with one.
fn without_grammar() -> GrammarError {
    GrammarError::Grammar("the answer has no grammar".to_owned())
}
