//! The words of each profile for failures, warnings and notes (requirements Appendix A).
//!
//! Inside, a failure has one canonical text; here it gets the wording that users of a profile know.

use serde_json::Value;

use crate::profile::{Profile, ProfileName};
use crate::protocol::tool::{ErrorKind, ToolFailure};

/// A failure in the profile's words.
pub fn phrase_failure(profile: &Profile, tool: &str, failure: &ToolFailure) -> String {
    match profile.name {
        ProfileName::Default | ProfileName::Edison => failure.message.clone(),
        ProfileName::Dspy => dspy(tool, failure),
        ProfileName::Studio => studio(tool, failure),
        ProfileName::Ploke => ploke(failure),
        ProfileName::Zodo => zodo(tool, failure),
    }
}

/// The four sentences of D-2.
fn dspy(tool: &str, failure: &ToolFailure) -> String {
    match failure.kind {
        ErrorKind::UnknownTool => format!("Tool not found: {tool}"),
        ErrorKind::InvalidArgs => format!("Invalid arguments: {}", failure.message),
        ErrorKind::ParseError => format!("Serialization error: {}", failure.message),
        ErrorKind::NotFound
        | ErrorKind::IoError
        | ErrorKind::PermissionDenied
        | ErrorKind::SandboxDenied
        | ErrorKind::Timeout
        | ErrorKind::Cancelled
        | ErrorKind::LimitExceeded
        | ErrorKind::Unavailable
        | ErrorKind::Interrupted
        | ErrorKind::Internal => format!("Execution failed: {}", failure.message),
    }
}

fn studio(tool: &str, failure: &ToolFailure) -> String {
    match failure.kind {
        ErrorKind::UnknownTool => match &failure.expected {
            Some(names) => format!("Unknown tool: {tool}. Available tools: {names}"),
            None => format!("Unknown tool: {tool}"),
        },
        ErrorKind::InvalidArgs | ErrorKind::ParseError => {
            format!("Invalid arguments for '{tool}': {}", failure.message)
        }
        ErrorKind::NotFound
        | ErrorKind::IoError
        | ErrorKind::PermissionDenied
        | ErrorKind::SandboxDenied
        | ErrorKind::Timeout
        | ErrorKind::Cancelled
        | ErrorKind::LimitExceeded
        | ErrorKind::Unavailable
        | ErrorKind::Interrupted
        | ErrorKind::Internal => failure.message.clone(),
    }
}

fn ploke(failure: &ToolFailure) -> String {
    match failure.kind {
        ErrorKind::Timeout => "Timed out waiting for tool result".to_owned(),
        ErrorKind::UnknownTool
        | ErrorKind::InvalidArgs
        | ErrorKind::ParseError
        | ErrorKind::NotFound
        | ErrorKind::IoError
        | ErrorKind::PermissionDenied
        | ErrorKind::SandboxDenied
        | ErrorKind::Cancelled
        | ErrorKind::LimitExceeded
        | ErrorKind::Unavailable
        | ErrorKind::Interrupted
        | ErrorKind::Internal => failure.message.clone(),
    }
}

fn zodo(tool: &str, failure: &ToolFailure) -> String {
    match failure.kind {
        ErrorKind::UnknownTool => format!("Unknown tool: {tool}"),
        ErrorKind::ParseError => "Invalid JSON arguments".to_owned(),
        ErrorKind::InvalidArgs => match (&failure.field, failure.message.starts_with("Missing required arg"))
        {
            (Some(field), true) => format!("{tool} requires a '{field}' argument"),
            (Some(_) | None, _) => failure.message.clone(),
        },
        // Not twice: a failure may come with the prefix.
        ErrorKind::Internal if !failure.message.starts_with("Runtime error: ") => {
            format!("Runtime error: {}", failure.message)
        }
        ErrorKind::NotFound
        | ErrorKind::IoError
        | ErrorKind::PermissionDenied
        | ErrorKind::SandboxDenied
        | ErrorKind::Timeout
        | ErrorKind::Cancelled
        | ErrorKind::LimitExceeded
        | ErrorKind::Unavailable
        | ErrorKind::Interrupted
        | ErrorKind::Internal => failure.message.clone(),
    }
}

