//! What is told of a run while it goes on: one line for each call, and what happens right now.
//!
//! Pure: events in, lines out. Where they are written is `screen`'s business.

use std::borrow::Cow;
use std::collections::HashMap;

use console::style;
use serde_json::Value;
use windlass_core::permission::{Decision, host_note};
use windlass_core::profile::Profile;
use windlass_core::protocol::command::RunWishes;
use windlass_core::protocol::display::{call_block, outcome_line};
use windlass_core::protocol::event::{DeltaEvent, DurableEvent, Event, Record, RunOutcome};
use windlass_core::protocol::ids::CallId;
use windlass_core::protocol::message::{Message, Part};
use windlass_core::protocol::model::{NoticeKind, StepPurpose};
use windlass_core::protocol::tool::{ErrorKind, OutcomeStatus, ToolCall, ToolOutcome};
use windlass_core::text::time::duration;
use windlass_core::text::{visible, visible_line};

use crate::terminal::short_line::short_line;

/// Characters of what a call is about, of what it gave, and of what it says while it runs.
const SUBJECT_CHARS_MAX: usize = 60;
const RESULT_CHARS_MAX: usize = 100;
/// Characters of why a step waits, or of what was changed of a request.
const DELAY_CHARS_MAX: usize = 200;

/// How much is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// One line a call.
    Usual,
    /// Arguments, thinking and decisions as well.
    Full,
}

/// What was seen of a run so far.
#[derive(Debug)]
pub(crate) struct RunProgress {
    detail: Detail,
    /// Whether the user's messages are told: they come from a script.
    tells_messages: bool,
    /// Whether it is told what a model says before its calls.
    tells_remarks: bool,
    calls: HashMap<CallId, ToolCall>,
    /// Calls that run, oldest first, with what they say.
    running: Vec<(CallId, String)>,
    activity: String,
    /// Why the next step waits.
    delay: Option<String>,
    /// That this step reads for long was told.
    has_told_reading: bool,
    /// The profile of the run, if it shows calls as blocks.
    blocks: Option<Box<Profile>>,
}

impl RunProgress {
    pub(crate) fn new(detail: Detail, tells_messages: bool, tells_remarks: bool) -> Self {
        Self {
            detail,
            tells_messages,
            tells_remarks,
            calls: HashMap::new(),
            running: Vec::new(),
            activity: String::new(),
            delay: None,
            has_told_reading: false,
            blocks: None,
        }
    }

    /// What happens right now, on one line.
    pub(crate) fn activity(&self) -> &str {
        self.running.last().map_or(&self.activity, |(_, line)| line)
    }

    /// Sees an event; the lines to tell.
    pub(crate) fn see(&mut self, record: &Record) -> Vec<String> {
        match &record.event {
            Event::Durable(event) => self.see_durable(event),
            Event::Delta(delta) => self.see_delta(delta),
        }
    }

