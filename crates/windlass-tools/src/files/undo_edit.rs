//! `undo_edit`: takes back the last change that a tool made to a file.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use windlass_core::permission::{Inspection, Target};
use windlass_core::ports::ToolContext;
use windlass_core::protocol::tool::{
    Category, Effects, Risk, Scope, ToolFailure, ToolOutput, ToolSpec, Visibility,
};

use crate::files::change::{inspection, report};
use crate::files::offload::offload;
use crate::files::root::{Root, shown};
use crate::files::undo::ChangeCopy;
use crate::files::workspace::{FileChange, FileWorkspace, UndoCopy};
use crate::typed::TypedTool;

/// Restores what a file was before the last `write_file` or `edit_file`, unless somebody has changed it
/// since. Called again, it goes one change further back.
pub(crate) struct UndoEdit {
    pub(crate) workspace: Arc<FileWorkspace>,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct UndoEditArgs {
    /// File to restore, relative to the project root.
    path: String,
    /// Refuse unless the file has this SHA-256 (read_file gives it).
    #[schemars(regex(pattern = "^[0-9a-fA-F]{64}$"))]
    expected_sha256: Option<String>,
}

impl TypedTool for UndoEdit {
    const NAME: &'static str = "undo_edit";
    const ABOUT: &'static str = "Take back the last change that write_file or edit_file made to a file. Refused when the file \
                                 was changed by somebody else since.";
    type Args = UndoEditArgs;

    fn declare(&self, spec: ToolSpec) -> ToolSpec {
        let spec = spec
            .with_effects(Effects::Write, Risk::High)
            .with_scopes([Scope::WriteFiles])
            .with_place(Category::Other, Visibility::Secondary)
            .with_arg_alias("file_path", "path");
        ToolSpec {
            inspected: true,
            strict_args: true,
            examples: vec![json!({"path": "src/main.rs"})],
            ..spec
        }
    }

    async fn inspect(&self, args: UndoEditArgs, context: &ToolContext) -> Result<Inspection, ToolFailure> {
        let (root, workspace) = (context.root.clone(), Arc::clone(&self.workspace));
        offload(context, move |_| {
            let root = Root::open(&root)?;
            Ok(inspection(&root, &plan(&workspace, &root, &args)?.0))
        })
        .await
    }

    async fn run(&self, args: UndoEditArgs, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        let (root, session) = (context.root.clone(), context.session_id.clone());
        let (workspace, targets) = (Arc::clone(&self.workspace), context.targets.clone());
        offload(context, move |stop| {
            let (change, copy) = plan(&workspace, &Root::open(&root)?, &args)?;
            targets.check(&Target::Path(change.place.path().to_owned()))?;
            let hash = workspace.apply(&session, &change, UndoCopy::NotKept, stop)?;
            // Only once the file is back: a failure before that loses nothing.
            workspace.undo.forget(&copy);
            Ok(report("Undo edit", &change, Some(hash)))
        })
        .await
    }
}

/// Works out the change back, or why it must not be made.
fn plan(
    workspace: &FileWorkspace,
    root: &Root,
    args: &UndoEditArgs,
) -> Result<(FileChange, ChangeCopy), ToolFailure> {
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
    Ok((FileChange { place, before, after: copy.before.clone() }, copy))
}
