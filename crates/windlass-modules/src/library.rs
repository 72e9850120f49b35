//! The modules of a folder. All of them stand on one shelf, which is swapped whole: whoever took a module keeps the
//! version that was there, and nobody ever sees a mix.
//!
//! A file that is no good leaves the last good version where it is. Knows nothing of events: `watch` tells
//! what changed, and asks for it to be taken in here.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crate::error::ModuleError;
use crate::folder::{self, FolderFile, Unread};
use crate::manifest::{MANIFEST_FILE, Manifest, ManifestEntry};
use crate::module::Module;
use crate::signature::SignatureRegistry;

/// A module and where it comes from.
#[derive(Debug, Clone)]
pub struct Shelved {
    pub module: Arc<Module>,
    pub path: PathBuf,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// The hexadecimal digits of the SHA-256 of its file.
    pub hash: String,
}

/// What came of loading.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoadReport {
    /// Modules that were read and are new, or another version.
    pub loaded: Vec<String>,
    /// Modules whose files are what they were.
    pub unchanged: Vec<String>,
    /// Modules whose files are no good, and whose last good version stays.
    pub kept: Vec<String>,
    /// Files that are no good, and why.
    pub failed: Vec<(PathBuf, ModuleError)>,
    /// Modules that are gone.
    pub removed: Vec<String>,
    /// What the operator should know beside that.
    pub warnings: Vec<String>,
}

/// The modules of one moment.
#[derive(Debug, Default)]
struct LoadedModules {
    modules: BTreeMap<String, Shelved>,
    manifest: Manifest,
    /// The hash of the manifest's file, if there was one.
    manifest_hash: Option<String>,
}

/// The modules of a folder; clones are the same library.
#[derive(Debug, Clone)]
pub struct ModuleLibrary {
    inner: Arc<LibraryState>,
}

#[derive(Debug)]
struct LibraryState {
    folder: Option<PathBuf>,
    signatures: SignatureRegistry,
    shelf: RwLock<Arc<LoadedModules>>,
    /// Taken for a whole change, so that two changes do not lose each other.
    change: Mutex<()>,
    is_watched: AtomicBool,
}

/// What to read again.
#[derive(Debug, Clone, Default)]
pub(crate) struct ChangedModules {
    /// The manifest, and with it everything, if it is another one.
    pub(crate) manifest: bool,
    pub(crate) everything: bool,
    pub(crate) paths: BTreeSet<PathBuf>,
}

/// What came of reading again.
#[derive(Debug, Default)]
pub(crate) struct Refreshed {
    pub(crate) report: LoadReport,
    /// Whether there is another manifest.
    pub(crate) has_new_manifest: bool,
}

impl ModuleLibrary {
    /// Loads all modules of a folder that its manifest names.
    pub fn open(folder: impl Into<PathBuf>, signatures: SignatureRegistry) -> (Self, LoadReport) {
        let folder: PathBuf = folder.into();
        // Events name files by their real place.
        let folder =
            std::fs::canonicalize(&folder).or_else(|_| std::path::absolute(&folder)).unwrap_or(folder);
        let library = Self::made_of(Some(folder), signatures);
        let report = library.reload_all();
        (library, report)
    }

    /// A library without a folder and without modules.
    pub fn empty() -> Self {
        Self::made_of(None, SignatureRegistry::default())
    }

    fn made_of(folder: Option<PathBuf>, signatures: SignatureRegistry) -> Self {
        let shelf = RwLock::new(Arc::new(LoadedModules::default()));
        let change = Mutex::new(());
        Self {
            inner: Arc::new(LibraryState {
                folder,
                signatures,
                shelf,
                change,
                is_watched: AtomicBool::new(false),
            }),
        }
    }

    /// Reads the manifest and all files again.
    pub fn reload_all(&self) -> LoadReport {
        self.refresh(&ChangedModules { manifest: true, everything: true, paths: BTreeSet::new() }).report
    }

    /// Reads the manifest and the file of one module again.
    pub fn reload_module(&self, id: &str) -> Result<Arc<Module>, ModuleError> {
        let _change = self.inner.change.lock().unwrap_or_else(PoisonError::into_inner);
        let folder =
            self.inner.folder.as_deref().ok_or_else(|| ModuleError::ModuleNotFound(id.to_owned()))?;
        let now = self.shelf();
        let (manifest, manifest_hash) = read_manifest(folder)?;
        let entry = manifest.modules.get(id).ok_or_else(|| ModuleError::ModuleNotFound(id.to_owned()))?;
        let reading =
            FolderReading { folder, signatures: &self.inner.signatures, candidates: &BTreeSet::new() };
        let shelved = match reading.load(id, entry, now.modules.get(id)) {
            Ok(shelved) => shelved,
            Err((path, unread)) => return Err(unread.into_error(&path)),
        };
        let module = Arc::clone(&shelved.module);
        let mut modules = now.modules.clone();
        modules.insert(id.to_owned(), shelved);
        // The other modules still are what the manifest of the shelf said; only this entry is news.
        let mut shelf = LoadedModules {
            modules,
            manifest: now.manifest.clone(),
            manifest_hash: now.manifest_hash.clone(),
        };
        if manifest != shelf.manifest {
            shelf.manifest.modules.insert(id.to_owned(), entry.clone());
            shelf.manifest_hash = None;
        } else {
            shelf.manifest_hash = Some(manifest_hash);
        }
        self.put(shelf);
        Ok(module)
    }

