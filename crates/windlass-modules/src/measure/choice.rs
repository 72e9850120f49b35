//! Which cases become examples, and which ones a candidate is judged by.
//!
//! A case never does both: a module that is shown the answer would pass.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::case::ModuleCase;
use crate::module::{Demo, Module, Predictor};

/// Cases below which there are too few to keep some back.
const SPLIT_CASES_MIN: usize = 4;

/// A case that passed, with everything that the module gave.
#[derive(Debug, Clone, PartialEq)]
pub struct PassedCase {
    /// What it was given.
    pub inputs: Map<String, Value>,
    /// What it gave, its reasoning too.
    pub outputs: Map<String, Value>,
}

/// The cases of a file, parted.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Split {
    /// Those that may become examples.
    pub teaching: Vec<ModuleCase>,
    /// Those that candidates are judged by.
    pub judging: Vec<ModuleCase>,
}

/// Parts cases: every other one judges. With very few of them all do both, and the score says less.
pub fn split_cases(cases: &[ModuleCase]) -> Split {
    if cases.len() < SPLIT_CASES_MIN {
        return Split { teaching: cases.to_vec(), judging: cases.to_vec() };
    }
    let part = |rest: usize| {
        let numbered = cases.iter().enumerate();
        numbered.filter(|(index, _)| index % 2 == rest).map(|(_, case)| case.clone()).collect()
    };
    Split { teaching: part(0), judging: part(1) }
}

/// Sets of at most `count` examples, each to be tried: those that differ most from each other, the shortest, and the first.
/// The same cases give the same sets.
pub fn choose_demos(module: &Module, passed: &[PassedCase], count: usize) -> Vec<Vec<Demo>> {
    let mut shortest: Vec<&PassedCase> = passed.iter().collect();
    shortest.sort_by_key(|case| length(&case.inputs) + length(&case.outputs));
    let orders = [most_different(passed, count), shortest, passed.iter().collect()];
    let mut sets: Vec<Vec<Demo>> = Vec::new();
    for order in orders {
        let demos: Vec<Demo> = order.into_iter().take(count).map(|case| demo_of(module, case)).collect();
        if !demos.is_empty() && !sets.contains(&demos) {
            sets.push(demos);
        }
    }
    sets
}

/// An example: fields of the signature alone, and the reasoning where the module reasons.
fn demo_of(module: &Module, case: &PassedCase) -> Demo {
    let reasons = |name: &str| module.predictor == Predictor::ChainOfThought && name == "reasoning";
    let is_output =
        |name: &str| module.signature.outputs.iter().any(|field| field.name == name) || reasons(name);
    let outputs = case.outputs.iter().filter(|(name, _)| is_output(name));
    Demo {
        inputs: case.inputs.clone(),
        outputs: outputs.map(|(name, value)| (name.clone(), value.clone())).collect(),
    }
}

fn length(fields: &Map<String, Value>) -> usize {
    fields.values().map(|value| value.to_string().len()).sum()
}

/// Begins with the first, and goes on with the one whose nearest chosen one is farthest.
fn most_different(passed: &[PassedCase], count: usize) -> Vec<&PassedCase> {
    let words: Vec<BTreeSet<String>> = passed.iter().map(|case| words_of(&case.inputs)).collect();
    let mut chosen: Vec<usize> = Vec::new();
    while chosen.len() < count.min(passed.len()) {
        let rest = (0..passed.len()).filter(|index| !chosen.contains(index));
        let nearness = |index: &usize| -> usize {
            let own = words.get(*index);
            let near = chosen.iter().filter_map(|other| Some(likeness(own?, words.get(*other)?)));
            near.max().unwrap_or(0)
        };
        // Of equals, the first: the order of the file is the user's.
        let Some(next) = rest.min_by_key(|index| (nearness(index), *index)) else { break };
        chosen.push(next);
    }
    chosen.into_iter().filter_map(|index| passed.get(index)).collect()
}

fn words_of(inputs: &Map<String, Value>) -> BTreeSet<String> {
    let text: Vec<String> = inputs.values().map(|value| value.to_string().to_lowercase()).collect();
    let words = text.iter().flat_map(|text| text.split(|c: char| !c.is_alphanumeric()));
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Words that both have of a thousand that one has.
fn likeness(left: &BTreeSet<String>, right: &BTreeSet<String>) -> usize {
    let both = left.intersection(right).count();
    let all = left.union(right).count();
    (both * 1_000).checked_div(all).unwrap_or(1_000)
}

#[cfg(test)]
#[path = "choice_tests.rs"]
mod tests;
