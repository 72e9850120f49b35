//! What the built-in model may write: one word of what answer is due, or one call with the user's own words in it.
//!
//! Strings are copied from the texts, numbers are those of the texts and a few that people leave unsaid, zones and
//! states come from lists. Knows the tools that the model was trained for, and no others.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::json;
use windlass_core::protocol::tool::ToolSpec;

use super::answer::AnswerKind;
use super::asked::RequestScope;
use super::numbers::Numbers;
use crate::grammar::spans::{escaped, pieces, span_terminal};
use crate::grammar::{CopySources, GrammarForm};

/// The zones of the IANA database.
const ZONES: &str = include_str!("zones.txt");

/// Whether a word is the city of a zone.
pub(super) fn is_city(word: &str) -> bool {
    let city = |zone: &str| zone.rsplit('/').next().unwrap_or_default().eq_ignore_ascii_case(word);
    ZONES.lines().any(city)
}

/// Numbers that a calculation may have though nobody said them: halves, averages, percentages, units of time.
const UNSAID: [u32; 19] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 24, 30, 52, 60, 100, 365, 1_000, 3_600];

/// The functions of `calculate`.
const FUNCTIONS: &str = "sqrt|abs|min|max|round|floor|ceil";

/// How deep brackets may stand in brackets, counting the outside.
const DEPTH: usize = 3;

/// What an argument is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArgKind {
    /// Words of a text.
    Span,
    /// Words of the present request alone.
    Said,
    /// A file that the present request names.
    File,
    /// An address that the request names.
    Url,
    Zone,
    Expression,
    /// The name of a task.
    Task,
    /// The state of a task.
    Status,
    /// A whole number of a text.
    Integer,
}

/// An argument: its name, what it is made of, whether it must be there.
pub(super) type Argument = (&'static str, ArgKind, bool);

/// The tools that the model was trained for, with their arguments in the order in which it writes them.
pub(super) const TOOLS: [(&str, &[Argument]); 16] = [
    ("add_task", &[("content", ArgKind::Span, true)]),
    ("calculate", &[("expression", ArgKind::Expression, true)]),
    ("execute_command", &[("command", ArgKind::Said, true)]),
    ("fetch_url", &[("url", ArgKind::Url, true)]),
    (
        "generate_image",
        &[
            ("prompt", ArgKind::Span, true),
            ("width", ArgKind::Integer, false),
            ("height", ArgKind::Integer, false),
        ],
    ),
    ("get_current_time", &[("timezone", ArgKind::Zone, false)]),
    ("get_file_tree", &[("path", ArgKind::Span, false)]),
    ("list_tasks", &[]),
    ("rag_search", &[("query", ArgKind::Span, true), ("limit", ArgKind::Integer, false)]),
    ("read_file", &[("path", ArgKind::Span, true)]),
    ("request_code_context", &[("hint", ArgKind::Span, true)]),
    ("search_text", &[("pattern", ArgKind::Span, true)]),
    ("system_stats", &[]),
    ("update_task", &[("task_id", ArgKind::Task, true), ("status", ArgKind::Status, true)]),
    ("web_search", &[("query", ArgKind::Span, true), ("max_results", ArgKind::Integer, false)]),
    ("write_file", &[("path", ArgKind::File, true), ("content", ArgKind::Said, true)]),
];

/// The grammar of the next answer. `is_under_way`: a call of this run has an outcome, so that `done` may be the answer.
///
/// A tool with an argument for which the texts have nothing is left out; where a call is required and none is left,
/// the answer is a word all the same.
pub(crate) fn lark(
    tools: &[Arc<ToolSpec>],
    sources: &CopySources,
    asked: &RequestScope,
    form: &GrammarForm,
    is_under_way: bool,
) -> String {
    let stuff = Stuff::of(sources, asked);
    let is_allowed = |name: &str| tools.iter().any(|spec| spec.name == name);
    let calls: Vec<String> = match form {
        GrammarForm::TextOnly | GrammarForm::Json(_) | GrammarForm::Lark(_) => Vec::new(),
        GrammarForm::Free | GrammarForm::CallRequired | GrammarForm::CallNamed(_) => TOOLS
            .iter()
            .filter(|(name, _)| is_allowed(name))
            .filter(|(name, _)| !matches!(form, GrammarForm::CallNamed(named) if named != name))
            .filter_map(|(name, arguments)| stuff.call(name, arguments))
            .collect(),
    };
    let mut text = match (calls.is_empty(), form) {
        (true, _) => "start: answer\n".to_owned(),
        (false, GrammarForm::Free) => "start: answer | call\n".to_owned(),
        (false, _) => "start: call\n".to_owned(),
    };
    let kinds = AnswerKind::ALL.into_iter().filter(|kind| is_under_way || *kind != AnswerKind::Done);
    let kinds = kinds.map(|kind| json!(kind.word()).to_string());
    let _ = writeln!(text, "answer: <answer> ({})", kinds.collect::<Vec<_>>().join(" | "));
    if !calls.is_empty() {
        let _ = writeln!(text, "call: <tool_call> ({}) </tool_call>", calls.join(" | "));
        let written = text.clone();
        for (name, rules) in stuff.rules(sources) {
            if written.contains(name) {
                text.push_str(&rules);
            }
        }
    }
    text
}

/// What the texts have to offer.
struct Stuff<'a> {
    numbers: Numbers,
    has_words: bool,
    task_ids: BTreeSet<String>,
    asked: &'a RequestScope,
}