    /// The module of that name, in its newest good version.
    pub fn get(&self, id: &str) -> Option<Arc<Module>> {
        self.shelf().modules.get(id).map(|shelved| Arc::clone(&shelved.module))
    }

    /// The module of that name, and where it comes from.
    pub fn find(&self, id: &str) -> Option<Shelved> {
        self.shelf().modules.get(id).cloned()
    }

    /// All modules of this moment, sorted by name.
    pub fn all(&self) -> Vec<Shelved> {
        self.shelf().modules.values().cloned().collect()
    }

    pub fn ids(&self) -> Vec<String> {
        self.shelf().modules.keys().cloned().collect()
    }

    /// The names of the modules with a tag, sorted.
    pub fn with_tag(&self, tag: &str) -> Vec<String> {
        let shelf = self.shelf();
        let tagged = shelf.modules.iter().filter(|(_, shelved)| shelved.tags.iter().any(|own| own == tag));
        tagged.map(|(id, _)| id.clone()).collect()
    }

    /// How many modules there are.
    pub fn count(&self) -> usize {
        self.shelf().modules.len()
    }

    /// The folder they come from.
    pub fn folder(&self) -> Option<&Path> {
        self.inner.folder.as_deref()
    }

    /// The signatures that modules may name.
    pub fn signatures(&self) -> &SignatureRegistry {
        &self.inner.signatures
    }

    /// Whether this is the first that wants to watch it.
    pub(crate) fn begin_watching(&self) -> bool {
        !self.inner.is_watched.swap(true, Ordering::AcqRel)
    }

    pub(crate) fn end_watching(&self) {
        self.inner.is_watched.store(false, Ordering::Release);
    }

    fn shelf(&self) -> Arc<LoadedModules> {
        Arc::clone(&self.inner.shelf.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn put(&self, shelf: LoadedModules) {
        let mut place = self.inner.shelf.write().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *place, Arc::new(shelf));
        drop(place);
        // Thousands of modules may go with the last reference: not under the lock.
        drop(before);
    }

    /// Reads what was touched again, and swaps the shelf.
    pub(crate) fn refresh(&self, touched: &ChangedModules) -> Refreshed {
        let _change = self.inner.change.lock().unwrap_or_else(PoisonError::into_inner);
        let mut refreshed = Refreshed::default();
        let Some(folder) = self.inner.folder.as_deref() else { return refreshed };
        let now = self.shelf();
        let mut next = LoadedModules {
            modules: BTreeMap::new(),
            manifest: now.manifest.clone(),
            manifest_hash: now.manifest_hash.clone(),
        };
        if touched.manifest {
            match read_manifest(folder) {
                Ok((manifest, hash)) => {
                    refreshed.has_new_manifest = now.manifest_hash.as_ref() != Some(&hash);
                    next.manifest = manifest;
                    next.manifest_hash = Some(hash);
                }
                Err(error) => tell_manifest(&mut refreshed.report, folder, error, &now),
            }
        }
        let rereads_all = touched.everything || refreshed.has_new_manifest;
        let reading =
            FolderReading { folder, signatures: &self.inner.signatures, candidates: &touched.paths };
        for (id, entry) in &next.manifest.modules {
            let before = now.modules.get(id);
            if rereads_all || reading.concerns(entry, before) {
                reading.take(id, entry, before, &mut next.modules, &mut refreshed.report);
            } else if let Some(before) = before {
                next.modules.insert(id.clone(), before.clone());
            }
        }
        let gone = now.modules.keys().filter(|id| !next.modules.contains_key(*id));
        refreshed.report.removed = gone.cloned().collect();
        self.put(next);
        refreshed
    }
}

/// Without a manifest there are no modules; those that are there stay, since files vanish for a moment when they
/// are saved.
fn tell_manifest(report: &mut LoadReport, folder: &Path, error: ModuleError, now: &LoadedModules) {
    let path = folder.join(MANIFEST_FILE);
    let is_first = now.manifest_hash.is_none() && now.modules.is_empty();
    if is_first && matches!(error, ModuleError::Io(_)) && !path.exists() {
        let warning = format!("{}: there is no manifest, so there are no modules", path.display());
        tracing::warn!("{warning}");
        report.warnings.push(warning);
        return;
    }
    tracing::warn!(%error, "the manifest of the modules is no good; what is loaded stays");
    report.failed.push((path, error));
}

fn read_manifest(folder: &Path) -> Result<(Manifest, String), ModuleError> {
    let path = folder.join(MANIFEST_FILE);
    let file = folder::read(folder, &path).map_err(|unread| unread.into_error(&path))?;
    Ok((Manifest::parse(&path.display().to_string(), &file.text)?, file.hash))
}

/// Reading modules of a folder again.
struct FolderReading<'a> {
    folder: &'a Path,
    signatures: &'a SignatureRegistry,
    /// Files that were touched: where a file went that is not in its place.
    candidates: &'a BTreeSet<PathBuf>,
}

