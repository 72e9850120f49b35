//! The fold: runs, steps, calls, tokens, cost and durations from the records of all sessions.

use std::collections::{BTreeMap, HashMap};

use windlass_core::protocol::event::{DurableEvent, Event, Record};
use windlass_core::protocol::ids::{CallId, Millis, RunId};
use windlass_core::protocol::model::Usage;
use windlass_core::protocol::questions::{QuestionChange, change_of};

use super::exposition::{Histogram, counter, gauge, histogram, label_text, sample};
use crate::limits::{LABELS_MAX, OPEN_RUNS_MAX};

/// What is known of a run that goes on.
struct CountedRun {
    started_ms: Millis,
    step_started_ms: Millis,
    questions: Vec<CallId>,
}

#[derive(Default)]
pub(super) struct MetricCounts {
    runs_started: u64,
    runs_resumed: u64,
    runs_ended: BTreeMap<&'static str, u64>,
    steps: u64,
    step_delays: BTreeMap<String, u64>,
    calls: BTreeMap<(String, &'static str), u64>,
    call_durations: BTreeMap<String, Histogram>,
    run_duration: Histogram,
    step_duration: Histogram,
    decisions: BTreeMap<&'static str, u64>,
    warnings: BTreeMap<&'static str, u64>,
    usage: Usage,
    open: HashMap<RunId, CountedRun>,
}

impl MetricCounts {
    /// Counts what a record says.
    pub(super) fn apply(&mut self, record: &Record) {
        let Event::Durable(event) = &record.event else { return };
        self.count_questions(record, event);
        match event {
            DurableEvent::RunStarted { .. } => {
                self.runs_started += 1;
                self.open_run(record);
            }
            DurableEvent::RunResumed { .. } => {
                // Mostly begun by another process: its time counts from here.
                self.runs_resumed += 1;
                self.open_run(record);
            }
            DurableEvent::StepStarted { .. } => {
                if let Some(run) = self.open.get_mut(&record.run_id) {
                    run.step_started_ms = record.ts_ms;
                }
            }
            DurableEvent::StepDelayed { code, .. } => count(&mut self.step_delays, code.clone()),
            DurableEvent::StepEnded { .. } => {
                self.steps += 1;
                if let Some(run) = self.open.get(&record.run_id) {
                    self.step_duration.observe(record.ts_ms.saturating_sub(run.step_started_ms));
                }
            }
            DurableEvent::PermissionDecided { decision, .. } => {
                *self.decisions.entry(decision.word()).or_default() += 1;
            }
            DurableEvent::CallEnded { name, outcome, .. } => {
                let error = outcome.failure().map_or("none", |failure| failure.kind.word());
                count(&mut self.calls, (name.clone(), error));
                if let Some(durations) = entry(&mut self.call_durations, name.clone()) {
                    durations.observe(outcome.meta.duration_ms);
                }
            }
            DurableEvent::WarningRaised { code, .. } => *self.warnings.entry(code.word()).or_default() += 1,
            DurableEvent::RunEnded { outcome, usage, .. } => {
                *self.runs_ended.entry(outcome.word()).or_default() += 1;
                self.usage.add(usage);
                if let Some(run) = self.open.remove(&record.run_id) {
                    self.run_duration.observe(record.ts_ms.saturating_sub(run.started_ms));
                }
            }
            other => other.ignored(),
        }
    }

    fn count_questions(&mut self, record: &Record, event: &DurableEvent) {
        let Some(run) = self.open.get_mut(&record.run_id) else { return };
        match change_of(event) {
            Some(QuestionChange::Asked(question)) => run.questions.push(question.call_id.clone()),
            Some(QuestionChange::Settled(call_id)) => run.questions.retain(|open| open != call_id),
            Some(QuestionChange::AllSettled) => run.questions.clear(),
            None => {}
        }
    }

