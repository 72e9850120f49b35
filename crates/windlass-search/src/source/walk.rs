//! The files under a root that are worth indexing, one after the other, and why the others are not.
//!
//! Links are never followed, so no loop is entered and nothing outside the root is read. Left out are secrets, hidden
//! files, what tools make, and what `.gitignore`, `.ignore` and git's own exclude file name. Memory holds the names of
//! the folders on the way down, never those of the whole tree. Reads no file but these lists (`content` does).

use std::fs::{self, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use windlass_core::text::secret_files::is_secret;

use crate::limits::{IGNORE_FILE_BYTES_MAX, WALK_DEPTH_MAX};
use crate::source::content;

/// Folders that tools make.
const MADE_FOLDERS: [&str; 9] =
    ["target", "node_modules", "__pycache__", "venv", "zig-cache", "zig-out", "dist", "build", "vendor"];

/// Endings of files that no reader can read: compiled, packed, pictures, sounds, fonts.
const BINARIES: [&str; 53] = [
    "exe",
    "dll",
    "so",
    "dylib",
    "a",
    "o",
    "obj",
    "lib",
    "rlib",
    "rmeta",
    "class",
    "pyc",
    "pyo",
    "jar",
    "war",
    "wasm",
    "bin",
    "zip",
    "gz",
    "tgz",
    "bz2",
    "xz",
    "zst",
    "7z",
    "rar",
    "tar",
    "iso",
    "dmg",
    "png",
    "jpg",
    "jpeg",
    "gif",
    "webp",
    "ico",
    "bmp",
    "tiff",
    "mp3",
    "mp4",
    "wav",
    "ogg",
    "flac",
    "avi",
    "mov",
    "mkv",
    "webm",
    "ttf",
    "otf",
    "woff",
    "woff2",
    "eot",
    "sqlite",
    "db",
    "safetensors",
];

/// Files that programs write and nobody reads: they would be found for every name of a dependency.
const GENERATED: [&str; 10] = [
    "cargo.lock",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "go.sum",
    "poetry.lock",
    "uv.lock",
    "composer.lock",
    "gemfile.lock",
];

/// Why something is not indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Skip {
    /// Its name says that it holds a secret.
    Secret,
    /// Its name starts with a dot.
    Hidden,
    /// An ignore file names it, or tools make it.
    Ignored,
    /// It is no text.
    Binary,
    /// It is not what its name says: a PDF that cannot be read as one.
    Damaged,
    /// It is text, but neither UTF-8 nor close to it.
    Encoding,
    /// It is larger than the limit, or reading it would take more time or memory than a file may have.
    TooLarge,
    /// It is a PDF, and nobody reads these here.
    Pdf,
    /// A program wrote it: lock files, minified code.
    Generated,
    /// It may not be read.
    Unreadable,
    /// It is a symbolic link.
    Link,
    /// It is a device, a pipe or a socket.
    Special,
    /// Its name is not Unicode and cannot be asked for.
    Name,
    /// It is too many folders down.
    TooDeep,
}

impl Skip {
    pub const ALL: [Skip; 14] = [
        Skip::Secret,
        Skip::Hidden,
        Skip::Ignored,
        Skip::Binary,
        Skip::Damaged,
        Skip::Encoding,
        Skip::TooLarge,
        Skip::Pdf,
        Skip::Generated,
        Skip::Unreadable,
        Skip::Link,
        Skip::Special,
        Skip::Name,
        Skip::TooDeep,
    ];

    pub fn word(self) -> &'static str {
        match self {
            Skip::Secret => "secret",
            Skip::Hidden => "hidden",
            Skip::Ignored => "ignored",
            Skip::Binary => "binary",
            Skip::Damaged => "damaged",
            Skip::Encoding => "encoding",
            Skip::TooLarge => "too_large",
            Skip::Pdf => "pdf",
            Skip::Generated => "generated",
            Skip::Unreadable => "unreadable",
            Skip::Link => "link",
            Skip::Special => "special",
            Skip::Name => "name",
            Skip::TooDeep => "too_deep",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|skip| skip.word() == word)
    }
}

/// What tells without reading that a file did not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Stamp {
    pub(crate) bytes: u64,
    /// When its content or its place last changed, in nanoseconds since 1970.
    pub(crate) changed_ns: u64,
}

impl Stamp {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        Self { bytes: metadata.len(), changed_ns: changed_ns(metadata) }
    }
}

