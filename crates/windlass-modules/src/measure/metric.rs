//! Metrics: what the outputs of a module are worth beside those that were expected.

use std::fmt;
use std::str::FromStr;

use serde_json::{Map, Number, Value};

use crate::error::ModuleError;
use crate::module::Module;
use crate::signature::FieldType;

/// The output by which a module that judges says what an answer is worth.
pub const JUDGE_OUTPUT: &str = "score";

/// What a module that judges may be given.
const JUDGE_INPUTS: [&str; 3] = ["inputs", "expected", "actual"];

/// How outputs are compared with those that were expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Metric {
    /// Every expected output is there, letter by letter but for space around it.
    Exact,
    /// Every expected text occurs in the output, in whatever case.
    Contains,
    /// As JSON: order and spacing do not count, and parts that are right count for themselves.
    Json,
    /// A module says what an answer is worth.
    Module(String),
}

/// What outputs are worth.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// From 0 to 1.
    pub value: f64,
    /// What is wrong with them, unless nothing is.
    pub why: Option<String>,
}

impl Score {
    pub fn whole() -> Self {
        Self { value: 1.0, why: None }
    }

    pub fn nothing(why: impl Into<String>) -> Self {
        Self { value: 0.0, why: Some(why.into()) }
    }
}

impl FromStr for Metric {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word.split_once(':') {
            Some(("module", id)) if !id.is_empty() => Ok(Metric::Module(id.to_owned())),
            Some(_) => Err("exact, contains, json, or module:ID".to_owned()),
            None => match word {
                "exact" => Ok(Metric::Exact),
                "contains" => Ok(Metric::Contains),
                "json" => Ok(Metric::Json),
                _ => Err("exact, contains, json, or module:ID".to_owned()),
            },
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Metric::Exact => f.write_str("exact"),
            Metric::Contains => f.write_str("contains"),
            Metric::Json => f.write_str("json"),
            Metric::Module(id) => write!(f, "module:{id}"),
        }
    }
}

impl Metric {
    /// The worth of outputs; `None` where a module must be asked.
    pub fn score(&self, expected: &Map<String, Value>, actual: &Map<String, Value>) -> Option<Score> {
        let is_met: fn(&Value, &Value) -> bool = match self {
            Metric::Exact => is_exact,
            Metric::Contains => contains,
            Metric::Json => return Some(score_json(expected, actual)),
            Metric::Module(_) => return None,
        };
        let missed = expected.iter().find(|(name, value)| !is_met(value, field(actual, name)));
        Some(match missed {
            None => Score::whole(),
            Some((name, value)) => Score::nothing(miss(name, value, field(actual, name))),
        })
    }
}

/// An output; one that is not there is null.
fn field<'a>(outputs: &'a Map<String, Value>, name: &str) -> &'a Value {
    outputs.get(name).unwrap_or(&Value::Null)
}

fn miss(name: &str, expected: &Value, actual: &Value) -> String {
    format!("{name}: expected {expected}, got {actual}")
}

fn is_exact(expected: &Value, actual: &Value) -> bool {
    match (expected, actual) {
        (Value::String(expected), Value::String(actual)) => expected.trim() == actual.trim(),
        _ => is_same(expected, actual),
    }
}

fn contains(expected: &Value, actual: &Value) -> bool {
    match expected {
        Value::String(expected) => text_of(actual).to_lowercase().contains(&expected.trim().to_lowercase()),
        Value::Array(words) => words.iter().all(|word| contains(word, actual)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
            is_same(expected, actual) || text_of(actual).contains(&expected.to_string())
        }
    }
}

/// A string is its own text; everything else its JSON.
fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Whether two values mean the same: 1 is 1.0.
fn is_same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => is_same_number(left, right),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| is_same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(name, value)| right.get(name).is_some_and(|other| is_same(value, other)))
        }
        _ => left == right,
    }
}

fn is_same_number(left: &Number, right: &Number) -> bool {
    left == right || left.as_f64().zip(right.as_f64()).is_some_and(|(left, right)| left == right)
}

/// The share of the expected leaves that are there.
fn score_json(expected: &Map<String, Value>, actual: &Map<String, Value>) -> Score {
    let mut count = Leaves::default();
    for (name, value) in expected {
        count.compare(name, value, &read_json(field(actual, name), value));
    }
    match count.of {
        0 => Score::whole(),
        of => Score { value: f64::from(count.right) / f64::from(of), why: count.first_miss },
    }
}

