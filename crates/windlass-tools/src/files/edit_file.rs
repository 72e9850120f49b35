//! `edit_file`: changes parts of a file, by exact text or by lines, all or none.

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
use crate::files::file_place::{FilePlace, Snapshot};
use crate::files::limits::EDITS_MAX;
use crate::files::patch::{TextEdit, apply};
use crate::files::root::{Root, shown};
use crate::files::text::{decode, encode};
use crate::files::workspace::{FileChange, FileWorkspace};
use crate::typed::{TypedTool, text_arg};

/// Edits a text file that was read before. Encoding, line ends and permissions stay as they are; what
/// it was is kept for `undo_edit`.
pub(crate) struct EditFile {
    pub(crate) workspace: Arc<FileWorkspace>,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct EditFileArgs {
    /// File to edit, relative to the project root.
    path: String,
    /// Edits that do not overlap; each has 'new' and either 'old' or 'start_line'.
    #[schemars(length(min = 1, max = EDITS_MAX))]
    edits: Vec<TextEdit>,
    /// Refuse unless the file has this SHA-256 (read_file gives it).
    #[schemars(regex(pattern = "^[0-9a-fA-F]{64}$"))]
    expected_sha256: Option<String>,
}

impl TypedTool for EditFile {
    const NAME: &'static str = "edit_file";
    const ABOUT: &'static str = "Change parts of a text file of the project that was read before. Each edit replaces either \
                                 the exact text 'old' (which must be unique, unless replace_all) or the lines start_line to \
                                 end_line. All edits speak of the file as it was read; all are made, or none. To make a file or \
                                 to replace all of it, use write_file.";
    type Args = EditFileArgs;

    fn declare(&self, spec: ToolSpec) -> ToolSpec {
        let spec = spec
            .with_effects(Effects::Write, Risk::High)
            .with_scopes([Scope::ReadFiles, Scope::WriteFiles])
            .with_place(Category::Other, Visibility::Primary)
            .with_arg_alias("file_path", "path");
        let examples = vec![
            json!({"path": "src/main.rs", "edits": [{"old": "let x = 1;", "new": "let x = 2;"}]}),
            json!({"path": "notes.md", "edits": [{"start_line": 3, "end_line": 4, "new": "one line\n"}]}),
        ];
        ToolSpec { inspected: true, strict_args: true, examples, ..spec }
    }

    async fn inspect(&self, args: EditFileArgs, context: &ToolContext) -> Result<Inspection, ToolFailure> {
        inspect_change(Arc::clone(&self.workspace), context, args, plan).await
    }

    async fn run(&self, args: EditFileArgs, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        run_change("Edit file", Arc::clone(&self.workspace), context, args, plan).await
    }

    fn display(&self, args: &Map<String, Value>, _value: &Value) -> Option<String> {
        Some(format!("Changed {}.", code_span(text_arg(args, "path"))))
    }
}

/// Works out the change, or why it must not be made.
fn plan(
    workspace: &FileWorkspace,
    session: &SessionId,
    root: &Root,
    args: &EditFileArgs,
) -> Result<FileChange, ToolFailure> {
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
    // Before the hash is compared: a repeated call names the file as it was before this very edit.
    if is_made(workspace, &place, &before, args) {
        let message = format!("This very edit of '{path}' was made already; nothing was written again");
        return Err(ToolFailure::invalid_args(message).hint("Go on: the file has it."));
    }
    workspace.check_seen(session, &place, &before, args.expected_sha256.as_deref())?;
    let after = edit(&place, before.bytes.clone(), &args.edits)?;
    Ok(FileChange { place, before: Some(before), after: Some(after) })
}

/// Whether just this edit of just this content was the last change of the file: it is not made twice.
fn is_made(workspace: &FileWorkspace, place: &FilePlace, now: &Snapshot, args: &EditFileArgs) -> bool {
    // Without a hash a repetition cannot be told from a second edit that is meant.
    let expected = args.expected_sha256.as_deref();
    let content = expected.and_then(|expected| workspace.content_before(place, now, expected));
    content.is_some_and(|content| edit(place, content, &args.edits).is_ok_and(|after| after == now.bytes))
}

/// The content with all edits made, in its own encoding.
fn edit(place: &FilePlace, content: Vec<u8>, edits: &[TextEdit]) -> Result<Vec<u8>, ToolFailure> {
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
