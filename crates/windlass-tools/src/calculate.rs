//! `calculate`: exact arithmetic (S-21, Appendix A.3).
//!
//! Owns the outcome's shape; the grammar is in `expression`, the arithmetic in `number`.

use serde_json::{Map, Value, json};
use windlass_core::port::{BoxFuture, ToolContext, ToolPort};
use windlass_core::tool::{Category, Effects, Risk, ToolFailure, ToolOutput, ToolSpec, Visibility};

use crate::argument;
use crate::expression::{EXPRESSION_CHARS_MAX, evaluate};
use crate::number::Number;
use crate::summary::{cut, summarized};

/// The tool's name.
const NAME: &str = "calculate";
/// Largest integer that every JSON reader keeps exactly: 2^53.
const JSON_INTEGER_MAX: u64 = 1 << 53;
/// How much of a wrong expression is quoted.
const SHOWN_CHARS_MAX: usize = 80;

/// The tool.
#[derive(Debug)]
pub(crate) struct Calculate {
    spec: ToolSpec,
}

impl Calculate {
    pub(crate) fn new() -> Self {
        let mut spec = ToolSpec::new(
            NAME,
            "Compute an arithmetic expression exactly: integers of any reasonable size, decimals without \
             binary rounding. Knows + - * / // % **, parentheses and sqrt, abs, min, max, round, floor, ceil. \
             Use it instead of computing yourself; it does not know variables or units.",
        )
        .with_schema(json!({
            "type": "object",
            "properties": {
                "expression": {
                    "type": "string",
                    "description": "For example '25 * 17 + 89' or 'round(100 / 7, 2)'",
                    "maxLength": EXPRESSION_CHARS_MAX
                }
            },
            "required": ["expression"],
            "additionalProperties": false
        }))
        .with_effects(Effects::Pure, Risk::Safe)
        .with_place(Category::Utility, Visibility::Hidden);
        spec.idempotent = true;
        spec.examples = vec![json!({"expression": "25 * 17 + 89"}), json!({"expression": "2**64 / 3"})];
        Self { spec }
    }
}

impl ToolPort for Calculate {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(
        &'a self,
        args: &'a Map<String, Value>,
        _context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(async move {
            let expression = argument::text(args, "expression")?;
            calculate(expression).map(|output| summarized(NAME, output))
        })
    }
}

/// The value of an expression, near enough to be compared; nothing if it is none.
pub fn value_of(expression: &str) -> Option<f64> {
    evaluate(expression).ok()?.write().text.parse().ok()
}

fn calculate(expression: &str) -> Result<ToolOutput, ToolFailure> {
    let number = evaluate(expression).map_err(|error| {
        ToolFailure::invalid_args(error.message)
            .at("expression", "an arithmetic expression", cut(expression, SHOWN_CHARS_MAX))
            .hint(format!("Look at column {} of the expression.", error.column))
    })?;
    let written = number.write();
    let json = json!({
        "expression": expression,
        "result": json_number(&number, &written.text),
        "is_exact": written.is_exact,
    });
    Ok(ToolOutput::json(json).with_text(written.text))
}

/// A JSON number where no reader of it loses a digit, else the digits as a string.
fn json_number(number: &Number, text: &str) -> Value {
    if let Some(whole) = number.to_i64() {
        return if whole.unsigned_abs() <= JSON_INTEGER_MAX { whole.into() } else { text.into() };
    }
    let float = text.parse::<f64>().ok().filter(|float| float.to_string() == text);
    match float.and_then(serde_json::Number::from_f64) {
        Some(float) => Value::Number(float),
        None => text.into(),
    }
}

#[cfg(test)]
#[path = "calculate_tests.rs"]
mod tests;
