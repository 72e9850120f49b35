//! How things of a run are said to people: calls, outcomes, ends, decisions. Pure; knows no colours and no columns.

use serde_json::Value;
use windlass_core::calls::args::{ReadArgs, read_args};
use windlass_core::calls::json::note::RepairNote;
use windlass_core::permission::Decision;
use windlass_core::protocol::event::{RunOutcome, StopReason};
use windlass_core::protocol::model::{Finish, ReadingProgress, StepPurpose, Usage};
use windlass_core::protocol::tool::{Category, RawArgs, ToolCall, ToolOutcome, ToolOutput};
use windlass_core::text::cut_chars;

use crate::figures::{bytes, dollars, plural, tokens};
use crate::text::{clean, one_line};

/// Arguments that say most, in this order.
const TELLING: [&str; 9] = ["path", "command", "argv", "query", "pattern", "url", "expression", "name", "id"];

/// Most characters of a summary: no screen is wider.
const SUMMARY_CHARS_MAX: usize = 300;

/// Longest output that is its own summary.
const SHORT_CHARS_MAX: usize = 60;

/// Fields that can be told without their names.
const PLAIN_FIELDS_MAX: usize = 3;

/// The arguments of a call in one line: the one that says most, else all of them.
pub fn call_summary(call: &ToolCall) -> String {
    arguments_summary(&call.arguments)
}

/// The same, where there are only arguments.
pub fn arguments_summary(arguments: &str) -> String {
    let read = read_args(&RawArgs::Text(arguments.to_owned()), usize::MAX);
    let Ok(ReadArgs { value: Value::Object(args), .. }) = read else { return clip(arguments) };
    let only = if args.len() == 1 { args.values().next() } else { None };
    match TELLING.iter().find_map(|name| args.get(*name)).or(only) {
        Some(value) => clip(&in_words(value)),
        // Two or three words speak for themselves.
        None if args.len() <= PLAIN_FIELDS_MAX && args.values().all(Value::is_string) => {
            clip(&args.values().map(in_words).collect::<Vec<_>>().join(" "))
        }
        None => {
            let all: Vec<String> =
                args.iter().map(|(name, value)| format!("{name}: {}", in_words(value))).collect();
            clip(&all.join(", "))
        }
    }
}

fn in_words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(in_words).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

fn clip(text: &str) -> String {
    let words: Vec<&str> = cut_chars(text, SUMMARY_CHARS_MAX).split_whitespace().collect();
    clean(&words.join(" ")).into_owned()
}

/// What a call gave, in a few words.
pub fn output_summary(output: &ToolOutput, category: Category, size: u64) -> String {
    if category == Category::Search || !output.links.is_empty() {
        return plural(output.links.len(), "source");
    }
    let field = |name: &str| output.json.get(name);
    if let Some(diff) = field("diff").and_then(Value::as_str) {
        return diff_summary(diff);
    }
    if let Some(code) = field("exit_code").and_then(Value::as_i64) {
        return format!("exit code {code}");
    }
    if let Some(matches) = field("matches").and_then(Value::as_array) {
        return match matches.len() {
            1 => "1 match".to_owned(),
            count => format!("{count} matches"),
        };
    }
    let is_short = output.text.as_ref().is_none_or(|text| text.len() <= SHORT_CHARS_MAX);
    let readable = if is_short && size <= SHORT_CHARS_MAX as u64 { output.readable() } else { "".into() };
    let plain = output.json.as_object().filter(|fields| {
        (1..=PLAIN_FIELDS_MAX).contains(&fields.len()) && fields.values().all(Value::is_string)
    });
    let values = plain.map(|fields| fields.values().map(in_words).collect::<Vec<_>>().join(" "));
    let values = values.filter(|values| values.len() <= SHORT_CHARS_MAX);
    match values.as_deref().unwrap_or(readable.trim()) {
        "" => bytes(size),
        "[]" | "{}" | "null" => "nothing".to_owned(),
        text if text.contains('\n') => bytes(size),
        text => one_line(text),
    }
}

/// How many lines a diff adds and removes: `+3 -1`.
pub fn diff_summary(diff: &str) -> String {
    let count = |sign: char, head: &str| {
        diff.lines().filter(|line| line.starts_with(sign) && !line.starts_with(head)).count()
    };
    format!("+{} -{}", count('+', "+++"), count('-', "---"))
}

/// What is to be known of an outcome beside itself: `cached`, `dropped args: x`, …
pub fn outcome_remarks(outcome: &ToolOutcome) -> Vec<String> {
    let meta = &outcome.meta;
    let mut remarks = Vec::new();
    if let Some(by) = &meta.decision {
        remarks.push(format!("allowed by {}", gate_words(by)));
    }
    if meta.is_cached {
        remarks.push("cached".to_owned());
    }
    if meta.attempt > 1 {
        remarks.push(format!("try {}", meta.attempt));
    }
    if meta.is_truncated {
        remarks.push("the model sees only a part".to_owned());
    }
    if !meta.repairs.is_empty() {
        let notes: Vec<String> = meta.repairs.iter().map(|note| repair_words(*note)).collect();
        remarks.push(format!("repaired: {}", notes.join(", ")));
    }
    if !meta.dropped_args.is_empty() {
        remarks.push(format!("dropped args: {}", clean(&meta.dropped_args.join(", "))));
    }
    if let Some(handle) = &meta.result_ref {
        remarks.push(format!("whole output: {}", clean(handle)));
    }
    remarks
}

