//! `read_file`: the content of one file, or some of its lines (Z-4, R-58).

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use windlass_core::permission::{Inspection, Target};
use windlass_core::ports::ToolContext;
use windlass_core::protocol::ids::SessionId;
use windlass_core::protocol::tool::{
    Category, Effects, Risk, Scope, ToolFailure, ToolOutput, ToolSpec, Visibility,
};
use windlass_core::text::markdown::{code_block, code_span, readable};

use crate::files::file_place::{FilePlace, too_large};
use crate::files::limits::{FILE_BYTES_MAX, LARGE_FILE_BYTES, RANGE_BYTES_MAX, SHOWN_CHARS_MAX};
use crate::files::offload::{StopFlag, offload};
use crate::files::root::{Root, shown, unreachable};
use crate::files::workspace::FileWorkspace;
use crate::files::{sha256, text};
use crate::summary::{cut, list_items};
use crate::typed::{TypedTool, text_arg};

/// Reads a text file. UTF-16 and old Western text are decoded; binary data is refused. What was read is
/// remembered, so that the file may then be edited.
pub(crate) struct ReadFile {
    pub(crate) workspace: Arc<FileWorkspace>,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct ReadFileArgs {
    /// File to read, relative to the project root.
    path: String,
    /// First line to read, counted from 1.
    #[schemars(range(min = 1))]
    start_line: Option<usize>,
    /// Last line to read; the end of the file when left out.
    #[schemars(range(min = 1))]
    end_line: Option<usize>,
}

/// The lines that were read.
struct ReadLines {
    content: String,
    start: usize,
    end: usize,
    total: Option<usize>,
}

impl TypedTool for ReadFile {
    const NAME: &'static str = "read_file";
    const ABOUT: &'static str = "Read a text file of the project, whole (up to 10 MB) or a range of lines, which come \
                                 numbered. Read a file before you edit or overwrite it.";
    type Args = ReadFileArgs;

    fn declare(&self, spec: ToolSpec) -> ToolSpec {
        let spec = spec
            .with_effects(Effects::Read, Risk::Medium)
            .with_scopes([Scope::ReadFiles])
            .with_place(Category::Utility, Visibility::Secondary)
            .with_arg_alias("file_path", "path")
            .with_arg_alias("file", "path");
        let examples = vec![
            json!({"path": "README.md"}),
            json!({"path": "src/main.rs", "start_line": 10, "end_line": 40}),
        ];
        ToolSpec { idempotent: true, inspected: true, untrusted_output: true, examples, ..spec }
    }

    async fn inspect(&self, args: ReadFileArgs, context: &ToolContext) -> Result<Inspection, ToolFailure> {
        let root = context.root.clone();
        let located = move |_: &StopFlag| Ok(Root::open(&root)?.locate(&args.path)?.path().to_owned());
        let path = offload(context, located).await?;
        Ok(Inspection { targets: vec![Target::Path(path)], ..Inspection::default() })
    }

    async fn run(&self, args: ReadFileArgs, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        let (root, session) = (context.root.clone(), context.session_id.clone());
        let (workspace, targets) = (Arc::clone(&self.workspace), context.targets.clone());
        offload(context, move |stop| {
            let place = Root::open(&root)?.locate(&args.path)?;
            targets.check(&Target::Path(place.path().to_owned()))?;
            let file = place.open()?;
            let bytes = file.metadata().map_err(|error| unreachable(&args.path, &error))?.len();
            let has_range = args.start_line.is_some() || args.end_line.is_some();
            match bytes > FILE_BYTES_MAX {
                true if has_range => read_huge(&place, file, bytes, &args, stop),
                true => Err(too_large(&args.path, bytes)),
                false => read(&workspace, &session, &place, file, &args),
            }
        })
        .await
    }

