//! `read_result`: pages through the whole outcome of an earlier call, or greps it (requirements §6.8).
//!
//! Owns paging and matching; outcomes belong to the session. Offsets count characters, so that no page
//! ever begins or ends inside one.

use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use serde_json::{Map, Value, json};
use windlass_core::port::{BoxFuture, LiveState, ToolContext, ToolPort};
use windlass_core::tool::{
    Category, Effects, LIVE_KEYWORD, Risk, ToolFailure, ToolOutcome, ToolOutput, ToolSpec, Visibility,
};

use crate::argument;
use crate::summary::{cut, summarized};

/// The tool's name.
const NAME: &str = "read_result";
/// The kind of value that the handle of a result is.
const RESULTS: &str = "results";
/// Characters of a page when nothing is said.
const LIMIT_DEFAULT: i64 = 8_000;
/// Most characters of a page.
const LIMIT_MAX: i64 = 50_000;
/// Longest pattern.
const PATTERN_CHARS_MAX: usize = 500;
/// Most memory of a compiled pattern: a short one can ask for gigabytes (`(a{1000}){1000}`).
const PATTERN_BYTES_MAX: usize = 1 << 20;
/// Characters shown on each side of a match in a line that is too long to show.
const AROUND_CHARS: usize = 150;

/// The tool.
#[derive(Debug)]
pub(crate) struct ReadResult {
    spec: ToolSpec,
}

impl ReadResult {
    pub(crate) fn new() -> Self {
        let mut spec = ToolSpec::new(
            NAME,
            "Read the whole result of an earlier call that was cut: a page of it by character offset, or \
             with 'pattern' only the lines that match a regular expression. Use it only with the ref that \
             such a result names.",
        )
        .with_schema(json!({
            "type": "object",
            "properties": {
                "ref": {
                    "type": "string",
                    "description": "The handle named where the result was cut, such as 'call_2'",
                    LIVE_KEYWORD: RESULTS
                },
                "offset": {
                    "type": "integer",
                    "description": "First character, from 0; with 'pattern', where to begin searching",
                    "default": 0,
                    "minimum": 0
                },
                "limit": {
                    "type": "integer",
                    "description": "Most characters to give",
                    "default": LIMIT_DEFAULT,
                    "minimum": 1,
                    "maximum": LIMIT_MAX
                },
                "pattern": {
                    "type": "string",
                    "description": "Regular expression; gives matching lines with their line numbers",
                    "maxLength": PATTERN_CHARS_MAX
                }
            },
            "required": ["ref"],
            "additionalProperties": false
        }))
        .with_effects(Effects::Read, Risk::Safe)
        .with_place(Category::Utility, Visibility::Hidden);
        spec.idempotent = true;
        // The earlier outcome may have been a web page: reading it again does not make it ours.
        spec.untrusted_output = true;
        spec.result_chars_max = usize::try_from(LIMIT_MAX).ok().map(|chars| chars + 500);
        spec.examples =
            vec![json!({"ref": "call_2", "offset": 8000}), json!({"ref": "call_2", "pattern": "error"})];
        Self { spec }
    }
}

impl ToolPort for ReadResult {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(
        &'a self,
        args: &'a Map<String, Value>,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(async move {
            let reference = argument::text(args, "ref")?;
            let offset = argument::count(args, "offset", 0, 0..=i64::MAX)?;
            let limit = argument::count(args, "limit", LIMIT_DEFAULT, 1..=LIMIT_MAX)?;
            let pattern = argument::optional_text(args, "pattern")?.filter(|pattern| !pattern.is_empty());
            let Some(outcome) = context.results.find(reference) else {
                let shown = cut(reference, 64);
                return Err(ToolFailure::not_found(format!("There is no result '{shown}' in this session"))
                    .hint("Use the handle that was named where a result was cut, such as 'call_2'."));
            };
            let text = whole_text(&outcome);
            let page = match pattern {
                Some(pattern) => grep(&text, &compile(pattern)?, offset, limit),
                None => page(&text, offset, limit),
            };
            Ok(summarized(NAME, page.output(reference, offset)))
        })
    }

    fn live_values(&self, kind: &str, state: &LiveState<'_>) -> Vec<String> {
        if kind == RESULTS { state.results.handles() } else { Vec::new() }
    }
}

/// What a reader of the outcome would see, uncut.
fn whole_text(outcome: &ToolOutcome) -> String {
    match &outcome.body {
        Ok(output) => output.readable().into_owned(),
        Err(failure) => failure.message.clone(),
    }
}

