//! What must have happened in a run, said in a line. What did not happen panics at that line, with the whole trace.
//! Knows traces alone.

use std::ops::Deref;

use serde_json::Value;
use windlass_core::protocol::event::{RunOutcome, StopReason};
use windlass_core::protocol::trace::{RunTrace, ToolTrace};

use super::readable::readable;
use crate::answer::Answer;

/// What has a trace.
pub trait Traced {
    /// The trace.
    fn trace(&self) -> &RunTrace;
}

impl Traced for RunTrace {
    fn trace(&self) -> &RunTrace {
        self
    }
}

impl Traced for Answer {
    fn trace(&self) -> &RunTrace {
        &self.trace
    }
}

/// Begins to say what must have happened in a run.
pub fn expect(run: &impl Traced) -> RunExpected<'_> {
    RunExpected { trace: run.trace() }
}

/// Expectations of a run; each panics where it does not hold.
#[derive(Debug, Clone, Copy)]
pub struct RunExpected<'a> {
    trace: &'a RunTrace,
}

impl<'a> RunExpected<'a> {
    /// A tool was called, whatever came of it; goes on about these calls.
    #[track_caller]
    pub fn called(&self, tool: &str) -> CallsExpected<'a> {
        let calls: Vec<Place<'a>> =
            (0..).zip(&self.trace.tools).filter(|(_, call)| call.name == tool).collect();
        if calls.is_empty() {
            self.fail(&format!("{tool} was not called"));
        }
        CallsExpected { run: *self, told: tool.to_owned(), calls }
    }

    /// A tool was not called.
    #[track_caller]
    pub fn not_called(&self, tool: &str) -> Self {
        self.hold(self.trace.tools.iter().all(|call| call.name != tool), || format!("{tool} was called"))
    }

    /// These tools were called, in this order, and no others.
    #[track_caller]
    pub fn calls<'n>(&self, tools: impl IntoIterator<Item = &'n str>) -> Self {
        let wanted: Vec<&str> = tools.into_iter().collect();
        let seen: Vec<&str> = self.trace.tools.iter().map(|call| call.name.as_str()).collect();
        self.hold(seen == wanted, || format!("the calls were {seen:?} and not {wanted:?}"))
    }

    /// Every call worked.
    #[track_caller]
    pub fn no_failures(&self) -> Self {
        let failed = self.trace.tools.iter().find(|call| call.error.is_some());
        self.hold(failed.is_none(), || {
            format!("{} failed", failed.map_or("a call", |call| call.name.as_str()))
        })
    }

    /// Nothing was warned of.
    #[track_caller]
    pub fn no_warnings(&self) -> Self {
        self.hold(self.trace.warnings.is_empty(), || "there were warnings".to_owned())
    }

    /// The run ended so.
    #[track_caller]
    pub fn outcome(&self, outcome: RunOutcome) -> Self {
        let seen = self.trace.outcome;
        self.hold(seen == Some(outcome), || format!("the outcome was {seen:?} and not {outcome:?}"))
    }

    /// The run stopped for this reason.
    #[track_caller]
    pub fn reason(&self, reason: &StopReason) -> Self {
        let seen = &self.trace.stop_reason;
        self.hold(seen.as_ref() == Some(reason), || format!("the reason was {seen:?} and not {reason:?}"))
    }

    /// The answer has this text in it.
    #[track_caller]
    pub fn answer_has(&self, text: &str) -> Self {
        self.hold(self.trace.answer.contains(text), || format!("the answer does not have {text:?} in it"))
    }

    #[track_caller]
    fn hold(&self, holds: bool, complaint: impl FnOnce() -> String) -> Self {
        if !holds {
            self.fail(&complaint());
        }
        *self
    }

    #[track_caller]
    fn fail(&self, complaint: &str) -> ! {
        panic!("{complaint}\n{}", readable(self.trace))
    }
}

/// A call and its place in the run.
type Place<'a> = (usize, &'a ToolTrace);

/// Expectations of some calls of a run. Everything that can be expected of the run can be said here too.
#[derive(Debug, Clone)]
pub struct CallsExpected<'a> {
    run: RunExpected<'a>,
    /// The calls in words.
    told: String,
    calls: Vec<Place<'a>>,
}

impl<'a> Deref for CallsExpected<'a> {
    type Target = RunExpected<'a>;

    fn deref(&self) -> &Self::Target {
        &self.run
    }
}

impl CallsExpected<'_> {
    /// With exactly these arguments; goes on about the calls that had them.
    #[track_caller]
    pub fn with(self, arguments: Value) -> Self {
        let told = format!("{} with {arguments}", self.told);
        self.only(told, |call| call.parameters == arguments)
    }

    /// With these arguments and perhaps others; goes on about the calls that had them.
    #[track_caller]
    pub fn with_some(self, arguments: Value) -> Self {
        let told = format!("{} with {arguments} among its arguments", self.told);
        self.only(told, |call| has(&call.parameters, &arguments))
    }

    /// That gave this; goes on about the calls that did.
    #[track_caller]
    pub fn gave(self, output: Value) -> Self {
        let told = format!("{} that gave {output}", self.told);
        self.only(told, |call| call.output_raw == output)
    }

    /// That failed with this code, such as `invalid_arguments`; goes on about the calls that did.
    #[track_caller]
    pub fn failed_with(self, code: &str) -> Self {
        let told = format!("{} that failed with {code}", self.told);
        self.only(told, |call| call.error.as_ref().is_some_and(|error| error.code == code))
    }

    /// So often.
    #[track_caller]
    pub fn times(self, times: usize) -> Self {
        let seen = self.calls.len();
        self.run.hold(seen == times, || format!("{} was called {seen} times and not {times}", self.told));
        self
    }

    /// The first of them before the first call of another tool, which must be there.
    #[track_caller]
    pub fn before(self, other: &str) -> Self {
        let (own, others) = (self.first(), self.run.called(other).first());
        self.run.hold(own < others, || format!("{} was not called before {other}", self.told));
        self
    }

    /// The first of them after the first call of another tool, which must be there.
    #[track_caller]
    pub fn after(self, other: &str) -> Self {
        let (own, others) = (self.first(), self.run.called(other).first());
        self.run.hold(own > others, || format!("{} was not called after {other}", self.told));
        self
    }

    fn first(&self) -> Option<usize> {
        self.calls.first().map(|(place, _)| *place)
    }

    #[track_caller]
    fn only(mut self, told: String, fits: impl Fn(&ToolTrace) -> bool) -> Self {
        self.calls.retain(|(_, call)| fits(call));
        self.run.hold(!self.calls.is_empty(), || format!("{told} was not called"));
        Self { told, ..self }
    }
}

/// Whether a value has all that another one has.
fn has(value: &Value, part: &Value) -> bool {
    match (value, part) {
        (Value::Object(fields), Value::Object(parts)) => {
            parts.iter().all(|(name, part)| fields.get(name).is_some_and(|field| has(field, part)))
        }
        (value, part) => value == part,
    }
}
