//! `search_text`: lines that match a pattern, in all of the project's files.

use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{
    BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkContextKind, SinkMatch,
};
use ignore::overrides::{Override, OverrideBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use windlass_core::permission::{HeldTargets, Inspection, Target};
use windlass_core::ports::ToolContext;
use windlass_core::protocol::tool::{
    Category, Effects, Risk, Scope, ToolFailure, ToolOutput, ToolSpec, Visibility,
};
use windlass_core::text::markdown::{code_block, code_span, readable};

use crate::files::file_place::open_file;
use crate::files::limits::{
    MATCH_CONTEXT_MAX, MATCH_LINE_CHARS_MAX, MATCHES_DEFAULT, MATCHES_MAX, PATTERN_BYTES_MAX,
    SEARCH_LINE_BYTES_MAX, SHOWN_CHARS_MAX, WALK_DEPTH_MAX,
};
use crate::files::offload::{StopFlag, offload};
use crate::files::root::Root;
use crate::files::secrets;
use crate::files::walk::{FoundKind, walk};
use crate::summary::{cut, list_items};
use crate::typed::{TypedTool, count, root_folder, text_arg};

/// Searches file contents line by line with a regular expression. Leaves out what `get_file_tree`
/// leaves out, and binary files.
pub(crate) struct SearchText;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct SearchTextArgs {
    /// Regular expression (Rust syntax), matched within single lines.
    #[schemars(length(min = 1))]
    pattern: String,
    /// Folder or file to search, relative to the project root.
    #[serde(default = "root_folder")]
    path: String,
    /// Only files whose path matches, as in .gitignore: '*.rs', 'src/**'.
    glob: Option<String>,
    /// Whether case matters; smart: only if the pattern has capitals.
    #[serde(default)]
    case: CaseRule,
    /// Take the pattern as plain text, not as a regular expression.
    #[serde(default)]
    is_literal: bool,
    /// Most matching lines to return.
    #[serde(default = "count::<MATCHES_DEFAULT>")]
    #[schemars(range(min = 1, max = MATCHES_MAX))]
    max_results: usize,
    /// Lines to show before and after each match.
    #[serde(default)]
    #[schemars(range(min = 0, max = MATCH_CONTEXT_MAX))]
    context: usize,
}

#[derive(Serialize, Deserialize, JsonSchema, Default, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum CaseRule {
    #[default]
    Sensitive,
    Insensitive,
    Smart,
}

/// One line of the outcome.
struct MatchLine {
    path: String,
    number: u64,
    text: String,
    is_match: bool,
}

impl TypedTool for SearchText {
    const NAME: &'static str = "search_text";
    const ABOUT: &'static str = "Search the contents of the project's files for a regular expression and return the matching \
                                 lines with path and line number. Leaves out what .gitignore names, binary files and secrets.";
    type Args = SearchTextArgs;

    fn declare(&self, spec: ToolSpec) -> ToolSpec {
        let spec = spec
            .with_effects(Effects::Read, Risk::Medium)
            .with_scopes([Scope::ReadFiles])
            .with_place(Category::Search, Visibility::Secondary)
            .with_alias("grep_search")
            .with_arg_alias("regex", "pattern");
        let examples = vec![
            json!({"pattern": "fn main"}),
            json!({"pattern": "todo", "glob": "*.rs", "case": "insensitive", "context": 2}),
        ];
        ToolSpec { idempotent: true, inspected: true, untrusted_output: true, examples, ..spec }
    }

    async fn inspect(&self, args: SearchTextArgs, context: &ToolContext) -> Result<Inspection, ToolFailure> {
        let root = context.root.clone();
        let path = offload(context, move |_| start(&Root::open(&root)?, &args)).await?;
        Ok(Inspection { targets: vec![Target::Path(path)], ..Inspection::default() })
    }

    async fn run(&self, args: SearchTextArgs, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        let (root, targets) = (context.root.clone(), context.targets.clone());
        offload(context, move |stop| search(&Root::open(&root)?, &args, &targets, stop)).await
    }

    fn display(&self, args: &Map<String, Value>, value: &Value) -> Option<String> {
        let (pattern, text) = (code_span(text_arg(args, "pattern")), readable(value));
        Some(match text.trim().is_empty() {
            true => format!("Nothing matches {pattern}."),
            false => format!("{pattern} is found here:\n\n{}", code_block("", &text)),
        })
    }
}

/// The canonical path of what is searched.
fn start(root: &Root, args: &SearchTextArgs) -> Result<String, ToolFailure> {
    let path = root.resolve(&args.path)?;
    secrets::refuse(&path)?;
    Ok(path)
}

