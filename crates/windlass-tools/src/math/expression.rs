//! Reads and computes an arithmetic expression.
//!
//! Owns the grammar: numbers, `+ - * / // % **`, signs, parentheses and a fixed set of functions. There
//! are no names, no attributes and no calls of anything else, so there is nothing to escape to. The
//! arithmetic itself is in `number`.

use crate::math::number::{Number, NumberFault};

pub(crate) const EXPRESSION_CHARS_MAX: usize = 2_000;
/// Deepest nesting of parentheses, signs and powers: each level is a few frames of the stack.
const DEPTH_MAX: usize = 64;

/// Why an expression has no value, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExpressionError {
    pub(crate) message: String,
    /// Counted in characters from 1.
    pub(crate) column: usize,
}

pub(crate) fn evaluate(text: &str) -> Result<Number, ExpressionError> {
    if text.chars().nth(EXPRESSION_CHARS_MAX).is_some() {
        return Err(wrong(
            EXPRESSION_CHARS_MAX + 1,
            format!("The expression is longer than {EXPRESSION_CHARS_MAX} characters"),
        ));
    }
    let mut reader =
        ExpressionReader { tokens: tokenize(text)?, next: 0, depth: 0, end: text.chars().count() + 1 };
    let value = reader.sum()?;
    match reader.peek() {
        None => Ok(value),
        Some(_) => Err(reader.unexpected()),
    }
}

#[derive(Debug, Clone, PartialEq)]
enum ExpressionToken {
    Number(Number),
    Function(MathFunction),
    Plus,
    Minus,
    Times,
    Divide,
    DivideDown,
    Remainder,
    Power,
    Open,
    Close,
    Comma,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MathFunction {
    Sqrt,
    Abs,
    Min,
    Max,
    Round,
    Floor,
    Ceil,
}

const FUNCTIONS: [(&str, MathFunction); 7] = [
    ("sqrt", MathFunction::Sqrt),
    ("abs", MathFunction::Abs),
    ("min", MathFunction::Min),
    ("max", MathFunction::Max),
    ("round", MathFunction::Round),
    ("floor", MathFunction::Floor),
    ("ceil", MathFunction::Ceil),
];

#[derive(Debug, Clone)]
struct Placed {
    token: ExpressionToken,
    column: usize,
    text: String,
}

fn wrong(column: usize, message: impl Into<String>) -> ExpressionError {
    ExpressionError { message: message.into(), column }
}

fn fault_at(column: usize) -> impl Fn(NumberFault) -> ExpressionError {
    move |fault| wrong(column, fault.to_string())
}

fn tokenize(text: &str) -> Result<Vec<Placed>, ExpressionError> {
    let chars: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&first) = chars.get(at) {
        let column = at + 1;
        if first.is_whitespace() {
            at += 1;
            continue;
        }
        let rest = chars.get(at..).unwrap_or_default();
        let second = rest.get(1).copied();
        let (token, length) = match (first, second) {
            ('*', Some('*')) => (ExpressionToken::Power, 2),
            ('/', Some('/')) => (ExpressionToken::DivideDown, 2),
            ('+', _) => (ExpressionToken::Plus, 1),
            ('-' | '−', _) => (ExpressionToken::Minus, 1),
            ('*' | '×', _) => (ExpressionToken::Times, 1),
            ('/' | '÷', _) => (ExpressionToken::Divide, 1),
            ('%', _) => (ExpressionToken::Remainder, 1),
            ('(', _) => (ExpressionToken::Open, 1),
            (')', _) => (ExpressionToken::Close, 1),
            (',', _) => (ExpressionToken::Comma, 1),
            ('0'..='9', _) | ('.', Some('0'..='9')) => read_number(rest, column)?,
            (letter, _) if letter.is_alphabetic() || letter == '_' => read_name(rest, column)?,
            ('^', _) => {
                return Err(wrong(
                    column,
                    format!("Unexpected '^' at column {column}: write ** for a power"),
                ));
            }
            (other, _) => return Err(wrong(column, format!("Unexpected '{other}' at column {column}"))),
        };
        let text = rest.iter().take(length).collect();
        tokens.push(Placed { token, column, text });
        at += length;
    }
    Ok(tokens)
}