impl FolderReading<'_> {
    /// Whether the file of a module was touched.
    fn concerns(&self, entry: &ManifestEntry, before: Option<&Shelved>) -> bool {
        let is_touched = |path: &Path| {
            let real = || std::fs::canonicalize(path).is_ok_and(|real| self.candidates.contains(&real));
            self.candidates.contains(path) || real()
        };
        let is_placed = folder::place(self.folder, &entry.path).is_ok_and(|path| is_touched(&path));
        is_placed || before.is_some_and(|before| is_touched(&before.path))
    }

    /// Reads one module again, and keeps what there was if it is no good.
    fn take(
        &self,
        id: &str,
        entry: &ManifestEntry,
        before: Option<&Shelved>,
        modules: &mut BTreeMap<String, Shelved>,
        report: &mut LoadReport,
    ) {
        match self.load(id, entry, before) {
            Ok(shelved) => {
                let is_same =
                    before.is_some_and(|before| before.hash == shelved.hash && before.path == shelved.path);
                if is_same { &mut report.unchanged } else { &mut report.loaded }.push(id.to_owned());
                modules.insert(id.to_owned(), shelved);
            }
            // A file that was taken away is meant so; one that is broken is not.
            Err((_, Unread::Gone)) if before.is_some() => {}
            Err((path, unread)) => {
                let error = unread.into_error(&path);
                tracing::warn!(module = id, %error, "a module is not loaded");
                report.failed.push((path, error));
                if let Some(before) = before {
                    report.kept.push(id.to_owned());
                    modules.insert(id.to_owned(), before.clone());
                }
            }
        }
    }

    /// The module of an entry.
    fn load(
        &self,
        id: &str,
        entry: &ManifestEntry,
        before: Option<&Shelved>,
    ) -> Result<Shelved, (PathBuf, Unread)> {
        let path = folder::place(self.folder, &entry.path)
            .map_err(|error| (self.folder.join(MANIFEST_FILE), Unread::Bad(error)))?;
        let (path, file) = match folder::read(self.folder, &path) {
            Ok(file) => (path, file),
            Err(Unread::Gone) => self.follow(id, before).ok_or((path, Unread::Gone))?,
            Err(unread) => return Err((path, unread)),
        };
        let bad = |error| (path.clone(), Unread::Bad(error));
        entry.check_hash(id, &file.hash).map_err(bad)?;
        let tags = entry.tags.clone();
        if let Some(before) = before.filter(|before| before.hash == file.hash) {
            return Ok(Shelved { module: Arc::clone(&before.module), path, tags, hash: file.hash });
        }
        let module = self.parse(id, &path, &file).map_err(bad)?;
        Ok(Shelved { module: Arc::new(module), path, tags, hash: file.hash })
    }

    fn parse(&self, id: &str, path: &Path, file: &FolderFile) -> Result<Module, ModuleError> {
        let name = path.display().to_string();
        let module = Module::parse_with(&name, &file.text, self.signatures)?;
        if module.module_id != id {
            let text = format!("{name}: the module calls itself '{}', its manifest '{id}'", module.module_id);
            return Err(ModuleError::InvalidFormat(text));
        }
        Ok(module)
    }

    /// Where the file of a module went: to where it was found last, or to one of the files that were touched. Its
    /// manifest may follow later.
    fn follow(&self, id: &str, before: Option<&Shelved>) -> Option<(PathBuf, FolderFile)> {
        let last = before.map(|before| &before.path);
        let mut places = last.into_iter().chain(self.candidates);
        places.find_map(|path| {
            let is_module = path.extension().is_some_and(|extension| extension == "json")
                && path.file_name().is_some_and(|name| name != MANIFEST_FILE);
            let file = folder::read(self.folder, path).ok().filter(|_| is_module)?;
            self.parse(id, path, &file).ok().map(|_| (path.clone(), file))
        })
    }
}
