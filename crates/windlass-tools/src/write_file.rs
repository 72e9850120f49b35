//! `write_file`: makes a file or replaces its whole content.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use windlass_core::ids::SessionId;
use windlass_core::permission::Inspection;
use windlass_core::port::{BoxFuture, ToolContext, ToolPort};
use windlass_core::tool::{Category, Effects, Risk, Scope, ToolFailure, ToolOutput, ToolSpec, Visibility};

use crate::files::args::read_args;
use crate::files::change::{inspect_change, run_change};
use crate::files::limits::FILE_BYTES_MAX;
use crate::files::root::{Root, shown};
use crate::files::workspace::{Change, Workspace};

const NAME: &str = "write_file";

/// Writes a file, whole or not at all. A file that exists must have been read before; what it was is
/// kept for `undo_edit`.
pub(crate) struct WriteFile {
    spec: ToolSpec,
    workspace: Arc<Workspace>,
}

#[derive(Deserialize)]
struct Args {
    path: String,
    content: String,
    create_new: Option<bool>,
    expected_sha256: Option<String>,
    create_parents: Option<bool>,
}

impl WriteFile {
    pub(crate) fn new(workspace: Arc<Workspace>) -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "File to write, relative to the project root."},
                "content": {
                    "type": "string", "maxLength": FILE_BYTES_MAX,
                    "description": "The whole new content."
                },
                "create_new": {
                    "type": "boolean", "default": false,
                    "description": "Refuse if the file exists."
                },
                "expected_sha256": {
                    "type": "string", "pattern": "^[0-9a-fA-F]{64}$",
                    "description": "Refuse unless the existing file has this SHA-256 (read_file gives it)."
                },
                "create_parents": {
                    "type": "boolean", "default": true,
                    "description": "Make missing folders."
                }
            },
            "required": ["path", "content"],
            "additionalProperties": false
        });
        let mut spec = ToolSpec::new(
            NAME,
            "Write a text file of the project: make it, or replace its whole content. An existing file must \
             have been read first. To change parts of a file, use edit_file.",
        )
        .with_schema(schema)
        .with_effects(Effects::Write, Risk::High)
        .with_scopes([Scope::WriteFiles])
        .with_place(Category::Other, Visibility::Primary)
        .with_arg_alias("file_path", "path");
        spec.idempotent = true;
        spec.inspected = true;
        spec.strict_args = true;
        spec.examples = vec![json!({"path": "notes/todo.md", "content": "- buy rope\n"})];
        Self { spec, workspace }
    }
}

impl ToolPort for WriteFile {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn inspect<'a>(
        &'a self,
        args: &'a Map<String, Value>,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<Inspection, ToolFailure>> {
        Box::pin(async move {
            let args: Args = read_args(NAME, &["path", "content"], args)?;
            inspect_change(Arc::clone(&self.workspace), context, args, plan).await
        })
    }

    fn run<'a>(
        &'a self,
        args: &'a Map<String, Value>,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(async move {
            let args: Args = read_args(NAME, &["path", "content"], args)?;
            run_change("Write file", Arc::clone(&self.workspace), context, args, plan).await
        })
    }
}

/// Works out the change, or why it must not be made.
fn plan(workspace: &Workspace, session: &SessionId, root: &Root, args: &Args) -> Result<Change, ToolFailure> {
    if args.content.len() as u64 > FILE_BYTES_MAX {
        let message = format!("The content has {} bytes, the limit is {FILE_BYTES_MAX}", args.content.len());
        return Err(ToolFailure::invalid_args(message).hint("Write it in parts with edit_file."));
    }
    let place = root.locate_new(&args.path)?;
    let before = place.snapshot()?;
    if let Some(before) = &before {
        let change_is_void = before.bytes == args.content.as_bytes();
        if args.create_new == Some(true) {
            return Err(exists(&shown(place.path()), change_is_void));
        }
        if !change_is_void {
            workspace.check_seen(session, &place, before, args.expected_sha256.as_deref())?;
        }
    } else if args.expected_sha256.is_some() {
        return Err(ToolFailure::not_found(format!("File not found: {}", shown(&args.path)))
            .hint("expected_sha256 speaks of an existing file; leave it out to make a new one."));
    } else if args.create_parents == Some(false) && !place.missing_folders().is_empty() {
        let message = format!("The folder of '{}' does not exist", shown(place.path()));
        return Err(ToolFailure::not_found(message).hint("Set create_parents to true to make it."));
    }
    Ok(Change { place, before, after: Some(args.content.clone().into_bytes()) })
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