/// Digits with at most one point and at most one exponent; `_` may stand between digits.
fn read_number(chars: &[char], column: usize) -> Result<(ExpressionToken, usize), ExpressionError> {
    let mut digits = String::new();
    let mut places = 0;
    let mut has_point = false;
    let mut length = 0;
    for (at, &letter) in chars.iter().enumerate() {
        let follows_digit = chars.get(at + 1).is_some_and(char::is_ascii_digit);
        match letter {
            '0'..='9' => {
                digits.push(letter);
                places += i64::from(has_point);
            }
            '.' if !has_point => has_point = true,
            '_' if at > 0 && follows_digit => {}
            _ => break,
        }
        length = at + 1;
    }
    let mut tens = 0;
    if let Some(('e' | 'E', after)) =
        chars.get(length..).and_then(|rest| Some((*rest.first()?, rest.get(1..)?)))
    {
        let sign = usize::from(matches!(after.first(), Some('+' | '-')));
        let power: String = after.iter().skip(sign).take_while(|c| c.is_ascii_digit()).collect();
        if !power.is_empty() {
            let size = power.parse::<i64>().map_err(|_| wrong(column, NumberFault::TooLarge.to_string()))?;
            tens = if after.first() == Some(&'-') { -size } else { size };
            length += 1 + sign + power.len();
        }
    }
    let number = Number::literal(&digits, tens.saturating_sub(places)).map_err(fault_at(column))?;
    Ok((ExpressionToken::Number(number), length))
}

fn read_name(chars: &[char], column: usize) -> Result<(ExpressionToken, usize), ExpressionError> {
    let name: String = chars.iter().take_while(|c| c.is_alphanumeric() || **c == '_').collect();
    let length = name.chars().count();
    if let Some((_, function)) = FUNCTIONS.iter().find(|(known, _)| *known == name) {
        return Ok((ExpressionToken::Function(*function), length));
    }
    let shown: String = name.chars().take(40).collect();
    let known: Vec<&str> = FUNCTIONS.iter().map(|(name, _)| *name).collect();
    Err(wrong(
        column,
        format!("Unknown name '{shown}' at column {column}: only numbers and {} are known", known.join(", ")),
    ))
}

struct ExpressionReader {
    tokens: Vec<Placed>,
    next: usize,
    depth: usize,
    end: usize,
}

type Evaluated = Result<Number, ExpressionError>;

impl ExpressionReader {
    fn peek(&self) -> Option<&ExpressionToken> {
        self.tokens.get(self.next).map(|placed| &placed.token)
    }

    fn column(&self) -> usize {
        self.tokens.get(self.next).map_or(self.end, |placed| placed.column)
    }

    fn take(&mut self, wanted: &ExpressionToken) -> bool {
        let is_there = self.peek() == Some(wanted);
        self.next += usize::from(is_there);
        is_there
    }

    fn unexpected(&self) -> ExpressionError {
        let column = self.column();
        match self.tokens.get(self.next) {
            None => wrong(column, format!("The expression ends too early, at column {column}")),
            Some(Placed { token: ExpressionToken::Comma, .. }) => wrong(
                column,
                format!(
                    "Unexpected ',' at column {column}: write numbers without separators, decimals with a point"
                ),
            ),
            Some(placed) => wrong(column, format!("Unexpected '{}' at column {column}", placed.text)),
        }
    }

