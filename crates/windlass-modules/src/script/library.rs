//! The scripts of one folder as tools: `NAME.rhai` is the tool `NAME`.
//!
//! A change is taken in whole: readers see the scripts of before or those of after. A file that broke keeps its last
//! good version, and is reported. Who watches the folder is not known here.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use windlass_core::ports::ToolPort;

use super::fault::ScriptToolError;
use super::hosts::ScriptGrants;
use super::limits::{FILE_BYTES_MAX, FILES_MAX, ScriptLimits};
use super::tool::{FolderContext, ScriptTool};

type LoadedScripts = BTreeMap<String, Arc<ScriptTool>>;

/// The scripts of a folder; clones are the same library.
#[derive(Debug, Clone)]
pub struct ScriptLibrary {
    inner: Arc<ScriptLibraryState>,
}

#[derive(Debug)]
struct ScriptLibraryState {
    folder: Option<PathBuf>,
    around: FolderContext,
    shelf: RwLock<Arc<LoadedScripts>>,
    /// Taken for a whole reload, so that two do not lose each other's work.
    change: Mutex<()>,
}

/// What a reload did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScriptReport {
    /// Tools that are new or changed.
    pub loaded: Vec<String>,
    /// Tools whose files did not change.
    pub unchanged: Vec<String>,
    /// Tools whose files are broken now: their last good version stays.
    pub kept: Vec<String>,
    /// Tools whose files are gone.
    pub removed: Vec<String>,
    /// What is wrong with which file.
    pub failed: Vec<ScriptToolError>,
}

impl ScriptReport {
    /// Whether the tools are others than before.
    pub fn is_change(&self) -> bool {
        !self.loaded.is_empty() || !self.removed.is_empty()
    }
}

impl ScriptLibrary {
    /// Reads the scripts of a folder. A folder that is not there has none.
    pub fn open(
        folder: impl Into<PathBuf>,
        limits: ScriptLimits,
        grants: ScriptGrants,
    ) -> (Self, ScriptReport) {
        let library = Self::new(folder, limits, grants);
        let report = library.reload();
        (library, report)
    }

    /// The scripts of a folder, not read yet.
    pub fn new(folder: impl Into<PathBuf>, limits: ScriptLimits, grants: ScriptGrants) -> Self {
        let around =
            FolderContext { limits: Arc::new(limits), grants: Arc::new(grants), state: Arc::default() };
        Self::with(Some(folder.into()), around)
    }

    /// A library without a folder.
    pub fn empty() -> Self {
        Self::with(None, FolderContext::default())
    }

    fn with(folder: Option<PathBuf>, around: FolderContext) -> Self {
        let inner = ScriptLibraryState { folder, around, shelf: RwLock::default(), change: Mutex::default() };
        Self { inner: Arc::new(inner) }
    }

    /// Takes in what changed in the folder, by content.
    pub fn reload(&self) -> ScriptReport {
        let Some(folder) = &self.inner.folder else { return ScriptReport::default() };
        let _change = self.inner.change.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.shelf();
        let mut report = ScriptReport::default();
        let files = match script_files(folder) {
            Ok(files) => files,
            Err(error) => {
                report.kept = before.keys().cloned().collect();
                report.failed.push(error);
                return report;
            }
        };
        let mut after = LoadedScripts::new();
        for (name, path) in files {
            let known = before.get(&name);
            if let Some(tool) = self.take_in(folder, &name, &path, known, &mut report) {
                after.insert(name, tool);
            }
        }
        report.removed = before.keys().filter(|name| !after.contains_key(*name)).cloned().collect();
        *self.inner.shelf.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(after);
        report
    }

    /// One file: its new version, or the one that is known.
    fn take_in(
        &self,
        folder: &Path,
        name: &str,
        path: &Path,
        known: Option<&Arc<ScriptTool>>,
        report: &mut ScriptReport,
    ) -> Option<Arc<ScriptTool>> {
        let file = path.display().to_string();
        let read = read_text(folder, path).and_then(|text| match known {
            Some(tool) if tool.text() == text => Ok(None),
            _ => ScriptTool::read(&file, name, &text, self.inner.around.clone()).map(Some),
        });
        match (read, known) {
            (Ok(Some(tool)), _) => {
                report.loaded.push(name.to_owned());
                Some(Arc::new(tool))
            }
            (Ok(None), known) => {
                report.unchanged.push(name.to_owned());
                known.cloned()
            }
            (Err(error), known) => {
                tracing::warn!(%error, "a script was not taken in");
                report.failed.push(error);
                report.kept.extend(known.map(|_| name.to_owned()));
                known.cloned()
            }
        }
    }

    fn shelf(&self) -> Arc<LoadedScripts> {
        Arc::clone(&self.inner.shelf.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The tools, by name.
    pub fn tools(&self) -> Vec<Arc<dyn ToolPort>> {
        self.shelf().values().map(|tool| Arc::clone(tool) as Arc<dyn ToolPort>).collect()
    }

    pub fn get(&self, name: &str) -> Option<Arc<ScriptTool>> {
        self.shelf().get(name).cloned()
    }

    pub fn names(&self) -> Vec<String> {
        self.shelf().keys().cloned().collect()
    }

    /// How many they are.
    pub fn count(&self) -> usize {
        self.shelf().len()
    }

    pub fn folder(&self) -> Option<&Path> {
        self.inner.folder.as_deref()
    }
}

/// The scripts of a folder, by name.
fn script_files(folder: &Path) -> Result<BTreeMap<String, PathBuf>, ScriptToolError> {
    let failed = |message: String| ScriptToolError::of_file(&folder.display().to_string(), message);
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(failed(format!("the folder cannot be read: {error}"))),
    };
    let mut files = BTreeMap::new();
    for entry in entries {
        let path = entry.map_err(|error| failed(format!("the folder cannot be read: {error}")))?.path();
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        if let Some(name) = name.filter(|_| path.extension().is_some_and(|extension| extension == "rhai")) {
            files.insert(name, path);
        }
    }
    if files.len() > FILES_MAX {
        return Err(failed(format!(
            "{} scripts are too many: a folder has at most {FILES_MAX}",
            files.len()
        )));
    }
    Ok(files)
}

/// The text of a script that is in the folder, also where it is a link.
fn read_text(folder: &Path, path: &Path) -> Result<String, ScriptToolError> {
    let failed = |message: String| ScriptToolError::of_file(&path.display().to_string(), message);
    let unread = |error: std::io::Error| failed(format!("the file cannot be read: {error}"));
    let inside = folder.canonicalize().map_err(unread)?;
    let real = path.canonicalize().map_err(unread)?;
    if !real.starts_with(&inside) {
        return Err(failed("the file is a link out of its folder".to_owned()));
    }
    let facts = fs::metadata(&real).map_err(unread)?;
    if !facts.is_file() {
        return Err(failed("this is no file".to_owned()));
    }
    if facts.len() > FILE_BYTES_MAX {
        let message = format!("the file has {} bytes; a script has at most {FILE_BYTES_MAX}", facts.len());
        return Err(failed(message));
    }
    // A file may grow between the look and the reading.
    let mut bytes = Vec::new();
    fs::File::open(&real)
        .and_then(|file| file.take(FILE_BYTES_MAX).read_to_end(&mut bytes))
        .map_err(unread)?;
    String::from_utf8(bytes).map_err(|_| failed("the file is no UTF-8 text".to_owned()))
}