/// The warning when the steps are used up.
pub fn phrase_steps_max(profile: &Profile) -> String {
    let steps = profile.limits.steps_max;
    match profile.name {
        ProfileName::Studio => format!("Reached maximum tool call iterations ({steps})"),
        ProfileName::Zodo => format!(
            "⚠️  Reached maximum iteration limit ({steps}). Stopping master loop to prevent infinite execution."
        ),
        ProfileName::Dspy => format!("Maximum iterations ({steps}) reached during tool execution"),
        ProfileName::Default | ProfileName::Edison | ProfileName::Ploke => {
            format!("Reached the limit of {steps} steps")
        }
    }
}

/// What a call beyond the limit of one step is told.
pub fn phrase_calls_max(profile: &Profile) -> String {
    match profile.name {
        ProfileName::Zodo => {
            "Error: Maximum tool call depth reached. Stopping to prevent infinite loop.".to_owned()
        }
        ProfileName::Default
        | ProfileName::Edison
        | ProfileName::Dspy
        | ProfileName::Studio
        | ProfileName::Ploke => {
            format!("At most {} calls run in one step; this one did not", profile.limits.calls_per_step_max)
        }
    }
}

/// What a search beyond the quota is told (Appendix A.3).
pub fn phrase_clamp(quota: u32) -> String {
    format!("Search trimmed by clamp ({quota})")
}

/// The answer of a cancelled run that had said nothing yet.
pub fn phrase_cancelled() -> &'static str {
    "Generation cancelled"
}

/// The correction line of the text dialect (Appendix A.1).
pub fn phrase_correction(error: &str) -> String {
    format!(
        "Previous tool JSON was invalid ({error}). Return ONLY valid JSON with keys tool and args conforming to schema."
    )
}

/// What the model is told when it must answer without tools. A note of the runtime, never a user turn
/// (requirements §6.1 row 28).
pub fn phrase_finalise(profile: &Profile, why: &str) -> String {
    match profile.name {
        ProfileName::Edison => {
            "Use the gathered tool evidence to answer. Cite sources as [source:TOOLNAME].".to_owned()
        }
        ProfileName::Default
        | ProfileName::Dspy
        | ProfileName::Studio
        | ProfileName::Ploke
        | ProfileName::Zodo => format!(
            "{why}. No more tools can be used in this run. Answer the user now from what the calls above gave; \
             say what is still open. Do not say that you have no access: the outcomes above are real."
        ),
    }
}

/// What models are told of calling beside the schemas: references, repeats, and outcomes that were cut (U-38).
pub fn phrase_manners(has_repeats: bool, can_read: bool) -> String {
    let mut text =
        "About calls: they are numbered in order, and an argument may be taken from an earlier outcome, as \
                    {\"$ref\":\"call_2\",\"path\":\"/0/url\"}."
            .to_owned();
    if has_repeats {
        text.push_str(
            " A read that is repeated gets its earlier outcome, marked cached; with \"fresh\": true it is read again.",
        );
    }
    if can_read {
        text.push_str(" An outcome that was cut names its ref: read_result reads the rest.");
    }
    text
}

/// What the model is told when its answer was cut.
pub fn phrase_continue() -> &'static str {
    "Continue from where you left off. Do not repeat prior text."
}

/// What the model is told of the form of its answer.
pub fn phrase_form(schema: &Value) -> String {
    format!(
        "When you answer, answer with one JSON value that fits this JSON Schema and with nothing else, no code fence and no words around it: {schema}"
    )
}

/// What the model is told when its answer is not what it must be.
pub fn phrase_reform(wrong: &str) -> String {
    format!("Your answer cannot be used: {}. Answer once more, with everything.", wrong.trim_end_matches('.'))
}

#[cfg(test)]
#[path = "phrase_tests.rs"]
mod tests;