fn search(
    root: &Root,
    args: &SearchTextArgs,
    targets: &HeldTargets,
    stop: &StopFlag,
) -> Result<ToolOutput, ToolFailure> {
    let start = start(root, args)?;
    targets.check(&Target::Path(start.clone()))?;
    let matcher = matcher(args)?;
    let glob = glob(args)?;
    let mut hits = MatchSink {
        lines: Vec::new(),
        path: String::new(),
        matches: 0,
        matches_max: args.max_results,
        is_full: false,
    };
    let mut searcher = SearcherBuilder::new()
        .line_number(true)
        .binary_detection(BinaryDetection::quit(0))
        .heap_limit(Some(SEARCH_LINE_BYTES_MAX))
        .before_context(args.context)
        .after_context(args.context)
        .build();
    let (mut files, mut skipped, mut unreadable) = (0_usize, 0_usize, 0_usize);
    let mut look_into = |path: &str, file: File| {
        files += 1;
        hits.path = path.to_owned();
        // A file that turns out unreadable, or has endless lines, must not hide the others.
        let result = searcher.search_reader(&matcher, Stoppable { file, stop }, &mut hits);
        skipped += usize::from(result.is_err() && !stop.is_set());
        if hits.is_full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    if root.folder(&start).is_ok() {
        walk(root, &start, WALK_DEPTH_MAX, stop, &mut |found| {
            if stop.is_set() {
                return ControlFlow::Break(());
            }
            let is_left_out = targets.is_closed(found.path);
            if is_left_out || found.kind != FoundKind::File || glob.matched(found.path, false).is_ignore() {
                return ControlFlow::Continue(());
            }
            match open_file(found.dir, found.name, found.path) {
                Ok(file) => look_into(found.path, file),
                Err(_) => {
                    unreadable += 1;
                    ControlFlow::Continue(())
                }
            }
        })?;
    } else {
        let place = root.locate(&start)?;
        let _ = look_into(place.path(), place.open()?);
    }
    stop.check()?;
    Ok(render(&hits, files, skipped + unreadable))
}

fn render(hits: &MatchSink, files: usize, skipped: usize) -> ToolOutput {
    let mut text: Vec<String> = hits.lines.iter().map(MatchLine::show).collect();
    if hits.lines.is_empty() {
        text.push(format!("No matches in {files} files."));
    }
    if hits.is_full {
        text.push(format!("(stopped at {} matches: narrow the pattern, path or glob)", hits.matches));
    }
    if skipped > 0 {
        text.push(format!("({skipped} files could not be searched to their end)"));
    }
    let lines: Vec<Value> = hits
        .lines
        .iter()
        .map(|line| {
            json!({"path": line.path, "line": line.number, "text": line.text, "is_match": line.is_match})
        })
        .collect();
    let items = hits.lines.iter().filter(|line| line.is_match).map(MatchLine::show);
    let summary = list_items("Text search", items, "Text search returned no matches");
    let facts = json!({
        "matches": lines,
        "count": hits.matches,
        "files_searched": files,
        "files_skipped": skipped,
        "is_complete": !hits.is_full && skipped == 0,
    });
    let mut output = ToolOutput::json(facts).with_text(text.join("\n")).with_summary(summary);
    output.is_truncated = hits.is_full;
    output
}

impl MatchLine {
    fn show(&self) -> String {
        let mark = if self.is_match { ':' } else { '-' };
        format!("{}{mark}{}{mark} {}", self.path, self.number, self.text)
    }
}

fn matcher(args: &SearchTextArgs) -> Result<RegexMatcher, ToolFailure> {
    RegexMatcherBuilder::new()
        .case_insensitive(args.case == CaseRule::Insensitive)
        .case_smart(args.case == CaseRule::Smart)
        .fixed_strings(args.is_literal)
        .line_terminator(Some(b'\n'))
        .size_limit(PATTERN_BYTES_MAX)
        .build(&args.pattern)
        .map_err(|error| {
            ToolFailure::invalid_args(format!("The pattern is not a usable regular expression: {error}"))
                .at("pattern", "a regular expression within one line", cut(&args.pattern, SHOWN_CHARS_MAX))
                .hint("Correct it, or set is_literal to true to search for plain text.")
        })
}

fn glob(args: &SearchTextArgs) -> Result<Override, ToolFailure> {
    let Some(glob) = args.glob.as_deref().filter(|glob| !glob.is_empty()) else {
        return Ok(Override::empty());
    };
    let mut builder = OverrideBuilder::new(".");
    let built = builder.add(glob).and_then(|builder| builder.build());
    built.map_err(|error| {
        ToolFailure::invalid_args(format!("The glob is not usable: {error}")).at(
            "glob",
            "a pattern such as '*.rs'",
            cut(glob, SHOWN_CHARS_MAX),
        )
    })
}

/// A file that ends at once when the search must stop.
struct Stoppable<'a> {
    file: File,
    stop: &'a StopFlag,
}

impl Read for Stoppable<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.is_set() { Ok(0) } else { self.file.read(buffer) }
    }
}

/// Collects lines until there are enough.
struct MatchSink {
    lines: Vec<MatchLine>,
    path: String,
    matches: usize,
    matches_max: usize,
    /// Whether a further match was left out.
    is_full: bool,
}

impl MatchSink {
    fn push(&mut self, number: Option<u64>, bytes: &[u8], is_match: bool) {
        let text = String::from_utf8_lossy(bytes);
        let text = cut(text.trim_end_matches(['\n', '\r']), MATCH_LINE_CHARS_MAX);
        self.lines.push(MatchLine { path: self.path.clone(), number: number.unwrap_or(0), text, is_match });
    }
}

impl Sink for MatchSink {
    type Error = io::Error;

    fn matched(&mut self, _searcher: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        if self.matches == self.matches_max {
            self.is_full = true;
            return Ok(false);
        }
        self.matches += 1;
        self.push(found.line_number(), found.bytes(), true);
        Ok(true)
    }

    fn context(&mut self, _searcher: &Searcher, found: &SinkContext<'_>) -> Result<bool, io::Error> {
        match found.kind() {
            // Lines before a match that will not be shown are not wanted either.
            SinkContextKind::Before if self.matches == self.matches_max => {}
            _ => self.push(found.line_number(), found.bytes(), false),
        }
        Ok(true)
    }
}