/// Text that holds JSON is what it holds, unless text is what was expected.
fn read_json(actual: &Value, expected: &Value) -> Value {
    match (expected, actual) {
        (Value::String(_), _) => actual.clone(),
        (_, Value::String(text)) => serde_json::from_str(text).unwrap_or_else(|_| actual.clone()),
        _ => actual.clone(),
    }
}

#[derive(Default)]
struct Leaves {
    right: u32,
    of: u32,
    first_miss: Option<String>,
}

impl Leaves {
    fn compare(&mut self, path: &str, expected: &Value, actual: &Value) {
        match (expected, actual) {
            (Value::Object(fields), Value::Object(others)) if !fields.is_empty() => {
                for (name, value) in fields {
                    self.compare(&format!("{path}.{name}"), value, field(others, name));
                }
            }
            (Value::Array(items), Value::Array(others)) if !items.is_empty() => {
                for (index, value) in items.iter().enumerate() {
                    self.compare(
                        &format!("{path}[{index}]"),
                        value,
                        others.get(index).unwrap_or(&Value::Null),
                    );
                }
                // What nobody asked for is as wrong as what is missing.
                for (index, value) in others.iter().enumerate().skip(items.len()) {
                    self.count(false, || format!("{path}[{index}]: expected nothing, got {value}"));
                }
            }
            _ => self.count(is_exact(expected, actual), || miss(path, expected, actual)),
        }
    }

    fn count(&mut self, is_right: bool, why: impl FnOnce() -> String) {
        self.of = self.of.saturating_add(1);
        self.right = self.right.saturating_add(u32::from(is_right));
        if !is_right && self.first_miss.is_none() {
            self.first_miss = Some(why());
        }
    }
}

/// What a module that judges is given: of `inputs`, `expected` and `actual` and of the case's own inputs, what it asks for.
pub fn judge_inputs(
    judge: &Module,
    inputs: &Map<String, Value>,
    expected: &Map<String, Value>,
    actual: &Map<String, Value>,
) -> Result<Map<String, Value>, ModuleError> {
    if !judge.signature.outputs.iter().any(|field| field.name == JUDGE_OUTPUT) {
        return Err(ModuleError::Config(format!(
            "module '{}' cannot judge: it has no output '{JUDGE_OUTPUT}' (a number from 0 to 1, or a boolean)",
            judge.module_id
        )));
    }
    let mut given = Map::new();
    for wanted in &judge.signature.inputs {
        let whole = match wanted.name.as_str() {
            "inputs" => Some(inputs),
            "expected" => Some(expected),
            "actual" => Some(actual),
            _ => None,
        };
        let value = match whole {
            Some(fields) if wanted.field_type == FieldType::String => {
                Value::String(Value::Object(fields.clone()).to_string())
            }
            Some(fields) => Value::Object(fields.clone()),
            None => match inputs.get(&wanted.name) {
                Some(value) => value.clone(),
                None if wanted.field_type == FieldType::Json => continue,
                None => return Err(unjudged(judge, &wanted.name, inputs)),
            },
        };
        given.insert(wanted.name.clone(), value);
    }
    Ok(given)
}

fn unjudged(judge: &Module, name: &str, inputs: &Map<String, Value>) -> ModuleError {
    let offered: Vec<&str> = JUDGE_INPUTS.into_iter().chain(inputs.keys().map(String::as_str)).collect();
    ModuleError::Config(format!(
        "module '{}' cannot judge: its input '{name}' is none of {}",
        judge.module_id,
        offered.join(", ")
    ))
}

/// What a module that judges said.
pub fn read_verdict(outputs: &Map<String, Value>) -> Result<Score, String> {
    let value = match field(outputs, JUDGE_OUTPUT) {
        Value::Bool(is_right) => f64::from(u8::from(*is_right)),
        Value::Number(number) => number.as_f64().unwrap_or(f64::NAN),
        Value::String(text) => text.trim().parse().unwrap_or(f64::NAN),
        Value::Null | Value::Array(_) | Value::Object(_) => f64::NAN,
    };
    if !(0.0..=1.0).contains(&value) {
        return Err(format!("'{JUDGE_OUTPUT}' must be from 0 to 1, not {}", field(outputs, JUDGE_OUTPUT)));
    }
    let reason = ["reason", "reasoning", "why"].into_iter().find_map(|name| outputs.get(name)?.as_str());
    let why = (value < 1.0).then(|| reason.unwrap_or("the judge found it lacking").to_owned());
    Ok(Score { value, why })
}

#[cfg(test)]
#[path = "metric_tests.rs"]
mod tests;
