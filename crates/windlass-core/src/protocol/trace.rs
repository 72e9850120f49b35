//! The trace of a run: a stable shape with times, states and durations (S-31), folded from its events.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::calls::json::clip::clip_chars;
use crate::calls::json::note::RepairNote;
use crate::protocol::event::{DurableEvent, Event, Record, RunOutcome, StopReason, WarningCode};
use crate::protocol::ids::Millis;
use crate::protocol::message::{Message, Part};
use crate::protocol::model::{NoticeKind, Usage};
use crate::protocol::tool::{
    Category, InnerCall, Link, OutcomeStatus, ToolCall, Visibility, concerns_inside, see_inside,
};
use crate::text::time::rfc3339;

/// Characters of an outcome in a trace's summary line.
const SUMMARY_LINE_CHARS: usize = 200;

/// Everything worth keeping of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RunTrace {
    /// The run.
    pub run_id: String,
    /// The model that answered.
    pub model: String,
    /// RFC 3339.
    pub started_at: String,
    /// RFC 3339; empty while it goes on.
    #[serde(default)]
    pub ended_at: String,
    /// From start to end.
    #[serde(default)]
    pub total_duration_ms: u64,
    /// Token counts.
    pub tokens: TraceTokens,
    /// Every call, in the order in which they were asked for.
    pub tools: Vec<ToolTrace>,
    /// Every block of thinking (S-32).
    pub reasoning: Vec<ReasoningBlock>,
    /// Warnings, each once.
    pub warnings: Vec<TraceWarning>,
    /// What had to be changed, imitated or left out of requests.
    #[serde(default)]
    pub adjustments: Vec<TraceAdjustment>,
    /// Waits before a step was asked for again.
    #[serde(default)]
    pub delays: Vec<TraceDelay>,
    /// How it ended.
    pub outcome: Option<RunOutcome>,
    /// Why it stopped.
    pub stop_reason: Option<StopReason>,
    /// The answer.
    #[serde(default)]
    pub answer: String,
}

/// Token counts of a run.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TraceTokens {
    /// Tokens read.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
    /// Both.
    pub total: u64,
    /// What it cost.
    pub cost_usd: Option<f64>,
}

/// How far a call is (S-31).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ToolStatus {
    /// Asked for.
    #[default]
    Queued,
    /// Runs.
    Running,
    /// Worked.
    Completed,
    /// Did not work.
    Failed,
}

/// One call of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ToolTrace {
    /// The call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The tool, for people: `read_file` is "Read file".
    pub display_name: String,
    /// How far it is.
    pub status: ToolStatus,
    /// RFC 3339; when it was asked for, then when it started.
    pub started_at: String,
    /// RFC 3339.
    pub ended_at: String,
    /// How long it took.
    pub duration_ms: u64,
    /// Its arguments.
    pub parameters: Value,
    /// One line of its outcome.
    pub output_summary: String,
    /// Sources it found.
    pub links: Vec<Link>,
    /// Its whole output.
    pub output_raw: Value,
    /// Why it failed.
    pub error: Option<TraceError>,
    /// Where front ends file it.
    pub category: Category,
    /// How prominently they show it.
    pub visibility: Visibility,
    /// Calls that it made itself, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inside: Vec<InnerCall>,
    /// Whether an earlier outcome was given again.
    pub cached: bool,
    /// Arguments that were dropped.
    pub dropped_args: Vec<String>,
    /// Noise that was taken off the arguments.
    pub repairs: Vec<RepairNote>,
    /// Who allowed it.
    pub decision: Option<String>,
}

/// Why a call failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TraceError {
    /// What happened.
    pub message: String,
    /// Which kind.
    pub code: String,
}

/// One block of thinking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReasoningBlock {
    /// `reasoning_0`, `reasoning_1`, …
    pub id: String,
    /// What was thought.
    pub content: String,
    /// RFC 3339.
    pub timestamp: String,
}

/// One warning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TraceWarning {
    /// Its code.
    pub code: WarningCode,
    /// What happened.
    pub message: String,
}

/// One change of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TraceAdjustment {
    /// The step whose request it was.
    pub step: u32,
    /// What was done.
    pub kind: NoticeKind,
    /// The rule that asked for it.
    pub rule: String,
    /// What was done and why.
    pub message: String,
}

/// One wait before a step was asked for again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TraceDelay {
    /// The step.
    pub step: u32,
    /// The try that was waited for.
    pub attempt: u32,
    /// How long about.
    pub delay_ms: u64,
    /// The failure's stable word.
    pub code: String,
    /// What had happened.
    pub message: String,
    /// RFC 3339.
    pub timestamp: String,
}

