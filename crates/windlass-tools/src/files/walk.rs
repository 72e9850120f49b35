//! Walking the project, level by level, so that what is near the top comes first.
//!
//! Links are never followed. Owns no opinion on what is left out (`ignored.rs`).

use std::collections::VecDeque;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use cap_std::fs::Dir;
use windlass_core::protocol::tool::ToolFailure;

use super::ignored::{GitignoreRules, is_ignored};
use super::limits::{WALK_DEPTH_MAX, WALK_ENTRIES_MAX};
use super::offload::StopFlag;
use super::root::{Root, open_folder, swapped, unreachable};

/// What a walk came upon.
pub(crate) struct WalkedEntry<'a> {
    pub(crate) path: &'a str,
    pub(crate) name: &'a str,
    /// The folder it is in.
    pub(crate) dir: &'a Dir,
    pub(crate) kind: FoundKind,
}

/// What kind of thing it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FoundKind {
    File,
    /// A symbolic link, wherever it leads.
    Link,
    /// A folder; only come upon where it is too deep to be entered.
    Folder,
}

/// How a walk went.
#[derive(Debug, Default)]
pub(crate) struct WalkReport {
    /// Folders that could not be read.
    pub(crate) unreadable: usize,
    /// Whether everything was seen.
    pub(crate) is_complete: bool,
}

struct PendingFolder {
    path: String,
    depth: usize,
    rules: Option<Arc<GitignoreRules>>,
}

/// Visits all files below a folder, `depth_max` levels deep.
pub(crate) fn walk(
    root: &Root,
    start: &str,
    depth_max: usize,
    stop: &StopFlag,
    visit: &mut dyn FnMut(WalkedEntry<'_>) -> ControlFlow<()>,
) -> Result<WalkReport, ToolFailure> {
    let depth_max = depth_max.min(WALK_DEPTH_MAX);
    let mut report = WalkReport { unreadable: 0, is_complete: true };
    let mut looked_at = 0;
    let first = PendingFolder { path: start.to_owned(), depth: 1, rules: rules_above(root, start)? };
    let mut queue = VecDeque::from([first]);
    while let Some(folder) = queue.pop_front() {
        stop.check()?;
        let entries = root.folder(&folder.path).and_then(|dir| {
            let names = names(&dir).map_err(|error| unreachable(&folder.path, &error))?;
            Ok((dir, names))
        });
        let (dir, entries) = match entries {
            Ok(entries) => entries,
            Err(failure) if folder.depth == 1 => return Err(failure),
            Err(_) => {
                report.unreadable += 1;
                continue;
            }
        };
        let rules = GitignoreRules::load(&dir, &folder.path, folder.rules.as_ref());
        for (name, kind) in &entries {
            looked_at += 1;
            if looked_at > WALK_ENTRIES_MAX {
                report.is_complete = false;
                return Ok(report);
            }
            let path = if folder.path == "." { name.clone() } else { format!("{}/{name}", folder.path) };
            if is_ignored(rules.as_deref(), &path, name, *kind == FoundKind::Folder) {
                continue;
            }
            if *kind == FoundKind::Folder && folder.depth < depth_max {
                queue.push_back(PendingFolder { path, depth: folder.depth + 1, rules: rules.clone() });
            } else if visit(WalkedEntry { path: &path, name, dir: &dir, kind: *kind }).is_break() {
                report.is_complete = false;
                return Ok(report);
            }
        }
    }
    Ok(report)
}

/// The ignore rules that hold where a walk starts.
fn rules_above(root: &Root, start: &str) -> Result<Option<Arc<GitignoreRules>>, ToolFailure> {
    let mut rules = None;
    let mut dir = root.folder(".")?;
    let mut path = ".".to_owned();
    for part in start.split('/').filter(|part| *part != ".") {
        rules = GitignoreRules::load(&dir, &path, rules.as_ref());
        dir = open_folder(&dir, part).map_err(|error| swapped(start, error))?;
        path = if path == "." { part.to_owned() } else { format!("{path}/{part}") };
    }
    Ok(rules)
}

/// The names in a folder, sorted; names that are not Unicode cannot be asked for and are left out.
fn names(dir: &Dir) -> io::Result<Vec<(String, FoundKind)>> {
    let mut names = Vec::new();
    for entry in dir.entries()?.take(WALK_ENTRIES_MAX) {
        let entry = entry?;
        let kind = entry.file_type()?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if kind.is_dir() {
            names.push((name, FoundKind::Folder));
        } else if kind.is_symlink() {
            names.push((name, FoundKind::Link));
        } else if kind.is_file() {
            names.push((name, FoundKind::File));
        }
    }
    names.sort_by(|(one, _), (two, _)| one.cmp(two));
    Ok(names)
}
