//! `windlass modules check`: every file of a folder of modules, looked at, with what is wrong and where.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::json;
use windlass_modules::measure::write_hashes;
use windlass_modules::{Manifest, ModuleLibrary, SignatureRegistry};

use crate::args::GlobalArgs;
use crate::commands::config::resolve;
use crate::complaint::{CommandError, Result};
use crate::exit::Exit;
use crate::project::modules::beside;
use crate::terminal::out::{print, print_json, print_line};
use crate::terminal::table::lay_out;

/// The manifest of a folder.
const MANIFEST: &str = "manifest.json";

/// Folders that are looked into below a folder of modules.
const DEPTH_MAX: usize = 8;

/// Files that are looked at: a folder with more of them is no folder of modules.
const FILES_MAX: usize = 10_000;

/// What was found of a file.
#[derive(Serialize)]
struct FileReport {
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    module_id: Option<String>,
    /// `ok`, `wrong` or `unnamed`.
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
    /// Whether the manifest holds the file to its hash.
    is_pinned: bool,
}

/// Runs the command: with nothing wrong it is done, with anything wrong it failed.
pub(super) fn run(global: &GlobalArgs, folder: Option<&Path>, writes_hashes: bool) -> Result<Exit> {
    let folders = folders(global, folder)?;
    let mut all = Vec::new();
    let mut written = Vec::new();
    for folder in &folders {
        if writes_hashes {
            let changed = write_hashes(folder).map_err(|error| {
                CommandError::failed(error.to_string()).cure("repair the manifest, then write its hashes")
            })?;
            written.extend(changed);
        }
        all.extend(look_at(folder)?);
    }
    let wrong = all.iter().filter(|found| found.state == "wrong").count();
    if global.json {
        print_json(&json!({"files": all, "wrong": wrong, "hashes_written": written}))?;
    } else {
        show(&all, &written, &folders)?;
    }
    Ok(if wrong == 0 { Exit::Done } else { Exit::Failed })
}

/// The folder that was named, else all that there are.
fn folders(global: &GlobalArgs, named: Option<&Path>) -> Result<Vec<PathBuf>> {
    if let Some(folder) = named {
        return match folder.is_dir() {
            true => Ok(vec![folder.to_path_buf()]),
            false => Err(CommandError::usage(format!("there is no folder {}", folder.display()))
                .cure("windlass modules check FOLDER, where FOLDER has a manifest.json")),
        };
    }
    let config = resolve(global)?;
    // Also where the folder is not trusted: its files are read here, and nothing is done with them.
    let mut folders = vec![config.trust.root.join(&config.trust.modules), config.folders.modules()];
    folders.retain(|folder| folder.is_dir());
    Ok(folders)
}

fn look_at(folder: &Path) -> Result<Vec<FileReport>> {
    let manifest_path = folder.join(MANIFEST);
    let text = match crate::config::regular::read_text(
        &manifest_path,
        crate::config::regular::MANIFEST_BYTES_MAX,
        crate::config::regular::FileOrigin::Project,
    ) {
        Ok(text) => text,
        Err(error) => return Ok(vec![wrong(&manifest_path, None, error.to_string())]),
    };
    let manifest = match Manifest::parse(&manifest_path.display().to_string(), &text) {
        Ok(manifest) => manifest,
        Err(error) => return Ok(vec![wrong(&manifest_path, None, beside(&manifest_path, &error))]),
    };
    let (library, report) = ModuleLibrary::open(folder, SignatureRegistry::default());
    let mut all = Vec::new();
    let mut told = BTreeSet::new();
    for (id, entry) in &manifest.modules {
        let path = folder.join(&entry.path);
        let failure = report.failed.iter().find(|(file, _)| *file == path || file.ends_with(&entry.path));
        let found = match (library.find(id), failure) {
            (_, Some((file, error))) => {
                told.insert(file.clone());
                wrong(&path, Some(id), beside(file, error))
            }
            (Some(own), None) => FileReport {
                hash: Some(format!("sha256:{}", own.hash)),
                is_pinned: entry.hash.is_some(),
                ..right(&path, id)
            },
            (None, None) => wrong(&path, Some(id), "it was not taken in".to_owned()),
        };
        all.push(found);
    }
    for (file, error) in report.failed.iter().filter(|(file, _)| !told.contains(file)) {
        all.push(wrong(file, None, beside(file, error)));
    }
    let named: BTreeSet<PathBuf> = manifest.modules.values().map(|entry| folder.join(&entry.path)).collect();
    let mut files = Vec::new();
    json_files(folder, DEPTH_MAX, &mut files);
    files.retain(|file| *file != manifest_path && !named.contains(file));
    all.extend(files.iter().map(|file| unnamed(file)));
    Ok(all)
}

fn right(path: &Path, id: &str) -> FileReport {
    let (file, module_id) = (path.display().to_string(), Some(id.to_owned()));
    FileReport { file, module_id, state: "ok", message: None, hash: None, is_pinned: false }
}

fn wrong(path: &Path, id: Option<&String>, message: String) -> FileReport {
    let (file, module_id) = (path.display().to_string(), id.cloned());
    FileReport { file, module_id, state: "wrong", message: Some(message), hash: None, is_pinned: false }
}

/// An old version, or one that somebody forgot to name.
fn unnamed(path: &Path) -> FileReport {
    let message = Some("the manifest does not name it: it is not used".to_owned());
    let file = path.display().to_string();
    FileReport { file, module_id: None, state: "unnamed", message, hash: None, is_pinned: false }
}

fn json_files(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if files.len() >= FILES_MAX {
            return;
        }
        // A link may lead in circles, or out of the folder.
        let is_folder = path.is_dir() && !path.is_symlink();
        if is_folder && depth > 0 {
            json_files(&path, depth - 1, files);
        } else if !is_folder && path.extension().is_some_and(|ending| ending == "json") {
            files.push(path);
        }
    }
}

fn show(all: &[FileReport], written: &[String], folders: &[PathBuf]) -> Result<()> {
    if folders.is_empty() {
        return print_line("there is no folder of modules here; docs/modules.md says how to make one");
    }
    let rows: Vec<[String; 4]> = all
        .iter()
        .map(|found| {
            let pin = match (&found.hash, found.is_pinned) {
                (Some(hash), true) => hash.clone(),
                (Some(_), false) => "(no hash pinned)".to_owned(),
                (None, _) => String::new(),
            };
            let about = found.message.clone().unwrap_or(pin);
            let id = found.module_id.clone().unwrap_or_default();
            [found.state.to_owned(), found.file.clone(), id, about]
        })
        .collect();
    print(&lay_out(&rows))?;
    if !written.is_empty() {
        print_line(&format!("hashes written: {}", written.join(", ")))?;
    }
    let wrong = all.iter().filter(|found| found.state == "wrong").count();
    let modules = all.iter().filter(|found| found.state == "ok").count();
    print_line(&format!("{modules} right, {wrong} wrong"))
}
