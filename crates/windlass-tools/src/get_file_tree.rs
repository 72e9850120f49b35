//! `get_file_tree`: the paths of the project's files (Z-3).

use std::ops::ControlFlow;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use windlass_core::permission::{HeldTargets, Inspection, Target};
use windlass_core::port::{BoxFuture, ToolContext, ToolPort};
use windlass_core::tool::{Category, Effects, Risk, Scope, ToolFailure, ToolOutput, ToolSpec, Visibility};

use crate::files::args::read_args;
use crate::files::limits::{TREE_ENTRIES_DEFAULT, TREE_ENTRIES_MAX, WALK_DEPTH_MAX};
use crate::files::offload::{Stop, offload};
use crate::files::root::Root;
use crate::files::secrets;
use crate::files::walk::{FoundKind, WalkReport, walk};
use crate::render::list_items;

const NAME: &str = "get_file_tree";

/// Lists the files below the root or below a folder in it. Build folders, compiled files, secrets and
/// what `.gitignore` names are left out; a folder too deep to be entered ends in `/`.
pub(crate) struct GetFileTree {
    spec: ToolSpec,
}

#[derive(Deserialize)]
struct Args {
    path: Option<String>,
    depth: Option<usize>,
    entries_max: Option<usize>,
}

impl GetFileTree {
    pub(crate) fn new() -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "path": {
                    "type": "string",
                    "description": "Folder to list, relative to the project root.",
                    "default": "."
                },
                "depth": {
                    "type": "integer", "minimum": 1, "maximum": WALK_DEPTH_MAX, "default": WALK_DEPTH_MAX,
                    "description": "How many levels of folders to list."
                },
                "entries_max": {
                    "type": "integer", "minimum": 1, "maximum": TREE_ENTRIES_MAX,
                    "default": TREE_ENTRIES_DEFAULT,
                    "description": "Most paths to list; those near the top come first."
                }
            },
            "additionalProperties": false
        });
        let mut spec = ToolSpec::new(
            NAME,
            "List the project's files as a JSON array of paths relative to the project root. Leaves out what \
             .gitignore names, build folders, compiled files and secrets.",
        )
        .with_schema(schema)
        .with_effects(Effects::Read, Risk::Safe)
        .with_scopes([Scope::ReadFiles])
        .with_place(Category::Utility, Visibility::Secondary)
        .with_alias("list_files");
        spec.idempotent = true;
        spec.inspected = true;
        spec.examples = vec![json!({}), json!({"path": "src", "depth": 2})];
        Self { spec }
    }
}

impl ToolPort for GetFileTree {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn inspect<'a>(
        &'a self,
        args: &'a Map<String, Value>,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<Inspection, ToolFailure>> {
        Box::pin(async move {
            let args: Args = read_args(NAME, &[], args)?;
            let root = context.root.clone();
            let folder = offload(context, move |_| start(&Root::open(&root)?, &args)).await?;
            Ok(Inspection { targets: vec![Target::Path(folder)], ..Inspection::default() })
        })
    }

    fn run<'a>(
        &'a self,
        args: &'a Map<String, Value>,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(async move {
            let args: Args = read_args(NAME, &[], args)?;
            let (root, targets) = (context.root.clone(), context.targets.clone());
            offload(context, move |stop| list(&Root::open(&root)?, &args, &targets, stop)).await
        })
    }
}

/// The canonical path of the folder to list.
fn start(root: &Root, args: &Args) -> Result<String, ToolFailure> {
    let folder = root.resolve(args.path.as_deref().unwrap_or("."))?;
    secrets::refuse(&folder)?;
    Ok(folder)
}

fn list(root: &Root, args: &Args, targets: &HeldTargets, stop: &Stop) -> Result<ToolOutput, ToolFailure> {
    let folder = start(root, args)?;
    targets.check(&Target::Path(folder.clone()))?;
    let entries_max = args.entries_max.unwrap_or(TREE_ENTRIES_DEFAULT).clamp(1, TREE_ENTRIES_MAX);
    let mut paths = Vec::new();
    let mut left_out = 0_usize;
    let depth = args.depth.unwrap_or(WALK_DEPTH_MAX).max(1);
    let report = walk(root, &folder, depth, stop, &mut |found| {
        if paths.len() == entries_max {
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