    fn open_run(&mut self, record: &Record) {
        if self.open.len() < OPEN_RUNS_MAX {
            self.open.entry(record.run_id.clone()).or_insert(CountedRun {
                started_ms: record.ts_ms,
                step_started_ms: record.ts_ms,
                questions: Vec::new(),
            });
        }
    }

    pub(super) fn write(&self, out: &mut String) {
        self.write_runs(out);
        self.write_calls(out);
        let Usage { input, output, cached, reasoning, cost_usd } = &self.usage;
        let name = "windlass_tokens_total";
        counter(out, name, "Tokens of ended runs.");
        for (kind, tokens) in
            [("input", input), ("output", output), ("cached", cached), ("reasoning", reasoning)]
        {
            sample(out, name, &[("kind", kind)], tokens);
        }
        let name = "windlass_cost_usd_total";
        counter(out, name, "What ended runs cost, where providers say so.");
        out.push_str(&format!("{name} {}\n", cost_usd.unwrap_or_default()));
    }

    fn write_runs(&self, out: &mut String) {
        counter(out, "windlass_runs_started_total", "Runs that began.");
        out.push_str(&format!("windlass_runs_started_total {}\n", self.runs_started));
        counter(out, "windlass_runs_resumed_total", "Runs that were taken up again.");
        out.push_str(&format!("windlass_runs_resumed_total {}\n", self.runs_resumed));
        write_counts(
            out,
            "windlass_runs_ended_total",
            "Runs that ended, by outcome.",
            "outcome",
            &self.runs_ended,
        );
        counter(out, "windlass_steps_total", "Model steps that were completed.");
        out.push_str(&format!("windlass_steps_total {}\n", self.steps));
        let help = "Waits before a step was asked for again, by the failure's word.";
        write_counts(out, "windlass_step_delays_total", help, "code", &self.step_delays);
        write_counts(
            out,
            "windlass_decisions_total",
            "Permissions, by decision.",
            "decision",
            &self.decisions,
        );
        write_counts(out, "windlass_warnings_total", "Warnings, by code.", "code", &self.warnings);
        gauge(out, "windlass_open_runs", "Runs that go on.", self.open.len());
        let questions: usize = self.open.values().map(|run| run.questions.len()).sum();
        gauge(out, "windlass_open_questions", "Questions that wait for an answer.", questions);
        histogram(out, "windlass_run_duration_seconds", "How long runs took.");
        self.run_duration.write(out, "windlass_run_duration_seconds", "");
        histogram(out, "windlass_step_duration_seconds", "How long model steps took.");
        self.step_duration.write(out, "windlass_step_duration_seconds", "");
    }

    fn write_calls(&self, out: &mut String) {
        let name = "windlass_calls_total";
        counter(out, name, "Calls that ended, by tool and kind of error.");
        for ((tool, error), count) in &self.calls {
            sample(out, name, &[("tool", tool), ("error", error)], count);
        }
        let name = "windlass_call_duration_seconds";
        histogram(out, name, "How long calls took, by tool.");
        for (tool, durations) in &self.call_durations {
            durations.write(out, name, &label_text(&[("tool", tool)]));
        }
    }
}

fn write_counts<K: AsRef<str>>(
    out: &mut String,
    name: &str,
    help: &str,
    label: &str,
    counts: &BTreeMap<K, u64>,
) {
    counter(out, name, help);
    for (value, count) in counts {
        sample(out, name, &[(label, value.as_ref())], count);
    }
}

fn count<K: Ord>(counts: &mut BTreeMap<K, u64>, key: K) {
    if let Some(count) = entry(counts, key) {
        *count += 1;
    }
}

/// The place of a label, unless there are too many: models can invent tool names.
fn entry<K: Ord, V: Default>(map: &mut BTreeMap<K, V>, key: K) -> Option<&mut V> {
    (map.len() < LABELS_MAX || map.contains_key(&key)).then(|| map.entry(key).or_default())
}

#[cfg(test)]
#[path = "ledger_tests.rs"]
mod tests;
