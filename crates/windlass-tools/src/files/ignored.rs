//! What a walk leaves out: secrets always; build folders, compiled files and what `.gitignore` and
//! `.ignore` name, unless one of these files asks for it back.

use std::io::Read;
use std::sync::Arc;

use cap_std::fs::Dir;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use windlass_core::text::secret_files::is_secret;

use super::file_place::open_file;
use super::limits::IGNORE_FILE_BYTES_MAX;

/// Folders that tools make.
const FOLDERS: [&str; 22] = [
    ".git",
    ".hg",
    ".svn",
    ".jj",
    "target",
    "node_modules",
    "__pycache__",
    ".venv",
    "venv",
    ".tox",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".gradle",
    ".next",
    ".nuxt",
    ".terraform",
    "zig-cache",
    ".zig-cache",
    "zig-out",
    "dist",
    "build",
];

/// Endings of compiled and packed files, which no model can read.
const BINARIES: [&str; 28] = [
    "exe", "dll", "so", "dylib", "a", "o", "obj", "lib", "rlib", "rmeta", "class", "pyc", "pyo", "jar",
    "war", "wasm", "bin", "zip", "gz", "tgz", "bz2", "xz", "zst", "7z", "rar", "tar", "iso", "dmg",
];

/// Whether a folder of this name is one that tools make and can make again.
pub(crate) fn is_build_folder(name: &str) -> bool {
    FOLDERS.contains(&name) && !matches!(name, ".git" | ".hg" | ".svn" | ".jj")
}

/// The ignore files of a folder, and of the folders above it.
pub(crate) struct GitignoreRules {
    above: Option<Arc<GitignoreRules>>,
    /// Canonical path of the folder.
    folder: String,
    matcher: Gitignore,
}

impl GitignoreRules {
    /// The rules in a folder: those above and its own, if it has any.
    pub(crate) fn load(
        dir: &Dir,
        folder: &str,
        above: Option<&Arc<GitignoreRules>>,
    ) -> Option<Arc<GitignoreRules>> {
        let mut builder = GitignoreBuilder::new(".");
        let mut is_empty = true;
        for name in [".gitignore", ".ignore"] {
            for line in read(dir, name).lines() {
                // A line that is no pattern is skipped, as git does.
                is_empty &= builder.add_line(None, line).is_err();
            }
        }
        match builder.build() {
            Ok(matcher) if !is_empty => {
                Some(Arc::new(GitignoreRules { above: above.cloned(), folder: folder.to_owned(), matcher }))
            }
            _ => above.cloned(),
        }
    }

    /// Whether the nearest rule that speaks of a path leaves it out; `None` when none speaks.
    fn verdict(&self, path: &str, is_folder: bool) -> Option<bool> {
        let inside = match self.folder.as_str() {
            "." => path,
            folder => path.strip_prefix(folder)?.strip_prefix('/')?,
        };
        match self.matcher.matched(inside, is_folder) {
            Match::Ignore(_) => Some(true),
            Match::Whitelist(_) => Some(false),
            Match::None => self.above.as_ref()?.verdict(path, is_folder),
        }
    }
}

fn read(dir: &Dir, name: &str) -> String {
    let mut bytes = Vec::new();
    // An ignore file that cannot be read ignores nothing.
    if let Ok(file) = open_file(dir, name, name) {
        let _ = file.take(IGNORE_FILE_BYTES_MAX).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').to_owned()
}

/// Whether a walk leaves out this path.
pub(crate) fn is_ignored(rules: Option<&GitignoreRules>, path: &str, name: &str, is_folder: bool) -> bool {
    if is_secret(path) || name == ".git" {
        return true;
    }
    match rules.and_then(|rules| rules.verdict(path, is_folder)) {
        Some(verdict) => verdict,
        None if is_folder => FOLDERS.contains(&name),
        None => {
            let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
            ending.is_some_and(|ending| BINARIES.contains(&ending.as_str()))
        }
    }
}
