//! What the user reads after calls: each outcome in the words of its tool, nothing made up, with its sources.
//!
//! Knows no tool: each says itself how its outcome is shown (`ToolPort::display`).

use std::fmt::Write;
use std::sync::Arc;

use serde_json::Value;
use windlass_core::permission::NO_REPEAT;
use windlass_core::ports::ToolPort;
use windlass_core::text::markdown::{code_block, code_span, escape, readable};

use super::outcome::{AnsweredCall, CallComplaint};

/// The answer to a request from its calls.
pub(super) fn render(tools: &[Arc<dyn ToolPort>], calls: &[AnsweredCall]) -> String {
    let pieces = calls.iter().map(|call| match &call.result {
        Ok(value) => render_value(tools, call, value),
        Err(complaint) => render_complaint(&call.tool, complaint),
    });
    pieces.collect::<Vec<_>>().join("\n\n")
}

fn render_value(tools: &[Arc<dyn ToolPort>], call: &AnsweredCall, value: &Value) -> String {
    let tool = tools.iter().find(|tool| tool.spec().name == call.tool);
    tool.and_then(|tool| tool.display(&call.args, value))
        .unwrap_or_else(|| format!("{}:\n\n{}", code_span(&call.tool), code_block("", &readable(value))))
}

fn render_complaint(tool: &str, complaint: &CallComplaint) -> String {
    let what = if complaint.is_denied { "was not allowed" } else { "did not work" };
    let mut text = format!("{} {what}: {}", code_span(tool), escape(&complaint.message));
    let hint = complaint.hint.as_deref().map(advice).unwrap_or_default();
    if !hint.is_empty() {
        let _ = write!(text, "\n\n{hint}");
    }
    text
}

/// What the user can do, out of a hint for the model: what only a model needs to be told is left out.
fn advice(hint: &str) -> String {
    let for_user = hint.strip_prefix(NO_REPEAT).unwrap_or(hint).trim_start_matches(['.', ';', ' ']);
    let can = ["The user can ", "the user can "].into_iter().find_map(|words| for_user.strip_prefix(words));
    let spoken = can.map_or_else(|| for_user.to_owned(), |rest| format!("You can {rest}"));
    // Commands stand between backticks; anything else is text.
    let pieces = spoken.split('`').enumerate();
    pieces.map(|(at, piece)| if at % 2 == 1 { code_span(piece) } else { escape(piece) }).collect()
}

#[cfg(test)]
#[path = "render_tests.rs"]
mod tests;