    fn see_durable(&mut self, event: &DurableEvent) -> Vec<String> {
        match event {
            DurableEvent::RunStarted { message, wishes, .. } => {
                self.choose_look(wishes);
                self.see_start(message)
            }
            DurableEvent::StepStarted { purpose, .. } => self.see_step(*purpose),
            DurableEvent::StepDelayed { attempt, attempts_max, delay_ms, message, .. } => {
                self.see_delay(*attempt, *attempts_max, *delay_ms, message)
            }
            DurableEvent::RequestAdjusted { kind, message, .. } => self.see_adjustment(*kind, message),
            DurableEvent::StepEnded { message, .. } => {
                self.activity.clear();
                self.see_thoughts(message)
            }
            DurableEvent::CallRequested { call, .. } => {
                self.calls.insert(call.id.clone(), call.clone());
                Vec::new()
            }
            DurableEvent::PermissionDecided { call_id, decision, by, rule, problem, .. } => {
                let mut lines = self.see_decision(call_id, *decision, by, rule.as_deref());
                lines.extend(problem.as_ref().map(|problem| caution(&visible(problem))));
                lines
            }
            DurableEvent::CallStarted { call_id, name, .. } => {
                let line = self.headline(call_id, name);
                self.running.push((call_id.clone(), line));
                Vec::new()
            }
            DurableEvent::InnerCallStarted { call_id, path, name, arguments, .. } => {
                let line = format!("{} {}", short_line(name, SUBJECT_CHARS_MAX), subject(arguments));
                self.see_progress(call_id, &line);
                self.in_full(|| dim(&format!("{}↳ {line}", "  ".repeat(path.len()))))
            }
            DurableEvent::CallEnded { call_id, name, outcome, .. } => {
                self.see_outcome(call_id, name, outcome)
            }
            DurableEvent::RunResumed { interrupted, repeated, grants } => {
                self.see_resumption(interrupted, repeated, grants)
            }
            DurableEvent::NoteAdded { text } => {
                self.in_full(|| dim(&format!("  note: {}", short_line(text, 200))))
            }
            DurableEvent::WarningRaised { code, message } => {
                vec![caution(&format!("{} ({})", visible(message), code.word()))]
            }
            DurableEvent::RunEnded { outcome, usage, .. } => self.see_end(*outcome, usage.total()),
            other => other.ignored(),
        }
    }

    fn see_delta(&mut self, delta: &DeltaEvent) -> Vec<String> {
        match delta {
            DeltaEvent::StepProgressed { tokens_read, tokens_total, remaining_ms } => {
                self.see_reading(*tokens_read, *tokens_total, *remaining_ms)
            }
            DeltaEvent::ReasoningDelta { .. } => {
                self.activity = "thinking".into();
                Vec::new()
            }
            DeltaEvent::CallDelta { name, chars, .. } => {
                let name =
                    name.as_deref().map_or_else(String::new, |name| short_line(name, SUBJECT_CHARS_MAX));
                self.activity = format!("writing a call {name} ({chars} characters)");
                Vec::new()
            }
            DeltaEvent::CallProgressed { call_id, line } => {
                self.see_progress(call_id, line);
                Vec::new()
            }
            DeltaEvent::TextDelta { .. } => Vec::new(),
        }
    }

    /// Calls are shown as lines, or as blocks where the run's profile has them.
    fn choose_look(&mut self, wishes: &RunWishes) {
        let profile = wishes.setup.as_ref().map(|setup| &setup.profile);
        self.blocks = profile.filter(|profile| profile.shows_blocks()).cloned().map(Box::new);
    }

    fn see_progress(&mut self, call_id: &CallId, line: &str) {
        let head = self.calls.get(call_id).map(|call| short_line(&call.name, SUBJECT_CHARS_MAX));
        if let Some((_, place)) = self.running.iter_mut().find(|(id, _)| id == call_id) {
            *place = format!("{}: {}", head.unwrap_or_default(), short_line(line, RESULT_CHARS_MAX));
        }
    }

    /// Whoever comes back to a run wants to know what became of the calls that were cut off.
    fn see_resumption(&self, interrupted: &[CallId], repeated: &[CallId], grants: &[String]) -> Vec<String> {
        let names = |ids: &[CallId]| ids.iter().map(CallId::as_str).collect::<Vec<_>>().join(", ");
        let mut lines = vec![dim("resumed where it stopped")];
        if !interrupted.is_empty() {
            let names = names(interrupted);
            lines.push(caution(&format!("not repeated, for they may have happened already: {names}")));
        }
        if !repeated.is_empty() {
            lines.push(dim(&format!("run again: {}", names(repeated))));
        }
        if !grants.is_empty() {
            let grants = short_line(&grants.join(", "), RESULT_CHARS_MAX);
            lines.push(dim(&format!("still allowed in this session: {grants} (windlass policy list)")));
        }
        lines
    }

    fn see_end(&mut self, outcome: RunOutcome, tokens: u64) -> Vec<String> {
        self.running.clear();
        self.activity.clear();
        match outcome {
            RunOutcome::Completed | RunOutcome::LimitReached if tokens > 0 => {
                self.in_full(|| dim(&format!("  {tokens} tokens")))
            }
            RunOutcome::Completed | RunOutcome::LimitReached | RunOutcome::Cancelled | RunOutcome::Failed => {
                Vec::new()
            }
        }
    }

