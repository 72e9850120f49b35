//! Errors of scripts, for their three readers: where it is, what it is, and what to do.
//!
//! A script that is broken in its file is a [`ScriptToolError`]; one that fails while it runs gives its call a failure.

use rhai::{Dynamic, EvalAltResult, ParseError, Position};
use windlass_core::protocol::tool::{ErrorKind, ToolFailure};
use windlass_core::text::cut_chars;

use super::limits::ScriptLimits;

/// Characters of a message that a script throws.
const MESSAGE_CHARS_MAX: usize = 2_000;

/// A file that is no tool: which, where, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptToolError {
    pub file: String,
    /// The line, from 1, where it is one line.
    pub line: Option<usize>,
    /// The column, from 1, where it is one place.
    pub column: Option<usize>,
    /// What is wrong and what to do.
    pub message: String,
}

impl ScriptToolError {
    /// A fault of the whole file.
    pub(crate) fn of_file(file: &str, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line: None, column: None, message: message.into() }
    }

    /// A fault of one line.
    pub(crate) fn of_line(file: &str, line: Option<usize>, message: impl Into<String>) -> Self {
        Self { line, ..Self::of_file(file, message) }
    }

    /// A fault that the parser found.
    pub(crate) fn of_parser(file: &str, error: &ParseError) -> Self {
        Self {
            line: error.position().line(),
            column: error.position().position(),
            ..Self::of_file(file, error.err_type().to_string())
        }
    }
}

impl std::fmt::Display for ScriptToolError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        if let Some(column) = self.column {
            write!(f, ", column {column}")?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for ScriptToolError {}

/// Who stopped a script from outside of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StoppedBy {
    /// It did too many operations.
    Operations,
    /// It took too long.
    Time,
    /// It called too many tools.
    Calls,
    /// Nobody wants its call any more.
    Cancelled,
    /// The memory of the program grew too much.
    Memory,
}

impl StoppedBy {
    /// As the error that no script can catch.
    pub(crate) fn error(self) -> Box<EvalAltResult> {
        EvalAltResult::ErrorTerminated(Dynamic::from(self), Position::NONE).into()
    }
}

/// A failure as an error that a script can catch: `#{kind, message}`.
pub(crate) fn thrown(failure: ToolFailure) -> Box<EvalAltResult> {
    let mut map = rhai::Map::new();
    map.insert("kind".into(), failure.kind.word().into());
    map.insert("message".into(), failure.message.into());
    if let Some(hint) = failure.hint {
        map.insert("hint".into(), hint.into());
    }
    EvalAltResult::ErrorRuntime(Dynamic::from_map(map), Position::NONE).into()
}

/// What becomes of the call of a script that ended with an error.
pub(crate) fn failure_of(script: &str, error: &EvalAltResult, limits: &ScriptLimits) -> ToolFailure {
    let inner = error.unwrap_inner();
    let place = place_of(error);
    let limit = |what: String| {
        let message = format!("Script '{script}' was stopped{place}: {what}");
        ToolFailure::new(ErrorKind::LimitExceeded, message)
            .hint("Ask for less at once; the script may also be at fault.")
    };
    match inner {
        EvalAltResult::ErrorTerminated(by, _) => match by.clone().try_cast::<StoppedBy>() {
            Some(StoppedBy::Time) => {
                let message =
                    format!("Script '{script}' was stopped{place}: it ran longer than {} ms", limits.wall_ms);
                ToolFailure::new(ErrorKind::Timeout, message)
                    .hint("Ask for less at once; the script may also be at fault.")
            }
            Some(StoppedBy::Memory) => limit(format!(
                "the program's memory grew by more than {} bytes while it ran",
                limits.memory_growth_bytes
            )),
            Some(StoppedBy::Cancelled) => {
                ToolFailure::new(ErrorKind::Cancelled, format!("Script '{script}' was cancelled{place}"))
            }
            Some(StoppedBy::Operations) => {
                limit(format!("it did more than {} operations", limits.operations))
            }
            Some(StoppedBy::Calls) => limit(format!("it called more than {} tools", limits.calls)),
            None => limit("the host program stopped it".to_owned()),
        },
        EvalAltResult::ErrorTooManyOperations(_) => {
            limit(format!("it did more than {} operations", limits.operations))
        }
        EvalAltResult::ErrorTooManyVariables(_) => {
            limit(format!("a function of it has more than {} variables", limits.variables))
        }
        EvalAltResult::ErrorStackOverflow(_) => {
            limit(format!("its functions called each other more than {} deep", limits.call_depth))
        }
        EvalAltResult::ErrorDataTooLarge(..) => limit(format!(
            "a value grew above {} bytes of text, {} items or {} entries",
            limits.string_bytes, limits.array_items, limits.map_items
        )),
        EvalAltResult::ErrorRuntime(value, _) => thrown_failure(script, &place, value),
        other => broken(script, &place, &plain(other)),
    }
}

/// What a script threw, or let pass that was thrown at it.
fn thrown_failure(script: &str, place: &str, value: &Dynamic) -> ToolFailure {
    let Ok(map) = value.as_map_ref() else { return broken(script, place, &value.to_string()) };
    let text = |name: &str| map.get(name).and_then(|field| field.clone().into_string().ok());
    let Some(message) = text("message") else { return broken(script, place, &value.to_string()) };
    let kind = text("kind").and_then(|word| ErrorKind::ALL.into_iter().find(|kind| kind.word() == word));
    let mut failure = broken(script, place, &message);
    if let Some(kind) = kind {
        failure.kind = kind;
        failure.hint = text("hint").map(|hint| cut_chars(&hint, MESSAGE_CHARS_MAX).to_owned());
    }
    failure
}

fn broken(script: &str, place: &str, message: &str) -> ToolFailure {
    let message = cut_chars(message, MESSAGE_CHARS_MAX);
    ToolFailure::internal(format!("Script '{script}' failed{place}: {message}"))
        .hint("The fault is in the script, or in what it was given.")
}

/// An error without the place that its text ends with.
fn plain(error: &EvalAltResult) -> String {
    let text = error.to_string();
    let place = format!(" ({})", error.position());
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}

/// The innermost place of an error that is known.
fn place_of(error: &EvalAltResult) -> String {
    let mut known = error.position();
    let mut error = error;
    while let EvalAltResult::ErrorInFunctionCall(_, _, inner, _) = error {
        error = inner;
        if !error.position().is_none() {
            known = error.position();
        }
    }
    match (known.line(), known.position()) {
        (Some(line), Some(column)) => format!(" at line {line}, column {column}"),
        (Some(line), None) => format!(" at line {line}"),
        (None, _) => String::new(),
    }
}

#[cfg(test)]
#[path = "fault_tests.rs"]
mod tests;