/// Renaming another file over this one leaves its time of change behind, but not that of its entry.
#[cfg(unix)]
fn changed_ns(metadata: &Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let entry = metadata.ctime().saturating_mul(1_000_000_000).saturating_add(metadata.ctime_nsec());
    written_ns(metadata).max(u64::try_from(entry).unwrap_or(0))
}

#[cfg(not(unix))]
fn changed_ns(metadata: &Metadata) -> u64 {
    written_ns(metadata)
}

fn written_ns(metadata: &Metadata) -> u64 {
    let since = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
}

/// Something that the walk came upon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Walked {
    /// Relative to the root, with `/`.
    pub(crate) path: String,
    pub(crate) found: Result<Stamp, Skip>,
}

/// The ignore lists of a folder, and of the folders above it.
#[derive(Debug)]
struct IgnoreLists {
    above: Option<Arc<IgnoreLists>>,
    /// The folder's path, with a `/` at its end unless it is the root.
    folder: String,
    matcher: Gitignore,
}

impl IgnoreLists {
    fn load(root: &Path, folder: &str, above: Option<&Arc<IgnoreLists>>) -> Option<Arc<IgnoreLists>> {
        let mut builder = GitignoreBuilder::new(".");
        let mut is_empty = true;
        let excluded: &[&str] = if folder.is_empty() {
            &[".git/info/exclude", ".gitignore", ".ignore"]
        } else {
            &[".gitignore", ".ignore"]
        };
        for name in excluded {
            for line in read_list(&root.join(folder).join(name)).lines() {
                // A line that is no pattern is skipped, as git does.
                is_empty &= builder.add_line(None, line).is_err();
            }
        }
        match builder.build() {
            Ok(matcher) if !is_empty => {
                Some(Arc::new(IgnoreLists { above: above.cloned(), folder: folder.to_owned(), matcher }))
            }
            Ok(_) | Err(_) => above.cloned(),
        }
    }

    /// Whether the nearest rule that speaks of a path leaves it out; `None` when none speaks.
    fn verdict(&self, path: &str, is_folder: bool) -> Option<bool> {
        match self.matcher.matched(path.strip_prefix(&self.folder)?, is_folder) {
            Match::Ignore(_) => Some(true),
            Match::Whitelist(_) => Some(false),
            Match::None => self.above.as_ref()?.verdict(path, is_folder),
        }
    }
}