    fn in_full(&self, line: impl FnOnce() -> String) -> Vec<String> {
        match self.detail {
            Detail::Usual => Vec::new(),
            Detail::Full => vec![line()],
        }
    }

    fn see_start(&mut self, message: &Message) -> Vec<String> {
        self.running.clear();
        if !self.tells_messages {
            return Vec::new();
        }
        let text = message.text();
        vec![format!("{} {}", style("»").for_stderr().cyan().bold(), visible(&text))]
    }

    fn see_step(&mut self, purpose: StepPurpose) -> Vec<String> {
        let words = match purpose {
            StepPurpose::Work => "waiting for the model",
            StepPurpose::Correction => "waiting for a corrected call",
            StepPurpose::Continuation => "waiting for the rest of the answer",
            StepPurpose::Finalise => "waiting for the last answer, without tools",
        };
        self.has_told_reading = false;
        // A step that waits for another try says why, as long as nothing else happens.
        self.activity = self.delay.take().unwrap_or_else(|| words.into());
        Vec::new()
    }

    /// How far the prompt is read; that it takes long is told once a step.
    fn see_reading(&mut self, tokens_read: u64, tokens_total: u64, remaining_ms: Option<u64>) -> Vec<String> {
        let left = remaining_ms.map(|ms| format!(", about {} s left", ms.div_ceil(1_000)));
        self.activity = format!(
            "reading the prompt: {tokens_read} of {tokens_total} tokens{}",
            left.as_deref().unwrap_or_default()
        );
        let is_new = remaining_ms.is_some() && !std::mem::replace(&mut self.has_told_reading, true);
        if is_new { vec![dim(&format!("  {}", self.activity))] } else { Vec::new() }
    }

    fn see_delay(&mut self, attempt: u32, attempts_max: u32, delay_ms: u64, message: &str) -> Vec<String> {
        let line = format!(
            "waiting {}: {} (try {attempt} of {attempts_max})",
            duration(delay_ms),
            short_line(message, DELAY_CHARS_MAX)
        );
        let told = vec![caution(&line)];
        self.delay = Some(line);
        told
    }

    /// What was left out of a request is always told; what was only put in another form, to who wants to know.
    fn see_adjustment(&self, kind: NoticeKind, message: &str) -> Vec<String> {
        let line = || dim(&format!("  {}: {}", kind.word(), short_line(message, DELAY_CHARS_MAX)));
        match kind {
            NoticeKind::Trimmed => vec![line()],
            NoticeKind::Healed | NoticeKind::Lowered | NoticeKind::Emulated => self.in_full(line),
        }
    }

    /// Thinking, and what a model says before its calls; the answer itself is not progress.
    fn see_thoughts(&self, message: &Message) -> Vec<String> {
        let Message::Assistant { parts } = message else { return Vec::new() };
        let is_remark = self.tells_remarks && message.calls().next().is_some();
        let mut lines = Vec::new();
        for part in parts {
            match part {
                Part::Reasoning(reasoning) if self.detail == Detail::Full && !reasoning.text.is_empty() => {
                    lines.extend(reasoning.text.lines().map(|line| dim(&format!("  {}", visible(line)))));
                }
                Part::Text { text } if is_remark && !text.trim().is_empty() => {
                    lines.extend(text.trim().lines().map(|line| format!("· {}", visible(line))));
                }
                Part::Reasoning(_) | Part::Text { .. } | Part::Call(_) | Part::Image { .. } => {}
            }
        }
        lines
    }

