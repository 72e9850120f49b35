//! The checkout: its root, its files as git would track them, and its packages as cargo sees them.
//!
//! Owns reading. Knows no rule: tasks get files and packages and judge them.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::command_line::CommandLine;

/// Files larger than this are recordings or pictures, never something a rule reads.
const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// The workspace root at or above `start`.
pub(crate) fn find_root(start: &Path) -> Result<PathBuf> {
    for folder in start.ancestors() {
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        if manifest.lines().any(|line| line.trim() == "[workspace]") {
            return Ok(folder.to_owned());
        }
    }
    bail!("no Cargo.toml with a [workspace] at or above {}: run this inside the checkout", start.display())
}

/// One text file of the checkout.
pub(crate) struct TextFile {
    /// Path from the root, with `/` on every system.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl TextFile {
    /// Whether the file holds Rust.
    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// The folder name under `crates/`, or `xtask` or `benches`; `None` for files outside every package.
    pub(crate) fn room(&self) -> Option<&str> {
        match self.path.split('/').collect::<Vec<_>>().as_slice() {
            ["crates", room, _, ..] => Some(room),
            [room @ ("xtask" | "benches"), _, ..] => Some(room),
            _ => None,
        }
    }

    /// Whether the file is compiled for tests only, judged by its place.
    pub(crate) fn is_test(&self) -> bool {
        self.path.ends_with("_tests.rs")
            || self.path.ends_with("/tests.rs")
            || self.path.split('/').any(|part| part == "tests")
    }

    /// Whether a program writes the file: the built web app, and the types that it takes from `schema/`.
    pub(crate) fn is_generated(&self) -> bool {
        self.path.starts_with("web/dist/") || self.path.starts_with("web/src/protocol/")
    }

    /// Whether the file is part of what a package ships.
    pub(crate) fn is_shipped_rust(&self) -> bool {
        self.is_rust() && !self.is_test() && self.path.split('/').any(|part| part == "src")
    }
}

/// Every text file that git tracks or would track, sorted by path.
pub(crate) fn read_files(root: &Path) -> Result<Vec<TextFile>> {
    let walk = ignore::WalkBuilder::new(root)
        .hidden(false)
        .parents(false)
        .git_global(false)
        .require_git(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build();
    let mut files = Vec::new();
    for entry in walk {
        let entry = entry.context("cannot walk the checkout")?;
        let readable = entry.metadata().is_ok_and(|meta| meta.is_file() && meta.len() <= FILE_BYTES_MAX);
        if !readable {
            continue;
        }
        let bytes =
            std::fs::read(entry.path()).with_context(|| format!("cannot read {}", entry.path().display()))?;
        let Ok(text) = String::from_utf8(bytes) else { continue };
        let inside = entry.path().strip_prefix(root).unwrap_or(entry.path());
        let parts: Vec<_> = inside.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        files.push(TextFile { path: parts.join("/"), text });
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// One package of the workspace.
pub(crate) struct Package {
    /// Its name in Cargo.toml.
    pub(crate) name: String,
    /// Its manifest, from the root.
    pub(crate) manifest: String,
    /// Dependencies that ship: normal and build.
    pub(crate) dependencies: Vec<String>,
    /// Those among them that only a feature brings in.
    pub(crate) optional_dependencies: Vec<String>,
    /// Dependencies of tests, examples and benchmarks.
    pub(crate) dev_dependencies: Vec<String>,
}

/// What `cargo metadata` says about the workspace.
pub(crate) struct CargoWorkspace {
    /// The packages, sorted by name.
    pub(crate) packages: Vec<Package>,
    pub(crate) target_folder: PathBuf,
}

/// Reads the manifests; resolves and downloads nothing.
pub(crate) fn read_workspace(root: &Path) -> Result<CargoWorkspace> {
    let args = ["metadata", "--no-deps", "--offline", "--format-version", "1"];
    let text = CommandLine::cargo(root, &args).output()?;
    let metadata: Value =
        serde_json::from_str(&text).context("cargo metadata printed something that is not JSON")?;
    let mut packages: Vec<_> =
        members(&metadata, "packages").map(|package| read_package(root, package)).collect();
    packages.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(CargoWorkspace { packages, target_folder: PathBuf::from(text_of(&metadata, "target_directory")) })
}

fn read_package(root: &Path, package: &Value) -> Package {
    let named = |wanted: fn(&Value) -> bool| {
        let mut names: Vec<_> = members(package, "dependencies")
            .filter(|dependency| wanted(dependency))
            .map(|dependency| text_of(dependency, "name").to_owned())
            .collect();
        names.sort();
        names.dedup();
        names
    };
    let manifest = Path::new(text_of(package, "manifest_path"));
    Package {
        name: text_of(package, "name").to_owned(),
        manifest: manifest.strip_prefix(root).unwrap_or(manifest).to_string_lossy().replace('\\', "/"),
        dependencies: named(|dependency| text_of(dependency, "kind") != "dev"),
        optional_dependencies: named(|dependency| dependency.get("optional") == Some(&Value::Bool(true))),
        dev_dependencies: named(|dependency| text_of(dependency, "kind") == "dev"),
    }
}

fn members<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value.get(key).and_then(Value::as_array).into_iter().flatten()
}

fn text_of<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
#[path = "checkout_tests.rs"]
pub(crate) mod tests;
