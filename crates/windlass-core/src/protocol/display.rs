//! What people read of an outcome: the block of Z-17. Never part of a request.

use crate::calls::json::clip::clip_chars;
use crate::calls::phrase::phrase_failure;
use crate::limits::SNIPPET_CHARS_MAX;
use crate::profile::{Profile, ProfileName};
use crate::protocol::tool::{ToolCall, ToolOutcome};
use crate::text::cut_bytes;

impl Profile {
    /// Whether terminals show a call as its block, where others get a line.
    pub fn shows_blocks(&self) -> bool {
        match self.name {
            ProfileName::Zodo => true,
            ProfileName::Default
            | ProfileName::Edison
            | ProfileName::Dspy
            | ProfileName::Studio
            | ProfileName::Ploke => false,
        }
    }
}

/// The block of one call (Appendix A.5).
pub fn call_block(profile: &Profile, call: &ToolCall, outcome: &ToolOutcome) -> String {
    let mut lines = vec![format!("[Tool: {}]", call.name)];
    match &outcome.body {
        Ok(output) => {
            lines.push("Status: ✅ SUCCESS".to_owned());
            lines.push(format!("Result: {}", cut(&output.readable(), profile.limits.display_bytes_max)));
        }
        Err(failure) => {
            lines.push("Status: ❌ FAILED".to_owned());
            lines.push(format!("Error Type: {}", failure.kind.zodo_word()));
            lines.push(format!("Error: {}", phrase_failure(profile, &call.name, failure)));
        }
    }
    lines.push(format!("Execution Time: {}ms", outcome.meta.duration_ms));
    lines.push(format!("Data Size: {} bytes", outcome.meta.output_bytes));
    lines.push(format!("Arguments: {}", call.arguments));
    lines.join("\n")
}

fn cut(text: &str, bytes_max: usize) -> String {
    let head = cut_bytes(text, bytes_max);
    match text.len().saturating_sub(head.len()) {
        0 => text.to_owned(),
        more => format!("{head}... ({more} more bytes)"),
    }
}

/// One line of an outcome, for progress lines and lists.
pub fn outcome_line(outcome: &ToolOutcome) -> String {
    let text = match &outcome.body {
        Ok(output) => {
            output.readable().lines().find(|line| !line.trim().is_empty()).unwrap_or("(nothing)").to_owned()
        }
        Err(failure) => failure.message.clone(),
    };
    clip_chars(text.trim(), SNIPPET_CHARS_MAX).into_owned()
}

#[cfg(test)]
#[path = "display_tests.rs"]
mod tests;
