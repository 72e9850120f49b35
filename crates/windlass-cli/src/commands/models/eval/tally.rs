//! Cases added up: figures for people and for programs.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};

use super::case::{Case, Expected};
use super::judge::{Made, Verdict};

/// The row of cases that expect no call.
const NO_TOOL: &str = "(no tool)";

/// So many of so many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub(crate) struct Share {
    /// Those that were right.
    pub(crate) right: u64,
    /// All.
    pub(crate) of: u64,
}

impl Share {
    fn count(&mut self, is_right: bool) {
        self.of = self.of.saturating_add(1);
        self.right = self.right.saturating_add(u64::from(is_right));
    }

    /// `97.5 %`, or a dash where there was nothing to count.
    pub(crate) fn percent(self) -> String {
        match self.of {
            0 => "–".to_owned(),
            of => format!("{:.1} %", 100.0 * self.right as f64 / of as f64),
        }
    }
}

/// How the cases of one tool went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub(crate) struct ToolRow {
    /// The right tool was called first.
    pub(crate) tool: Share,
    /// And with the right arguments.
    pub(crate) call: Share,
}

/// A case that went wrong.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Miss {
    /// Its line in the set.
    pub(crate) line: usize,
    /// What the user said.
    pub(crate) user: String,
    /// What was expected: calls, or nothing.
    pub(crate) expected: Vec<String>,
    /// What the model did, step by step.
    pub(crate) made: Vec<String>,
    /// Why there was no step, or why a call does not fit its tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) why: Option<String>,
}

/// All cases so far.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Tally {
    cases: u64,
    tool: Share,
    call: Share,
    left_alone: Share,
    two_step: Share,
    calls: u64,
    malformed: u64,
    failed: u64,
    tools: BTreeMap<String, ToolRow>,
    /// Microseconds of each step.
    steps_us: Vec<u64>,
    misses: Vec<Miss>,
}

/// What was seen of one case.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Seen {
    /// The calls of each step.
    pub(crate) steps: Vec<Vec<Made>>,
    /// Why the model gave no further step.
    pub(crate) failure: Option<String>,
    /// Microseconds of each step.
    pub(crate) steps_us: Vec<u64>,
}

impl Tally {
    /// Adds a case.
    pub(crate) fn add(&mut self, case: &Case, seen: &Seen, verdict: Verdict) {
        // A model that fails has left nothing alone: it was not there.
        let is_here = seen.failure.is_none();
        let (is_tool, is_call) = (verdict.is_tool_right && is_here, verdict.is_call_right && is_here);
        let is_all = verdict.is_all_right && is_here;
        self.cases = self.cases.saturating_add(1);
        let row =
            self.tools.entry(case.steps.first().map_or(NO_TOOL, |call| &call.name).to_owned()).or_default();
        row.tool.count(is_tool);
        row.call.count(is_call);
        match case.steps.len() {
            0 => self.left_alone.count(is_call),
            count => {
                self.tool.count(is_tool);
                self.call.count(is_call);
                if count > 1 {
                    self.two_step.count(is_all);
                }
            }
        }
        let made = || seen.steps.iter().flatten();
        self.calls = self.calls.saturating_add(made().count() as u64);
        let malformed = made().filter(|call| call.arguments.is_err()).count() as u64;
        self.malformed = self.malformed.saturating_add(malformed);
        self.failed = self.failed.saturating_add(u64::from(!is_here));
        self.steps_us.extend(&seen.steps_us);
        if !is_all {
            self.misses.push(miss(case, seen));
        }
    }

    /// How many cases there are.
    pub(crate) fn cases(&self) -> u64 {
        self.cases
    }

    /// The cases that went wrong.
    pub(crate) fn misses(&self) -> &[Miss] {
        &self.misses
    }

    /// The figures, as rows of a table: what, how many, and their share.
    pub(crate) fn rows(&self) -> Vec<[String; 3]> {
        let share = |name: &str, share: Share| {
            [name.to_owned(), share.percent(), format!("{} of {}", share.right, share.of)]
        };
        let count = |name: &str, count: u64, of: &str| [name.to_owned(), count.to_string(), of.to_owned()];
        let mut rows = vec![
            count("cases", self.cases, ""),
            share("tool choice", self.tool),
            share("call fully right", self.call),
            share("no-tool requests left alone", self.left_alone),
            share("several steps right", self.two_step),
            count("malformed calls", self.malformed, &format!("of {} calls", self.calls)),
        ];
        if self.failed > 0 {
            rows.push(count("steps without an answer", self.failed, ""));
        }
        rows
    }

    /// One row a tool: cases, right tool, call fully right.
    pub(crate) fn tool_rows(&self) -> Vec<[String; 4]> {
        let rows = self.tools.iter().map(|(name, row)| {
            [name.clone(), row.tool.of.to_string(), row.tool.percent(), row.call.percent()]
        });
        rows.collect()
    }

    /// The time of a step that this part of all steps stays below, in ms: `0.5` is the median.
    pub(crate) fn step_ms(&self, part: f64) -> Option<f64> {
        let mut times = self.steps_us.clone();
        times.sort_unstable();
        let last = times.len().checked_sub(1)?;
        let at = (part * last as f64).round() as usize;
        times.get(at.min(last)).map(|us| *us as f64 / 1_000.0)
    }

    /// Everything but the misses, for programs.
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "cases": self.cases, "tool_choice": self.tool, "call_right": self.call,
            "left_alone": self.left_alone, "several_steps": self.two_step,
            "calls": self.calls, "malformed": self.malformed, "failed": self.failed,
            "tools": self.tools,
            "step_ms": {"p50": self.step_ms(0.5), "p95": self.step_ms(0.95)},
        })
    }
}

fn miss(case: &Case, seen: &Seen) -> Miss {
    let expected = |call: &Expected| format!("{} {}", call.name, Value::Object(call.arguments.clone()));
    let made = |call: &Made| format!("{} {}", call.name, call.written);
    let reason = || seen.steps.iter().flatten().find_map(|call| call.arguments.as_ref().err().cloned());
    Miss {
        line: case.line,
        user: case.user.clone(),
        expected: case.steps.iter().map(expected).collect(),
        made: seen.steps.iter().map(|step| step.iter().map(made).collect::<Vec<_>>().join(" + ")).collect(),
        why: seen.failure.clone().or_else(reason),
    }
}

#[cfg(test)]
#[path = "tally_tests.rs"]
mod tests;