    fn see_decision(
        &self,
        call_id: &CallId,
        decision: Decision,
        by: &str,
        rule: Option<&str>,
    ) -> Vec<String> {
        let name = self.calls.get(call_id).map_or("", |call| &call.name);
        match (decision, rule) {
            (Decision::Remember, Some(rule)) => {
                let note = host_note(rule).map(|note| format!(" ({note})")).unwrap_or_default();
                vec![dim(&format!("  remembered: {}{note}", visible_line(rule)))]
            }
            (Decision::Once | Decision::Session | Decision::Remember | Decision::Deny, _) => {
                self.in_full(|| {
                    let word = if decision == Decision::Deny { "denied" } else { "allowed" };
                    dim(&format!("  {} {word} by {}", visible_line(name), visible_line(by)))
                })
            }
        }
    }

    fn see_outcome(&mut self, call_id: &CallId, name: &str, outcome: &ToolOutcome) -> Vec<String> {
        self.running.retain(|(id, _)| id != call_id);
        if let (Some(profile), Some(call)) = (&self.blocks, self.calls.get(call_id))
            && outcome.status() != OutcomeStatus::Staged
        {
            return call_block(profile, call, outcome)
                .lines()
                .map(visible_line)
                .map(Cow::into_owned)
                .collect();
        }
        let mark = match outcome.status() {
            OutcomeStatus::Ok => style("✓").for_stderr().green(),
            OutcomeStatus::Failed | OutcomeStatus::Interrupted => style("✗").for_stderr().red(),
            OutcomeStatus::Denied => style("⊘").for_stderr().yellow(),
            OutcomeStatus::Staged => style("◇").for_stderr().cyan(),
            OutcomeStatus::Cancelled => style("✗").for_stderr().yellow(),
        };
        let again = if outcome.meta.is_cached { "  (again)" } else { "" };
        let took = dim(&duration(outcome.meta.duration_ms));
        // Which calls inside it happened, and which may have, is nothing to shorten.
        let told = match outcome.failure().filter(|failure| failure.kind == ErrorKind::Interrupted) {
            Some(failure) => visible_line(&failure.message).into_owned(),
            None => gist(outcome),
        };
        let mut lines = vec![format!("{mark} {}  {took}  {told}{again}", self.headline(call_id, name))];
        if let (Detail::Full, Some(call)) = (self.detail, self.calls.get(call_id)) {
            lines.push(dim(&format!("  {}", visible_line(&call.arguments))));
        }
        lines
    }

    /// The tool and what the call is about.
    fn headline(&self, call_id: &CallId, name: &str) -> String {
        let name = short_line(name, SUBJECT_CHARS_MAX);
        match self.calls.get(call_id).map(|call| subject(&call.arguments)) {
            Some(subject) if !subject.is_empty() => format!("{name} {subject}"),
            Some(_) | None => name,
        }
    }
}

fn caution(text: &str) -> String {
    format!("{} {text}", style("!").for_stderr().yellow())
}

fn dim(text: &str) -> String {
    style(text).for_stderr().dim().to_string()
}

/// What a call is about: its first argument, or all of them.
pub(crate) fn subject(arguments: &str) -> String {
    let Ok(Value::Object(args)) = serde_json::from_str(arguments) else {
        return short_line(arguments, SUBJECT_CHARS_MAX);
    };
    let text = match args.values().next() {
        None => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(items)) if items.iter().all(Value::is_string) => {
            items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
        }
        Some(_) => Value::Object(args).to_string(),
    };
    short_line(&text, SUBJECT_CHARS_MAX)
}

/// What a call gave, in a few words.
pub(crate) fn gist(outcome: &ToolOutcome) -> String {
    if outcome.status() == OutcomeStatus::Staged {
        return "staged: awaits your approval, nothing was written".to_owned();
    }
    let Some(output) = outcome.output() else {
        return short_line(&outcome_line(outcome), RESULT_CHARS_MAX);
    };
    match (output.readable().lines().count(), &output.json) {
        (0 | 1, Value::Array(items)) if output.text.is_none() => counted(items.len(), "item"),
        (0 | 1, _) => short_line(&outcome_line(outcome), RESULT_CHARS_MAX),
        (lines, _) => counted(lines, "line"),
    }
}

fn counted(count: usize, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}

#[cfg(test)]
#[path = "progress_tests.rs"]
mod tests;
