//! `edit_file`: changes parts of a file, by exact text or by lines, all or none.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use windlass_core::ids::SessionId;
use windlass_core::permission::Inspection;
use windlass_core::port::{BoxFuture, ToolContext, ToolPort};
use windlass_core::tool::{Category, Effects, Risk, Scope, ToolFailure, ToolOutput, ToolSpec, Visibility};

use crate::files::args::read_args;
use crate::files::change::{inspect_change, run_change};
use crate::files::limits::EDITS_MAX;
use crate::files::patch::{Edit, apply};
use crate::files::place::{Place, Snapshot};
use crate::files::root::{Root, shown};
use crate::files::text::{decode, encode};
use crate::files::workspace::{Change, Workspace};

const NAME: &str = "edit_file";

/// Edits a text file that was read before. Encoding, line ends and permissions stay as they are; what
/// it was is kept for `undo_edit`.
pub(crate) struct EditFile {
    spec: ToolSpec,
    workspace: Arc<Workspace>,
}

#[derive(Deserialize)]
struct Args {
    path: String,
    edits: Vec<Edit>,
    expected_sha256: Option<String>,
}

impl EditFile {
    pub(crate) fn new(workspace: Arc<Workspace>) -> Self {
        let mut spec = ToolSpec::new(
            NAME,
            "Change parts of a text file of the project that was read before. Each edit replaces either the \
             exact text 'old' (which must be unique, unless replace_all) or the lines start_line to end_line. \
             All edits speak of the file as it was read; all are made, or none. \
             To make a file or to replace all of it, use write_file.",
        )
        .with_schema(schema())
        .with_effects(Effects::Write, Risk::High)
        .with_scopes([Scope::ReadFiles, Scope::WriteFiles])
        .with_place(Category::Other, Visibility::Primary)
        .with_arg_alias("file_path", "path");
        spec.inspected = true;
        spec.strict_args = true;
        spec.examples = vec![
            json!({"path": "src/main.rs", "edits": [{"old": "let x = 1;", "new": "let x = 2;"}]}),
            json!({"path": "notes.md", "edits": [{"start_line": 3, "end_line": 4, "new": "one line\n"}]}),
        ];
        Self { spec, workspace }
    }
}

/// The two forms of an edit share one flat object: several providers cannot express "one of".
fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "File to edit, relative to the project root."},
            "edits": {
                "type": "array", "minItems": 1, "maxItems": EDITS_MAX,
                "description": "Edits that do not overlap; each has 'new' and either 'old' or 'start_line'.",
                "items": {
                    "type": "object",
                    "properties": {
                        "old": {
                            "type": "string", "minLength": 1,
                            "description": "Exact text to replace, without line numbers."
                        },
                        "new": {"type": "string", "description": "What comes in its place."},
                        "replace_all": {
                            "type": "boolean",
                            "description": "With 'old': replace every occurrence."
                        },
                        "start_line": {
                            "type": "integer", "minimum": 1,
                            "description": "First line to replace, counted from 1."
                        },
                        "end_line": {
                            "type": "integer", "minimum": 0,
                            "description": "Last line to replace; start_line - 1 inserts before start_line."
                        }
                    },
                    "required": ["new"],
                    "additionalProperties": false
                }
            },
            "expected_sha256": {
                "type": "string", "pattern": "^[0-9a-fA-F]{64}$",
                "description": "Refuse unless the file has this SHA-256 (read_file gives it)."
            }
        },
        "required": ["path", "edits"],
        "additionalProperties": false
    })
}

impl ToolPort for EditFile {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn inspect<'a>(
        &'a self,
        args: &'a Map<String, Value>,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<Inspection, ToolFailure>> {
        Box::pin(async move {
            let args: Args = read_args(NAME, &["path", "edits"], args)?;
            inspect_change(Arc::clone(&self.workspace), context, args, plan).await
        })
    }

    fn run<'a>(
        &'a self,
        args: &'a Map<String, Value>,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(async move {
            let args: Args = read_args(NAME, &["path", "edits"], args)?;
            run_change("Edit file", Arc::clone(&self.workspace), context, args, plan).await
        })
    }
}

/// Works out the change, or why it must not be made.
fn plan(workspace: &Workspace, session: &SessionId, root: &Root, args: &Args) -> Result<Change, ToolFailure> {
    if args.edits.is_empty() || args.edits.len() > EDITS_MAX {
        let message = format!("There are {} edits; give 1 to {EDITS_MAX}", args.edits.len());
        let expected = format!("1 to {EDITS_MAX} edits");
        return Err(ToolFailure::invalid_args(message).at("edits", expected, args.edits.len().to_string()));
    }
    let place = root.locate(&args.path)?;
    let path = shown(place.path());
    let Some(before) = place.snapshot()? else {
        return Err(ToolFailure::not_found(format!("File not found: {path}"))
            .hint("Call get_file_tree to see what there is, or make the file with write_file."));
    };
    if is_made(workspace, &place, &before, args) {
        let message = format!("This very edit of '{path}' was made already; nothing was written again");
        return Err(ToolFailure::invalid_args(message).hint("Go on: the file has it."));
    }
    workspace.check_seen(session, &place, &before, args.expected_sha256.as_deref())?;
    let after = edit(&place, before.bytes.clone(), &args.edits)?;
    Ok(Change { place, before: Some(before), after: Some(after) })
}

/// Whether just this edit of just this content was the last change of the file: it is not made twice.
fn is_made(workspace: &Workspace, place: &Place, now: &Snapshot, args: &Args) -> bool {
    let expected = args.expected_sha256.as_deref();
    let content = expected.and_then(|expected| workspace.content_before(place, now, expected));
    content.is_some_and(|content| edit(place, content, &args.edits).is_ok_and(|after| after == now.bytes))
}

/// The content with all edits made, in its own encoding.
fn edit(place: &Place, content: Vec<u8>, edits: &[Edit]) -> Result<Vec<u8>, ToolFailure> {
    let path = shown(place.path());
    let Some(text) = decode(content) else {
        return Err(ToolFailure::invalid_args(format!("'{path}' is a binary file and cannot be edited"))
            .hint("Tell the user what would have to change in it."));
    };
    let edited = apply(place.path(), &text.content, edits)?;
    encode(&edited, text.encoding).ok_or_else(|| {
        let message = format!(
            "'{path}' is written in {}, which lacks a character of the new text",
            text.encoding.word()
        );
        ToolFailure::invalid_args(message)
            .hint("Use characters of that encoding, or write the whole file with write_file, in UTF-8.")
    })
}
