//! One case against what the model did: the right tool, the right arguments, or rightly none.

use serde_json::{Map, Value};

use super::case::{Case, Expected};

/// The tool whose argument is an expression, and that argument.
const EXPRESSION: (&str, &str) = ("calculate", "expression");

/// How far two values may be apart, of the larger one: sums of decimals are not exact everywhere.
const TOLERANCE: f64 = 1e-9;

/// A call that the model made.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Made {
    /// The tool: its canonical name if there is one.
    pub(crate) name: String,
    /// The arguments as the model wrote them.
    pub(crate) written: String,
    /// The same, complete with defaults; or why they do not fit the tool.
    pub(crate) arguments: Result<Map<String, Value>, String>,
}

/// What is known beyond the set: how a tool completes arguments, and what an expression is worth.
pub(crate) trait Knowledge {
    /// The arguments with the tool's defaults; as they are when the tool is unknown or does not take them.
    fn complete(&self, name: &str, arguments: &Map<String, Value>) -> Map<String, Value>;
    /// The value of an expression, if it has one.
    fn value_of(&self, expression: &str) -> Option<f64>;
}

/// What became of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Verdict {
    /// The first call is to the right tool; without an expected call, there is none.
    pub(crate) is_tool_right: bool,
    /// The first step is right in every argument, and nothing was called beside it.
    pub(crate) is_call_right: bool,
    /// All steps are right.
    pub(crate) is_all_right: bool,
}

/// Judges a case by the calls of its steps, in order. Calls that were made at once count as the steps that they
/// stand for.
pub(crate) fn judge(case: &Case, steps: &[Vec<Made>], knowledge: &dyn Knowledge) -> Verdict {
    let first = steps.first().map(Vec::as_slice).unwrap_or_default();
    let Some(expected) = case.steps.first() else {
        let is_alone = first.is_empty();
        return Verdict { is_tool_right: is_alone, is_call_right: is_alone, is_all_right: is_alone };
    };
    let made: Vec<&Made> = steps.iter().flatten().collect();
    let is_tool_right = first.first().is_some_and(|made| made.name == expected.name);
    let fits = |(expected, made): (&Expected, &&Made)| is_right(expected, made, knowledge);
    let is_call_right = first.first().is_some_and(|made| is_right(expected, made, knowledge))
        && first.len() <= case.steps.len();
    let is_all_right = made.len() == case.steps.len() && case.steps.iter().zip(&made).all(fits);
    Verdict { is_tool_right, is_call_right, is_all_right }
}

/// Whether a call is what was expected, in its tool and in every argument.
pub(crate) fn is_right(expected: &Expected, made: &Made, knowledge: &dyn Knowledge) -> bool {
    let Ok(given) = &made.arguments else { return false };
    if made.name != expected.name {
        return false;
    }
    let wanted = knowledge.complete(&expected.name, &expected.arguments);
    given.keys().all(|name| wanted.contains_key(name))
        && wanted.iter().all(|(name, wanted)| {
            given.get(name).is_some_and(|given| is_argument_right(expected, name, wanted, given, knowledge))
        })
}

fn is_argument_right(
    expected: &Expected,
    name: &str,
    wanted: &Value,
    given: &Value,
    knowledge: &dyn Knowledge,
) -> bool {
    if is_same(wanted, given) {
        return true;
    }
    if let Some(words) = expected.words.get(name) {
        let given = text_of(given).to_lowercase();
        return words.iter().all(|word| given.contains(&word.to_lowercase()));
    }
    let value = match expected.values.get(name) {
        Some(value) => Some(*value),
        None if (expected.name.as_str(), name) == EXPRESSION => knowledge.value_of(&text_of(wanted)),
        None => None,
    };
    value.is_some_and(|value| knowledge.value_of(&text_of(given)).is_some_and(|given| is_near(value, given)))
}

fn is_near(wanted: f64, given: f64) -> bool {
    (wanted - given).abs() <= TOLERANCE * wanted.abs().max(given.abs()).max(1.0)
}

/// Equal, but for blanks around a text and for how a number is written.
fn is_same(wanted: &Value, given: &Value) -> bool {
    match (wanted, given) {
        (Value::String(wanted), Value::String(given)) => wanted.trim() == given.trim(),
        (Value::Number(wanted), Value::Number(given)) => wanted == given || wanted.as_f64() == given.as_f64(),
        (wanted, given) => wanted == given,
    }
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
