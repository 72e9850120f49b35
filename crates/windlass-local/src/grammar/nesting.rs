//! What readers of JSON cannot take and schemas do not speak of: nesting without end, numbers beyond all bounds.

use super::tokens::GrammarTokens;
use super::{GrammarError, TokenMask};

/// Deeper nesting cannot be sampled. Readers of JSON commonly stop at 128.
pub(super) const DEPTH_MAX: usize = 64;

/// Longer numbers cannot be sampled; with the limit of exponents every number is finite.
const NUMBER_CHARS_MAX: usize = 40;

/// Exponents have no more digits.
const EXPONENT_DIGITS_MAX: usize = 2;

/// Where an answer stands: brackets that are open, and whether it is inside a string or a number.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Nesting {
    depth: usize,
    is_in_string: bool,
    is_escaped: bool,
    /// Characters of the number it is in.
    number_chars: usize,
    exponent_digits: Option<usize>,
}

impl Nesting {
    /// Reads on, up to the first byte that passes a limit. Whether there was none.
    pub(super) fn read(&mut self, bytes: &[u8]) -> bool {
        bytes.iter().all(|byte| self.read_byte(*byte))
    }

    fn read_byte(&mut self, byte: u8) -> bool {
        let is_number = !self.is_in_string
            && match byte {
                b'0'..=b'9' | b'-' => true,
                b'.' | b'+' | b'e' | b'E' => self.number_chars > 0,
                _ => false,
            };
        if is_number {
            self.number_chars = self.number_chars.saturating_add(1);
            match (byte, &mut self.exponent_digits) {
                (b'e' | b'E', digits) => *digits = Some(0),
                (b'0'..=b'9', Some(digits)) => *digits = digits.saturating_add(1),
                _ => {}
            }
            return self.number_chars <= NUMBER_CHARS_MAX
                && self.exponent_digits.is_none_or(|digits| digits <= EXPONENT_DIGITS_MAX);
        }
        (self.number_chars, self.exponent_digits) = (0, None);
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' if self.is_in_string => self.is_escaped = true,
            b'"' => self.is_in_string = !self.is_in_string,
            _ if self.is_in_string => {}
            b'{' | b'[' => self.depth = self.depth.saturating_add(1),
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.depth <= DEPTH_MAX
    }

    /// Whether one token more could pass a limit.
    fn is_near_limits(self, tokens: &GrammarTokens) -> bool {
        let is_deep = self.depth.saturating_add(tokens.opens_max) > DEPTH_MAX;
        let is_long = self.number_chars > 0
            && (self.exponent_digits.is_some()
                || self.number_chars.saturating_add(tokens.number_max) > NUMBER_CHARS_MAX);
        is_deep || is_long
    }

    /// Takes out the tokens that would pass a limit.
    pub(super) fn prune(self, mask: &mut TokenMask, tokens: &GrammarTokens) -> Result<(), GrammarError> {
        let passes = |token: u32| {
            let mut ahead = self;
            !ahead.read(tokens.bytes(token))
        };
        let passing: Vec<u32> = if self.is_near_limits(tokens) {
            mask.tokens().filter(|&token| passes(token)).collect()
        } else {
            tokens.numbers.iter().copied().filter(|&token| mask.allows(token) && passes(token)).collect()
        };
        if passing.is_empty() {
            return Ok(());
        }
        passing.into_iter().for_each(|token| mask.set(token, false));
        if mask.is_empty() {
            let message = format!(
                "the schema wants nesting deeper than {DEPTH_MAX} levels or a number longer than {NUMBER_CHARS_MAX}"
            );
            return Err(GrammarError::Grammar(message));
        }
        Ok(())
    }
}

/// Whether a token has so much of a number in it that it could pass a limit from anywhere.
pub(super) fn is_long_number(bytes: &[u8]) -> bool {
    let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
    let has_exponent = |run: &[u8]| {
        run.first().is_some_and(u8::is_ascii_digit) && run.iter().any(|byte| byte.eq_ignore_ascii_case(&b'e'))
    };
    bytes.split(|byte| !is_part(byte)).any(|run| has_exponent(run) || run.len() > NUMBER_CHARS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_in_strings_do_not_nest() {
        let mut nesting = Nesting::default();
        let mut depth_after = |text: &[u8]| {
            assert!(nesting.read(text));
            nesting.depth
        };
        assert_eq!(depth_after(br#"{"a[[":"\"[{\\","#), 1);
        assert_eq!(depth_after(br#""b":[[1"#), 3);
        assert_eq!(depth_after(b"]],\"x"), 1);
        assert_eq!(depth_after(b"[[[\"}"), 0);
    }

    #[test]
    fn numbers_stay_finite() {
        let reads = |text: &str| Nesting::default().read(text.as_bytes());
        assert!(reads("[1e99,-2.5E-07,true,\"1e999999\",1]"));
        assert!(!reads("[1e100") && !reads("-1E+999") && !reads(&"9".repeat(41)));
        assert!(
            is_long_number(b"1e9")
                && is_long_number(b" 12E")
                && !is_long_number(b"e9")
                && !is_long_number(b"false")
        );
    }
}
