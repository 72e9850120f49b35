//! `calculate`: exact arithmetic (S-21, Appendix A.3).
//!
//! Owns the outcome's shape; the grammar is in `expression`, the arithmetic in `number`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use windlass_core::ports::ToolContext;
use windlass_core::protocol::tool::{Category, Effects, Risk, ToolFailure, ToolOutput, ToolSpec, Visibility};
use windlass_core::text::markdown::{code_span, escape, readable};

use crate::math::expression::{EXPRESSION_CHARS_MAX, evaluate};
use crate::math::number::Number;
use crate::summary::cut;
use crate::typed::{TypedTool, text_arg};

/// Largest integer that every JSON reader keeps exactly: 2^53.
const JSON_INTEGER_MAX: u64 = 1 << 53;
/// How much of a wrong expression is quoted.
const SHOWN_CHARS_MAX: usize = 80;

pub(crate) struct Calculate;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct CalculateArgs {
    /// For example '25 * 17 + 89' or 'round(100 / 7, 2)'
    #[schemars(length(max = EXPRESSION_CHARS_MAX))]
    expression: String,
}

impl TypedTool for Calculate {
    const NAME: &'static str = "calculate";
    const ABOUT: &'static str = "Compute an arithmetic expression exactly: integers of any reasonable size, decimals without \
                                 binary rounding. Knows + - * / // % **, parentheses and sqrt, abs, min, max, round, floor, \
                                 ceil. Use it instead of computing yourself; it does not know variables or units.";
    type Args = CalculateArgs;

    fn declare(&self, spec: ToolSpec) -> ToolSpec {
        ToolSpec {
            idempotent: true,
            examples: vec![json!({"expression": "25 * 17 + 89"}), json!({"expression": "2**64 / 3"})],
            ..spec.with_effects(Effects::Pure, Risk::Safe).with_place(Category::Utility, Visibility::Hidden)
        }
    }

    async fn run(&self, args: CalculateArgs, _context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        calculate(&args.expression)
    }

    fn display(&self, args: &Map<String, Value>, value: &Value) -> Option<String> {
        let expression = code_span(text_arg(args, "expression"));
        Some(format!("{expression} = **{}**", escape(&readable(value))))
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
