//! The scores of all cases, added up.

use serde::Serialize;
use serde_json::{Map, Value};

/// From this score on, a case passed.
const PASS: f64 = 0.999_999;

/// What became of one case.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measured {
    /// Its line in the file.
    pub line: usize,
    /// What it was worth, from 0 to 1.
    pub score: f64,
    /// Whether nothing was wrong with it.
    pub is_passed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What the module gave; nothing when it gave no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outputs: Option<Map<String, Value>>,
    /// The run in which it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// How long that took.
    pub elapsed_ms: u64,
}

/// All cases so far.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct CaseTally {
    /// How many there were.
    pub cases: u64,
    pub passed: u64,
    /// How many got no answer at all.
    pub unanswered: u64,
    /// What a case is worth on average, from 0 to 1.
    pub score: f64,
}

impl Measured {
    /// Whether a score is that of a case that passed.
    pub fn passes(score: f64) -> bool {
        score >= PASS
    }
}

impl CaseTally {
    pub fn of(measured: &[Measured]) -> Self {
        let count = |is_counted: fn(&&Measured) -> bool| measured.iter().filter(is_counted).count() as u64;
        let sum: f64 = measured.iter().map(|case| case.score).sum();
        Self {
            cases: measured.len() as u64,
            passed: count(|case| case.is_passed),
            unanswered: count(|case| case.outputs.is_none()),
            score: if measured.is_empty() { 0.0 } else { sum / measured.len() as f64 },
        }
    }
}

#[cfg(test)]
#[path = "tally_tests.rs"]
mod tests;