impl RunTrace {
    /// Folds the events of one run; events of other runs must have been left out.
    pub fn fold<'a>(records: impl IntoIterator<Item = &'a Record>) -> Self {
        let mut trace = Self::default();
        let mut started_ms = 0;
        for record in records {
            trace.apply(record, &mut started_ms);
            // Asked once: every call for every record makes a long run expensive.
            if concerns_inside(record) {
                for tool in &mut trace.tools {
                    see_inside(&mut tool.inside, &tool.id, record);
                }
            }
        }
        trace
    }

    fn apply(&mut self, record: &Record, started_ms: &mut Millis) {
        let Event::Durable(event) = &record.event else { return };
        match event {
            DurableEvent::RunStarted { model, .. } => {
                *started_ms = record.ts_ms;
                self.run_id = record.run_id.to_string();
                self.model = model.clone();
                self.started_at = rfc3339(record.ts_ms);
            }
            DurableEvent::StepEnded { message, usage, .. } => {
                self.add_reasoning(message, record.ts_ms);
                if let Some(usage) = usage {
                    self.add_usage(usage);
                }
            }
            DurableEvent::CallRequested { call, category, visibility, .. } => self.tools.push(ToolTrace {
                category: *category,
                visibility: *visibility,
                ..begin_tool(call, record.ts_ms)
            }),
            DurableEvent::CallStarted { call_id, .. } => {
                if let Some(tool) = self.tool_mut(call_id.as_str()) {
                    tool.status = ToolStatus::Running;
                    tool.started_at = rfc3339(record.ts_ms);
                }
            }
            DurableEvent::CallEnded { call_id, outcome, .. } => {
                if let Some(tool) = self.tool_mut(call_id.as_str()) {
                    end_tool(tool, outcome, record.ts_ms);
                }
            }
            DurableEvent::RequestAdjusted { step, kind, rule, message } => {
                self.adjustments.push(TraceAdjustment {
                    step: *step,
                    kind: *kind,
                    rule: rule.clone(),
                    message: message.clone(),
                })
            }
            DurableEvent::StepDelayed { step, attempt, delay_ms, code, message, .. } => {
                self.delays.push(TraceDelay {
                    step: *step,
                    attempt: *attempt,
                    delay_ms: *delay_ms,
                    code: code.clone(),
                    message: message.clone(),
                    timestamp: rfc3339(record.ts_ms),
                });
            }
            DurableEvent::WarningRaised { code, message } => {
                self.warnings.push(TraceWarning { code: *code, message: message.clone() });
            }
            DurableEvent::RunEnded { outcome, reason, answer, usage } => {
                self.total_duration_ms = record.ts_ms.saturating_sub(*started_ms);
                self.end(record.ts_ms, *outcome, reason, answer, usage);
            }
            other => other.ignored(),
        }
    }

    fn end(&mut self, at_ms: Millis, outcome: RunOutcome, reason: &StopReason, answer: &str, usage: &Usage) {
        self.ended_at = rfc3339(at_ms);
        self.outcome = Some(outcome);
        self.stop_reason = Some(reason.clone());
        self.answer = answer.to_owned();
        self.tokens = TraceTokens::default();
        self.add_usage(usage);
    }

    fn tool_mut(&mut self, call_id: &str) -> Option<&mut ToolTrace> {
        self.tools.iter_mut().rev().find(|tool| tool.id == call_id)
    }

    fn add_usage(&mut self, usage: &Usage) {
        self.tokens.input = self.tokens.input.saturating_add(usage.input);
        self.tokens.output = self.tokens.output.saturating_add(usage.output);
        self.tokens.total = self.tokens.total.saturating_add(usage.total());
        self.tokens.cost_usd = match (self.tokens.cost_usd, usage.cost_usd) {
            (None, None) => None,
            (own, more) => Some(own.unwrap_or(0.0) + more.unwrap_or(0.0)),
        };
    }

    fn add_reasoning(&mut self, message: &Message, ts_ms: Millis) {
        let Message::Assistant { parts } = message else { return };
        for part in parts {
            if let Part::Reasoning(reasoning) = part {
                self.reasoning.push(ReasoningBlock {
                    id: format!("reasoning_{}", self.reasoning.len()),
                    content: reasoning.text.clone(),
                    timestamp: rfc3339(ts_ms),
                });
            }
        }
    }
}

fn begin_tool(call: &ToolCall, ts_ms: Millis) -> ToolTrace {
    ToolTrace {
        id: call.id.to_string(),
        name: call.name.clone(),
        display_name: display_name(&call.name),
        started_at: rfc3339(ts_ms),
        parameters: serde_json::from_str(&call.arguments)
            .unwrap_or_else(|_| Value::String(call.arguments.clone())),
        ..ToolTrace::default()
    }
}

fn end_tool(tool: &mut ToolTrace, outcome: &crate::protocol::tool::ToolOutcome, ts_ms: Millis) {
    tool.ended_at = rfc3339(ts_ms);
    tool.duration_ms = outcome.meta.duration_ms;
    tool.cached = outcome.meta.is_cached;
    tool.dropped_args = outcome.meta.dropped_args.clone();
    tool.repairs = outcome.meta.repairs.clone();
    tool.decision = outcome.meta.decision.clone();
    tool.status = match outcome.status() {
        OutcomeStatus::Ok => ToolStatus::Completed,
        OutcomeStatus::Failed
        | OutcomeStatus::Denied
        | OutcomeStatus::Staged
        | OutcomeStatus::Cancelled
        | OutcomeStatus::Interrupted => ToolStatus::Failed,
    };
    match &outcome.body {
        Ok(output) => {
            let line = output.readable().lines().next().unwrap_or_default().to_owned();
            tool.output_summary = clip_chars(&line, SUMMARY_LINE_CHARS).into_owned();
            tool.links = output.links.clone();
            tool.output_raw = output.json.clone();
        }
        Err(failure) => {
            tool.output_summary = clip_chars(&failure.message, SUMMARY_LINE_CHARS).into_owned();
            tool.error =
                Some(TraceError { message: failure.message.clone(), code: failure.kind.word().to_owned() });
        }
    }
}

/// `read_file` → "Read file".
fn display_name(name: &str) -> String {
    let spaced = name.replace('_', " ");
    let mut chars = spaced.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
#[path = "trace_tests.rs"]
mod tests;
