//! The transcript as text: a session as Markdown for people, and pieces of it for the clipboard. Pure.

use std::fmt::Write as _;

use windlass_core::protocol::tool::{ToolOutcome, Visibility};
use windlass_core::protocol::view::{CallState, CallView, Entry, RunView, SessionView};
use windlass_core::text::time::duration;

use crate::figures::plural;
use crate::state::timing::{RunTiming, Timing};
use crate::state::transcript::Foldable;
use crate::words;

/// The last answer of a session, as the model wrote it; of a run that goes on, what there is of it.
pub fn last_answer(view: &SessionView) -> Option<String> {
    view.runs.iter().rev().find_map(|run| {
        let text = if run.answer.is_empty() { last_text(run) } else { Some(run.answer.as_str()) };
        text.map(str::to_owned)
    })
}

fn last_text(run: &RunView) -> Option<&str> {
    run.entries.iter().rev().find_map(|entry| match entry {
        Entry::Text(text) => Some(text.as_str()),
        Entry::Reasoning { .. } | Entry::Call(_) => None,
    })
}

/// What the clipboard gets of a thing that can be folded.
pub fn copied(view: &SessionView, thing: &Foldable) -> Option<String> {
    let (Foldable::Call(run_id, _) | Foldable::Thinking(run_id, _)) = thing;
    let run = view.runs.iter().rev().find(|run| run.run_id == *run_id)?;
    match thing {
        Foldable::Thinking(_, at) => match run.entries.get(*at)? {
            Entry::Reasoning { text, .. } => Some(text.clone()),
            Entry::Text(_) | Entry::Call(_) => None,
        },
        Foldable::Call(_, call_id) => run.entries.iter().rev().find_map(|entry| match entry {
            Entry::Call(call) if call.call.id == *call_id => Some(call_text(call)),
            Entry::Call(_) | Entry::Text(_) | Entry::Reasoning { .. } => None,
        }),
    }
}

fn call_text(call: &CallView) -> String {
    let arguments = words::pretty_json(&call.call.arguments);
    let mut text = format!("{} {arguments}\n", call.call.name);
    if let CallState::Ended(outcome) = &call.state {
        text.push('\n');
        text.push_str(&outcome_text(outcome));
    }
    text
}

fn outcome_text(outcome: &ToolOutcome) -> String {
    match &outcome.body {
        Ok(output) => match (&output.text, &output.json) {
            (None, json @ (serde_json::Value::Object(_) | serde_json::Value::Array(_))) => {
                words::pretty_json(&json.to_string())
            }
            _ => output.readable().into_owned(),
        },
        Err(failure) => failure.message.clone(),
    }
}

/// A session as Markdown. Calls that are not shown in the transcript are not in it either.
pub fn transcript_markdown(view: &SessionView, timing: &Timing) -> String {
    let mut text = String::new();
    for run in &view.runs {
        write_run(&mut text, run, timing.run(&run.run_id));
    }
    text
}

pub fn run_markdown(run: &RunView, timing: Option<&RunTiming>) -> String {
    let mut text = String::new();
    write_run(&mut text, run, timing);
    text
}

// Writing into a string cannot fail.
fn write_run(text: &mut String, run: &RunView, timing: Option<&RunTiming>) {
    let _ = writeln!(text, "## You\n\n{}\n\n## Windlass\n", run.user.trim_end());
    for entry in &run.entries {
        match entry {
            Entry::Text(said) => {
                let _ = writeln!(text, "{}\n", said.trim_end());
            }
            Entry::Reasoning { text: thought, .. } => {
                let _ = writeln!(text, "> *Thought*");
                for line in thought.trim_end().lines() {
                    let _ = writeln!(text, "> {line}");
                }
                text.push('\n');
            }
            Entry::Call(call) if call.visibility == Visibility::Hidden => {}
            Entry::Call(call) => write_call(text, call),
        }
    }
    for (code, message) in &run.warnings {
        let _ = writeln!(text, "*Warning {}: {}*\n", code.word(), message.trim_end());
    }
    if let Some(error) = &run.error {
        let _ = writeln!(text, "**Error:** {}\n", error.trim_end());
    }
    let end = run.ended.as_ref().and_then(|(outcome, reason)| words::end_words(*outcome, reason));
    if let Some(end) = end {
        let _ = writeln!(text, "**The run ended: {end}.**\n");
    }
    let facts = run_facts(run, timing);
    if !facts.is_empty() {
        let _ = writeln!(text, "<sub>{}</sub>\n", facts.join(" · "));
    }
}

fn run_facts(run: &RunView, timing: Option<&RunTiming>) -> Vec<String> {
    let mut facts = Vec::new();
    if let Some(timing) = timing {
        facts.push(timing.model.clone());
        facts.extend(timing.ended_ms.map(|ended| duration(ended.saturating_sub(timing.started_ms))));
    }
    let calls = run.entries.iter().filter(|entry| matches!(entry, Entry::Call(_))).count();
    facts.extend((calls > 0).then(|| plural(calls, "call")));
    facts.extend(words::usage_words(&run.usage));
    facts.extend(words::cost_words(&run.usage));
    facts
}

fn write_call(text: &mut String, call: &CallView) {
    let state = match &call.state {
        CallState::Requested => "requested".to_owned(),
        CallState::Asking => "waits for you".to_owned(),
        CallState::Running => "running".to_owned(),
        CallState::Ended(outcome) => {
            let status = outcome.status().word();
            format!("{status}, {}", duration(outcome.meta.duration_ms))
        }
    };
    let _ = writeln!(text, "**Call `{}`** ({state})\n", call.call.name);
    write_fenced(text, "json", &words::pretty_json(&call.call.arguments));
    if let CallState::Ended(outcome) = &call.state {
        let diff = outcome.output().and_then(|output| output.json.get("diff")?.as_str());
        match diff {
            Some(diff) => write_fenced(text, "diff", diff),
            None => write_fenced(text, "", &outcome_text(outcome)),
        }
    }
}

/// A fence longer than any in the text: what a tool gave cannot end its own block.
fn write_fenced(text: &mut String, language: &str, content: &str) {
    let longest = content.split(|sign| sign != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let _ = writeln!(text, "{fence}{language}\n{}\n{fence}\n", content.trim_end());
}

#[cfg(test)]
#[path = "transcript_text_tests.rs"]
mod tests;