    /// Runs one level deeper.
    fn deeper(&mut self, read: impl FnOnce(&mut Self) -> Evaluated) -> Evaluated {
        if self.depth == DEPTH_MAX {
            return Err(wrong(
                self.column(),
                format!("Nested deeper than {DEPTH_MAX} levels at column {}", self.column()),
            ));
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn sum(&mut self) -> Evaluated {
        let mut value = self.product()?;
        loop {
            let at = fault_at(self.column());
            if self.take(&ExpressionToken::Plus) {
                value = value.add(&self.product()?).map_err(at)?;
            } else if self.take(&ExpressionToken::Minus) {
                value = value.subtract(&self.product()?).map_err(at)?;
            } else {
                return Ok(value);
            }
        }
    }

    fn product(&mut self) -> Evaluated {
        let mut value = self.signed()?;
        loop {
            let at = fault_at(self.column());
            if self.take(&ExpressionToken::Times) {
                value = value.multiply(&self.signed()?).map_err(at)?;
            } else if self.take(&ExpressionToken::Divide) {
                value = value.divide(&self.signed()?).map_err(at)?;
            } else if self.take(&ExpressionToken::DivideDown) {
                value = value.divide_down(&self.signed()?).map_err(at)?;
            } else if self.take(&ExpressionToken::Remainder) {
                value = value.remainder(&self.signed()?).map_err(at)?;
            } else {
                return Ok(value);
            }
        }
    }

    /// A sign binds less than a power: `-2**2` is -4.
    fn signed(&mut self) -> Evaluated {
        if self.take(&ExpressionToken::Minus) {
            return Ok(self.deeper(Self::signed)?.negate());
        }
        if self.take(&ExpressionToken::Plus) {
            return self.deeper(Self::signed);
        }
        self.power()
    }

    /// Powers bind to the right: `2**3**2` is 2**9.
    fn power(&mut self) -> Evaluated {
        let base = self.atom()?;
        let at = fault_at(self.column());
        if self.take(&ExpressionToken::Power) {
            let exponent = self.deeper(Self::signed)?;
            return base.power(&exponent).map_err(at);
        }
        Ok(base)
    }

    fn atom(&mut self) -> Evaluated {
        let column = self.column();
        match self.peek().cloned() {
            Some(ExpressionToken::Number(number)) => {
                self.next += 1;
                Ok(number)
            }
            Some(ExpressionToken::Open) => {
                self.next += 1;
                let value = self.deeper(Self::sum)?;
                if self.take(&ExpressionToken::Close) { Ok(value) } else { Err(self.unexpected()) }
            }
            Some(ExpressionToken::Function(function)) => {
                self.next += 1;
                let args = self.arguments()?;
                apply(function, args, column)
            }
            _ => Err(self.unexpected()),
        }
    }

    fn arguments(&mut self) -> Result<Vec<Number>, ExpressionError> {
        if !self.take(&ExpressionToken::Open) {
            return Err(self.unexpected());
        }
        let mut args = vec![self.deeper(Self::sum)?];
        while self.take(&ExpressionToken::Comma) {
            args.push(self.deeper(Self::sum)?);
        }
        if self.take(&ExpressionToken::Close) { Ok(args) } else { Err(self.unexpected()) }
    }
}

fn apply(function: MathFunction, args: Vec<Number>, column: usize) -> Evaluated {
    let given = args.len();
    let mut args = args.into_iter();
    let (Some(first), second) = (args.next(), args.next()) else {
        return Err(wrong(column, format!("A function without arguments at column {column}")));
    };
    let value = match (function, second) {
        (MathFunction::Sqrt, None) => first.sqrt(),
        (MathFunction::Abs, None) => Ok(first.abs()),
        (MathFunction::Floor, None) => Ok(first.floor()),
        (MathFunction::Ceil, None) => Ok(first.ceil()),
        (MathFunction::Round, None) => first.round(&Number::literal("0", 0).map_err(fault_at(column))?),
        (MathFunction::Round, Some(places)) if given == 2 => first.round(&places),
        (MathFunction::Min, second) => Ok(second.into_iter().chain(args).fold(first, Number::min)),
        (MathFunction::Max, second) => Ok(second.into_iter().chain(args).fold(first, Number::max)),
        (
            MathFunction::Sqrt
            | MathFunction::Abs
            | MathFunction::Floor
            | MathFunction::Ceil
            | MathFunction::Round,
            Some(_),
        ) => {
            return Err(wrong(column, format!("Too many arguments for the function at column {column}")));
        }
    };
    value.map_err(fault_at(column))
}

#[cfg(test)]
#[path = "expression_tests.rs"]
mod tests;
