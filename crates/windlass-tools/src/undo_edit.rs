//! `undo_edit`: takes back the last change that a tool made to a file.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use windlass_core::permission::{Inspection, Target};
use windlass_core::port::{BoxFuture, ToolContext, ToolPort};
use windlass_core::tool::{Category, Effects, Risk, Scope, ToolFailure, ToolOutput, ToolSpec, Visibility};

use crate::files::args::read_args;
use crate::files::change::{inspection, report};
use crate::files::offload::offload;
use crate::files::root::{Root, shown};
use crate::files::undo::Copy;
use crate::files::workspace::{Change, UndoCopy, Workspace};

const NAME: &str = "undo_edit";

/// Restores what a file was before the last `write_file` or `edit_file`, unless somebody has changed it
/// since. Called again, it goes one change further back.
pub(crate) struct UndoEdit {
    spec: ToolSpec,
    workspace: Arc<Workspace>,
}

#[derive(Deserialize)]
struct Args {
    path: String,
    expected_sha256: Option<String>,
}

impl UndoEdit {
    pub(crate) fn new(workspace: Arc<Workspace>) -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "File to restore, relative to the project root."},
                "expected_sha256": {
                    "type": "string", "pattern": "^[0-9a-fA-F]{64}$",
                    "description": "Refuse unless the file has this SHA-256 (read_file gives it)."
                }
            },
            "required": ["path"],
            "additionalProperties": false
        });
        let mut spec = ToolSpec::new(
            NAME,
            "Take back the last change that write_file or edit_file made to a file. Refused when the file \
             was changed by somebody else since.",
        )
        .with_schema(schema)
        .with_effects(Effects::Write, Risk::High)
        .with_scopes([Scope::WriteFiles])
        .with_place(Category::Other, Visibility::Secondary)
        .with_arg_alias("file_path", "path");
        spec.inspected = true;
        spec.strict_args = true;
        spec.examples = vec![json!({"path": "src/main.rs"})];
        Self { spec, workspace }
    }
}

impl ToolPort for UndoEdit {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn inspect<'a>(
        &'a self,
        args: &'a Map<String, Value>,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<Inspection, ToolFailure>> {
        Box::pin(async move {
            let args: Args = read_args(NAME, &["path"], args)?;
            let (root, workspace) = (context.root.clone(), Arc::clone(&self.workspace));
            offload(context, move |_| Ok(inspection(&plan(&workspace, &Root::open(&root)?, &args)?.0))).await
        })
    }

    fn run<'a>(
        &'a self,
        args: &'a Map<String, Value>,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(async move {
            let args: Args = read_args(NAME, &["path"], args)?;
            let (root, session) = (context.root.clone(), context.session_id.clone());
            let (workspace, targets) = (Arc::clone(&self.workspace), context.targets.clone());
            offload(context, move |stop| {
                let (change, copy) = plan(&workspace, &Root::open(&root)?, &args)?;
                targets.check(&Target::Path(change.place.path().to_owned()))?;
                let hash = workspace.apply(&session, &change, UndoCopy::NotKept, stop)?;
                workspace.undo.forget(&copy);
                Ok(report("Undo edit", &change, Some(hash)))
            })
            .await
        })
    }
}

/// Works out the change back, or why it must not be made.
fn plan(workspace: &Workspace, root: &Root, args: &Args) -> Result<(Change, Copy), ToolFailure> {
    let place = root.locate_new(&args.path)?;
    let path = shown(place.path());
    let copy = workspace.undo.last(place.absolute()).map_err(|error| {
        ToolFailure::io_error("The undo copies cannot be read.").detail(error.to_string())
    })?;
    let Some(copy) = copy else {
        return Err(ToolFailure::not_found(format!("There is no change of '{path}' to take back"))
            .hint("Only changes of write_file and edit_file can be taken back; change it with edit_file."));
    };
    let before = place.snapshot()?;
    if before.as_ref().is_none_or(|before| before.sha256 != copy.after()) {
        let message = format!("'{path}' was changed by somebody else since the last edit");
        return Err(ToolFailure::invalid_args(message)
            .hint("Read it and make the change back with edit_file, so that nothing else is lost."));
    }
    if let (Some(before), Some(expected)) = (&before, &args.expected_sha256) {
        workspace.check_expected(&place, before, expected)?;
    }
    Ok((Change { place, before, after: copy.before.clone() }, copy))
}