/// A part of a text, and where the next one begins.
#[derive(Debug, PartialEq, Eq)]
struct Page {
    text: String,
    total_chars: usize,
    next_offset: Option<usize>,
    matches: Option<usize>,
}

impl Page {
    fn output(self, reference: &str, offset: usize) -> ToolOutput {
        let next = match self.next_offset {
            Some(next) => format!("next_offset {next}"),
            None => "no more".to_owned(),
        };
        let found = self.matches.map(|matches| format!(", {matches} matching lines")).unwrap_or_default();
        let head = format!("[{reference}: from {offset} of {} characters{found}; {next}]", self.total_chars);
        let text = format!("{head}\n{}", self.text);
        let json = json!({
            "ref": reference,
            "offset": offset,
            "total_chars": self.total_chars,
            "next_offset": self.next_offset,
            "matches": self.matches,
            "text": self.text,
        });
        ToolOutput::json(json).with_text(text)
    }
}

fn page(text: &str, offset: usize, limit: usize) -> Page {
    let part: String = text.chars().skip(offset).take(limit).collect();
    let total_chars = text.chars().count();
    let end = offset.saturating_add(limit);
    Page { text: part, total_chars, next_offset: (end < total_chars).then_some(end), matches: None }
}

fn compile(pattern: &str) -> Result<RegexMatcher, ToolFailure> {
    let wrong = |reason: String| {
        ToolFailure::invalid_args(format!("pattern is not a regular expression: {reason}"))
            .at("pattern", "a regular expression", cut(pattern, 80))
            .hint("Escape special characters with a backslash, or search for a plain word.")
    };
    if pattern.chars().nth(PATTERN_CHARS_MAX).is_some() {
        return Err(wrong(format!("it is longer than {PATTERN_CHARS_MAX} characters")));
    }
    RegexMatcherBuilder::new()
        .size_limit(PATTERN_BYTES_MAX)
        .dfa_size_limit(PATTERN_BYTES_MAX)
        .build(pattern)
        .map_err(|error| wrong(cut(&error.to_string(), 200)))
}

/// The matching lines at or after `offset`, as `number: line`, until `limit` characters are used.
fn grep(text: &str, matcher: &RegexMatcher, offset: usize, limit: usize) -> Page {
    let mut found = String::new();
    let mut found_chars = 0;
    let mut matches = 0;
    let mut next_offset = None;
    let mut at = 0;
    for (index, whole) in text.split_inclusive('\n').enumerate() {
        let (start, line) = (at, whole.trim_end_matches(['\n', '\r']));
        at += whole.chars().count();
        // A line that began before the offset was given with the page before.
        if start < offset || next_offset.is_some() {
            continue;
        }
        // A matcher without a line terminator and look-around limits has no errors of its own.
        let Ok(Some(hit)) = matcher.find(line.as_bytes()) else { continue };
        let shown = format!("{}: {}\n", index + 1, excerpt(line, hit.start(), hit.end()));
        let shown_chars = shown.chars().count();
        if found_chars + shown_chars > limit && matches > 0 {
            next_offset = Some(start);
            continue;
        }
        found.extend(shown.chars().take(limit));
        found_chars += shown_chars;
        matches += 1;
    }
    Page { text: found, total_chars: at, next_offset, matches: Some(matches) }
}

/// A line, or the surroundings of the match where the line is long (one-line JSON can be megabytes).
fn excerpt(line: &str, start: usize, end: usize) -> String {
    if line.chars().nth(2 * AROUND_CHARS).is_none() {
        return line.to_owned();
    }
    let (before, rest) = split_at_boundary(line, start);
    let (hit, after) = split_at_boundary(rest, end.saturating_sub(start));
    let lead: Vec<char> = before.chars().rev().take(AROUND_CHARS).collect();
    let lead: String = lead.into_iter().rev().collect();
    let tail: String = after.chars().take(AROUND_CHARS).collect();
    format!("…{lead}{}{tail}…", cut(hit, AROUND_CHARS))
}

/// Splits at a byte, moved back to the nearest character: a pattern may match single bytes.
fn split_at_boundary(text: &str, byte: usize) -> (&str, &str) {
    text.split_at_checked(text.floor_char_boundary(byte)).unwrap_or((text, ""))
}

#[cfg(test)]
#[path = "read_result_tests.rs"]
mod tests;
