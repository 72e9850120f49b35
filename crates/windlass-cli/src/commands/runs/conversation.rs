//! A run told from its records: what was said, step by step, with the calls and how far each came.
//!
//! Pure: records in, a story or its text out. Steps and calls carry the names by which `runs fork` and
//! `runs resume` take them.

use std::fmt::Write;

use console::style;
use serde::Serialize;
use windlass_core::protocol::event::{DurableEvent, Event, Record, RunOutcome};
use windlass_core::protocol::ids::{CallId, RunId};
use windlass_core::protocol::message::{Message, Part};
use windlass_core::protocol::tool::{
    InnerCall, OutcomeStatus, ReachedHost, ToolCall, ToolOutcome, see_inside,
};
use windlass_core::text::time::duration;
use windlass_core::text::visible;

use crate::terminal::progress::{gist, subject};
use crate::terminal::short_line::short_line;

/// Characters of a name of a tool.
const NAME_CHARS_MAX: usize = 60;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Story {
    run_id: RunId,
    model: String,
    message: String,
    steps: Vec<StepStory>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    remarks: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    outcome: Option<RunOutcome>,
    answer: String,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct StepStory {
    step: u32,
    #[serde(skip_serializing_if = "String::is_empty")]
    reasoning: String,
    text: String,
    calls: Vec<CallStory>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct CallStory {
    id: CallId,
    name: String,
    arguments: String,
    state: &'static str,
    summary: String,
    duration_ms: u64,
    /// What the model sees of its outcome.
    content: String,
    /// Calls that it made itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    inside: Vec<InnerCall>,
    /// Hosts that it has sent something to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reached: Vec<ReachedHost>,
}

/// One line for each call inside a call, under it.
fn write_inside(text: &mut String, calls: &[InnerCall], depth: usize) {
    for call in calls {
        let about = format!("{} {}", short_line(&call.name, NAME_CHARS_MAX), subject(&call.arguments));
        let (indent, word) = ("  ".repeat(depth), call.word());
        let _ = write!(text, "{indent}↳ {}  {word}", about.trim_end());
        let _ = match call.status {
            // How long it took is not on record where nobody saw its end.
            None | Some(OutcomeStatus::Interrupted) => writeln!(text),
            Some(_) => writeln!(text, "  {}", style(duration(call.duration_ms)).dim()),
        };
        write_inside(text, &call.inside, depth.saturating_add(1));
    }
}

/// Tells the runs of some records, oldest first.
pub(crate) fn tell<'a>(records: impl IntoIterator<Item = &'a Record>) -> Vec<Story> {
    let mut stories: Vec<Story> = Vec::new();
    for record in records {
        if let Event::Durable(DurableEvent::RunStarted { model, message, .. }) = &record.event {
            stories.push(Story::new(record.run_id.clone(), model.clone(), message.text()));
        } else if let Some(story) = stories.iter_mut().rev().find(|story| story.run_id == record.run_id) {
            story.see(record);
        }
    }
    stories
}

impl Story {
    fn new(run_id: RunId, model: String, message: String) -> Self {
        Self {
            run_id,
            model,
            message,
            steps: Vec::new(),
            remarks: Vec::new(),
            error: None,
            outcome: None,
            answer: String::new(),
        }
    }

    fn see(&mut self, record: &Record) {
        for call in self.steps.iter_mut().flat_map(|step| &mut step.calls) {
            see_inside(&mut call.inside, call.id.as_str(), record);
        }
        let Event::Durable(event) = &record.event else { return };
        match event {
            DurableEvent::StepEnded { step, message, .. } => self.see_step(*step, message),
            DurableEvent::CallRequested { call, .. } => self.see_call(call),
            DurableEvent::PermissionRequested { question } => self.set_state(&question.call_id, "asked"),
            DurableEvent::CallStarted { call_id, .. } => self.set_state(call_id, "running"),
            DurableEvent::CallEnded { call_id, outcome, message, .. } => {
                self.see_outcome(call_id, outcome, message);
            }
            DurableEvent::EditApplied { call_id, .. } => self.set_state(call_id, "applied"),
            DurableEvent::RunResumed { .. } => {
                self.remarks.push("It was interrupted and resumed.".to_owned())
            }
            DurableEvent::WarningRaised { code, message } => {
                self.remarks.push(format!("{message} ({})", code.word()));
            }
            DurableEvent::ErrorRaised { message, .. } => self.error = Some(message.clone()),
            DurableEvent::RunEnded { outcome, answer, .. } => {
                self.outcome = Some(*outcome);
                self.answer.clone_from(answer);
            }
            DurableEvent::PermissionDecided { call_id, .. } => self.set_state(call_id, "decided"),
            other => other.ignored(),
        }
    }

    fn see_step(&mut self, number: u32, message: &Message) {
        let Message::Assistant { parts } = message else { return };
        let at = self.step_at(number);
        let Some(step) = self.steps.get_mut(at) else { return };
        for part in parts {
            match part {
                Part::Text { text } => step.text.push_str(text),
                Part::Reasoning(reasoning) => step.reasoning.push_str(&reasoning.text),
                Part::Call(_) | Part::Image { .. } => {}
            }
        }
    }

    fn see_call(&mut self, call: &ToolCall) {
        let at = self.step_at(call.step);
        let Some(step) = self.steps.get_mut(at) else { return };
        step.calls.push(CallStory {
            id: call.id.clone(),
            name: call.name.clone(),
            arguments: call.arguments.to_string(),
            state: "requested",
            summary: String::new(),
            duration_ms: 0,
            content: String::new(),
            inside: Vec::new(),
            reached: Vec::new(),
        });
    }

    /// Where a step is told; a new one goes to the end.
    fn step_at(&mut self, number: u32) -> usize {
        self.steps.iter().position(|step| step.step == number).unwrap_or_else(|| {
            let (reasoning, text) = (String::new(), String::new());
            self.steps.push(StepStory { step: number, reasoning, text, calls: Vec::new() });
            self.steps.len() - 1
        })
    }

    fn set_state(&mut self, call_id: &CallId, state: &'static str) {
        if let Some(call) = self.call_mut(call_id) {
            call.state = state;
        }
    }

    fn see_outcome(&mut self, call_id: &CallId, outcome: &ToolOutcome, message: &Message) {
        let content = message.text();
        if let Some(call) = self.call_mut(call_id) {
            call.state = outcome.status().word();
            call.summary = gist(outcome);
            call.duration_ms = outcome.meta.duration_ms;
            call.content = content;
            call.reached.clone_from(&outcome.meta.reached);
        }
    }

    fn call_mut(&mut self, call_id: &CallId) -> Option<&mut CallStory> {
        self.steps.iter_mut().flat_map(|step| &mut step.calls).find(|call| call.id == *call_id)
    }

    /// The story for people.
    pub(crate) fn text(&self, is_full: bool) -> String {
        let mut text = String::new();
        let end = self.outcome.map_or("unfinished", RunOutcome::word);
        let _ = writeln!(
            text,
            "{}",
            style(format!("run {} · {} · {end}", self.run_id, visible(&self.model))).dim()
        );
        let _ = writeln!(text, "{} {}", style("»").cyan().bold(), visible(self.message.trim_end()));
        for step in &self.steps {
            step.write(&mut text, is_full);
        }
        for remark in &self.remarks {
            let _ = writeln!(text, "{} {}", style("!").yellow(), visible(remark));
        }
        if let Some(error) = &self.error {
            let _ = writeln!(text, "{} {}", style("error:").red().bold(), visible(error));
        }
        if self.steps.iter().flat_map(|step| &step.calls).any(|call| call.state == "staged") {
            let _ = writeln!(text, "to look at what is staged: windlass runs apply {}", self.run_id);
        }
        if self.outcome.is_none() {
            let _ = writeln!(text, "to continue: windlass runs resume {}", self.run_id);
        }
        text
    }
}

impl StepStory {
    fn write(&self, text: &mut String, is_full: bool) {
        let _ = writeln!(text, "{}", style(format!("step {}", self.step)).dim());
        if is_full {
            for line in self.reasoning.lines() {
                let _ = writeln!(text, "{}", style(format!("  {}", visible(line))).dim());
            }
        }
        if !self.text.trim().is_empty() {
            let _ = writeln!(text, "{}", visible(self.text.trim_end()));
        }
        for call in &self.calls {
            let mark = match call.state {
                "ok" => style("✓").green(),
                "failed" | "interrupted" => style("✗").red(),
                "denied" => style("⊘").yellow(),
                "staged" => style("◇").cyan(),
                "applied" => style("◆").cyan(),
                "cancelled" => style("✗").yellow(),
                _ => style("…").cyan(),
            };
            let (name, about) = (short_line(&call.name, NAME_CHARS_MAX), subject(&call.arguments));
            let _ = write!(text, "{mark} {} {name} {about}", style(&call.id).dim());
            let _ = match call.state {
                "ok" | "failed" => {
                    writeln!(text, "  {}  {}", style(duration(call.duration_ms)).dim(), call.summary)
                }
                "asked" => writeln!(text, "  waits for your answer"),
                "staged" => writeln!(text, "  {}", call.summary),
                "denied" | "cancelled" | "interrupted" => {
                    writeln!(text, "  {}  {}", call.state, call.summary)
                }
                state => writeln!(text, "  {state}"),
            };
            write_inside(text, &call.inside, 1);
            for reached in &call.reached {
                let _ =
                    writeln!(text, "  {}", style(format!("reached {}", visible(&reached.to_string()))).dim());
            }
            if is_full {
                let _ = writeln!(text, "{}", style(format!("  {}", visible(&call.arguments))).dim());
                for line in call.content.lines() {
                    let _ = writeln!(text, "{}", style(format!("  {}", visible(line))).dim());
                }
            }
        }
    }
}

#[cfg(test)]
#[path = "conversation_tests.rs"]
mod tests;