fn read_list(path: &Path) -> String {
    let mut bytes = Vec::new();
    // A list that cannot be read ignores nothing.
    if fs::symlink_metadata(path).is_ok_and(|facts| facts.is_file())
        && let Ok(file) = content::open(path)
    {
        let _ = file.take(IGNORE_FILE_BYTES_MAX).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').to_owned()
}

/// Why a thing of this name is left out, if it is.
fn refuse(rules: Option<&IgnoreLists>, path: &str, name: &str, is_folder: bool) -> Option<Skip> {
    if is_secret(name) || is_secret(path) {
        return Some(Skip::Secret);
    }
    if name.starts_with('.') {
        return Some(Skip::Hidden);
    }
    match rules.and_then(|rules| rules.verdict(path, is_folder)) {
        Some(true) => return Some(Skip::Ignored),
        Some(false) => return None,
        None => {}
    }
    if is_folder {
        return MADE_FOLDERS.contains(&name).then_some(Skip::Ignored);
    }
    let lower = name.to_ascii_lowercase();
    let ending = lower.rsplit_once('.').map_or("", |(_, ending)| ending);
    if BINARIES.contains(&ending) {
        Some(Skip::Binary)
    } else if GENERATED.contains(&lower.as_str()) || lower.contains(".min.") || ending == "map" {
        Some(Skip::Generated)
    } else {
        None
    }
}

struct Level {
    /// With a `/` at its end unless it is the root.
    folder: String,
    rules: Option<Arc<IgnoreLists>>,
    /// Names still to be looked at, last first; `None` is a name that is not Unicode.
    names: Vec<(Option<String>, FileKind)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileKind {
    File,
    Folder,
    Link,
    Special,
}

impl FileKind {
    fn of(kind: fs::FileType) -> Self {
        if kind.is_symlink() {
            FileKind::Link
        } else if kind.is_dir() {
            FileKind::Folder
        } else if kind.is_file() {
            FileKind::File
        } else {
            FileKind::Special
        }
    }
}

/// A walk in progress, in the order of names.
pub(crate) struct FileWalk {
    root: PathBuf,
    levels: Vec<Level>,
}

impl FileWalk {
    /// Starts at a root.
    pub(crate) fn new(root: &Path) -> std::io::Result<Self> {
        let names = names(root)?;
        let rules = IgnoreLists::load(root, "", None);
        Ok(Self { root: root.to_owned(), levels: vec![Level { folder: String::new(), rules, names }] })
    }

    /// Goes down into a folder; tells when it cannot.
    fn enter(&mut self, path: &str, rules: Option<&Arc<IgnoreLists>>) -> Option<Skip> {
        if self.levels.len() >= WALK_DEPTH_MAX {
            return Some(Skip::TooDeep);
        }
        let Ok(names) = names(&self.root.join(path)) else { return Some(Skip::Unreadable) };
        let folder = format!("{path}/");
        let rules = IgnoreLists::load(&self.root, &folder, rules);
        self.levels.push(Level { folder, rules, names });
        None
    }

    fn look(
        &mut self,
        path: &str,
        name: &str,
        kind: FileKind,
        rules: Option<&Arc<IgnoreLists>>,
    ) -> Option<Result<Stamp, Skip>> {
        let refused = refuse(rules.map(Arc::as_ref), path, name, kind == FileKind::Folder);
        if let Some(skip) = refused {
            return Some(Err(skip));
        }
        match kind {
            FileKind::Folder => self.enter(path, rules).map(Err),
            FileKind::Link => Some(Err(Skip::Link)),
            FileKind::Special => Some(Err(Skip::Special)),
            FileKind::File => {
                let metadata = fs::symlink_metadata(self.root.join(path));
                Some(metadata.map(|metadata| Stamp::of(&metadata)).map_err(|_| Skip::Unreadable))
            }
        }
    }
}

impl Iterator for FileWalk {
    type Item = Walked;

    fn next(&mut self) -> Option<Walked> {
        loop {
            let level = self.levels.last_mut()?;
            let Some((name, kind)) = level.names.pop() else {
                self.levels.pop();
                continue;
            };
            let Some(name) = name else {
                return Some(Walked { path: level.folder.clone(), found: Err(Skip::Name) });
            };
            let path = format!("{}{name}", level.folder);
            let rules = level.rules.clone();
            if let Some(found) = self.look(&path, &name, kind, rules.as_ref()) {
                return Some(Walked { path, found });
            }
        }
    }
}

/// The names in a folder, last first.
fn names(folder: &Path) -> std::io::Result<Vec<(Option<String>, FileKind)>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        names.push((entry.file_name().into_string().ok(), FileKind::of(entry.file_type()?)));
    }
    names.sort_unstable_by(|(one, _), (two, _)| two.cmp(one));
    Ok(names)
}

/// The folders that a walk enters, the root first; at most so many.
pub(crate) fn folders(root: &Path, count_max: usize) -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting = vec![(String::new(), 0, None)];
    while let Some((folder, depth, above)) = waiting.pop() {
        let Ok(names) = names(&root.join(&folder)) else { continue };
        let rules = IgnoreLists::load(root, &folder, above.as_ref());
        for (name, kind) in names {
            let (Some(name), FileKind::Folder) = (name, kind) else { continue };
            let path = format!("{folder}{name}");
            if depth < WALK_DEPTH_MAX && refuse(rules.as_deref(), &path, &name, true).is_none() {
                waiting.push((format!("{path}/"), depth + 1, rules.clone()));
            }
        }
        found.push(folder);
        if found.len() >= count_max {
            break;
        }
    }
    found
}

/// What a walk would say of one path: for a file that was just read or written.
///
/// `None` when there is nothing, or a folder.
pub(crate) fn look_at(root: &Path, path: &str) -> Option<Result<Stamp, Skip>> {
    let mut rules = IgnoreLists::load(root, "", None);
    let mut at = String::new();
    let mut parts = path.split('/').peekable();
    while let Some(name) = parts.next() {
        at.push_str(name);
        let Ok(metadata) = fs::symlink_metadata(root.join(&at)) else { return None };
        let kind = FileKind::of(metadata.file_type());
        if let Some(skip) = refuse(rules.as_deref(), &at, name, kind == FileKind::Folder) {
            return Some(Err(skip));
        }
        match (kind, parts.peek().is_some()) {
            (FileKind::File, false) => return Some(Ok(Stamp::of(&metadata))),
            (FileKind::Folder, true) => {
                at.push('/');
                rules = IgnoreLists::load(root, &at, rules.as_ref());
            }
            (FileKind::Link, _) => return Some(Err(Skip::Link)),
            (FileKind::Special, _) => return Some(Err(Skip::Special)),
            (FileKind::Folder, false) | (FileKind::File, true) => return None,
        }
    }
    None
}

#[cfg(test)]
#[path = "walk_tests.rs"]
mod tests;