    fn display(&self, args: &Map<String, Value>, value: &Value) -> Option<String> {
        let path = text_arg(args, "path");
        Some(format!("{}:\n\n{}", code_span(path), code_block(language(path), &readable(value))))
    }
}

/// Reads a file within the limit.
fn read(
    workspace: &FileWorkspace,
    session: &SessionId,
    place: &FilePlace,
    file: File,
    args: &ReadFileArgs,
) -> Result<ToolOutput, ToolFailure> {
    let bytes = place.read(file)?;
    let (size, hash) = (bytes.len(), sha256(&bytes));
    let Some(text) = text::decode(bytes) else { return Err(binary(&args.path, size as u64)) };
    let lines = select(&text.content, args)?;
    // After the lines were found: a refused range is no reading that allows an edit.
    workspace.ledger.record(session, place.absolute(), &hash);
    workspace.touch(place);
    let mut facts = json!({
        "path": place.path(),
        "content": lines.content,
        "start_line": lines.start,
        "end_line": lines.end,
        "total_lines": lines.total,
        "sha256": hash,
        "bytes": size,
        "encoding": text.encoding.word(),
    });
    let is_whole = args.start_line.is_none() && args.end_line.is_none();
    let mut readable = if is_whole { lines.content.clone() } else { numbered(&lines) };
    if is_whole && size > LARGE_FILE_BYTES {
        let hint = format!(
            "This file is large ({size} bytes, {} lines): read a part of it with start_line and end_line.",
            lines.end
        );
        readable = format!("{readable}\n[{hint}]");
        if let Some(facts) = facts.as_object_mut() {
            facts.insert("hint".into(), hint.into());
        }
    }
    Ok(ToolOutput::json(facts).with_text(readable).with_summary(summary(place, &lines)))
}

/// The lines that were asked for.
fn select(content: &str, args: &ReadFileArgs) -> Result<ReadLines, ToolFailure> {
    let total = content.split_inclusive('\n').count();
    let start = args.start_line.unwrap_or(1);
    let end = args.end_line.unwrap_or(total).min(total);
    check_range(args, start, Some(total))?;
    let wanted = content.split_inclusive('\n').skip(start - 1).take((end + 1).saturating_sub(start));
    Ok(ReadLines { content: wanted.collect(), start, end, total: Some(total) })
}

fn check_range(args: &ReadFileArgs, start: usize, total: Option<usize>) -> Result<(), ToolFailure> {
    let path = shown(&args.path);
    let problem = if start == 0 || args.end_line.is_some_and(|end| end < start) {
        format!("Lines {start} to {} are no range: lines count from 1", args.end_line.unwrap_or(start))
    } else if let Some(total) = total.filter(|total| start > *total && start > 1) {
        format!("There is no line {start}: '{path}' has {total} lines")
    } else {
        return Ok(());
    };
    let expected = total.map_or("1 or more".to_owned(), |total| format!("1 to {total}"));
    Err(ToolFailure::invalid_args(problem).at("start_line", expected, start.to_string()))
}

/// Reads lines of a file over the limit without holding it in memory. Its hash stays unknown, so
/// this reading does not allow an edit.
fn read_huge(
    place: &FilePlace,
    file: File,
    bytes: u64,
    args: &ReadFileArgs,
    stop: &StopFlag,
) -> Result<ToolOutput, ToolFailure> {
    let start = args.start_line.unwrap_or(1);
    check_range(args, start, None)?;
    let last = args.end_line.unwrap_or(usize::MAX);
    let mut reader = BufReader::with_capacity(64 * 1024, file);
    let mut kept = Vec::new();
    let mut line = 1;
    let mut is_cut = false;
    while line <= last && !is_cut {
        stop.check()?;
        let buffer = reader.fill_buf().map_err(|error| unreachable(&args.path, &error))?;
        if buffer.is_empty() {
            break;
        }
        // A piece and not a line, which may be as long as the file.
        let piece = buffer.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default();
        if line >= start {
            kept.extend_from_slice(piece);
            is_cut = kept.len() > RANGE_BYTES_MAX;
        }
        line += usize::from(piece.ends_with(b"\n"));
        let used = piece.len();
        reader.consume(used);
    }
    if kept.contains(&0) {
        return Err(binary(&args.path, bytes));
    }
    if kept.is_empty() {
        check_range(args, start, Some(line - 1))?;
    }
    let content = String::from_utf8_lossy(&kept).into_owned();
    let end = (start + content.split_inclusive('\n').count()).saturating_sub(1);
    let lines = ReadLines { content, start, end, total: None };
    let facts = json!({
        "path": place.path(),
        "content": lines.content,
        "start_line": lines.start,
        "end_line": lines.end,
        "bytes": bytes,
    });
    let note = if is_cut {
        format!("\n[cut after {RANGE_BYTES_MAX} bytes: ask for fewer lines]")
    } else {
        String::new()
    };
    let mut output = ToolOutput::json(facts)
        .with_text(format!("{}{note}", numbered(&lines)))
        .with_summary(summary(place, &lines));
    output.is_truncated = is_cut;
    Ok(output)
}

/// The lines with their numbers, as editors show them.
fn numbered(lines: &ReadLines) -> String {
    let width = lines.end.to_string().len();
    let numbered = lines.content.split_inclusive('\n').enumerate();
    numbered.map(|(index, line)| format!("{:>width$}\t{line}", lines.start + index)).collect()
}

fn summary(place: &FilePlace, lines: &ReadLines) -> String {
    let total = lines.total.map_or(String::new(), |total| format!(" of {total}"));
    let range = format!("lines {} to {}{total}", lines.start, lines.end);
    let first = cut(&lines.content, SHOWN_CHARS_MAX);
    list_items("Read file", [place.path().to_owned(), range, first], "Read file returned nothing")
}

fn binary(path: &str, bytes: u64) -> ToolFailure {
    ToolFailure::invalid_args(format!("'{}' is a binary file ({bytes} bytes), not text", shown(path)))
        .at("path", "a text file", "binary data")
        .hint("read_file reads text only. To look into it, run a program that understands it.")
}

/// The word behind a fence, so that code is coloured.
fn language(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, ending)| ending) {
        Some("rs") => "rust",
        Some("py") => "python",
        Some("js" | "mjs") => "javascript",
        Some("ts" | "tsx") => "typescript",
        Some("json") => "json",
        Some("toml") => "toml",
        Some("yaml" | "yml") => "yaml",
        Some("sh") => "sh",
        Some("html") => "html",
        Some("css") => "css",
        Some("go") => "go",
        Some("c" | "h") => "c",
        Some("md") => "markdown",
        Some(_) | None => "",
    }
}
