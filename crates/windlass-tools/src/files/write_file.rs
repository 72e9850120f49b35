//! `write_file`: makes a file or replaces its whole content.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use windlass_core::permission::Inspection;
use windlass_core::ports::ToolContext;
use windlass_core::protocol::ids::SessionId;
use windlass_core::protocol::tool::{
    Category, Effects, Risk, Scope, ToolFailure, ToolOutput, ToolSpec, Visibility,
};
use windlass_core::text::markdown::code_span;

use crate::files::change::{inspect_change, run_change};
use crate::files::limits::FILE_BYTES_MAX;
use crate::files::root::{Root, shown};
use crate::files::workspace::{FileChange, FileWorkspace};
use crate::typed::{TypedTool, text_arg, yes};

/// Writes a file, whole or not at all. A file that exists must have been read before; what it was is
/// kept for `undo_edit`.
pub(crate) struct WriteFile {
    pub(crate) workspace: Arc<FileWorkspace>,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct WriteFileArgs {
    /// File to write, relative to the project root.
    path: String,
    /// The whole new content.
    #[schemars(length(max = FILE_BYTES_MAX))]
    content: String,
    /// Refuse if the file exists.
    #[serde(default)]
    create_new: bool,
    /// Refuse unless the existing file has this SHA-256 (read_file gives it).
    #[schemars(regex(pattern = "^[0-9a-fA-F]{64}$"))]
    expected_sha256: Option<String>,
    /// Make missing folders.
    #[serde(default = "yes")]
    create_parents: bool,
}

impl TypedTool for WriteFile {
    const NAME: &'static str = "write_file";
    const ABOUT: &'static str = "Write a text file of the project: make it, or replace its whole content. An existing file \
                                 must have been read first. To change parts of a file, use edit_file.";
    type Args = WriteFileArgs;

    fn declare(&self, spec: ToolSpec) -> ToolSpec {
        let spec = spec
            .with_effects(Effects::Write, Risk::High)
            .with_scopes([Scope::WriteFiles])
            .with_place(Category::Other, Visibility::Primary)
            .with_arg_alias("file_path", "path");
        let examples = vec![json!({"path": "notes/todo.md", "content": "- buy rope\n"})];
        ToolSpec { idempotent: true, inspected: true, strict_args: true, examples, ..spec }
    }

    async fn inspect(&self, args: WriteFileArgs, context: &ToolContext) -> Result<Inspection, ToolFailure> {
        inspect_change(Arc::clone(&self.workspace), context, args, plan).await
    }

    async fn run(&self, args: WriteFileArgs, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        run_change("Write file", Arc::clone(&self.workspace), context, args, plan).await
    }

    fn display(&self, args: &Map<String, Value>, _value: &Value) -> Option<String> {
        Some(format!("Wrote {}.", code_span(text_arg(args, "path"))))
    }
}

/// Works out the change, or why it must not be made.
fn plan(
    workspace: &FileWorkspace,
    session: &SessionId,
    root: &Root,
    args: &WriteFileArgs,
) -> Result<FileChange, ToolFailure> {
    if args.content.len() as u64 > FILE_BYTES_MAX {
        let message = format!("The content has {} bytes, the limit is {FILE_BYTES_MAX}", args.content.len());
        return Err(ToolFailure::invalid_args(message).hint("Write it in parts with edit_file."));
    }
    let place = root.locate_new(&args.path)?;
    let before = place.snapshot()?;
    if let Some(before) = &before {
        let change_is_void = before.bytes == args.content.as_bytes();
        if args.create_new {
            return Err(exists(&shown(place.path()), change_is_void));
        }
        // What is there already need not have been read: a call that is repeated after a crash ends well.
        if !change_is_void {
            workspace.check_seen(session, &place, before, args.expected_sha256.as_deref())?;
        }
    } else if args.expected_sha256.is_some() {
        return Err(ToolFailure::not_found(format!("File not found: {}", shown(&args.path)))
            .hint("expected_sha256 speaks of an existing file; leave it out to make a new one."));
    } else if !args.create_parents && !place.missing_folders().is_empty() {
        let message = format!("The folder of '{}' does not exist", shown(place.path()));
        return Err(ToolFailure::not_found(message).hint("Set create_parents to true to make it."));
    }
    Ok(FileChange { place, before, after: Some(args.content.clone().into_bytes()) })
}

/// A new file is wanted, and there is one.
fn exists(path: &str, is_same: bool) -> ToolFailure {
    if is_same {
        let message = format!("'{path}' exists already, with just this content; nothing was written");
        return ToolFailure::invalid_args(message).hint("Go on: the file is as it should be.");
    }
    ToolFailure::invalid_args(format!("'{path}' exists already"))
        .at("create_new", "a file that does not exist", "an existing file")
        .hint("Choose another name, or read the file and write it without create_new.")
}
