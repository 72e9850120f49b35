//! A set of requests, one JSON object a line, each with the calls that are expected of a model.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

/// One request, and what is expected.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Case {
    /// The line of the set.
    pub(crate) line: usize,
    /// What the user says.
    pub(crate) user: String,
    /// The calls, one a step; none when the model is to answer without a tool.
    pub(crate) steps: Vec<Expected>,
}

/// A call that is expected.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Expected {
    /// The tool.
    pub(crate) name: String,
    /// The arguments.
    pub(crate) arguments: Map<String, Value>,
    /// Arguments that are right when they contain all of these words, whatever stands around them.
    pub(crate) words: BTreeMap<String, Vec<String>>,
    /// Arguments that are expressions, and right when they have this value.
    pub(crate) values: BTreeMap<String, f64>,
}

/// Why a set cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BadSet {
    /// The line, from 1; 0 when it is the whole.
    pub(crate) line: usize,
    /// What is wrong there.
    pub(crate) why: String,
}

/// A case as it is written.
#[derive(Deserialize)]
struct Written {
    user: String,
    expect: Option<WrittenCall>,
    #[serde(default)]
    accept: Words,
    #[serde(default)]
    accept_value: Values,
    #[serde(default)]
    steps: Vec<WrittenCall>,
    #[serde(default)]
    accept_steps: Vec<Words>,
    #[serde(default)]
    accept_value_steps: Vec<Values>,
}

#[derive(Deserialize)]
struct WrittenCall {
    name: String,
    #[serde(default)]
    arguments: Map<String, Value>,
}

type Words = BTreeMap<String, Vec<String>>;
type Values = BTreeMap<String, f64>;

/// Reads a set. Empty lines are no cases.
pub(crate) fn read_set(text: &str) -> Result<Vec<Case>, BadSet> {
    let lines = (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty());
    let cases: Vec<Case> = lines
        .map(|(line, text)| read_case(line, text).map_err(|why| BadSet { line, why }))
        .collect::<Result<_, _>>()?;
    if cases.is_empty() {
        return Err(BadSet { line: 0, why: "it has no case".to_owned() });
    }
    Ok(cases)
}

fn read_case(line: usize, text: &str) -> Result<Case, String> {
    let fields: Map<String, Value> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if !fields.contains_key("expect") && !fields.contains_key("steps") {
        return Err("'expect' is missing: a call, or null where none is due".to_owned());
    }
    let written: Written =
        serde_json::from_value(Value::Object(fields)).map_err(|error| error.to_string())?;
    if written.user.trim().is_empty() {
        return Err("'user' says nothing".to_owned());
    }
    let steps = match (written.steps.is_empty(), written.expect) {
        (false, _) => with_steps(written.steps, written.accept_steps, written.accept_value_steps)?,
        (true, Some(call)) => vec![expected(call, written.accept, written.accept_value)?],
        (true, None) => Vec::new(),
    };
    Ok(Case { line, user: written.user, steps })
}

/// The calls of a case with several steps; what is accepted stands at the place of its call.
fn with_steps(
    calls: Vec<WrittenCall>,
    words: Vec<Words>,
    values: Vec<Values>,
) -> Result<Vec<Expected>, String> {
    for (name, count) in [("accept_steps", words.len()), ("accept_value_steps", values.len())] {
        if count > calls.len() {
            return Err(format!("'{name}' has {count} entries for {} steps", calls.len()));
        }
    }
    let words = words.into_iter().chain(std::iter::repeat_with(Words::new));
    let values = values.into_iter().chain(std::iter::repeat_with(Values::new));
    calls
        .into_iter()
        .zip(words.zip(values))
        .map(|(call, (words, values))| expected(call, words, values))
        .collect()
}

fn expected(call: WrittenCall, words: Words, values: Values) -> Result<Expected, String> {
    if call.name.is_empty() {
        return Err("a call without a name is expected".to_owned());
    }
    let known = |name: &&String| call.arguments.contains_key(*name);
    if let Some(name) = words.keys().chain(values.keys()).find(|name| !known(name)) {
        return Err(format!("'{name}' is accepted, but '{}' is not expected to have it", call.name));
    }
    Ok(Expected { name: call.name, arguments: call.arguments, words, values })
}

#[cfg(test)]
#[path = "case_tests.rs"]
mod tests;
