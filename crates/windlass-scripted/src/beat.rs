//! Beats: a script as the things that happen one after the other.
//!
//! Owns where a step begins and ends. How a step is streamed is `step`'s business.

use std::sync::Arc;

use windlass_core::permission::PermissionAnswer;

use crate::script::{CallEnding, Expectation, Script, ScriptHappening};
use crate::step::ScriptedStep;

/// Something that happens, with the model's lines put together to steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Beat {
    /// The first line of the script that says so.
    pub line: u32,
    pub kind: BeatKind,
}

/// What happens in a beat.
#[derive(Debug, Clone, PartialEq)]
pub enum BeatKind {
    /// The user says something.
    User(String),
    /// The model answers one request.
    Step(Arc<ScriptedStep>),
    /// The user answers a question.
    Answer {
        call: u32,
        answer: PermissionAnswer,
    },
    Tool {
        call: u32,
        ending: CallEnding,
    },
    /// The user stops the run.
    Cancel,
    /// The run is out of time.
    Deadline,
    /// Something must have happened.
    Expect(Expectation),
}

impl Beat {
    fn of_step(step: ScriptedStep) -> Self {
        Beat { line: step.line, kind: BeatKind::Step(Arc::new(step)) }
    }
}

impl Script {
    /// The script as beats: model lines put together to steps, checks of requests with their steps.
    pub fn beats(&self) -> Vec<Beat> {
        let mut beats = Vec::new();
        let mut open: Option<ScriptedStep> = None;
        for line in &self.lines {
            let is_checked = |step: &ScriptedStep| step.lines.is_empty();
            let belongs = matches!(line.happening, ScriptHappening::Model(_))
                || matches!(line.happening, ScriptHappening::ExpectRequest(_))
                    && open.as_ref().is_some_and(is_checked);
            if !belongs {
                beats.extend(open.take().map(Beat::of_step));
            }
            let kind = match &line.happening {
                ScriptHappening::Model(said) => {
                    let mut step =
                        open.take().unwrap_or_else(|| ScriptedStep::new(line.number, &self.header));
                    let is_over = said.is_ending();
                    step.take(said);
                    match is_over {
                        true => beats.push(Beat::of_step(step)),
                        false => open = Some(step),
                    }
                    continue;
                }
                ScriptHappening::ExpectRequest(check) => {
                    let step = open.get_or_insert_with(|| ScriptedStep::new(line.number, &self.header));
                    step.checks.push((line.number, check.clone()));
                    continue;
                }
                ScriptHappening::User(text) => BeatKind::User(text.clone()),
                ScriptHappening::Answer { call, answer } => {
                    BeatKind::Answer { call: *call, answer: answer.clone() }
                }
                ScriptHappening::Tool { call, ending } => {
                    BeatKind::Tool { call: *call, ending: ending.clone() }
                }
                ScriptHappening::Cancel => BeatKind::Cancel,
                ScriptHappening::Deadline => BeatKind::Deadline,
                ScriptHappening::Expect(expectation) => BeatKind::Expect(expectation.clone()),
            };
            beats.push(Beat { line: line.number, kind });
        }
        beats.extend(open.map(Beat::of_step));
        beats
    }

    /// The steps of each run, in order.
    pub fn runs(&self) -> Vec<Vec<Arc<ScriptedStep>>> {
        let mut runs: Vec<Vec<Arc<ScriptedStep>>> = Vec::new();
        for beat in self.beats() {
            match beat.kind {
                BeatKind::User(_) => runs.push(Vec::new()),
                BeatKind::Step(step) => {
                    if let Some(run) = runs.last_mut() {
                        run.push(step);
                    }
                }
                BeatKind::Answer { .. }
                | BeatKind::Tool { .. }
                | BeatKind::Cancel
                | BeatKind::Deadline
                | BeatKind::Expect(_) => {}
            }
        }
        runs
    }
}