impl<'a> Stuff<'a> {
    fn of(sources: &CopySources, asked: &'a RequestScope) -> Self {
        let numbers = Numbers::of(sources.texts.iter().map(AsRef::as_ref));
        let mut task_ids: BTreeSet<String> =
            numbers.whole.iter().map(|number| format!("task_{number}")).collect();
        task_ids.extend(numbers.places.iter().map(|number| format!("task_{number}")));
        let has_words = sources.texts.iter().any(|text| !text.trim().is_empty());
        Self { numbers, has_words, task_ids, asked }
    }

    /// The call of a tool; nothing if an argument that it needs cannot be given.
    fn call(&self, name: &str, arguments: &[Argument]) -> Option<String> {
        let mut call = json!(format!("{{\"name\":\"{name}\",\"arguments\":{{")).to_string();
        for (at, (argument, kind, is_required)) in arguments.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            let key = json!(format!("{comma}\"{argument}\":"));
            match (self.terminal(*kind), is_required) {
                (Some(value), true) => _ = write!(call, " {key} {value}"),
                (Some(value), false) => _ = write!(call, " ({key} {value})?"),
                (None, true) => return None,
                (None, false) => {}
            }
        }
        call.push_str(" \"}}\"");
        Some(call)
    }

    /// The name of the rule of a kind, if there is anything of that kind.
    fn terminal(&self, kind: ArgKind) -> Option<&'static str> {
        match kind {
            ArgKind::Span => self.has_words.then_some("SPAN"),
            ArgKind::Said => self.has_words.then_some("SAID"),
            ArgKind::File => (!self.asked.files.is_empty()).then_some("FILE"),
            ArgKind::Url => (!self.asked.urls.is_empty()).then_some("ADDRESS"),
            ArgKind::Zone => Some("ZONE"),
            ArgKind::Expression => Some("EXPRESSION"),
            ArgKind::Task => (!self.task_ids.is_empty()).then_some("TASK"),
            ArgKind::Status => Some("STATUS"),
            ArgKind::Integer => (!self.numbers.whole.is_empty()).then_some("INTEGER"),
        }
    }

    /// The rules of all kinds, by the name under which they are used.
    fn rules(&self, sources: &CopySources) -> Vec<(&'static str, String)> {
        let quoted = |values: &mut dyn Iterator<Item = &str>| {
            values
                .map(|value| json!(format!("\"{}\"", escaped(value))).to_string())
                .collect::<Vec<_>>()
                .join(" | ")
        };
        let whole: Vec<String> =
            self.numbers.whole.iter().map(|number| json!(number.to_string()).to_string()).collect();
        vec![
            ("SPAN", span_terminal("SPAN", &sources.texts)),
            ("SAID", span_terminal("SAID", self.said(sources))),
            ("FILE", format!("FILE: {}\n", quoted(&mut self.asked.files.iter().map(String::as_str)))),
            ("ADDRESS", format!("ADDRESS: {}\n", quoted(&mut self.asked.urls.iter().map(String::as_str)))),
            ("ZONE", format!("ZONE: {}\n", quoted(&mut ZONES.lines()))),
            ("TASK", format!("TASK: {}\n", quoted(&mut self.task_ids.iter().map(String::as_str)))),
            (
                "STATUS",
                format!("STATUS: {}\n", quoted(&mut ["pending", "in_progress", "completed"].into_iter())),
            ),
            ("INTEGER", format!("INTEGER: {}\n", whole.join(" | "))),
            ("EXPRESSION", self.expression(sources)),
        ]
    }

    /// The present request, and the one before it where that is wanted once more.
    fn said<'b>(&self, sources: &'b CopySources) -> &'b [Arc<str>] {
        let present = sources.texts.len().saturating_sub(1);
        let from = if self.asked.is_again { 0 } else { present };
        sources.texts.get(from..).unwrap_or_default()
    }

    /// Arithmetic with the numbers of the texts, or as the user wrote it.
    fn expression(&self, sources: &CopySources) -> String {
        let unsaid = UNSAID.iter().map(u32::to_string);
        let numbers: BTreeSet<String> = self.numbers.written.iter().cloned().chain(unsaid).collect();
        let numbers: Vec<String> = numbers.iter().map(|number| json!(number).to_string()).collect();
        let copied = copied_arithmetic(sources);
        let either = if copied.is_empty() { "" } else { " | COPIED" };
        // One terminal: a lexer that has begun one of several cannot go back and begin another.
        let mut text = format!("EXPRESSION: \"\\\"\" SUM_0 \"\\\"\"{either}\n");
        for level in 0..DEPTH {
            let inner = level + 1;
            let nested = if inner == DEPTH {
                String::new()
            } else {
                format!(
                    " | \"(\" SUM_{inner} \")\" | FUNCTION \"(\" SUM_{inner} (COMMA SUM_{inner}){{0,5}} \")\""
                )
            };
            let _ = writeln!(text, "SUM_{level}: PART_{level} (OPERATOR PART_{level}){{0,9}}");
            let _ = writeln!(text, "PART_{level}: \"-\"? NUMBER{nested}");
        }
        let _ = writeln!(text, "NUMBER: {}", numbers.join(" | "));
        let _ = writeln!(text, "FUNCTION: /{FUNCTIONS}/");
        text.push_str("OPERATOR: / ?(\\*\\*|\\/\\/|[-+*\\/%]) ?/\nCOMMA: /, ?/\n");
        text.push_str(&copied);
        text
    }
}

/// Spans of what is arithmetic in the texts as it stands: those that begin and end as an expression does.
fn copied_arithmetic(sources: &CopySources) -> String {
    let is_part = |piece: &&str| {
        piece.chars().all(|c| c.is_ascii_digit() || "+-*/%().×÷− ".contains(c))
            || FUNCTIONS.split('|').any(|name| *piece == name)
    };
    let mut runs: Vec<Arc<str>> = Vec::new();
    for text in &sources.texts {
        let pieces = pieces(text);
        let found = pieces.split(|piece| !is_part(piece)).map(<[&str]>::concat);
        runs.extend(
            found.filter(|run| run.contains(|c: char| c.is_ascii_digit())).map(|run| run.trim().into()),
        );
    }
    runs.sort();
    runs.dedup();
    if runs.is_empty() {
        return String::new();
    }
    let spans = span_terminal("RUN", &runs);
    format!("{spans}COPIED: RUN & /\"[0-9a-z(.−-](.*[0-9)])?\"/ & /.*[0-9].*/\n")
}

#[cfg(test)]
#[path = "grammar_tests.rs"]
mod tests;
