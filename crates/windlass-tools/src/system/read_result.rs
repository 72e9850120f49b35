//! `read_result`: pages through the whole outcome of an earlier call, or greps it (requirements §6.8).
//!
//! Owns paging and matching; outcomes belong to the session. Offsets count characters, so that no page
//! ever begins or ends inside one.

use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use windlass_core::ports::{LiveState, ToolContext};
use windlass_core::protocol::tool::{
    Category, Effects, Risk, ToolFailure, ToolOutcome, ToolOutput, ToolSpec, Visibility,
};

use crate::summary::cut;
use crate::typed::{TypedTool, count};

/// The kind of value that the handle of a result is.
const RESULTS: &str = "results";
/// Characters of a page when nothing is said.
const LIMIT_DEFAULT: usize = 8_000;
/// Most characters of a page.
const LIMIT_MAX: usize = 50_000;
/// Longest pattern.
const PATTERN_CHARS_MAX: usize = 500;
/// Most memory of a compiled pattern: a short one can ask for gigabytes (`(a{1000}){1000}`).
const PATTERN_BYTES_MAX: usize = 1 << 20;
/// Characters shown on each side of a match in a line that is too long to show.
const AROUND_CHARS: usize = 150;

pub(crate) struct ReadResult;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct ReadResultArgs {
    /// The handle named where the result was cut, such as 'call_2'
    #[serde(rename = "ref")]
    #[schemars(extend("x-windlass-live" = RESULTS))]
    reference: String,
    /// First character, from 0; with 'pattern', where to begin searching
    #[serde(default)]
    offset: usize,
    /// Most characters to give
    #[serde(default = "count::<LIMIT_DEFAULT>")]
    #[schemars(range(min = 1, max = LIMIT_MAX))]
    limit: usize,
    /// Regular expression; gives matching lines with their line numbers
    #[schemars(length(max = PATTERN_CHARS_MAX))]
    pattern: Option<String>,
}

impl TypedTool for ReadResult {
    const NAME: &'static str = "read_result";
    const ABOUT: &'static str = "Read the whole result of an earlier call that was cut: a page of it by character offset, or \
                                 with 'pattern' only the lines that match a regular expression. Use it only with the ref that \
                                 such a result names.";
    type Args = ReadResultArgs;

    fn declare(&self, spec: ToolSpec) -> ToolSpec {
        ToolSpec {
            idempotent: true,
            // The earlier outcome may have been a web page: reading it again does not make it ours.
            untrusted_output: true,
            result_chars_max: Some(LIMIT_MAX + 500),
            examples: vec![
                json!({"ref": "call_2", "offset": 8000}),
                json!({"ref": "call_2", "pattern": "error"}),
            ],
            ..spec.with_effects(Effects::Read, Risk::Safe).with_place(Category::Utility, Visibility::Hidden)
        }
    }

    async fn run(&self, args: ReadResultArgs, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        let ReadResultArgs { reference, offset, limit, pattern } = args;
        let Some(outcome) = context.results.find(&reference) else {
            let shown = cut(&reference, 64);
            return Err(ToolFailure::not_found(format!("There is no result '{shown}' in this session"))
                .hint("Use the handle that was named where a result was cut, such as 'call_2'."));
        };
        let text = whole_text(&outcome);
        let page = match pattern.filter(|pattern| !pattern.is_empty()) {
            Some(pattern) => grep(&text, &compile(&pattern)?, offset, limit),
            None => page(&text, offset, limit),
        };
        Ok(page.output(&reference, offset))
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
struct ResultPage {
    text: String,
    total_chars: usize,
    next_offset: Option<usize>,
    matches: Option<usize>,
}

impl ResultPage {
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

fn page(text: &str, offset: usize, limit: usize) -> ResultPage {
    let part: String = text.chars().skip(offset).take(limit).collect();
    let total_chars = text.chars().count();
    let end = offset.saturating_add(limit);
    ResultPage { text: part, total_chars, next_offset: (end < total_chars).then_some(end), matches: None }
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
fn grep(text: &str, matcher: &RegexMatcher, offset: usize, limit: usize) -> ResultPage {
    let mut found = String::new();
    let mut found_chars = 0;
    let mut matches = 0;
    let mut next_offset = None;
    let mut at = 0;
    for (index, whole) in text.split_inclusive('\n').enumerate() {
        let (start, line) = (at, whole.trim_end_matches(['\n', '\r']));
        // To the very end, also after the page is full: it says how long the whole is.
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
    ResultPage { text: found, total_chars: at, next_offset, matches: Some(matches) }
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