fn repair_words(note: RepairNote) -> String {
    match serde_json::to_value(note) {
        Ok(Value::String(word)) => word.replace('_', " "),
        Ok(_) | Err(_) => String::new(),
    }
}

/// Who decided: a gate's word for people.
pub fn gate_words(by: &str) -> String {
    let (gate, rest) = by.split_once(':').unwrap_or((by, ""));
    match (gate, rest.trim()) {
        ("user", _) => "you".to_owned(),
        ("rule", rest) => format!("the rule {}", clean(rest)),
        ("grant", "") => "a grant of this session".to_owned(),
        ("grant", rest) => format!("the grant {}", clean(rest)),
        ("risk", _) => "its low risk".to_owned(),
        ("mode", _) => "the approval mode".to_owned(),
        _ => clean(by).into_owned(),
    }
}

/// What the user decided, in words.
pub fn decision_words(decision: Decision) -> &'static str {
    match decision {
        Decision::Once => "allowed once",
        Decision::Session => "allowed for the session",
        Decision::Remember => "allowed and remembered",
        Decision::Deny => "denied",
    }
}

/// How a run ended, if that is to be said at all.
pub fn end_words(outcome: RunOutcome, reason: &StopReason) -> Option<String> {
    match outcome {
        RunOutcome::Completed => None,
        RunOutcome::LimitReached => Some(format!("limit reached: {}", reason_words(reason))),
        RunOutcome::Cancelled => Some("cancelled; what was done stays done".to_owned()),
        RunOutcome::Failed => Some(format!("failed: {}", reason_words(reason))),
    }
}

/// Why a run stopped, in words.
pub fn reason_words(reason: &StopReason) -> &'static str {
    match reason {
        StopReason::Answered => "the model answered",
        StopReason::StepsMax => "too many steps",
        StopReason::CallsMax => "too many calls",
        StopReason::TokensMax => "too many tokens",
        StopReason::CostMax => "it cost as much as it may",
        StopReason::BytesMax => "too much output",
        StopReason::Deadline => "out of time",
        StopReason::RepeatedCall => "the same call again and again",
        StopReason::CorrectionFailed => "a bad call was not corrected",
        StopReason::AnswerCut => "the answer was cut by its length, also after it was continued",
        StopReason::Cancelled => "stopped by you",
        StopReason::ModelFailed => "the model failed",
        StopReason::ToolFailed => "a tool failed, and the profile does not go on then",
        StopReason::JournalFailed => "the journal failed; going on would have lost what happened",
        StopReason::Interrupted => "the program stopped in the middle and could not take it up again",
    }
}

/// Why a step was asked for, in words.
pub fn purpose_words(purpose: StepPurpose) -> &'static str {
    match purpose {
        StepPurpose::Work => "work",
        StepPurpose::Correction => "correction of a bad call",
        StepPurpose::Continuation => "continuation of a cut answer",
        StepPurpose::Finalise => "final answer",
    }
}

/// Why a model stopped, in words.
pub fn finish_words(finish: &Finish) -> String {
    match finish {
        Finish::Stop => "stopped by itself".to_owned(),
        Finish::Calls => "stopped to call tools".to_owned(),
        Finish::Length => "cut by its length".to_owned(),
        Finish::Paused => "paused by the provider".to_owned(),
        Finish::Filtered => "cut by a content filter".to_owned(),
        Finish::Other(word) => format!("stopped: {}", one_line(word)),
    }
}

/// `Reading the prompt: 512 of 1.8k tokens, about 25 s left`.
pub(crate) fn reading_words(reading: &ReadingProgress) -> String {
    let ReadingProgress { tokens_read, tokens_total, remaining_ms } = reading;
    let left = remaining_ms.map_or_else(String::new, |ms| format!(", about {} s left", ms.div_ceil(1_000)));
    format!("Reading the prompt: {} of {} tokens{left}", tokens(*tokens_read), tokens(*tokens_total))
}

/// `1.2k in (900 cached), 60 out (12 thinking)`, if anything was counted.
pub fn usage_words(usage: &Usage) -> Option<String> {
    if usage.total() == 0 {
        return None;
    }
    let beside = |count: u64, what: &str| match count {
        0 => String::new(),
        count => format!(" ({} {what})", tokens(count)),
    };
    let (read, written) = (tokens(usage.input), tokens(usage.output));
    let (cached, thought) = (beside(usage.cached, "cached"), beside(usage.reasoning, "thinking"));
    Some(format!("{read} in{cached}, {written} out{thought}"))
}

/// What something cost, if that is known.
pub fn cost_words(usage: &Usage) -> Option<String> {
    usage.cost_usd.map(dollars)
}

/// JSON with line breaks; a text that is none as it is.
pub fn pretty_json(text: &str) -> String {
    serde_json::from_str::<Value>(text)
        .and_then(|value| serde_json::to_string_pretty(&value))
        .unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;
