//! A change of a file from plan to report: shown before as a question, made, told after as an outcome.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use windlass_core::permission::{Inspection, Preview, Target};
use windlass_core::ports::ToolContext;
use windlass_core::protocol::ids::SessionId;
use windlass_core::protocol::tool::{Risk, ToolFailure, ToolOutput};
use windlass_core::text::protected_paths::{PLACES, is_commanding};

use super::diff;
use super::offload::offload;
use super::root::Root;
use super::workspace::{FileChange, FileWorkspace, UndoCopy};
use crate::summary::list_items;

/// What the user is asked: the true target, the whole diff, and a higher risk where files command.
pub(crate) fn inspection(root: &Root, change: &FileChange) -> Inspection {
    let path = change.place.path();
    let names = std::iter::once(path.to_owned()).chain(protected_names(root, path));
    let targets: Vec<Target> = names.map(Target::Path).collect();
    let commands = targets.iter().any(|target| match target {
        Target::Path(path) => is_commanding(path),
        Target::Host(_) | Target::Command(_) => false,
    });
    Inspection {
        targets,
        preview: Some(Preview::Diff(diff::unified(change))),
        risk: commands.then_some(Risk::Critical),
        pins: pins(change),
        ..Inspection::default()
    }
}

/// Under which protected names other programs find a file, too, because a link at the top of the project leads to it
/// or to a folder that it is in.
fn protected_names(root: &Root, path: &str) -> Vec<String> {
    let name_by = |place: &&str| {
        let found = root.resolve(place).ok().filter(|found| found != place && found != ".")?;
        let rest = path.strip_prefix(found.as_str())?;
        (rest.is_empty() || rest.starts_with('/')).then(|| format!("{place}{rest}"))
    };
    let mut names: Vec<String> = PLACES.iter().filter_map(name_by).collect();
    names.retain(|name| name != path);
    names
}

/// What holds a later call to the file as it is now: every tool that changes files takes these arguments.
fn pins(change: &FileChange) -> Map<String, Value> {
    let (name, value) = match &change.before {
        Some(before) => ("expected_sha256", json!(before.sha256)),
        None => ("create_new", json!(true)),
    };
    Map::from_iter([(name.to_owned(), value)])
}

/// What was done. A hash means that bytes were written; without one nothing was.
pub(crate) fn report(label: &str, change: &FileChange, hash: Option<String>) -> ToolOutput {
    let path = change.place.path();
    let bytes = change.after.as_ref().map_or(0, Vec::len);
    let Some(hash) = hash else {
        let text = format!("{path} already has this content: nothing was written.");
        let facts = json!({"path": path, "written": false, "bytes": bytes});
        let summary = list_items(label, [text.clone()], "");
        return ToolOutput::json(facts).with_text(text).with_summary(summary);
    };
    let done = match (&change.before, &change.after) {
        (_, None) => format!("Removed {path}."),
        (None, Some(_)) => format!("Written: {path} (new file, {bytes} bytes)."),
        (Some(_), Some(_)) => format!("Written: {path} ({bytes} bytes)."),
    };
    let whole_diff = diff::unified(change);
    let diff = diff::shorten(&whole_diff);
    let facts = json!({
        "path": path,
        "written": true,
        "created": change.before.is_none(),
        "removed": change.after.is_none(),
        "bytes": bytes,
        "sha256": change.after.is_some().then_some(hash),
        "diff": diff,
    });
    let mut output = ToolOutput::json(facts).with_summary(list_items(label, [done.clone()], ""));
    output.is_truncated = diff.len() < whole_diff.len();
    output.with_text(format!("{done}\n{diff}"))
}

/// How a tool works out its change, off the async threads.
pub(crate) type ChangePlan<Args> =
    fn(&FileWorkspace, &SessionId, &Root, &Args) -> Result<FileChange, ToolFailure>;

/// What a call would change: the whole of `inspect` for a tool that writes.
pub(crate) async fn inspect_change<Args: Send + 'static>(
    workspace: Arc<FileWorkspace>,
    context: &ToolContext,
    args: Args,
    plan: ChangePlan<Args>,
) -> Result<Inspection, ToolFailure> {
    let (root, session) = (context.root.clone(), context.session_id.clone());
    let results = Arc::clone(&context.results);
    offload(context, move |_| {
        let root = Root::open(&root)?;
        workspace.recall(&session, &root, &*results);
        Ok(inspection(&root, &plan(&workspace, &session, &root, &args)?))
    })
    .await
}

/// Makes the change: the whole of `run` for a tool that writes. What is there already is not written again.
pub(crate) async fn run_change<Args: Send + 'static>(
    label: &'static str,
    workspace: Arc<FileWorkspace>,
    context: &ToolContext,
    args: Args,
    plan: ChangePlan<Args>,
) -> Result<ToolOutput, ToolFailure> {
    let (root, session) = (context.root.clone(), context.session_id.clone());
    let (results, targets) = (Arc::clone(&context.results), context.targets.clone());
    offload(context, move |stop| {
        let root = Root::open(&root)?;
        workspace.recall(&session, &root, &*results);
        let change = plan(&workspace, &session, &root, &args)?;
        // The place is an open folder: from here on nobody can lead the change elsewhere.
        targets.check(&Target::Path(change.place.path().to_owned()))?;
        let hash = match change.is_void() {
            true => None,
            false => Some(workspace.apply(&session, &change, UndoCopy::Kept, stop)?),
        };
        Ok(report(label, &change, hash))
    })
    .await
}
