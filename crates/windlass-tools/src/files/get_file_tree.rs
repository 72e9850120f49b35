//! `get_file_tree`: the paths of the project's files (Z-3).

use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use windlass_core::permission::{HeldTargets, Inspection, Target};
use windlass_core::ports::ToolContext;
use windlass_core::protocol::tool::{
    Category, Effects, Risk, Scope, ToolFailure, ToolOutput, ToolSpec, Visibility,
};
use windlass_core::text::markdown::{code_block, code_span, readable};

use crate::files::limits::{TREE_ENTRIES_DEFAULT, TREE_ENTRIES_MAX, WALK_DEPTH_MAX};
use crate::files::offload::{StopFlag, offload};
use crate::files::root::Root;
use crate::files::secrets;
use crate::files::walk::{FoundKind, WalkReport, walk};
use crate::summary::list_items;
use crate::typed::{TypedTool, count, root_folder, text_arg};

/// Paths of a folder that people are shown; a project has thousands.
const PATHS_SHOWN_MAX: usize = 60;

/// Lists the files below the root or below a folder in it. Build folders, compiled files, secrets and
/// what `.gitignore` names are left out; a folder too deep to be entered ends in `/`.
pub(crate) struct GetFileTree;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct FileTreeArgs {
    /// Folder to list, relative to the project root.
    #[serde(default = "root_folder")]
    path: String,
    /// How many levels of folders to list.
    #[serde(default = "count::<WALK_DEPTH_MAX>")]
    #[schemars(range(min = 1, max = WALK_DEPTH_MAX))]
    depth: usize,
    /// Most paths to list; those near the top come first.
    #[serde(default = "count::<TREE_ENTRIES_DEFAULT>")]
    #[schemars(range(min = 1, max = TREE_ENTRIES_MAX))]
    entries_max: usize,
}

impl TypedTool for GetFileTree {
    const NAME: &'static str = "get_file_tree";
    const ABOUT: &'static str = "List the project's files as a JSON array of paths relative to the project root. Leaves out \
                                 what .gitignore names, build folders, compiled files and secrets.";
    type Args = FileTreeArgs;

    fn declare(&self, spec: ToolSpec) -> ToolSpec {
        let spec = spec
            .with_effects(Effects::Read, Risk::Safe)
            .with_scopes([Scope::ReadFiles])
            .with_place(Category::Utility, Visibility::Secondary)
            .with_alias("list_files");
        let examples = vec![json!({}), json!({"path": "src", "depth": 2})];
        ToolSpec { idempotent: true, inspected: true, examples, ..spec }
    }

    async fn inspect(&self, args: FileTreeArgs, context: &ToolContext) -> Result<Inspection, ToolFailure> {
        let root = context.root.clone();
        let folder = offload(context, move |_| start(&Root::open(&root)?, &args)).await?;
        Ok(Inspection { targets: vec![Target::Path(folder)], ..Inspection::default() })
    }

    async fn run(&self, args: FileTreeArgs, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        let (root, targets) = (context.root.clone(), context.targets.clone());
        offload(context, move |stop| list(&Root::open(&root)?, &args, &targets, stop)).await
    }

    fn display(&self, args: &Map<String, Value>, value: &Value) -> Option<String> {
        Some(display(text_arg(args, "path"), value))
    }
}

/// The canonical path of the folder to list.
fn start(root: &Root, args: &FileTreeArgs) -> Result<String, ToolFailure> {
    let folder = root.resolve(&args.path)?;
    secrets::refuse(&folder)?;
    Ok(folder)
}

fn list(
    root: &Root,
    args: &FileTreeArgs,
    targets: &HeldTargets,
    stop: &StopFlag,
) -> Result<ToolOutput, ToolFailure> {
    let folder = start(root, args)?;
    targets.check(&Target::Path(folder.clone()))?;
    let mut paths = Vec::new();
    let mut left_out = 0_usize;
    let report = walk(root, &folder, args.depth, stop, &mut |found| {
        // Neither named nor counted: as if it were not there.
        if targets.is_closed(found.path) {
            return ControlFlow::Continue(());
        }
        if paths.len() == args.entries_max {
            // Counted to the end: the reader is told how much is missing.
            left_out += 1;
        } else {
            let end = if found.kind == FoundKind::Folder { "/" } else { "" };
            paths.push(format!("{}{end}", found.path));
        }
        ControlFlow::Continue(())
    })?;
    paths.sort();
    let summary = list_items("File tree", paths.iter().cloned(), "File tree is empty");
    let mut output = ToolOutput::json(json!(paths)).with_summary(summary);
    output.is_truncated = left_out > 0 || !report.is_complete;
    output.text = note(paths.len(), left_out, &report).map(|note| format!("{}\n{note}", output.json));
    Ok(output)
}

/// What the reader must know beyond the paths.
fn note(shown: usize, left_out: usize, report: &WalkReport) -> Option<String> {
    let mut parts = Vec::new();
    if left_out > 0 || !report.is_complete {
        let more = if report.is_complete { "" } else { " or more" };
        parts.push(format!(
            "{shown} of {}{more} paths are shown, those near the top first; pass path, depth or entries_max \
             to see others",
            shown + left_out
        ));
    }
    if report.unreadable > 0 {
        parts.push(format!("{} folders could not be read", report.unreadable));
    }
    (!parts.is_empty()).then(|| format!("({})", parts.join("; ")))
}

/// The paths for people, few enough to be read.
fn display(path: &str, value: &Value) -> String {
    let place = if path.is_empty() || path == "." { "this project".to_owned() } else { code_span(path) };
    let Some(paths) = value.as_array() else {
        let text = readable(value);
        let paths = paths_of_cut(&text);
        return match paths.is_empty() {
            true => format!("In {place}:\n\n{}", code_block("", &text)),
            false => format!(
                "There are more files in {place} than fit here. The first are:\n\n{}\n\n… and more. Ask for one folder to see it whole.",
                code_block("", &paths.join("\n"))
            ),
        };
    };
    if paths.is_empty() {
        return format!("There are no files in {place}.");
    }
    let lines: Vec<String> =
        paths.iter().take(PATHS_SHOWN_MAX).map(|path| readable(path).into_owned()).collect();
    let more = paths.len().saturating_sub(PATHS_SHOWN_MAX);
    let more = if more == 0 { String::new() } else { format!("\n\n… and {more} more.") };
    let (verb, noun) = if paths.len() == 1 { ("is", "file") } else { ("are", "files") };
    format!("There {verb} {} {noun} in {place}:\n\n{}{more}", paths.len(), code_block("", &lines.join("\n")))
}

/// The first paths of a list that was cut in its middle, and is text since.
fn paths_of_cut(text: &str) -> Vec<String> {
    let Some(list) = text.strip_prefix('[') else { return Vec::new() };
    let mut pieces: Vec<&str> = list.split("\",\"").take(PATHS_SHOWN_MAX + 1).collect();
    // The last may be half a path.
    pieces.pop();
    let whole = |piece: &str| serde_json::from_str(&format!("\"{}\"", piece.trim_start_matches('"'))).ok();
    pieces.into_iter().map_while(whole).collect()
}
